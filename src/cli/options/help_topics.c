/* SPDX-License-Identifier: MIT */
/* Topics of the help, and commands by the words of other programs. */
#include "polytrace/format.h"

#include "cli/print/fold.h"
#include "cli/options/help.h"
#include "cli/print/term.h"

#include <string.h>

/* Column of the texts beside the names of columns. */
#define DOC_COLUMN 18

static const char filters[] =
	"A filter is an expression over the columns of a trace; --where, --start-at and "
	"--stop-at take one. 'polytrace help columns' lists the columns.\n\n"
	"pc in 0x1000..0x1fff\n"
	"access == write and not has(value)\n"
	"mnemonic in {JMP, J} or text ~ \"^RET\"\n"
	"row > 1000 and value & 0xf0 == 0x30\n\n"
	"Operators, from the highest to the lowest precedence:\n\n"
	"- ~ (unary), * / %, + -, << >>, &, ^, |\n"
	"== = != < <= > >=, ~ !~ (regular expression), in, not in\n"
	"not !, and &&, or ||\n\n"
	"Numbers are decimal, 0x, 0o or 0b. A range A..B includes both ends; a set is a list "
	"in "
	"braces. has(COLUMN) is true for records that have a value; a comparison with an "
	"absent "
	"value is false. With --symbols, names of functions stand for addresses. See "
	"polytrace-filter(7).\n";

static const char keys[] =
	"Reports are text by default, JSON Lines with --json, CSV with --csv. Every value and "
	"every column of a table has a key, which JSON and CSV print; the label of the text is "
	"the key in words: the key miss_ratio has the label 'Miss ratio'.\n\n"
	"Keys are lower case with underscores. A key means the same in every report, and keeps "
	"its name and unit from version to version; new keys may be added. Counts are numbers, "
	"addresses are hexadecimal strings, absent values are null. The manual page of each "
	"command and analysis describes its keys.\n";

/* A topic that is a text. */
static int
print_text(const char *text)
{
	struct output *output = output_new();
	struct fold fold = {output, term_width(), 0, 0};
	fold_text(&fold, text);
	return output_finish(output);
}

/* Prints the columns of the table that every trace becomes. */
static int
print_columns(void)
{
	struct output *output = output_new();
	struct fold fold = {output, term_width(), DOC_COLUMN, 0};
	for (unsigned c = 0; c < POLY_COLUMN_COUNT; c++) {
		const char *name = poly_column_name((enum poly_column)c);
		output_text(output, name);
		fold.column = strlen(name);
		if (fold.column + 2 > DOC_COLUMN)
			fold_end(&fold);
		fold_to_column(&fold, DOC_COLUMN);
		fold_text(&fold, poly_column_doc((enum poly_column)c));
		fold_end(&fold);
	}
	return output_finish(output);
}

/* Topics; the others are lists that commands print. */
static const struct {
	const char *name;
	const char *text; /* NULL: the list of columns */
} topics[] = {
	{"columns", NULL},
	{"column", NULL},
	{"filters", filters},
	{"filter", filters},
	{"keys", keys},
	{"report-keys", keys},
};

enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static size_t
find_topic(const char *name)
{
	size_t i = 0;
	while (i < TOPIC_COUNT && strcmp(topics[i].name, name) != 0)
		i++;
	return i;
}

bool
help_is_topic(const char *name)
{
	return find_topic(name) < TOPIC_COUNT;
}

int
help_topic(const char *name)
{
	const size_t i = find_topic(name);
	return topics[i].text ? print_text(topics[i].text) : print_columns();
}

/* Words of other programs, and the command that does what they mean. */
static const char *const synonyms[][2] = {
	{"analyse", "stats"},
	{"analyze", "stats"},
	{"callers", "calls"},
	{"callgraph", "calls"},
	{"cat", "join"},
	{"cmp", "diff"},
	{"compare", "diff"},
	{"compress", "pack"},
	{"concat", "join"},
	{"concatenate", "join"},
	{"decompress", "unpack"},
	{"detect", "info"},
	{"dump", "view"},
	{"export", "convert"},
	{"file", "info"},
	{"flamegraph", "calls"},
	{"head", "view"},
	{"html", "report"},
	{"identify", "info"},
	{"inspect", "info"},
	{"list", "view"},
	{"lint", "check"},
	{"memory", "state"},
	{"plot", "report"},
	{"print", "view"},
	{"profile", "calls"},
	{"query", "sql"},
	{"registers", "state"},
	{"show", "view"},
	{"simulate", "sim"},
	{"statistics", "stats"},
	{"summary", "info"},
	{"tail", "view"},
	{"transcode", "convert"},
	{"translate", "convert"},
	{"uncompress", "unpack"},
	{"validate", "check"},
	{"verify", "check"},
	{"writer", "who"},
	{"zip", "pack"},
};

const char *
help_synonym(const char *word)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
		if (strcmp(synonyms[i][0], word) == 0)
			return synonyms[i][1];
	}
	return NULL;
}
