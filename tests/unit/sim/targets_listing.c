/* SPDX-License-Identifier: MIT */
/*
 * What predictors of targets say of records of standard input, four hexadecimal numbers a line:
 *
 *   btb SETS WAYS TAG-BITS SHIFT           pc, target, taken, looked up: the target found, or -
 *   ras ROOM                               kind, address, 0, 0: 1 where a return is predicted
 *   ittage SHIFT BASE ENTRIES TAG LENGTH…  pc, target, taken, indirect: the target found
 */
#include "sim/branch/btb.h"
#include "sim/branch/ittage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200000, ODD_BATCH = 1021 };

static uint64_t a[MOST], b[MOST], found[MOST];
static uint8_t kind[MOST], c[MOST], d[MOST], hit[MOST];
static size_t count;

static void
read_records(void)
{
	unsigned one, other;
	while (count < MOST && scanf("%" SCNx64 " %" SCNx64 " %x %x", &a[count], &b[count],
				       &one, &other) == 4) {
		kind[count] = (uint8_t)a[count];
		c[count] = (uint8_t)one;
		d[count++] = (uint8_t)other;
	}
}

static size_t
batch_size(size_t from)
{
	return count - from < ODD_BATCH ? count - from : ODD_BATCH;
}

static enum poly_status
run_btb(const unsigned *words, struct poly_error *error)
{
	const struct btb_config config = {words[0], words[1], words[2], words[3]};
	struct btb *btb;
	enum poly_status status = btb_new(&config, &btb, error);
	if (status)
		return status;
	for (size_t i = 0; i < count; i += ODD_BATCH) {
		const struct btb_batch batch = {a + i, b + i, c + i, d + i, batch_size(i)};
		btb_run(btb, &batch, hit + i, found + i);
	}
	for (size_t i = 0; i < count; i++) {
		if (hit[i])
			printf("%" PRIx64 "\n", found[i]);
		else
			puts("-");
	}
	btb_free(btb);
	return POLY_OK;
}

static enum poly_status
run_ras(const unsigned *words, struct poly_error *error)
{
	struct ras ras;
	enum poly_status status = ras_init(&ras, words[0], error);
	if (status)
		return status;
	for (size_t i = 0; i < count; i += ODD_BATCH)
		ras_run(&ras, kind + i, b + i, hit + i, batch_size(i));
	for (size_t i = 0; i < count; i++)
		printf("%d\n", hit[i]);
	ras_fini(&ras);
	return POLY_OK;
}

static enum poly_status
run_ittage(const unsigned *words, unsigned n, struct poly_error *error)
{
	struct ittage_config config = {words[0], words[1], n - 4, words[2], words[3], {0}};
	struct ittage *ittage;
	for (unsigned i = 4; i < n; i++)
		config.length[i - 4] = (uint16_t)words[i];
	enum poly_status status = ittage_new(&config, &ittage, error);
	if (status)
		return status;
	for (size_t i = 0; i < count; i += ODD_BATCH) {
		const struct ittage_batch batch = {a + i, b + i, c + i, d + i, batch_size(i)};
		ittage_run(ittage, &batch, found + i);
	}
	for (size_t i = 0; i < count; i++)
		printf("%" PRIx64 "\n", found[i]);
	ittage_free(ittage);
	return POLY_OK;
}

int
main(int argc, char **argv)
{
	unsigned words[20] = {0}, n = 0;
	struct poly_error error;
	enum poly_status status = POLY_ERR_USAGE;
	for (int i = 2; i < argc && n < 4 + ITTAGE_TABLES; i++)
		words[n++] = (unsigned)strtoul(argv[i], NULL, 0);
	read_records();
	if (!strcmp(argv[1], "btb"))
		status = run_btb(words, &error);
	else if (!strcmp(argv[1], "ras"))
		status = run_ras(words, &error);
	else if (!strcmp(argv[1], "ittage"))
		status = run_ittage(words, n, &error);
	return status ? 1 : 0;
}
