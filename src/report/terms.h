/* SPDX-License-Identifier: MIT */
/* The labels of report keys: terms.def, and the rule that its labels follow. */
#ifndef REPORT_TERMS_H
#define REPORT_TERMS_H

#include "base/buf.h"

/*
 * Marks a key that reaches a report through a variable, such as an element of an array, so that
 * tests/structure/labels.py finds it; keys that are arguments of poly_report_* need no mark.
 */
#define KEY(key) (key)

/* Label and unit of a key, both static; unit is NULL if it has none. */
struct term {
	const char *key, *label, *unit;
};

/* Returns the i-th term in the order of keys; NULL after the last one. */
const struct term *terms_at(size_t i);

/* Returns the term of a key; NULL if terms.def lacks the key. */
const struct term *terms_find(const char *key);

/*
 * Appends the label derived from a key and returns the unit that the key ends with, or NULL.
 * The words of the key are joined by blanks, the first one begins with a capital, and acronyms
 * have their own spelling. A last word that names a unit (bytes, bits, ns, us, s, percent) is
 * not part of the label, unless it is the only word.
 */
const char *terms_derive(struct buf *label, const char *key);

#endif
