/* SPDX-License-Identifier: MIT */
/* The two-bit counter of the courses' predictors. */
#ifndef COURSE_COUNTER_H
#define COURSE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Trains a counter with an outcome; returns its previous prediction: taken from 2. */
static inline bool
counter_train(uint8_t *counter, bool taken)
{
	const bool predicted = *counter >= 2;
	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
	return predicted;
}

#endif
