# The samples of AIX trace reference 7.2, their blanks collapsed as they are there; what hook 134 prints
# after the command is not in the trace, and the names of the words of hook 1B1 are unknown.
# needs jansson
printf 'kfork 0x10f4\n.execve | 00001230\n' >"$T/names"
polytrace trcrpt -h -n "$T/names" -O exec=on,pid=on,aix.delta=all -d 101,134,1B1 aix/published.jsonl | tr -s ' '
