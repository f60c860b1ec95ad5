/* SPDX-License-Identifier: MIT */
/* What -O sets: one table of names, values and where they go. spec: reference aix 3, 7.1. */
#ifndef TRCFMT_SETTINGS_H
#define TRCFMT_SETTINGS_H

#include "polytrace/trcrpt.h"

#include "trcfmt/eval.h"
#include "trcfmt/layout.h"

struct settings {
	struct layout layout;
	struct trcfmt_options eval;
	bool remove_duplicates;
	bool hist;	     /* only how often each hook occurs */
	bool skip_undefined; /* aix.undefined=skip */
	bool delta_all;	     /* aix.delta=all: against the event before, shown or not */
	bool has_start, has_end;
	int64_t start, end;  /* ns since the first event */
	unsigned page_lines; /* lines between headings; 0: one heading */
};

/* The initial values. */
void settings_init(struct settings *settings);

/* Takes "NAME=VALUE", or some with commas between. POLY_ERR_USAGE: the message says why. */
enum poly_status settings_take(
	struct settings *settings, const char *text, struct poly_error *error);

#endif
