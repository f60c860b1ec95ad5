# Hook 0F2 of the table assigns thread 100 to process 77.
# needs jansson
printf '0F2 current pid=D1\n' >"$T/hooks"
{
	echo '{"hook":"0x0f10","thread":100,"time":1,"hook_type":9}'
	echo '{"hook":"0x0f20","thread":100,"time":2,"hook_type":10,"payload":"0000004d"}'
	echo '{"hook":"0x0f10","thread":100,"time":3,"hook_type":9}'
	echo '{"hook":"0x0f10","thread":101,"time":4,"hook_type":9}'
} >"$T/events.jsonl"
polytrace convert "$T/events.jsonl" -o "$T/events.aix"
echo '0F1 1.0 "one"' >"$T/templates"
polytrace trcrpt -h -O aix.hooks="$T/hooks",pid=on,timestamp=3 -t "$T/templates" \
	-w 'process == 77 and hook == 0xf10' "$T/events.aix" 2>"$T/messages"
