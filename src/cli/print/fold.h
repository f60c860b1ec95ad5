/* SPDX-License-Identifier: MIT */
/* Text of standard output, wrapped at the width of the terminal. */
#ifndef CLI_FOLD_H
#define CLI_FOLD_H

#include "cli/files/output.h"

/* A paragraph that is being written. */
struct fold {
	struct output *output;
	size_t width;  /* characters of a line at most; a longer word stands alone */
	size_t indent; /* blanks before every line but the first */
	size_t column; /* characters that the current line has */
};

/* Writes blanks up to a column, on a new line if the current one is longer. */
void fold_to_column(struct fold *fold, size_t column);

/* Appends the words of a text, separated by single blanks; keeps its line feeds. */
void fold_text(struct fold *fold, const char *text);

/* Ends the line. */
void fold_end(struct fold *fold);

#endif
