/* SPDX-License-Identifier: MIT */
/* Shares of ranks: the bytes of a share, empty on failure, and the messages of the rank. */
#include "cli/files/spread_machines.h"

#include "cli/files/saved_stats.h"
#include "cli/print/diagnostics.h"
#include "cli/programs/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
spread_machines_init(
	struct spread_machines *spread, const struct poly_stats_options *request, char **paths)
{
	const unsigned ranks = ranks_count();
	struct poly_stats *stats;
	bool are_files = paths[0];
	*spread = (struct spread_machines){.shares = 1};
	for (; paths[spread->inputs]; spread->inputs++)
		are_files = are_files && strcmp(paths[spread->inputs], "-") != 0;
	if (!are_files || spread->inputs >= ranks ||
		poly_stats_new(request, &stats, NULL) != POLY_OK)
		return;
	const size_t max = poly_stats_max_shares(stats);
	spread->shares = max < ranks ? max : ranks;
	poly_stats_free(stats);
}

bool
spread_machines_select(const struct spread_machines *spread, struct poly_stats *stats)
{
	struct poly_error error;
	const struct poly_share share = {ranks_number(), spread->shares};
	if (spread->shares == 1 || poly_stats_set_share(stats, &share, &error) == POLY_OK)
		return true;
	diag_error("sim", &error);
	return false;
}

/* Sends the share of an input, with the messages of this rank. */
static void
send_share(const char *path, spread_machines_fn *simulate, void *user)
{
	char *bytes = NULL, *messages = NULL;
	size_t size = 0, length = 0;
	FILE *stream = open_memstream(&messages, &length);
	if (!stream)
		diag_no_memory();
	diag_redirect(stream);
	struct poly_stats *stats = simulate(user, path);
	if (stats)
		saved_write_bytes(stats, NULL, &bytes, &size);
	poly_stats_free(stats);
	diag_redirect(NULL);
	if (fclose(stream) != 0)
		diag_no_memory();
	ranks_send(bytes, size);
	ranks_send(messages, length);
	free(bytes);
	free(messages);
}

void
spread_machines_work(const struct spread_machines *spread, char **paths,
	spread_machines_fn *simulate, void *user)
{
	if (ranks_number() >= spread->shares)
		return;
	for (; *paths; paths++)
		send_share(*paths, simulate, user);
}

/* Receives the share of a rank, and loads it, unless stats is NULL; else prints a message. */
static bool
receive_share(struct poly_stats *stats, unsigned rank, const char *name)
{
	struct poly_error error;
	size_t size, length;
	bool ok = true;
	unsigned char *bytes = ranks_receive(rank, &size);
	unsigned char *messages = ranks_receive(rank, &length);
	if (stats && !size) {
		fwrite(messages, 1, length, stderr);
		diag_print(name, "rank %u of %u has no results", rank, ranks_count());
		ok = false;
	} else if (stats && poly_stats_load_share(stats, bytes, size, &error) != POLY_OK) {
		diag_error(name, &error);
		ok = false;
	}
	free(bytes);
	free(messages);
	return ok;
}

bool
spread_machines_receive(
	struct spread_machines *spread, struct poly_stats *stats, const char *name)
{
	bool ok = stats;
	for (unsigned rank = 1; rank < spread->shares; rank++)
		ok = receive_share(ok ? stats : NULL, rank, name) && ok;
	spread->received++;
	return ok;
}

void
spread_machines_end(struct spread_machines *spread)
{
	while (spread->shares > 1 && spread->received < spread->inputs)
		spread_machines_receive(spread, NULL, NULL);
}
