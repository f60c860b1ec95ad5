/* SPDX-License-Identifier: MIT */
/* What the programs of laws share: results as TAP, random numbers, the list of samples. */
#ifndef LAWS_LAW_H
#define LAWS_LAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of samples with laws, one of N divided by this is tried: see sample_takes_share. */
#define LAWS_SHARE 4

/* Stores why a law does not hold; returns false, which is the result of the law. */
bool fails(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, after what is stored. */
bool fails_also(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints whether a law holds for a sample, and why not. */
void law_result(bool holds, const char *law, const char *sample);

/* Returns whether the last fault is that the build lacks a library. */
bool law_lacks_library(void);

/* Prints that a law is not tried, for the stored reason. */
void law_skip(const char *law, const char *sample);

/* Prints the number of results; returns the exit status. */
int law_end(void);

/* Starts the random numbers of a law; a number per law. */
void seed_random(uint64_t number);

/* Returns a random number below n; 0 if n is 0. */
uint64_t random_below(uint64_t n);

/* A line of the list of samples. */
struct listed_sample {
	char format[32], path[200]; /* relative to tests/data */
	char option[64];	    /* "": none */
};

/* Reads the next line that names a sample; false: the list ends. */
bool next_sample(FILE *list, struct listed_sample *sample);

#endif
