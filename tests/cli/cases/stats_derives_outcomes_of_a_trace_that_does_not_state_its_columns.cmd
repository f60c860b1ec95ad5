# needs jansson
polytrace stats -a branches --json jsonl/no_columns.jsonl
