/* SPDX-License-Identifier: MIT */
/*
 * Points in groups: k-means for every k, and the k that the Bayesian information criterion
 * speaks for. The same points give the same groups on every machine. Pure functions.
 *
 * spec: D. Pelleg, A. Moore, X-means, ICML 2000, 3.2 (the criterion); G. Hamerly, E. Perelman,
 * J. Lau, B. Calder, SimPoint 3.0, JILP 7, 2005 (several seeds, and the choice of k).
 */
#ifndef ANALYSIS_CLUSTER_H
#define ANALYSIS_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Coordinates of a point. */
#define CLUSTER_DIMENSIONS 15

/* Most groups. */
#define CLUSTER_MAX 64

/* Most rounds of one k-means. */
#define CLUSTER_ROUNDS 100

struct cluster_point {
	double x[CLUSTER_DIMENSIONS];
};

struct clusters {
	uint32_t k;
	double scores[CLUSTER_MAX + 1]; /* of the criterion, by k; of those tried */
	uint32_t tried;			/* the greatest k tried */
	struct cluster_point centers[CLUSTER_MAX];
	uint32_t *group; /* of each point; owned */
};

/* The next number of a sequence that begins with any state: splitmix64. */
uint64_t cluster_random(uint64_t *state);

/* The squared distance of two points. */
double cluster_distance(const struct cluster_point *a, const struct cluster_point *b);

/*
 * Groups n points, at least 1, into at most most groups (1 to CLUSTER_MAX), trying seeds (at
 * least 1) beginnings for each k. Groups are numbered in the order of their first points.
 * False: no memory. The caller frees with clusters_fini in either case.
 */
bool clusters_find(struct clusters *clusters, const struct cluster_point *points, size_t n,
	uint32_t most, uint32_t seeds);

/* Gives the memory back. */
void clusters_fini(struct clusters *clusters);

#endif
