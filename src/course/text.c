/* SPDX-License-Identifier: MIT */
/* Lines that the printouts of several homeworks share. */
#include "course/text.h"

#include <inttypes.h>

void
course_text_name(struct buf *out, const char *name)
{
	buf_printf(out, "Trace name  \t\t\t\t%s\n", name);
}

void
course_text_processed(struct buf *out, uint64_t uops)
{
	buf_printf(out, "Processed %" PRIu64 " trace lines.\n", uops);
	buf_printf(out, "Num Uops (micro-ops): \t\t\t%" PRIu64 "\n", uops);
}

void
course_text_board(struct buf *out, const unsigned board[COURSE_REGISTERS])
{
	for (size_t i = 0; i < COURSE_REGISTERS; i++) {
		if (board[i])
			buf_printf(out, "%u", board[i]);
		else
			buf_byte(out, '-');
	}
}

double
course_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

bool
course_is_power(uint64_t n)
{
	return n && !(n & (n - 1));
}
