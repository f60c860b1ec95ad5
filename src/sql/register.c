/* SPDX-License-Identifier: MIT */
/* Registers tables and functions with a connection. */
#include "sql/tables.h"

/* The first version with sqlite3_vtab_in and sqlite3_vtab_rhs_value. */
#define VERSION_MIN 3038000

/* The modules and what their tables contain. */
static const struct {
	struct sql_module module;
	const sqlite3_module *functions;
} modules[] = {
	{{.name = "trace"}, &sql_trace_module},
	{{.name = "trace_stats"}, &sql_report_module},
	{{.name = "trace_sim", .simulates = true}, &sql_report_module},
	{{.name = "trace_calls", .analysis = "calls"}, &sql_report_module},
	{{.name = "trace_symbols"}, &sql_symbols_module},
};

int
sql_register(sqlite3 *db, const struct sql_host *host)
{
	if (sqlite3_libversion_number() < VERSION_MIN)
		return SQLITE_MISUSE;
	int code = sql_register_functions(db);
	for (size_t i = 0; i < sizeof modules / sizeof *modules && code == SQLITE_OK; i++) {
		struct sql_module *module = sqlite3_malloc64(sizeof *module);
		if (!module)
			return SQLITE_NOMEM;
		*module = modules[i].module;
		module->host = host;
		code = sqlite3_create_module_v2(
			db, module->name, modules[i].functions, module, sqlite3_free);
	}
	return code;
}
