/* SPDX-License-Identifier: MIT */
/*
 * FULL traces against the listings of real executions: every register of every record, in every
 * layout and byte order, made by a packer of this file that knows the structures and no
 * offsets.
 */
#include "polytrace/polytrace.h"

#include "base/bits.h"
#include "base/buf.h"
#include "io/in.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORDS 250

/* ---- listings ---- */

/* What a listing says of a record. */
struct listed {
	uint32_t op, pc, msr, r[32], cr, xer, lr, ctr, mq, vrsave, fpscr, vscr, vrvalid;
	uint64_t f[32];
	uint32_t vr[32][4];
	bool has_ea, has_ext; /* of the TT6E listing */
	uint32_t ea, ext;
};

static const char *
data_path(const char *name)
{
	static char path[500];
	const char *root = getenv("POLYTRACE_ROOT");
	snprintf(path, sizeof path, "%s/tests/data/full/%s", root ? root : ".", name);
	return path;
}

/* A whole file, decompressed. */
static struct buf
slurp(const char *name)
{
	struct in *in;
	struct poly_error error;
	struct buf all = {0};
	size_t have;
	assert_int_equal(in_open(data_path(name), NULL, &in, &error), POLY_OK);
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
static const char *
find_key(const char *line, const char *key)
{
	char quoted[20];
	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	const char *at = strstr(line, quoted);
	return at ? at + strcspn(at + strlen(quoted), "0123456789abcdef") + strlen(quoted)
		  : NULL;
}

static uint32_t
number(const char *line, const char *key)
{
	const char *at = find_key(line, key);
	assert_non_null(at);
	return (uint32_t)strtoul(at, NULL, 16);
}

/* The elements of an array of hexadecimal strings, digits each. */
static void
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

static void
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
static struct listed *
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

/* Adds what the TT6E listing of the same run says of addresses. */
static void
load_addresses(const char *name, struct listed *list)
{
	char path[80];
	size_t at = 0;
	snprintf(path, sizeof path, "%s.tt6e.jsonl.gz", name);
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

static const unsigned sizes[] = {1004, 1008, 1148, 1152, 1160};

struct shape {
	unsigned size; /* of a record */
	bool little, post;
};

static void
put32(struct buf *out, const struct shape *shape, uint32_t v)
{
	uint8_t bytes[4];
	if (shape->little)
		store_le32(bytes, v);
	else
		store_be32(bytes, v);
	buf_append(out, bytes, 4);
}

static void
put64(struct buf *out, const struct shape *shape, uint64_t v)
{
	put32(out, shape, (uint32_t)(shape->little ? v : v >> 32));
	put32(out, shape, (uint32_t)(shape->little ? v >> 32 : v));
}

/* struct ppc_thread_state, or the one of 64 bits. */
static void
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

static void
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
static struct buf
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

static struct poly_reader *
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

static int
collect(void *user, const void *data, size_t size)
{
	buf_append(user, data, size);
	return 0;
}

/* Writes what a reader gives; the status of reading, or the failure of writing. */
static enum poly_status
copy_trace(struct poly_reader *reader, const char *option, struct buf *out,
	struct poly_error *error)
{
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	const char *list[] = {option, NULL};
	struct poly_sink sink = {collect, out};
	struct poly_writer *writer = NULL;
	const struct poly_batch *batch;
	options.format = "full";
	options.options = option ? list : NULL;
	enum poly_status status = poly_writer_open_sink(
		&sink, poly_reader_info(reader), &options, &writer, error);
	while (status == POLY_OK) {
		status = poly_reader_next(reader, &batch, error);
		if (status == POLY_OK)
			status = poly_writer_write(writer, batch, error);
	}
	if (status == POLY_END)
		assert_int_equal(poly_writer_finish(writer, error), POLY_OK);
	poly_writer_close(writer);
	return status;
}

/* Reads bytes and expects that writing gives the same again. */
static void
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
static unsigned
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

static void
assert_fact(struct poly_reader *reader, const char *key, const char *value)
{
	const char *fact = poly_trace_fact(poly_reader_info(reader), key);
	assert_non_null(fact);
	assert_string_equal(fact, value);
}

static void
assert_state(const struct poly_powerpc_state *state, const struct listed *s)
{
	assert_int_equal(state->pc, s->pc);
	assert_int_equal(state->msr, s->msr);
	assert_int_equal(state->cr, s->cr);
	assert_int_equal(state->xer, s->xer);
	assert_int_equal(state->lr, s->lr);
	assert_int_equal(state->ctr, s->ctr);
	assert_int_equal(state->mq, s->mq);
	assert_int_equal(state->vrsave, s->vrsave);
	assert_int_equal(state->fpscr, s->fpscr);
	assert_int_equal(state->vscr, s->vscr);
	assert_int_equal(state->vrvalid, s->vrvalid);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(state->gpr[i], s->r[i]);
		assert_int_equal(state->fpr[i], s->f[i]);
		for (unsigned b = 0; b < 16; b++)
			assert_int_equal(
				state->vr[i][b], s->vr[i][b / 4] >> (24 - 8 * (b % 4)) & 0xff);
	}
}

/* A row against the listing, i being its record from 0. */
static void
assert_row(const struct poly_batch *batch, size_t row, const struct listed *list, size_t i)
{
	struct poly_powerpc_state state;
	struct poly_error error;
	bool post = poly_present(batch, POLY_COLUMN_next_pc, row), known = !post || i > 0;
	assert_int_equal(batch->kind[row], POLY_KIND_INSTRUCTION);
	assert_int_equal(batch->opcode[row], list[i].op);
	assert_int_equal(poly_powerpc_state(batch, row, &state, &error), POLY_OK);
	assert_state(&state, &list[i + post]);
	assert_int_equal(poly_present(batch, POLY_COLUMN_pc, row), known);
	assert_int_equal(
		poly_present(batch, POLY_COLUMN_address, row), known && list[i].has_ea);
	assert_int_equal(poly_present(batch, POLY_COLUMN_value, row), known && list[i].has_ext);
	if (known)
		assert_int_equal(batch->pc[row], list[i].pc);
	if (post)
		assert_int_equal(batch->next_pc[row], list[i + 1].pc);
	if (known && list[i].has_ea)
		assert_int_equal(batch->address[row], list[i].ea);
	if (known && list[i].has_ext)
		assert_int_equal(batch->value[row], list[i].ext);
	if (poly_present(batch, POLY_COLUMN_branch, row)) {
		uint64_t next = batch->branch[row] == POLY_BRANCH_TAKEN
					? batch->target[row]
					: batch->fallthrough[row];
		assert_true(i + 1 == RECORDS || next == list[i + 1].pc);
	}
}

/* Reads the whole of a trace and compares it with the listing. */
static void
assert_trace(struct poly_reader *reader, const struct listed *list, size_t count)
{
	const struct poly_batch *batch;
	struct poly_error error;
	size_t i = 0;
	while (poly_reader_next(reader, &batch, &error) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, i++) {
			assert_true(i < count);
			assert_row(batch, row, list, i);
		}
	}
	assert_int_equal(i, count);
}

/* Reads the whole of a trace of states before the instruction; registers only. */
static void
assert_states(struct poly_reader *reader, const struct listed *list, size_t count)
{
	struct poly_powerpc_state state;
	const struct poly_batch *batch;
	size_t i = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, i++) {
			assert_true(i < count);
			assert_int_equal(batch->opcode[row], list[i].op);
			assert_int_equal(poly_powerpc_state(batch, row, &state, NULL), POLY_OK);
			assert_state(&state, &list[i]);
		}
	}
	assert_int_equal(i, count);
}

/* ---- tests ---- */

static void
every_register_equals_the_listing(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	const struct shape shape = {1004, false, false};
	for (size_t n = 0; n < 3; n++) {
		char path[40];
		snprintf(path, sizeof path, "%s.full.gz", names[n]);
		struct listed *list = load_states(names[n]);
		struct buf file = slurp(path), packed = pack(&shape, list, RECORDS);
		assert_int_equal(file.size, packed.size);
		assert_memory_equal(file.data, packed.data, file.size);
		struct poly_reader *reader = open_trace(&file, NULL, false, false);
		assert_fact(reader, "amber.record", "1004");
		assert_int_equal(poly_reader_info(reader)->first_pc, list[0].pc);
		assert_states(reader, list, RECORDS);
		poly_reader_close(reader);
		buf_free(&file);
		buf_free(&packed);
		free(list);
	}
}

static void
try_shape(const struct shape *shape, const struct listed *list)
{
	char size[8];
	size_t count = RECORDS - 1;
	struct buf bytes = pack(shape, list, count);
	struct poly_reader *reader;
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.batch_rows = 100;
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, NULL),
		POLY_OK);
	snprintf(size, sizeof size, "%u", shape->size);
	assert_string_equal(poly_reader_format(reader)->name, "full");
	assert_fact(reader, "amber.record", size);
	assert_fact(reader, "amber.endian", shape->little ? "le" : "be");
	assert_fact(reader, "amber.state", shape->post ? "post" : "pre");
	assert_trace(reader, list, count);
	poly_reader_close(reader);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&bytes);
}

static void
every_layout_order_and_state_is_detected_and_read(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (size_t n = 0; n < 3; n++) {
		struct listed *list = load_states(names[n]);
		load_addresses(names[n], list);
		for (unsigned i = 0; i < 20; i++) {
			struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10};
			try_shape(&shape, list);
		}
		free(list);
	}
}

static void
a_single_record_is_known_by_its_length(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 5; i++) {
		struct shape shape = {sizes[i], false, false};
		char size[8];
		struct buf bytes = pack(&shape, list, 1);
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		snprintf(size, sizeof size, "%u", sizes[i]);
		assert_fact(reader, "amber.record", size);
		assert_trace(reader, list, 1);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
	free(list);
}

/*
 * Whole records first, then the bytes of the cut one. What is little more than one record may
 * be of several layouts: there the size is named.
 */
static void
try_cut(const struct buf *bytes, const struct shape *shape, const struct listed *list)
{
	const struct poly_batch *batch;
	size_t rows = 0, whole = bytes->size < 4 ? 0 : (bytes->size - 4) / shape->size;
	size_t tail = bytes->size < 4 ? bytes->size : (bytes->size - 4) % shape->size;
	char option[40];
	snprintf(option, sizeof option, "amber.record=%u", shape->size);
	const char *given = bytes->size < 1164 ? option : NULL;
	struct poly_reader *reader = open_trace(bytes, given, false, false);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++, rows++) {
			bool cut = rows == whole;
			assert_int_equal(poly_present(batch, POLY_COLUMN_raw, row), cut);
			if (cut)
				assert_int_equal(batch->raw[row].length, tail);
			else
				assert_int_equal(batch->opcode[row], list[rows].op);
		}
	}
	assert_int_equal(rows, whole + (tail != 0));
	assert_int_equal(findings_of(reader, "A22"), tail != 0);
	poly_reader_close(reader);
	assert_rewritten(bytes, given, false);
}

static void
truncation_is_survived(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (unsigned i = 0; i < 60; i++) {
		struct listed *list = load_states(names[i / 20]);
		struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10 % 2};
		struct buf bytes = pack(&shape, list + 7 * i / 2, 3);
		for (size_t n = i % 11; n <= bytes.size; n += n % 97 < 20 ? 1 : 13) {
			struct buf cut = {.data = malloc(n ? n : 1), .size = n};
			memcpy(cut.data, bytes.data, n);
			try_cut(&cut, &shape, list + 7 * i / 2);
			free(cut.data);
		}
		buf_free(&bytes);
		free(list);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_equals_the_listing),
		cmocka_unit_test(every_layout_order_and_state_is_detected_and_read),
		cmocka_unit_test(a_single_record_is_known_by_its_length),
		cmocka_unit_test(truncation_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
