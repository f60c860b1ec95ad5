/* SPDX-License-Identifier: MIT */
/* spec: AIX trace reference 4.4 (T4), 7.1 (-s, -e). */
#include "trcfmt/report/report_date.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Splits seconds since 1970 into the fields of a date. */
static struct tm
parts_of(const struct trcfmt_options *options, int64_t seconds)
{
	struct tm parts = {.tm_mday = 1, .tm_year = 70, .tm_wday = 4};
	if (seconds < 0 || seconds > DATE_LAST)
		seconds = 0;
	time_t time = (time_t)(seconds + (options->tz_local ? 0 : options->tz_minutes * 60));
	if (options->tz_local)
		localtime_r(&time, &parts);
	else
		gmtime_r(&time, &parts);
	return parts;
}

void
date_long(const struct trcfmt_options *options, int64_t seconds, char text[DATE_SIZE])
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm parts = parts_of(options, seconds);
	snprintf(text, DATE_SIZE, "%.3s %.3s %2d %02d:%02d:%02d %d",
		days + 3 * (parts.tm_wday % 7), months + 3 * (parts.tm_mon % 12), parts.tm_mday,
		parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_year + 1900);
}

void
date_iso(const struct trcfmt_options *options, int64_t seconds, char text[DATE_SIZE])
{
	struct tm parts = parts_of(options, seconds);
	snprintf(text, DATE_SIZE, "%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900,
		parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/* Returns the days from 1970-01-01 to a date; its year begins in March, so that leap days are
 * last. */
static int64_t
days_to(const struct tm *parts)
{
	int64_t month = (parts->tm_mon + 10) % 12;
	int64_t year = parts->tm_year + 1900 - (month >= 10);
	return 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 +
	       parts->tm_mday - 1 - 719468;
}

/* Returns the days of a month, from 0. */
static int
days_of(const struct tm *parts)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const int year = parts->tm_year + 1900;
	const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return days[parts->tm_mon] + (parts->tm_mon == 1 && leap);
}

static bool
seconds_of(const struct trcfmt_options *options, struct tm parts, int64_t *seconds)
{
	if (parts.tm_mon < 0 || parts.tm_mon > 11 || parts.tm_mday < 1 ||
		parts.tm_mday > days_of(&parts) || parts.tm_hour > 23 || parts.tm_min > 59 ||
		parts.tm_sec > 60)
		return false;
	if (options->tz_local) {
		parts.tm_isdst = -1;
		*seconds = (int64_t)mktime(&parts);
		return true;
	}
	*seconds = days_to(&parts) * 86400 + parts.tm_hour * 3600 + parts.tm_min * 60 +
		   parts.tm_sec - options->tz_minutes * 60;
	return true;
}

/* Parses n decimal digits. */
static bool
digits(const char *text, size_t n, int *value)
{
	uint64_t number;
	if (strspn(text, "0123456789") < n || !num_parse(text, n, &number))
		return false;
	*value = (int)number;
	return true;
}

bool
date_parse(const struct trcfmt_options *options, const char *text, int64_t *seconds)
{
	struct tm parts = {0};
	if (strlen(text) != 19 || text[4] != '-' || text[7] != '-' ||
		(text[10] != ' ' && text[10] != 'T') || text[13] != ':' || text[16] != ':')
		return false;
	if (!digits(text, 4, &parts.tm_year) || !digits(text + 5, 2, &parts.tm_mon) ||
		!digits(text + 8, 2, &parts.tm_mday) || !digits(text + 11, 2, &parts.tm_hour) ||
		!digits(text + 14, 2, &parts.tm_min) || !digits(text + 17, 2, &parts.tm_sec))
		return false;
	parts.tm_year -= 1900;
	parts.tm_mon -= 1;
	return seconds_of(options, parts, seconds);
}

bool
date_parse_short(const struct trcfmt_options *options, const char *text, int64_t *seconds)
{
	struct tm parts = {0};
	if (strlen(text) != 12 || !digits(text, 2, &parts.tm_mon) ||
		!digits(text + 2, 2, &parts.tm_mday) || !digits(text + 4, 2, &parts.tm_hour) ||
		!digits(text + 6, 2, &parts.tm_min) || !digits(text + 8, 2, &parts.tm_sec) ||
		!digits(text + 10, 2, &parts.tm_year))
		return false;
	parts.tm_mon -= 1;
	parts.tm_year += parts.tm_year < 70 ? 100 : 0;
	return seconds_of(options, parts, seconds);
}
