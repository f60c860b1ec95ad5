/* SPDX-License-Identifier: MIT */
/* Options of formats and analyses as text. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "polytrace/format.h"

/* Which values an option takes. */
void describe_values(const struct poly_option *option, char *text, size_t size);

/* What an option is where it is not given, in text or static; NULL: nothing. */
const char *describe_initial(const struct poly_option *option, char *text, size_t size);

#endif
