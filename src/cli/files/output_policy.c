/* SPDX-License-Identifier: MIT */
/* Which files a command may write. */
#include "cli/files/output_policy.h"

#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether an input ("-": standard input; NULL: none) is a file. */
static bool
is_file(const char *input, const struct stat *file)
{
	struct stat found;
	if (!input || (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &found)
					       : stat(input, &found)) != 0)
		return false;
	return found.st_dev == file->st_dev && found.st_ino == file->st_ino;
}

static bool
is_input(const struct output_policy *policy, const struct stat *file)
{
	bool found = policy->operands && !policy->operands[0] && is_file("-", file);
	for (char *const *input = policy->operands; input && *input && !found; input++)
		found = is_file(*input, file);
	for (int i = 0; i < OUTPUT_POLICY_INPUTS && !found; i++)
		found = is_file(policy->inputs[i], file);
	return found;
}

bool
output_is_allowed(const struct output_policy *policy, const char *path)
{
	struct stat file;
	if (!path || strcmp(path, "-") == 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return true;
	if (is_input(policy, &file))
		diag_print(path, "is an input, and cannot be the output, too");
	else if (!policy->force)
		diag_print(path, "the file exists; use --force to replace it");
	else
		return true;
	return false;
}

bool
output_accepts_partial(const char *path)
{
	struct stat file;
	if (!path || strcmp(path, "-") == 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return true;
	diag_print(path, "not replaced: the result is partial; use --partial to accept it");
	return false;
}

bool
output_may_print(const struct poly_format_info *format, bool force)
{
	if (force || poly_format_is_text(format) || !term_output())
		return true;
	diag_print("standard output",
		"format '%s' is binary, and standard output is a terminal; redirect it, or use "
		"--force to write to the terminal",
		format->name);
	return false;
}
