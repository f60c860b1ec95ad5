/* SPDX-License-Identifier: MIT */
/* Comparison of predictive parsing with the plain parser, on any bytes. */
#ifndef TESTS_FUZZ_LINES_H
#define TESTS_FUZZ_LINES_H

#include "polytrace/polytrace.h"

#include "format/line/predict.h"

/*
 * Reads bytes without prediction and with it, side by side. NULL where rows, findings, counts
 * and errors are the same or the processor cannot predict that way; otherwise what differs.
 */
const char *lines_difference(const uint8_t *data, size_t size,
	const struct poly_read_options *options, enum predict_way way);

#endif
