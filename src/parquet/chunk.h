/* SPDX-License-Identifier: MIT */
/* A column of a row group: its cells, and its chunk of the file. */
#ifndef PARQUET_CHUNK_H
#define PARQUET_CHUNK_H

#include "parquet/dictionary.h"
#include "parquet/parquet.h"

#include "io/block.h"

/* Types of stored values. spec: parquet.thrift, Type */
enum physical_type {
	PHYSICAL_BOOLEAN = 0,
	PHYSICAL_INT32 = 1,
	PHYSICAL_INT64 = 2,
	PHYSICAL_DOUBLE = 5,
	PHYSICAL_BYTES = 6,
};

/* spec: parquet.thrift, Encoding */
enum parquet_encoding {
	ENCODING_PLAIN = 0,
	ENCODING_RLE = 3,
	ENCODING_DELTA = 5,
	ENCODING_DICTIONARY = 8,
};

/* Maximum bytes of a text in statistics. */
#define STATISTIC_MAX 64

/* The least and the greatest value, as they are stored. */
struct stored_range {
	bool known;
	uint8_t min[STATISTIC_MAX], max[STATISTIC_MAX];
	size_t min_size, max_size;
};

/* Cells of a column, and the pages that they are encoded into. */
struct cells {
	struct parquet_column column;
	struct buf values; /* numbers of the cells that have one; of texts, those in texts */
	uint64_t *present; /* bitmap of rows */
	size_t present_capacity; /* in words */
	struct text_dictionary texts;
	struct buf valid;  /* a text with replaced bytes */
	uint64_t replaced; /* number of those */
	bool seen;	   /* the file has the column */
	bool failed;	   /* out of memory */
	/* The chunk. */
	struct buf pages;
	size_t dictionary_size; /* bytes of the dictionary page at the front; 0: none */
	uint64_t raw_size;	/* bytes of the pages before compression */
	enum parquet_encoding encoding;
	size_t nulls;
	struct stored_range range;
};

/* Encodes cells, one column after the other. Zeroed is empty. */
struct encoder {
	struct block_packer *packer;
	struct number_dictionary numbers;
	struct buf body, packed, text;
	enum poly_status status;
	struct poly_error error;
};

/* Returns the type of the stored values of a column. */
enum physical_type physical_type_of(const struct parquet_column *column);

/* Encodes the cells of rows rows into pages. Failures are sticky in the encoder. */
void cells_encode(struct encoder *encoder, struct cells *cells, size_t rows);

/* Removes all cells and pages. */
void cells_clear(struct cells *cells);

void cells_free(struct cells *cells);

void encoder_free(struct encoder *encoder);

#endif
