/* SPDX-License-Identifier: MIT */
/* Checks of registered structs against the contract of their interface. */
#ifndef MODEL_CONTRACT_H
#define MODEL_CONTRACT_H

#include "polytrace/format.h"

/* The struct that is checked, and its first fault. */
struct contract {
	const char *kind; /* "format" */
	const char *name; /* of the struct; NULL: it has none */
	size_t number;	  /* of the struct in its list, from 0; names one without a name */
	char fault[200];  /* "format pcs: options is NULL"; empty: no fault */
};

/* A pointer that must not be NULL. */
struct contract_member {
	const char *name; /* of the struct's member; NULL at the end of a list */
	bool is_set;
};

/*
 * Checks what a function of the caller returned, and passes its error on: one without a message
 * gets one, and a status that is not a status is POLY_ERR_USAGE. failure is not NULL.
 */
enum poly_status contract_check_status(const struct contract *contract, const char *function,
	enum poly_status status, struct poly_error *failure, struct poly_error *error);

/* Stores a fault, unless one is stored already; returns false. */
bool contract_fail(struct contract *contract, const char *message, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns whether all members of a list are set; else stores a fault. */
bool contract_check_members(struct contract *contract, const struct contract_member *members);

/* Returns whether a table of options obeys the contract; else stores a fault. */
bool contract_check_options(struct contract *contract, const struct poly_option *options);

/* Returns whether a table of rules obeys the contract; else stores a fault. */
bool contract_check_rules(struct contract *contract, const struct poly_rule *rules);

#endif
