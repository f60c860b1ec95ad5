/* SPDX-License-Identifier: MIT */
/* The settings of -O. spec: AIX trace reference 3, 7.1. */
#ifndef TRCFMT_SETTINGS_H
#define TRCFMT_SETTINGS_H

#include "polytrace/trcrpt.h"

#include "trcfmt/eval/eval.h"
#include "trcfmt/report/layout.h"

struct report_settings {
	struct report_layout layout;
	struct trcfmt_options eval;
	bool remove_duplicates;
	bool hist;	     /* only the histogram of hooks */
	bool skip_undefined; /* aix.undefined=skip */
	bool delta_all;	     /* aix.delta=all: since the event before, shown or not */
	bool has_start, has_end;
	int64_t start, end;  /* ns since the first event */
	unsigned page_lines; /* lines between headings; 0: one heading */
};

/* The initial values. */
void settings_init(struct report_settings *settings);

/* Parses "NAME=VALUE,...". POLY_ERR_USAGE: not valid. */
enum poly_status settings_parse(
	struct report_settings *settings, const char *text, struct poly_error *error);

#endif
