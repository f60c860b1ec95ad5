/* SPDX-License-Identifier: MIT */
/* Options of formats and analyses as text. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "polytrace/format.h"

/* Describes the valid values of an option. */
void describe_values(const struct poly_option *option, char *text, size_t size);

/* Returns the default of an option, in text or static; NULL: none. */
const char *describe_initial(const struct poly_option *option, char *text, size_t size);

#endif
