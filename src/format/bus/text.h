/* SPDX-License-Identifier: MIT */
/*
 * Lines of the listing of bus cycles: "00123458 00 NC_I_FETCH". Pure.
 *
 * spec: BYU BACH trace format (program); BYU BACH bus trace reference 4.5
 */
#ifndef FORMAT_BUS_TEXT_H
#define FORMAT_BUS_TEXT_H

#include "format/bus/cycle.h"

/*
 * Parses a line of n bytes, with its newline if there is one: address, byte enables and name
 * between blanks. Returns false if it is malformed; *exact: bus_print reproduces it.
 */
bool bus_parse(const char *line, size_t n, struct bus_cycle *cycle, bool *exact);

/* Returns whether n bytes are printable ASCII, blanks and line ends, unlike binary records. */
bool bus_is_text(const uint8_t *p, size_t n);

/* Maximum bytes of a line of the listing, and bytes that writing one may touch. */
#define BUS_LINE_MAX 23
#define BUS_PRINT_ROOM 32

/* Writes a line of the listing and returns its length; touches BUS_PRINT_ROOM bytes. */
size_t bus_print(char *dst, const struct bus_cycle *cycle);

/*
 * Writes the lines of n rows that have address, byte_enables and control, with A2 to A0 0,
 * and returns their length; 0 if an address exceeds 32 bits. May touch BUS_PRINT_ROOM bytes
 * after them.
 */
typedef size_t (*bus_print_fn)(char *dst, const struct poly_batch *batch, size_t row, size_t n);

/* The reference version, with tables. */
size_t bus_print_plain(char *dst, const struct poly_batch *batch, size_t row, size_t n);

/* Returns the version for this processor. */
bus_print_fn bus_printer(void);

#endif
