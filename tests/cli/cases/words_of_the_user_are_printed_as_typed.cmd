# Names of the library's options, which messages have replaced by switches, as words of the user.
polytrace stats -a options.threads cis501/thumb.trace
polytrace convert cis501/thumb.trace -o "$T/o.jsonl" --to-option options.date=1
polytrace view --option options.columns=1 cis501/thumb.trace
polytrace view --from options.format cis501/thumb.trace
polytrace view --option 'set options.format=1' cis501/thumb.trace
polytrace convert cis501/thumb.trace -o "$T/o.jsonl" -t options.isa
