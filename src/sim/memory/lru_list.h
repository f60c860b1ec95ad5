/* SPDX-License-Identifier: MIT */
/*
 * Frames that hold numbers (lines, pages), each at most once, found by hash and linked from the
 * newest to the oldest. Insertion makes a number the newest, and so does lru_list_renew.
 * Memory: 28 to 36 bytes per frame, allocated at creation.
 */
#ifndef SIM_LRU_LIST_H
#define SIM_LRU_LIST_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LRU_LIST_NONE UINT32_MAX

struct frame {
	uint64_t number;
	uint32_t newer, older; /* LRU_LIST_NONE at either end */
};

struct lru_list {
	struct frame *frames;
	uint32_t *slots; /* hash table of frame + 1; 0: empty */
	uint32_t mask;	 /* slots - 1 */
	struct hash_seed seed;
	uint32_t capacity, held; /* all frames, and those with a number */
	uint32_t newest, oldest; /* LRU_LIST_NONE if all are empty */
	uint32_t spare;		 /* free list of removed frames, linked by older */
	uint32_t fresh;		 /* first frame that was never used */
};

/* Allocates capacity frames (1 to 2^26). Returns false if out of memory. */
bool lru_list_init(struct lru_list *list, uint32_t capacity);

/* Frees the memory. Accepts a zeroed list. */
void lru_list_fini(struct lru_list *list);

/* Returns the frame that holds a number, or LRU_LIST_NONE. */
uint32_t lru_list_find(const struct lru_list *list, uint64_t number);

/* Makes a frame the newest. */
void lru_list_renew(struct lru_list *list, uint32_t frame);

/*
 * Inserts an absent number into an empty frame, as the newest. Returns the frame. Requires
 * held < capacity. The first numbers get the frames 0, 1, 2, ...
 */
uint32_t lru_list_insert(struct lru_list *list, uint64_t number);

/* Replaces the number of a frame by an absent one, as the newest. */
void lru_list_replace(struct lru_list *list, uint32_t frame, uint64_t number);

/* Empties a frame. */
void lru_list_remove(struct lru_list *list, uint32_t frame);

#endif
