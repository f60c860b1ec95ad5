/* SPDX-License-Identifier: MIT */
/* polytrace trcupdate: updates a file of AIX trace templates. spec: AIX trace reference 4.2. */
#include "polytrace/byte_output.h"
#include "polytrace/templates.h"

#include "cli/command.h"
#include "cli/files/output.h"
#include "cli/print/diagnostics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct trcupdate_options {
	bool any_version, names, later;
	const char *master, *extract;
};

#define FIELD(name) .field = offsetof(struct trcupdate_options, name)
static const struct opt trcupdate_table[] = {
	{"any-version", 'o', FIELD(any_version), .help = "replace templates of any version"},
	{"template", 't', OPT_TEXT, "FILE", FIELD(master),
		.help = "update this template file (required)"},
	{"verbose", 'v', FIELD(names), .help = "print each file and each change"},
	{"extract", 'x', OPT_TEXT, "IDS", FIELD(extract),
		.help = "print the templates of these hooks, such as 15A,1B0, and exit"},
	{"later", FIELD(later),
		.help = "replace only templates of an earlier version, not of the same"},
	{"help", 'h', OPT_HELP, .help = "print this help and exit"},
	{0},
};
#undef FIELD

static const struct opt *const trcupdate_tables[] = {trcupdate_table, NULL};

/* A file's text. */
struct text_file {
	const char *path;
	char *bytes;
	size_t size;
};

static bool
load(struct text_file *text, const struct trcupdate_options *options, const char *what)
{
	struct poly_error error;
	if (options->names)
		diag_print(diag_input_name(text->path), "%s", what);
	if (poly_template_text_load(text->path, &text->bytes, &text->size, &error) == POLY_OK)
		return true;
	diag_error(diag_input_name(text->path), &error);
	return false;
}

/* Writes a file; overwrite: it may exist. */
static bool
save(const char *path, const char *text, size_t n, bool overwrite, bool names)
{
	struct poly_byte_output *output;
	struct poly_error error;
	enum poly_status status = poly_byte_output_open(path, overwrite, &output, &error);
	if (status == POLY_OK) {
		(void)poly_byte_output_write(output, text, n);
		status = poly_byte_output_finish(output, &error);
	}
	poly_byte_output_close(output);
	if (status == POLY_ERR_USAGE)
		diag_print(
			path, "the undo file of an earlier update exists; rename or remove it");
	else if (status != POLY_OK)
		diag_error(path, &error);
	else if (names)
		diag_print(path, "written");
	return status == POLY_OK;
}

/*
 * Locks a file against other updates, which wait, until its descriptor is closed; a lock of
 * fcntl would end when the file is read and closed. Returns the descriptor; -1: an error, which
 * was printed.
 */
static int
lock_file(const char *path)
{
	for (;;) {
		struct stat locked, named;
		const int fd = open(path, O_RDWR | O_CLOEXEC);
		int done = fd < 0 ? -1 : 0;
		while (!done && (done = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
			done = 0;
		if (done || fstat(fd, &locked) != 0) {
			diag_print(path, fd < 0 ? "cannot open file: %s" : "cannot lock: %s",
				strerror(errno));
			if (fd >= 0)
				close(fd);
			return -1;
		}
		/* Another update may have replaced the file meanwhile. */
		if (stat(path, &named) == 0 && named.st_ino == locked.st_ino &&
			named.st_dev == locked.st_dev)
			return fd;
		close(fd);
	}
}

/* Prints a finding in the file that user names. */
static void
print_finding(void *user, const struct poly_template_finding *finding)
{
	struct poly_error error = {.offset = POLY_NO_OFFSET, .line = finding->line};
	snprintf(error.message, sizeof error.message, "column %llu: %s: %s",
		(unsigned long long)finding->column, finding->rule->code, finding->message);
	diag_error(user, &error);
}

/* Finds the template of a hook id of n characters; false: none. */
static bool
find_template(const struct poly_templates *templates, const char *id, size_t n,
	struct poly_template_info *info)
{
	char digits[5] = "0000", *end;
	if (n != 3 && n != 4)
		return false;
	memcpy(digits, id, n);
	unsigned long hook = strtoul(digits, &end, 16);
	if (*end)
		return false;
	for (size_t i = 0; poly_template_at(templates, i, info); i++)
		if (info->hook == hook)
			return true;
	return false;
}

/* Prints the templates of a list of ids; returns the number of those not found. */
static int
print_templates(const struct poly_templates *templates, const char *ids, struct output *output)
{
	struct poly_template_info info;
	int absent = 0;
	while (*(ids += strspn(ids, ", \t"))) {
		size_t n = strcspn(ids, ", \t");
		if (find_template(templates, ids, n, &info)) {
			output_text(output, info.source);
		} else {
			diag_print("trcupdate", "no template for hook '%.*s'",
				n > 40 ? 40 : (int)n, ids);
			absent++;
		}
		ids += n;
	}
	return absent;
}

static int
extract(const struct trcupdate_options *options)
{
	struct text_file master = {.path = options->master};
	struct poly_templates *templates;
	struct poly_error error;
	if (!load(&master, options, "read"))
		return STATUS_ERROR;
	enum poly_status status =
		poly_templates_parse(master.bytes, master.size, NULL, &templates, &error);
	poly_template_text_free(master.bytes);
	if (status != POLY_OK) {
		diag_error(diag_input_name(master.path), &error);
		return STATUS_ERROR;
	}
	struct output *output = output_new();
	int absent = print_templates(templates, options->extract, output);
	poly_templates_free(templates);
	int written = output_finish(output);
	return written ? written : absent ? STATUS_NEGATIVE : STATUS_DONE;
}

/* Prints the steps; true if every change was applied. */
static bool
print_steps(const struct poly_updated *updated, const char *path, bool names)
{
	static const char *const done[] = {
		[POLY_UPDATE_ADDED] = "added",
		[POLY_UPDATE_REPLACED] = "replaced",
		[POLY_UPDATE_KEPT] = "not replaced: the template file's version is not earlier",
		[POLY_UPDATE_DELETED] = "deleted",
		[POLY_UPDATE_ABSENT] = "not deleted: no such template in the template file",
	};
	struct poly_update_step step;
	bool all = true;
	for (size_t i = 0; poly_updated_step(updated, i, &step); i++) {
		bool not_done =
			step.action == POLY_UPDATE_KEPT || step.action == POLY_UPDATE_ABSENT;
		bool wide = step.hook & 0xf;
		all = all && !not_done;
		if (not_done || names)
			diag_print(path, "line %llu: hook %0*X %s",
				(unsigned long long)step.line, wide ? 4 : 3,
				wide ? step.hook : step.hook >> 4u, done[step.action]);
	}
	return all;
}

/* Writes the undo file, then the updated template file. */
static int
write_updated(const struct poly_updated *updated, const struct trcupdate_options *options,
	const char *base, const char *changes)
{
	char undo_path[4096];
	size_t n, undo_size;
	const char *undo = poly_updated_undo(updated, &undo_size);
	const char *text = poly_updated_text(updated, &n);
	snprintf(undo_path, sizeof undo_path, "%s.undo.trc", base);
	bool all = print_steps(updated, changes, options->names);
	if (!save(undo_path, undo, undo_size, false, options->names))
		return STATUS_ERROR;
	if (!save(options->master, text, n, true, options->names)) {
		unlink(undo_path);
		return STATUS_ERROR;
	}
	return all ? STATUS_DONE : STATUS_NEGATIVE;
}

static int
apply_changes(const struct trcupdate_options *options, const char *base, char *path)
{
	struct text_file master = {.path = options->master}, changes = {.path = path};
	struct poly_updated *updated = NULL;
	struct poly_error error;
	int status = STATUS_ERROR;
	const int lock = lock_file(options->master);
	if (lock < 0)
		return status;
	if (load(&master, options, "read") && load(&changes, options, "read")) {
		struct poly_update update = POLY_UPDATE_INIT;
		update.master = master.bytes;
		update.master_size = master.size;
		update.changes = changes.bytes;
		update.changes_size = changes.size;
		update.any_version = options->any_version;
		update.later = options->later;
		update.found = print_finding;
		update.user = path;
		if (poly_templates_update(&update, &updated, &error) == POLY_OK)
			status = write_updated(updated, options, base, path);
		else if (!error.line)
			diag_error(options->master, &error);
	}
	poly_updated_free(updated);
	poly_template_text_free(master.bytes);
	poly_template_text_free(changes.bytes);
	close(lock);
	return status;
}

/* Applies the changes of File.trc; name may include the extension. */
static int
update_file(const struct trcupdate_options *options, const char *name)
{
	char base[4000], path[4096];
	size_t n = strlen(name);
	if (n > 4 && strcmp(name + n - 4, ".trc") == 0)
		n -= 4;
	if (n >= sizeof base) {
		diag_print("trcupdate", "file name is longer than %zu bytes", sizeof base - 1);
		return STATUS_ERROR;
	}
	snprintf(base, sizeof base, "%.*s", (int)n, name);
	snprintf(path, sizeof path, "%s.trc", base);
	return apply_changes(options, base, path);
}

static int
trcupdate_run(void *fields, char **operands)
{
	const struct trcupdate_options *options = fields;
	if (operands[0] && operands[1])
		diag_print("trcupdate", "extra operand '%s'; expected one file of changes",
			operands[1]);
	else if (!options->master)
		diag_print("trcupdate", "no template file; name it with '-t'");
	else if (!operands[0] == !options->extract)
		diag_print("trcupdate",
			options->extract ? "'-x' and a file of changes exclude each other"
					 : "no file of changes; name one, or use '-x'");
	else if (options->extract)
		return extract(options);
	else
		return update_file(options, operands[0]);
	return STATUS_ERROR;
}

const struct command command_trcupdate = {
	.name = "trcupdate",
	.group = GROUP_AIX,
	.summary = "update a file of AIX trace templates",
	.usage = "[-o] [-t File] [-v] [-x IDList] [File]",
	.examples = {"polytrace trcupdate -t templates -x 0F1",
		"polytrace trcupdate -v -t templates -x 0F1"},
	.options = trcupdate_tables,
	.options_size = sizeof(struct trcupdate_options),
	.run = trcupdate_run,
};
