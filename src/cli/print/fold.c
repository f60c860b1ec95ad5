/* SPDX-License-Identifier: MIT */
/* Text of standard output, wrapped at the width of the terminal. */
#include "cli/print/fold.h"

#include <string.h>

/* Returns the characters of n bytes of UTF-8. */
static size_t
count_characters(const char *text, size_t n)
{
	size_t count = 0;
	for (; n; n--, text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static void
write_blanks(struct fold *fold, size_t count)
{
	for (; count; count--, fold->column++)
		output_write(fold->output, " ", 1);
}

void
fold_end(struct fold *fold)
{
	output_write(fold->output, "\n", 1);
	fold->column = 0;
}

void
fold_to_column(struct fold *fold, size_t column)
{
	if (fold->column > column)
		fold_end(fold);
	write_blanks(fold, column - fold->column);
}

/* Writes a word of n bytes, on a new line if the current one is full. */
static void
write_word(struct fold *fold, const char *word, size_t n, bool follows)
{
	const size_t width = count_characters(word, n);
	if (follows && fold->column + 1 + width > fold->width) {
		fold_end(fold);
		write_blanks(fold, fold->indent);
	} else if (follows) {
		write_blanks(fold, 1);
	}
	output_write(fold->output, word, n);
	fold->column += width;
}

void
fold_text(struct fold *fold, const char *text)
{
	bool follows = false;
	while (*text) {
		const size_t n = strcspn(text, " \n");
		if (n)
			write_word(fold, text, n, follows);
		follows = follows || n;
		text += n;
		if (*text == '\n') {
			fold_end(fold);
			write_blanks(fold, fold->indent);
			follows = false;
		}
		text += *text != 0;
	}
}
