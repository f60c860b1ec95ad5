# A statement that reads a file twice; one line of it is not a record.
polytrace sql "SELECT (SELECT count(*) FROM words WHERE text = 'sum of words'),
	(SELECT count(*) FROM words WHERE pc = 1)" lackey/words.lackey
polytrace sql --json "SELECT count(*) > 0 AS any FROM trace_stats('lackey/words.lackey', 'mix')"
