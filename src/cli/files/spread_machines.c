/* SPDX-License-Identifier: MIT */
/* Shares of ranks: the bytes of a share. A rank that fails ends all. */
#include "cli/files/spread_machines.h"

#include "cli/files/saved_stats.h"
#include "cli/print/diagnostics.h"
#include "cli/programs/ranks.h"

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

/* Sends the share of an input; false: a message was printed. */
static bool
send_share(const char *path, spread_machines_fn *simulate, void *user)
{
	char *bytes = NULL;
	size_t size = 0;
	struct poly_stats *stats = simulate(user, path);
	const bool ok = stats && saved_write_bytes(stats, NULL, &bytes, &size);
	poly_stats_free(stats);
	if (ok)
		ranks_send(bytes, size);
	free(bytes);
	return ok;
}

bool
spread_machines_work(const struct spread_machines *spread, char **paths,
	spread_machines_fn *simulate, void *user)
{
	if (ranks_number() >= spread->shares)
		return true;
	for (; *paths; paths++) {
		if (!send_share(*paths, simulate, user))
			return false;
	}
	/* Rank 0 reads the same files, and prints the same warnings. */
	diag_release(false);
	return true;
}

/* Receives the share of a rank, and loads it; false: a message was printed. */
static bool
receive_share(struct poly_stats *stats, unsigned rank, const char *name)
{
	struct poly_error error;
	size_t size;
	unsigned char *bytes = ranks_receive(rank, &size);
	const bool ok = bytes && poly_stats_load_share(stats, bytes, size, &error) == POLY_OK;
	if (bytes && !ok)
		diag_error(name, &error);
	free(bytes);
	return ok;
}

bool
spread_machines_receive(
	const struct spread_machines *spread, struct poly_stats *stats, const char *name)
{
	bool ok = true;
	for (unsigned rank = 1; rank < spread->shares && ok; rank++)
		ok = receive_share(stats, rank, name);
	return ok;
}
