/* SPDX-License-Identifier: MIT */
/* Options of the library by the switches of the command that set them. */
#ifndef CLI_SWITCHES_H
#define CLI_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "polytrace/status.h"

/*
 * Copies the first n bytes of the message of an error into text, with the words that name an
 * option of the library replaced by its switch: "set options.format" becomes "use --from
 * FORMAT", or "use --to FORMAT" if the message is about writing. A text that is too small
 * truncates the message.
 */
void switches_name(
	const struct poly_error *error, size_t n, bool writes, char *text, size_t size);

#endif
