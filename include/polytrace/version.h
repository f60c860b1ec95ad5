/* SPDX-License-Identifier: MIT */
/*
 * The version of the interface. Until 1.0 a minor version, then a major one, has a soname of its
 * own; within one, functions, members of structs that begin with their size, columns and
 * constants are only added.
 */
#ifndef POLYTRACE_VERSION_H
#define POLYTRACE_VERSION_H

#include "polytrace/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. */
#define POLY_VERSION_MAJOR 0
/* Counts incompatible interfaces until 1.0, then additions. */
#define POLY_VERSION_MINOR 1
/* Counts corrections. */
#define POLY_VERSION_PATCH 0

/* Returns the version of the library that the program runs with, as "0.1.0". Static. */
POLY_API const char *poly_version(void);

#ifdef __cplusplus
}
#endif

#endif
