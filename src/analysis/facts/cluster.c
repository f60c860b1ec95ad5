/* SPDX-License-Identifier: MIT */
/* k-means++ and the Bayesian information criterion. */
#include "analysis/facts/cluster.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Minimum variance; below, points count as equal. */
#define VARIANCE_MIN 1e-12

/* Fraction of the range of scores that the smallest k has to reach (SimPoint 3.0). */
#define SCORE_FRACTION 0.9

static const double pi = 3.14159265358979323846;

/* One k-means run. */
struct attempt {
	const struct cluster_point *points;
	size_t n;
	uint32_t k;
	struct cluster_point centers[CLUSTER_MAX];
	uint32_t *group;
	double *nearest; /* squared distance of each point to its center */
	double error;	 /* their sum */
};

uint64_t
cluster_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

double
cluster_distance(const struct cluster_point *a, const struct cluster_point *b)
{
	double sum = 0;
	for (size_t i = 0; i < CLUSTER_DIMENSIONS; i++) {
		const double d = a->x[i] - b->x[i];
		sum += d * d;
	}
	return sum;
}

/*
 * Draws a point with a probability proportional to its squared distance from the nearest center
 * (D. Arthur, S. Vassilvitskii, k-means++, SODA 2007); the first one if all are centers.
 */
static size_t
draw(const struct attempt *attempt, uint64_t *state)
{
	double total = 0, sum = 0;
	size_t chosen = 0;
	for (size_t i = 0; i < attempt->n; i++)
		total += attempt->nearest[i];
	const double mark = (double)(cluster_random(state) >> 11) * 0x1p-53 * total;
	for (size_t i = 0; i < attempt->n && sum <= mark; i++) {
		sum += attempt->nearest[i];
		if (attempt->nearest[i] > 0)
			chosen = i;
	}
	return chosen;
}

/* Chooses initial centers. */
static void
initialize(struct attempt *attempt, uint64_t seed)
{
	uint64_t state = seed;
	for (size_t i = 0; i < attempt->n; i++)
		attempt->nearest[i] = HUGE_VAL;
	for (uint32_t c = 0; c < attempt->k; c++) {
		const size_t chosen = c ? draw(attempt, &state)
					: (size_t)(cluster_random(&state) % attempt->n);
		attempt->centers[c] = attempt->points[chosen];
		for (size_t i = 0; i < attempt->n; i++) {
			const double d =
				cluster_distance(&attempt->points[i], &attempt->centers[c]);
			if (d < attempt->nearest[i])
				attempt->nearest[i] = d;
		}
	}
}

/* Assigns each point to its nearest center; returns whether any changed its cluster. */
static bool
assign(struct attempt *attempt)
{
	bool changed = false;
	attempt->error = 0;
	for (size_t i = 0; i < attempt->n; i++) {
		uint32_t best = 0;
		double distance = HUGE_VAL;
		for (uint32_t c = 0; c < attempt->k; c++) {
			const double d =
				cluster_distance(&attempt->points[i], &attempt->centers[c]);
			if (d < distance) {
				distance = d;
				best = c;
			}
		}
		changed |= attempt->group[i] != best;
		attempt->group[i] = best;
		attempt->error += distance;
	}
	return changed;
}

/* Moves each center to the mean of its points; empty clusters keep theirs. */
static void
move_centers(struct attempt *attempt)
{
	struct cluster_point sums[CLUSTER_MAX];
	size_t counts[CLUSTER_MAX] = {0};
	memset(sums, 0, sizeof sums);
	for (size_t i = 0; i < attempt->n; i++) {
		struct cluster_point *sum = &sums[attempt->group[i]];
		counts[attempt->group[i]]++;
		for (size_t j = 0; j < CLUSTER_DIMENSIONS; j++)
			sum->x[j] += attempt->points[i].x[j];
	}
	for (uint32_t c = 0; c < attempt->k; c++) {
		for (size_t j = 0; counts[c] && j < CLUSTER_DIMENSIONS; j++)
			attempt->centers[c].x[j] = sums[c].x[j] / (double)counts[c];
	}
}

static void
run(struct attempt *attempt, uint64_t seed)
{
	initialize(attempt, seed);
	for (size_t i = 0; i < attempt->n; i++)
		attempt->group[i] = CLUSTER_MAX;
	for (unsigned round = 0; round < CLUSTER_ROUNDS && assign(attempt); round++)
		move_centers(attempt);
}

/*
 * Returns the BIC: the log-likelihood of the points under identical spherical Gaussians, minus
 * half the logarithm of n per parameter.
 */
static double
score(const struct attempt *attempt)
{
	const double n = (double)attempt->n, k = attempt->k, d = CLUSTER_DIMENSIONS;
	double variance = attempt->n > attempt->k ? attempt->error / (d * (n - k)) : 0;
	double likelihood = 0;
	size_t counts[CLUSTER_MAX] = {0};
	if (variance < VARIANCE_MIN)
		variance = VARIANCE_MIN;
	for (size_t i = 0; i < attempt->n; i++)
		counts[attempt->group[i]]++;
	for (uint32_t c = 0; c < attempt->k; c++) {
		if (counts[c])
			likelihood += (double)counts[c] * log((double)counts[c] / n);
	}
	likelihood -= n * d / 2 * log(2 * pi * variance) + d * (n - k) / 2;
	return likelihood - (k - 1 + d * k + 1) / 2 * log(n);
}

/* Sets attempt to the best of several seeds for one k; spare: scratch clusters. */
static void
find_best(struct attempt *attempt, uint32_t *spare, uint32_t seeds)
{
	struct attempt candidate = *attempt;
	candidate.group = spare;
	run(attempt, 1);
	for (uint32_t seed = 2; seed <= seeds; seed++) {
		run(&candidate, seed);
		if (candidate.error < attempt->error) {
			memcpy(attempt->centers, candidate.centers, sizeof candidate.centers);
			memcpy(attempt->group, candidate.group,
				attempt->n * sizeof *candidate.group);
			attempt->error = candidate.error;
		}
	}
}

/* Returns the smallest k whose score reaches SCORE_FRACTION of the range. */
static uint32_t
choose(const struct clusters *clusters)
{
	double low = clusters->scores[1], high = low;
	for (uint32_t k = 2; k <= clusters->tried; k++) {
		low = clusters->scores[k] < low ? clusters->scores[k] : low;
		high = clusters->scores[k] > high ? clusters->scores[k] : high;
	}
	uint32_t k = 1;
	while (k < clusters->tried && clusters->scores[k] < low + SCORE_FRACTION * (high - low))
		k++;
	return k;
}

/* Copies the clusters with new numbers, without empty ones. */
static void
renumber(struct clusters *clusters, const struct attempt *attempt)
{
	uint32_t number[CLUSTER_MAX];
	memset(number, 0xff, sizeof number);
	clusters->k = 0;
	for (size_t i = 0; i < attempt->n; i++) {
		const uint32_t group = attempt->group[i];
		if (number[group] == UINT32_MAX) {
			clusters->centers[clusters->k] = attempt->centers[group];
			number[group] = clusters->k++;
		}
		clusters->group[i] = number[group];
	}
}

bool
clusters_find(struct clusters *clusters, const struct cluster_point *points, size_t n,
	uint32_t max_k, uint32_t seeds)
{
	struct attempt *attempt = mem_new(1, sizeof *attempt);
	uint32_t *spare = mem_new(n, sizeof *spare);
	uint32_t *group = mem_new(n, sizeof *group);
	double *nearest = mem_new(n, sizeof *nearest);
	memset(clusters, 0, sizeof *clusters);
	clusters->group = mem_new(n, sizeof *clusters->group);
	const bool ok = attempt && spare && group && nearest && clusters->group;
	if (ok) {
		/* One cluster per point has no variance. */
		clusters->tried = n > max_k ? max_k : n > 1 ? (uint32_t)n - 1 : 1;
		*attempt = (struct attempt){
			.points = points, .n = n, .group = group, .nearest = nearest};
		for (attempt->k = 1; attempt->k <= clusters->tried; attempt->k++) {
			find_best(attempt, spare, seeds);
			clusters->scores[attempt->k] = score(attempt);
		}
		attempt->k = choose(clusters);
		find_best(attempt, spare, seeds);
		renumber(clusters, attempt);
	}
	mem_free(attempt);
	mem_free(spare);
	mem_free(group);
	mem_free(nearest);
	return ok;
}

void
clusters_fini(struct clusters *clusters)
{
	mem_free(clusters->group);
	clusters->group = NULL;
}
