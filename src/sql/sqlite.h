/* SPDX-License-Identifier: MIT */
/*
 * SQLite. A module reaches it through the functions of the program that loads it, the command
 * by linking the library.
 */
#ifndef SQL_SQLITE_H
#define SQL_SQLITE_H

#ifdef POLY_SQLITE_MODULE
#include <sqlite3ext.h>
/* The functions of the program, set by the entry point of the module. */
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

#endif
