/* SPDX-License-Identifier: MIT */
/* Dates of the report. spec: AIX trace reference 4.4 (T4), 7.1 (-s, -e). */
#ifndef TRCFMT_REPORT_DATE_H
#define TRCFMT_REPORT_DATE_H

#include "trcfmt/eval/eval.h"

/* Size of a date as text, with its NUL. */
#define DATE_SIZE 40

/* The last second of the year 9999; later dates are not printed. */
#define DATE_LAST INT64_C(253402300799)

/* Formats seconds since 1970 as "Thu Oct 28 13:34:05 1999" in the time zone of options; those
 * before 1970 and after DATE_LAST as 0. */
void date_long(const struct trcfmt_options *options, int64_t seconds, char text[DATE_SIZE]);

/* Formats them as "1999-10-28 13:34:05". */
void date_iso(const struct trcfmt_options *options, int64_t seconds, char text[DATE_SIZE]);

/* Parses "YYYY-MM-DD hh:mm:ss", or with a "T" between; false if it is not a date. */
bool date_parse(const struct trcfmt_options *options, const char *text, int64_t *seconds);

/* Parses "mmddhhmmssyy"; years from 70 on are 1970 to 1999. */
bool date_parse_short(const struct trcfmt_options *options, const char *text, int64_t *seconds);

#endif
