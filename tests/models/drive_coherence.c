/* SPDX-License-Identifier: MIT */
/* Coherent caches of threads. */
#include "drive.h"

#include "sim/cache/coherence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
print_counts(const struct coherence *coherence, uint32_t threads)
{
	for (uint32_t thread = 0; thread < threads; thread++) {
		const struct coherence_counts *c = coherence_counts(coherence, thread);
		printf("thread %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->invalidations,
			c->supplied, c->written_back);
	}
	size_t count;
	const struct coherence_line *lines = coherence_lines(coherence, &count);
	for (size_t i = 0; i < count; i++)
		printf("line %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIx64 "\n",
			lines[i].address, lines[i].true_misses, lines[i].false_misses,
			lines[i].invalidations, lines[i].threads);
}

void
drive_coherence(const struct settings *s, const struct accesses *accesses)
{
	const struct coherence_config config = {
		.threads = (uint32_t)setting(s, NULL, "threads", 4),
		.cache = {.sets = setting(s, NULL, "sets", 4),
			.ways = (uint32_t)setting(s, NULL, "ways", 2),
			.line_size = (uint32_t)setting(s, NULL, "line", 32)},
		.word_size = (uint32_t)setting(s, NULL, "word", 4),
		.lines = 1 << 20};
	const struct coherence_batch batch = {accesses->addresses, accesses->kinds,
		accesses->sizes, accesses->threads, accesses->count,
		malloc(accesses->count + 1)};
	uint8_t *outcomes = malloc(accesses->count + 1);
	struct coherence *coherence;
	struct poly_error error;
	if (!outcomes || !batch.taken ||
		coherence_new(&config, &coherence, &error) != POLY_OK ||
		coherence_run(coherence, &batch, outcomes, &error) != POLY_OK) {
		puts(error.message);
		exit(1);
	}
	for (size_t i = 0; i < accesses->count; i++)
		printf("%d %d\n", outcomes[i], batch.taken[i]);
	print_counts(coherence, config.threads);
	coherence_free(coherence);
	free(outcomes);
	free(batch.taken);
}
