/* SPDX-License-Identifier: MIT */
/*
 * FULL traces of real executions: their listings, a packer that knows the structures and no
 * offsets, and assertions of read rows.
 */
#ifndef TESTS_FULL_HELP_H
#define TESTS_FULL_HELP_H

#include "trace_help.h"

#include "base/bits.h"
#include "io/in.h"

/* Number of records of each listing. */
#define RECORDS 250

/* ---- listings ---- */

/* A record of a listing. */
struct listed {
	uint32_t op, pc, msr, r[32], cr, xer, lr, ctr, mq, vrsave, fpscr, vscr, vrvalid;
	uint64_t f[32];
	uint32_t vr[32][4];
	bool has_ea, has_ext; /* of the TT6E listing */
	uint32_t ea, ext;
};

static inline const char *
data_path(const char *name)
{
	static char path[500];
	const char *root = getenv("POLYTRACE_ROOT");
	snprintf(path, sizeof path, "%s/tests/data/full/%s", root ? root : ".", name);
	return path;
}

/* A whole file, decompressed. */
static inline struct buf
slurp(const char *name)
{
	struct in *in;
	struct poly_error error;
	struct buf all = {0};
	size_t have;
	enum poly_status status = in_open(data_path(name), NULL, &in, &error);
	skip_unsupported(status, &error);
	assert_int_equal(status, POLY_OK);
	for (;;) {
		const uint8_t *p = in_peek(in, 1, &have);
		if (!have)
			break;
		buf_append(&all, p, have);
		in_consume(in, have);
	}
	in_close(in);
	buf_text(&all);
	return all;
}

/* The digits of a key's n-th element, from there. */
static inline const char *
find_key(const char *line, const char *key)
{
	char quoted[20];
	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	const char *at = strstr(line, quoted);
	return at ? at + strcspn(at + strlen(quoted), "0123456789abcdef") + strlen(quoted)
		  : NULL;
}

static inline uint32_t
number(const char *line, const char *key)
{
	const char *at = find_key(line, key);
	assert_non_null(at);
	return (uint32_t)strtoul(at, NULL, 16);
}

/* The elements of an array of hexadecimal strings, digits each. */
static inline void
words(const char *line, const char *key, unsigned digits, uint32_t *to)
{
	const char *at = find_key(line, key);
	for (unsigned i = 0; at && i < 32; i++) {
		for (unsigned d = 0; d < digits; d += 8) {
			char word[9] = {0};
			memcpy(word, at + d, 8);
			*to++ = (uint32_t)strtoul(word, NULL, 16);
		}
		at += digits + 3;
	}
}

static inline void
parse_state(char *line, struct listed *listed)
{
	uint32_t floats[64];
	listed->op = number(line, "op");
	listed->pc = number(line, "pc");
	listed->msr = number(line, "msr");
	listed->cr = number(line, "cr");
	listed->xer = number(line, "xer");
	listed->lr = number(line, "lr");
	listed->ctr = number(line, "ctr");
	listed->mq = number(line, "mq");
	listed->vrsave = number(line, "vrsave");
	listed->fpscr = number(line, "fpscr");
	listed->vscr = number(line, "vscr");
	listed->vrvalid = number(line, "vrvalid");
	words(line, "r", 8, listed->r);
	words(line, "f", 16, floats);
	for (unsigned i = 0; i < 32; i++)
		listed->f[i] = (uint64_t)floats[2 * i] << 32 | floats[2 * i + 1];
	words(line, "vr", 32, listed->vr[0]);
}

/* The records of a listing of FULL. */
static inline struct listed *
load_states(const char *name)
{
	char path[80];
	snprintf(path, sizeof path, "%s.full.jsonl.gz", name);
	struct buf text = slurp(path);
	struct listed *list = calloc(RECORDS, sizeof *list);
	size_t count = 0;
	for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(count < RECORDS);
		parse_state(line, &list[count++]);
	}
	assert_int_equal(count, RECORDS);
	buf_free(&text);
	return list;
}

/* Adds the addresses of the TT6E listing of the same run. */
static inline void
load_addresses(const char *name, struct listed *list)
{
	char path[80];
	size_t at = 0;
	snprintf(path, sizeof path, "../tt6/%s.tt6e.jsonl.gz", name);
	struct buf text = slurp(path);
	for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, "initial_pc") || strstr(line, "\"synth\""))
			continue;
		assert_true(at < RECORDS);
		assert_int_equal(list[at].op, number(line, "op"));
		list[at].has_ea = strstr(line, "\"ea\":") != NULL;
		list[at].has_ext = strstr(line, "\"ext\":") != NULL;
		if (list[at].has_ea)
			list[at].ea = number(line, "ea");
		if (list[at].has_ext)
			list[at].ext = number(line, "ext");
		at++;
	}
	assert_true(at >= RECORDS - 1);
	buf_free(&text);
}

/* ---- the packer ---- */

/* Record sizes of the layouts. */
static const unsigned sizes[] = {1004, 1008, 1148, 1152, 1160};

struct shape {
	unsigned size; /* of a record */
	bool little, post;
};

static inline void
put32(struct buf *out, const struct shape *shape, uint32_t v)
{
	uint8_t bytes[4];
	if (shape->little)
		store_le32(bytes, v);
	else
		store_be32(bytes, v);
	buf_append(out, bytes, 4);
}

static inline void
put64(struct buf *out, const struct shape *shape, uint64_t v)
{
	put32(out, shape, (uint32_t)(shape->little ? v : v >> 32));
	put32(out, shape, (uint32_t)(shape->little ? v >> 32 : v));
}

/* struct ppc_thread_state, or the one of 64 bits. */
static inline void
put_thread(struct buf *out, const struct shape *shape, const struct listed *s)
{
	bool wide = shape->size > 1008, unpacked = shape->size == 1160;
	void (*put)(struct buf *, const struct shape *, uint64_t) = put64;
	uint32_t head[] = {s->pc, s->msr}, tail[] = {s->xer, s->lr, s->ctr};
	for (unsigned i = 0; i < 34; i++) {
		uint32_t v = i < 2 ? head[i] : s->r[i - 2];
		if (wide)
			put(out, shape, v);
		else
			put32(out, shape, v);
	}
	put32(out, shape, s->cr);
	if (unpacked)
		put32(out, shape, 0);
	for (unsigned i = 0; i < 3; i++) {
		if (wide)
			put(out, shape, tail[i]);
		else
			put32(out, shape, tail[i]);
	}
	if (!wide)
		put32(out, shape, s->mq);
	put32(out, shape, s->vrsave);
	if (unpacked)
		put32(out, shape, 0);
}

static inline void
put_record(struct buf *out, const struct shape *shape, uint32_t op, const struct listed *s)
{
	put32(out, shape, op);
	if (shape->size == 1160)
		put32(out, shape, 0);
	put_thread(out, shape, s);
	if (shape->size == 1008 || shape->size == 1152)
		put32(out, shape, 0);
	for (unsigned i = 0; i < 32; i++)
		put64(out, shape, s->f[i]);
	put32(out, shape, 0); /* fpscr_pad */
	put32(out, shape, s->fpscr);
	for (unsigned i = 0; i < 128; i++)
		put32(out, shape, s->vr[i / 4][i % 4]);
	for (unsigned i = 0; i < 3; i++)
		put32(out, shape, 0);
	put32(out, shape, s->vscr);
	for (unsigned i = 0; i < 4; i++)
		put32(out, shape, 0); /* save_pad5 */
	put32(out, shape, s->vrvalid);
	for (unsigned i = 0; i < 7; i++)
		put32(out, shape, 0); /* save_pad6 */
}

/* A trace of count records; with states after the instruction it takes one more state. */
static inline struct buf
pack(const struct shape *shape, const struct listed *list, size_t count)
{
	struct buf out = {0};
	put32(&out, shape, 0xa1118e17);
	for (size_t i = 0; i < count; i++)
		put_record(&out, shape, list[i].op, &list[i + shape->post]);
	assert_int_equal(out.size, 4 + count * shape->size);
	return out;
}

/* ---- reading ---- */

static inline struct poly_reader *
open_trace(const struct buf *bytes, const char *option, bool check, bool skip)
{
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	const char *list[] = {option, NULL};
	struct poly_error error;
	struct poly_reader *reader = NULL;
	options.options = option ? list : NULL;
	options.format = "full";
	options.check = check;
	options.skip_errors = skip;
	options.one_thread = true;
	if (poly_reader_open_memory(bytes->data, bytes->size, &options, &reader, &error))
		fail_msg("%s", error.message);
	return reader;
}

/*
 * Writes what a reader gives as FULL with an option, or as the format that option names; the
 * status of reading, or the failure of writing.
 */
static inline enum poly_status
copy_trace(struct poly_reader *reader, const char *option, struct buf *out,
	struct poly_error *error)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *list[] = {option, NULL};
	struct poly_sink sink = {collect, out};
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	bool is_option = option && strchr(option, '=');
	options.format = option && !is_option ? option : "full";
	options.options = is_option ? list : NULL;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, error);
	while (status == POLY_OK) {
		status = poly_reader_next(reader, &batch, error);
		if (status == POLY_OK)
			status = poly_writer_write(writer, batch, error);
	}
	if (status == POLY_ERR_TRUNCATED)
		status = POLY_END;
	if (status == POLY_END)
		assert_int_equal(poly_writer_finish(writer, error), POLY_OK);
	poly_writer_close(writer);
	return status;
}

/* Reads bytes and expects that writing gives the same again. */
static inline void
assert_rewritten(const struct buf *bytes, const char *option, bool skip)
{
	struct buf out = {0};
	struct poly_error error;
	struct poly_reader *reader = open_trace(bytes, option, false, skip);
	assert_int_equal(copy_trace(reader, NULL, &out, &error), POLY_END);
	assert_int_equal(out.size, bytes->size);
	assert_true(bytes->size == 0 || memcmp(out.data, bytes->data, out.size) == 0);
	poly_reader_close(reader);
	buf_free(&out);
}

/* How often a rule was broken, after reading to the end. */
static inline unsigned
findings_of(struct poly_reader *reader, const char *code)
{
	const struct poly_batch *batch;
	struct poly_finding finding;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK)
		;
	for (size_t i = 0; poly_reader_finding_at(reader, i, &finding); i++) {
		if (strcmp(finding.rule->code, code) == 0)
			return (unsigned)finding.count;
	}
	return 0;
}

static inline void
assert_fact(struct poly_reader *reader, const char *key, const char *value)
{
	const char *fact = poly_trace_fact(poly_reader_info(reader), key);
	assert_non_null(fact);
	assert_string_equal(fact, value);
}

#endif
