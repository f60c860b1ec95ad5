/* SPDX-License-Identifier: MIT */
/* Names of files that are not traces of any format. */
#ifndef FORMAT_FOREIGN_H
#define FORMAT_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Return what the n bytes at the front of an input are, with an article ("an ELF file"), by a
 * magic, or by the first lines of a text; NULL: unknown. Static.
 */
const char *foreign_magic(const uint8_t *p, size_t n);
const char *foreign_text(const uint8_t *p, size_t n);

#endif
