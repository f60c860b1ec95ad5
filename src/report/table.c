/* SPDX-License-Identifier: MIT */
/* Tables of reports whose columns are listed in one text. */
#include "report/table.h"

#include "report/terms.h"
#include "report/tree.h"

#include <string.h>

void
table_columns(struct poly_report *report, const char *keys)
{
	static const char mark[] = ":text";
	for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
		char key[64] = "";
		const size_t n = strcspn(keys, " "), name = strcspn(keys, " :");
		const bool is_text = n == name + sizeof mark - 1 &&
				     memcmp(keys + name, mark, sizeof mark - 1) == 0;
		if (name < sizeof key && (is_text || n == name))
			memcpy(key, keys, name);
		const struct term *term = terms_find(key);
		if (term)
			poly_report_column(report, term->key, !is_text);
		else if (!report->misuse)
			report->misuse = "a column of a table is not a term";
		keys += n;
	}
}

void
table_open(struct poly_report *report, const char *key, const char *keys)
{
	poly_report_table(report, key);
	table_columns(report, keys);
}
