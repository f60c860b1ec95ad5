/* SPDX-License-Identifier: MIT */
/* What only tests ask of a reader. */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "polytrace/reader.h"

#include "format/line/predict.h"

/*
 * Chooses how lines are predicted from now on; before the first batch. False where the
 * processor can't do it that way.
 */
bool reader_predict_by(struct poly_reader *reader, enum predict_way way);

#endif
