/* SPDX-License-Identifier: MIT */
/*
 * Clusters points with k-means for every k, and selects k by the Bayesian information
 * criterion. The same points give the same clusters on every machine. Pure functions.
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

/* Maximum number of clusters. */
#define CLUSTER_MAX 64

/* Maximum number of iterations of one k-means. */
#define CLUSTER_ROUNDS 100

struct cluster_point {
	double x[CLUSTER_DIMENSIONS];
};

struct clusters {
	uint32_t k;
	double scores[CLUSTER_MAX + 1]; /* BIC by k, up to tried */
	uint32_t tried;			/* maximum k tried */
	struct cluster_point centers[CLUSTER_MAX];
	uint32_t *group; /* cluster of each point; owned */
};

/* Returns the next pseudorandom number: splitmix64. */
uint64_t cluster_random(uint64_t *state);

/* Returns the squared distance of two points. */
double cluster_distance(const struct cluster_point *a, const struct cluster_point *b);

/*
 * Clusters n points, at least 1, into at most max_k clusters (1 to CLUSTER_MAX), with the given
 * number of seeds (at least 1) for each k. Clusters are numbered in order of their first
 * points. False: out of memory. The caller frees with clusters_fini in either case.
 */
bool clusters_find(struct clusters *clusters, const struct cluster_point *points, size_t n,
	uint32_t max_k, uint32_t seeds);

/* Frees the memory. */
void clusters_fini(struct clusters *clusters);

#endif
