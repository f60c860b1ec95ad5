/* SPDX-License-Identifier: MIT */
/*
 * Frames that hold numbers (lines, pages), each at most once, found by hash and linked from the
 * newest to the oldest. What is new is up to the caller: putting one in makes it new, and
 * lru_list_renew does so again. Memory: 28 to 36 bytes a frame, taken at once.
 */
#ifndef SIM_LRU_LIST_H
#define SIM_LRU_LIST_H

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
	uint32_t *slots;	 /* hash table of frame + 1, 0 where nothing is */
	uint32_t mask;		 /* slots - 1 */
	unsigned shift;		 /* of a hash, so that its upper bits tell the slot */
	uint32_t capacity, held; /* frames in all, and with a number */
	uint32_t newest, oldest; /* LRU_LIST_NONE where none holds a number */
	uint32_t spare;		 /* a list by older of frames that were given up */
	uint32_t fresh;		 /* frames from here on were never used */
};

/* Takes the memory of capacity frames (1 to 2^26); false: there is none. */
bool lru_list_init(struct lru_list *list, uint32_t capacity);

/* Gives the memory back; nothing happens where there is none. */
void lru_list_fini(struct lru_list *list);

/* The frame that holds a number, or LRU_LIST_NONE. */
uint32_t lru_list_find(const struct lru_list *list, uint64_t number);

/* Makes a frame the newest. */
void lru_list_renew(struct lru_list *list, uint32_t frame);

/*
 * Puts a number that no frame holds into one that holds none, as the newest, and returns that
 * frame. There must be one: held < capacity. The first numbers get the frames 0, 1, 2, ...
 */
uint32_t lru_list_insert(struct lru_list *list, uint64_t number);

/* Puts a number that no frame holds in the place of another, as the newest. */
void lru_list_replace(struct lru_list *list, uint32_t frame, uint64_t number);

/* Gives a frame up: it holds no number any more. */
void lru_list_remove(struct lru_list *list, uint32_t frame);

#endif
