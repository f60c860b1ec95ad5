/* SPDX-License-Identifier: MIT */
/* Functions of a reader for tests alone. */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "polytrace/reader.h"

#include "format/line/predict.h"

/*
 * Selects the implementation of line prediction, before the first batch. False: the CPU does
 * not support it.
 */
bool reader_predict_by(struct poly_reader *reader, enum predict_way way);

#endif
