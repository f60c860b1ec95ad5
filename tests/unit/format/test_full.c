/* SPDX-License-Identifier: MIT */
/*
 * FULL traces against the listings of real executions: every register of every record, in every
 * layout and byte order, made by a packer of this file that knows the structures and no
 * offsets.
 */
#include "trace_help.h"

#include "base/bits.h"
#include "io/in.h"

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
	enum poly_status status = in_open(data_path(name), NULL, &in, &error);
	if (status == POLY_ERR_UNSUPPORTED)
		skip();
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

/* Adds the addresses of the TT6E listing of the same run. */
static void
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

/*
 * Writes what a reader gives as FULL with an option, or as the format that option names; the
 * status of reading, or the failure of writing.
 */
static enum poly_status
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
	assert_int_equal(poly_powerpc_state_decode(batch, row, &state, &error), POLY_OK);
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
			assert_int_equal(
				poly_powerpc_state_decode(batch, row, &state, NULL), POLY_OK);
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
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.batch_rows = 100;
	struct poly_reader *reader = open_memory(&bytes, &options);
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
	assert_int_equal(findings_of(reader, "F22"), tail != 0);
	poly_reader_close(reader);
	assert_rewritten(bytes, given, false);
}

/* Every place near the end of a record; elsewhere all of them, by all shapes together. */
static bool
is_cut(size_t n, size_t record, unsigned turn)
{
	size_t within = (n + record - 4) % record;
	return within < 8 || within >= record - 8 || n % 20 == turn;
}

static void
truncation_is_survived(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (unsigned i = 0; i < 20; i++) {
		struct listed *list = load_states(names[i % 3]);
		struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10 % 2};
		struct buf bytes = pack(&shape, list + 11 * i, 3);
		for (size_t n = 0; n <= bytes.size; n++) {
			if (!is_cut(n, shape.size, i))
				continue;
			struct buf cut = {.data = malloc(n ? n : 1), .size = n};
			memcpy(cut.data, bytes.data, n);
			try_cut(&cut, &shape, list + 11 * i);
			free(cut.data);
		}
		buf_free(&bytes);
		free(list);
	}
}

/* Offsets in a record from the opcode word (Apple amber traces 4.7), by layout. */
static const unsigned float_at[] = {164, 168, 308, 312, 320},
		      vector_at[] = {428, 432, 572, 576, 584};

static void
corrupted_pads_are_found(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 5; i++) {
		const unsigned pads[] = {156, float_at[i] + 256, float_at[i] + 259,
			vector_at[i] + 528, vector_at[i] + 543, vector_at[i] + 548,
			vector_at[i] + 575};
		for (unsigned pad = i < 2 ? 0 : 1; pad < 7; pad++) {
			struct shape shape = {sizes[i], pad % 2, false};
			struct buf bytes = pack(&shape, list, 20);
			bytes.data[4 + 5 * shape.size + pads[pad]] ^= 0x40;
			struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
			assert_int_equal(findings_of(reader, "F21"), 1);
			assert_int_equal(findings_of(reader, "F23"), shape.little);
			poly_reader_close(reader);
			assert_rewritten(&bytes, NULL, false);
			buf_free(&bytes);
		}
	}
	free(list);
}

static void
an_undecided_size_is_an_error(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1008, false, false};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct poly_error error;
	struct buf bytes = pack(&shape, list, 20);
	for (unsigned i = 0; i < 20; i++)
		bytes.data[4 + i * 1008 + 156] = 1; /* mq */
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, &error),
		POLY_ERR_FORMAT);
	assert_non_null(strstr(error.message, "F20"));
	assert_non_null(strstr(error.message, "amber.record=1004"));
	reader = open_trace(&bytes, "amber.record=1008", true, false);
	assert_int_equal(findings_of(reader, "F21"), 20);
	poly_reader_close(reader);
	buf_free(&bytes);
	free(list);
}

static void
the_byte_order_can_be_set(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	const struct shape shape = {1152, true, false};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_reader *reader;
	struct buf bytes = pack(&shape, list, 20);
	store_be32(bytes.data, 0xa1118e17);
	reader = open_trace(&bytes, "amber.endian=le", false, false);
	assert_states(reader, list, 20);
	poly_reader_close(reader);
	assert_rewritten(&bytes, "amber.endian=le", false);
	store_be32(bytes.data, 0xa1118e18);
	options.format = "full";
	assert_int_equal(
		poly_reader_open_memory(bytes.data, bytes.size, &options, &reader, NULL),
		POLY_ERR_FORMAT);
	buf_free(&bytes);
	free(list);
}

/* ---- synchronisation records ---- */

static void
put_escape(struct buf *out, const struct shape *shape, uint32_t word, uint32_t n)
{
	put32(out, shape, word);
	put32(out, shape, 0x2000 + n);
	put32(out, shape, n);
}

/* Records 0 to 3, three escapes, records from to 40, one escape. */
static struct buf
pack_escapes(const struct shape *shape, const struct listed *list, size_t from)
{
	struct buf out = pack(shape, list, 4);
	put_escape(&out, shape, 0x00200002, 1);
	put_escape(&out, shape, 0x00210002, 2);
	put_escape(&out, shape, 0x00300002, 3);
	for (size_t i = from; i < 40; i++)
		put_record(&out, shape, list[i].op, &list[i + shape->post]);
	put_escape(&out, shape, 0x00310002, 4);
	return out;
}

/* The synchronisation rows of a trace as digits of enum poly_sync + 1, others as 0. */
static void
read_kinds(struct poly_reader *reader, char kinds[100])
{
	const struct poly_batch *batch;
	size_t n = 0;
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows && n < 99; row++) {
			bool sync = poly_present(batch, POLY_COLUMN_sync, row);
			kinds[n++] = sync ? (char)('1' + batch->sync[row]) : '0';
			if (!sync)
				continue;
			unsigned number = batch->sync[row] + 1u;
			static const unsigned codes[] = {0x20, 0x21, 0x30, 0x31};
			assert_int_equal(batch->kind[row], POLY_KIND_SYNC);
			assert_int_equal(batch->escape[row], codes[number - 1]);
			assert_int_equal(batch->address[row], 0x2000 + number);
			assert_int_equal(batch->value[row], number);
		}
	}
	kinds[n] = 0;
}

static void
synchronisation_between_records_is_read(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	for (unsigned i = 0; i < 20; i++) {
		struct shape shape = {sizes[i % 5], i / 5 % 2, i / 10};
		struct buf bytes = pack_escapes(&shape, list, 4);
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		char kinds[100];
		assert_fact(reader, "amber.state", shape.post ? "post" : "pre");
		read_kinds(reader, kinds);
		assert_string_equal(kinds, "00001230000000000000000000000000000000000004");
		poly_reader_close(reader);
		assert_rewritten(&bytes, NULL, false);
		buf_free(&bytes);
	}
	free(list);
}

/* Enough that the record after them is out of reach. */
static void
a_long_run_of_synchronisation_is_read(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, false};
	struct buf bytes = pack(&shape, list, 4), rest = pack(&shape, list + 4, 20);
	for (uint32_t i = 0; i < 200; i++)
		put_escape(&bytes, &shape, 0x00200002, i);
	buf_append(&bytes, rest.data + 4, rest.size - 4);
	size_t count = 0;
	const struct poly_batch *batch;
	struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
	while (poly_reader_next(reader, &batch, NULL) == POLY_OK) {
		for (size_t row = 0; row < batch->rows; row++)
			count += poly_present(batch, POLY_COLUMN_sync, row);
	}
	assert_int_equal(count, 200);
	poly_reader_close(reader);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&bytes);
	buf_free(&rest);
	free(list);
}

static void
synchronisation_is_not_detected_if_the_flow_does_not_continue(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, false};
	struct buf good = pack_escapes(&shape, list, 4), bad = pack_escapes(&shape, list, 20);
	char kinds[100];
	struct poly_reader *reader = open_trace(&bad, "amber.record=1004", false, true);
	read_kinds(reader, kinds);
	assert_null(strpbrk(kinds, "123"));
	poly_reader_close(reader);
	assert_rewritten(&bad, "amber.record=1004", true);
	const char *off[] = {"amber.record=1004", "amber.full-escapes=0", NULL};
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	options.options = off;
	reader = open_memory(&good, &options);
	read_kinds(reader, kinds);
	assert_null(strpbrk(kinds, "1234"));
	poly_reader_close(reader);
	buf_free(&good);
	buf_free(&bad);
	free(list);
}

/* ---- corrupt data ---- */

static void
reading_resumes_after_corrupt_data(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 10; i++) {
		struct shape shape = {sizes[i % 5], i / 5, false};
		struct buf head = pack(&shape, list, 30), tail = pack(&shape, list + 30, 40);
		for (unsigned n = 0; n < 57 + i * 400; n++)
			buf_byte(&head, (uint8_t)(n * 37 + 3));
		buf_append(&head, tail.data + 4, tail.size - 4);
		const struct poly_batch *batch;
		struct poly_error error;
		struct poly_reader *reader = open_trace(&head, NULL, false, false);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_OK);
		assert_int_equal(batch->rows, 30);
		assert_int_equal(poly_reader_next(reader, &batch, &error), POLY_ERR_FORMAT);
		assert_int_equal(error.offset, 4 + 30 * shape.size);
		poly_reader_close(reader);
		reader = open_trace(&head, NULL, false, true);
		struct poly_reader_counts counts;
		while (poly_reader_next(reader, &batch, &error) == POLY_OK)
			;
		poly_reader_count(reader, &counts);
		assert_int_equal(counts.skipped_places, 1);
		assert_int_equal(counts.skipped_bytes, 57 + i * 400);
		assert_int_equal(counts.records, 71);
		poly_reader_close(reader);
		assert_rewritten(&head, NULL, true);
		buf_free(&head);
		buf_free(&tail);
	}
	free(list);
}

/* ---- writing other layouts ---- */

/* Rewrites bytes with an option; returns the status, and sets out to the result. */
static enum poly_status
rewrite_with(const struct buf *bytes, const char *option, struct buf *out)
{
	struct poly_error error;
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	enum poly_status status = copy_trace(reader, option, out, &error);
	if (status == POLY_ERR_LOSS)
		assert_true(strlen(error.message) > 20);
	poly_reader_close(reader);
	return status;
}

static void
layouts_of_one_width_are_converted(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 25; i++) {
		struct shape from = {sizes[i % 5], i % 2, false},
			     to = {sizes[i / 5], i % 2, false};
		struct buf bytes = pack(&from, list, 10), expected = pack(&to, list, 10),
			   out = {0};
		char option[40];
		snprintf(option, sizeof option, "amber.record=%u", to.size);
		bool same_width = (from.size < 1100) == (to.size < 1100);
		enum poly_status status = rewrite_with(&bytes, option, &out);
		assert_int_equal(status, same_width ? POLY_END : POLY_ERR_LOSS);
		if (same_width) {
			assert_int_equal(out.size, expected.size);
			assert_memory_equal(out.data, expected.data, out.size);
		}
		buf_free(&bytes);
		buf_free(&expected);
		buf_free(&out);
	}
	free(list);
}

static void
the_byte_order_is_converted(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	for (unsigned i = 0; i < 10; i++) {
		struct shape from = {sizes[i % 5], i / 5, false}, to = from;
		to.little = !from.little;
		struct buf bytes = pack(&from, list, 10), expected = pack(&to, list, 10),
			   out = {0};
		const char *option = to.little ? "amber.endian=le" : "amber.endian=be";
		assert_int_equal(rewrite_with(&bytes, option, &out), POLY_END);
		assert_int_equal(out.size, expected.size);
		assert_memory_equal(out.data, expected.data, out.size);
		buf_free(&bytes);
		buf_free(&expected);
		buf_free(&out);
	}
	free(list);
}

static void
padding_that_would_be_lost_is_refused(void **unused)
{
	(void)unused;
	struct listed *list = load_states("altivec");
	const struct shape shape = {1008, false, false};
	struct buf bytes = pack(&shape, list, 10), out = {0};
	bytes.data[4 + 1008 * 3 + 165] = 9;
	assert_int_equal(rewrite_with(&bytes, "amber.record=1004", &out), POLY_ERR_LOSS);
	assert_int_equal(rewrite_with(&bytes, "amber.record=1008", &out), POLY_END);
	assert_rewritten(&bytes, NULL, false);
	buf_free(&out);
	buf_free(&bytes);
	free(list);
}

static void
a_trace_without_registers_is_refused(void **unused)
{
	(void)unused;
	const struct poly_trace_info source = {.format = "tt6",
		.raw_format = "tt6",
		.isa = "powerpc",
		.columns = POLY_ALL_COLUMNS_INIT};
	struct poly_write_options options = POLY_WRITE_OPTIONS_INIT;
	struct buf out = {0};
	struct poly_sink sink = {collect, &out};
	struct poly_writer *writer;
	struct poly_error error;
	options.format = "full";
	assert_int_equal(poly_writer_open_sink(&sink, &source, &options, &writer, &error),
		POLY_ERR_LOSS);
	assert_non_null(strstr(error.message, "registers"));
	buf_free(&out);
}

/* ---- what is worked out from the state ---- */

/* One record of a layout with one instruction, read back; the batch is the reader's. */
static struct poly_reader *
read_one(struct buf *bytes, const struct listed *s, const struct poly_batch **batch)
{
	const struct shape shape = {1004, false, false};
	*bytes = pack(&shape, s, 1);
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	assert_int_equal(poly_reader_next(reader, batch, NULL), POLY_OK);
	assert_int_equal((*batch)->rows, 1);
	return reader;
}

static void
branches_are_decided_by_the_registers(void **unused)
{
	(void)unused;
	static const struct {
		uint32_t op, cr, ctr;
		bool taken, conditional;
		uint32_t target;
	} cases[] = {
		{0x48000010, 0, 0, true, false, 0x1010},	  /* b */
		{0x4bfffff1, 0, 0, true, false, 0x0ff0},	  /* bl backwards */
		{0x48000402, 0, 0, true, false, 0x0400},	  /* ba */
		{0x4200fff8, 0, 1, false, true, 0x0ff8},	  /* bdnz, last time */
		{0x4200fff8, 0, 2, true, true, 0x0ff8},		  /* bdnz */
		{0x4200fff8, 0, 0, true, true, 0x0ff8},		  /* bdnz wraps */
		{0x42400008, 0, 1, true, true, 0x1008},		  /* bdz */
		{0x42400008, 0, 2, false, true, 0x1008},	  /* bdz */
		{0x41820010, 0x20000000, 9, true, true, 0x1010},  /* beq */
		{0x41820010, 0xd0000000, 9, false, true, 0x1010}, /* beq */
		{0x40820010, 0x20000000, 9, false, true, 0x1010}, /* bne */
		{0x419d0010, 0x00000400, 9, false, true, 0x1010}, /* bgt cr7, cr5 is not it */
		{0x419d0010, 0x00000004, 9, true, true, 0x1010},  /* bgt cr7 */
		{0x4e800020, 0, 0, true, false, 0x5008},	  /* blr */
		{0x4d820020, 0, 0, false, true, 0x5008},	  /* beqlr */
		{0x4e000020, 0, 3, true, true, 0x5008},		  /* bdnzlr */
		{0x4e800420, 0, 0x6007, true, false, 0x6004},	  /* bctr */
		{0x4c820421, 0, 0x6007, true, true, 0x6004},	  /* bnectrl */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct listed s = {.op = cases[i].op,
			.pc = 0x1000,
			.msr = 0x4000,
			.lr = 0x500b,
			.cr = cases[i].cr,
			.ctr = cases[i].ctr};
		const struct poly_batch *batch;
		struct buf bytes;
		struct poly_reader *reader = read_one(&bytes, &s, &batch);
		assert_int_equal(batch->branch[0],
			cases[i].taken ? POLY_BRANCH_TAKEN : POLY_BRANCH_NOT_TAKEN);
		assert_int_equal(batch->target[0], cases[i].target);
		assert_int_equal(
			poly_present(batch, POLY_COLUMN_fallthrough, 0), cases[i].conditional);
		if (cases[i].conditional)
			assert_int_equal(batch->fallthrough[0], 0x1004);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static void
addresses_are_wide_in_64_bit_mode(void **unused)
{
	(void)unused;
	struct listed s = {.op = 0x80640008, .pc = 0x1000, .msr = 0x4000};
	const struct shape shape = {1148, false, false};
	for (unsigned wide = 0; wide < 2; wide++) {
		const struct poly_batch *batch;
		struct buf bytes = pack(&shape, &s, 1);
		store_be32(bytes.data + 8 + 8, wide << 31);		 /* MSR, SF */
		store_be32(bytes.data + 8 + 16 + 8 * 4, 5);		 /* r4, upper half */
		store_be32(bytes.data + 8 + 16 + 8 * 4 + 4, 0xfffffffc); /* lower half */
		struct poly_reader *reader = open_trace(&bytes, NULL, false, false);
		assert_int_equal(poly_reader_info(reader)->address_bits, wide ? 64 : 32);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->address[0], wide ? 0x600000004 : 4);
		assert_int_equal(batch->size[0], 4);
		assert_int_equal(batch->access[0], POLY_ACCESS_READ);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
}

static void
rules_of_the_flow_are_checked(void **unused)
{
	(void)unused;
	static const struct {
		const char *code;
		uint32_t op, next; /* of the second record of three, and the pc of the third */
		unsigned count;
	} cases[] = {
		{"F04", 0x4e800020, 0x2002, 1},
		{"F04", 0x4e800020, 0x2000, 0},
		{"F05", 0x48000010, 0x1018, 1},
		{"F05", 0x48000010, 0x1014, 0},
		{"F06", 0x41820010, 0x1018, 1},
		{"F06", 0x41820010, 0x1008, 0},
		{"F06", 0x41820010, 0x1014, 0},
		{"F07", 0x44000002, 0x1010, 1},
		{"F07", 0x44000002, 0x100c, 0},
		{"F08", 0x60000000, 0x1004, 1},
		{"F08", 0x60000000, 0x1008, 0},
		{"F17", 0xe8640003, 0x1008, 1},
		{"F17", 0xe8640002, 0x1008, 0},
		{"F15", 0x7c6428ae, 0x1008, 0},
		{"F15", 0x7c0004ac, 0x1008, 0},
		{"F15", 0x7c642a18, 0x1008, 1},
		{"F15", 0x7c642e98, 0x1008, 1},
	};
	const struct shape shape = {1004, false, false};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct listed list[3] = {{.op = 0x7c0802a6, .pc = 0x1000, .msr = 0x4000},
			{.op = cases[i].op, .pc = 0x1004, .msr = 0x4000},
			{.op = 0x7c0802a6, .pc = cases[i].next, .msr = 0x4000}};
		struct buf bytes = pack(&shape, list, 3);
		struct poly_reader *reader =
			open_trace(&bytes, "amber.record=1004", true, false);
		if (findings_of(reader, cases[i].code) != cases[i].count)
			fail_msg("%s of %08x", cases[i].code, cases[i].op);
		poly_reader_close(reader);
		buf_free(&bytes);
	}
	struct listed odd = {.op = 0x60000000, .pc = 0x1002, .msr = 0x4000};
	struct buf bytes = pack(&shape, &odd, 1);
	struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
	assert_int_equal(findings_of(reader, "F03"), 1);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
every_opcode_that_differs_from_the_first_of_its_pc_is_counted(void **unused)
{
	(void)unused;
	const struct shape shape = {1004, false, false};
	struct listed list[8];
	for (size_t i = 0; i < 8; i++) /* branches to themselves; the last three are others */
		list[i] = (struct listed){
			.op = i > 4 ? 0x48000001 : 0x48000000, .pc = 0x1000, .msr = 0x4000};
	struct buf bytes = pack(&shape, list, 8);
	struct poly_reader *reader = open_trace(&bytes, "amber.record=1004", true, false);
	assert_int_equal(findings_of(reader, "F08"), 3);
	poly_reader_close(reader);
	buf_free(&bytes);
}

static void
files_shorter_than_the_magic_are_invalid(void **unused)
{
	(void)unused;
	struct buf bytes = {0};
	for (size_t n = 0; n <= 4; n++) {
		struct poly_reader *reader = open_trace(&bytes, NULL, true, false);
		assert_int_equal(findings_of(reader, "F01"), n < 4);
		poly_reader_close(reader);
		buf_byte(&bytes, (uint8_t)(0xa1118e17 >> (24 - 8 * n % 32)));
	}
	buf_free(&bytes);
}

/* Reference amber 7.2. */
static void
generated_runs_have_their_records(void **unused)
{
	(void)unused;
	static const char *const names[] = {"thread_001.full1004.gz", "thread_001.full1008.gz"};
	for (size_t i = 0; i < 2; i++) {
		const struct poly_batch *batch;
		struct poly_reader *reader;
		enum poly_status status =
			poly_reader_open(data_path(names[i]), NULL, &reader, NULL);
		if (status == POLY_ERR_UNSUPPORTED)
			skip();
		assert_int_equal(status, POLY_OK);
		assert_fact(reader, "amber.record", i ? "1008" : "1004");
		assert_fact(reader, "amber.state", "pre");
		assert_int_equal(poly_reader_info(reader)->first_pc, 0x100000b8);
		assert_int_equal(poly_reader_next(reader, &batch, NULL), POLY_OK);
		assert_int_equal(batch->rows, 90);
		assert_int_equal(batch->opcode[0], 0x3c201001);
		assert_int_equal(batch->pc[89], 0x100001a4);
		assert_int_equal(batch->opcode[89], 0x44000002);
		poly_reader_close(reader);
	}
}

/* ---- TT6 and TT6E ---- */

/* Converts bytes and compares with the first n bytes of a file; 0: with all of it. */
static void
assert_converted(const struct buf *bytes, const char *format, const char *file, size_t n)
{
	struct buf out = {0}, expected = slurp(file);
	struct poly_error error;
	struct poly_reader *reader = open_trace(bytes, NULL, false, false);
	if (copy_trace(reader, format, &out, &error) != POLY_END)
		fail_msg("%s", error.message);
	assert_int_equal(out.size, n ? n : expected.size);
	assert_memory_equal(out.data, expected.data, out.size);
	poly_reader_close(reader);
	buf_free(&out);
	buf_free(&expected);
}

static void
runs_are_converted_byte_for_byte(void **unused)
{
	(void)unused;
	static const char *const names[] = {"altivec", "isamix", "sort"};
	for (unsigned i = 0; i < 60; i++) {
		const char *name = names[i / 20], *format = i % 2 ? "tt6e" : "tt6";
		struct shape shape = {sizes[i % 5], i / 10 % 2, false};
		char file[40];
		struct listed *list = load_states(name);
		struct buf bytes = pack(&shape, list, RECORDS);
		snprintf(file, sizeof file, "../tt6/%s.%s", name, format);
		assert_converted(&bytes, format, file, 0);
		buf_free(&bytes);
		free(list);
	}
}

static void
a_last_branch_without_successor_is_dropped(void **unused)
{
	(void)unused;
	static const char *const names[] = {"thread_001.full1004.gz", "thread_001.full1008.gz"};
	for (size_t i = 0; i < 2; i++) {
		struct buf bytes = slurp(names[i]);
		assert_converted(&bytes, "tt6", "../amber/thread_001.tt6", 552);
		assert_converted(&bytes, "tt6e", "../amber/thread_001.tt6e", 588);
		buf_free(&bytes);
	}
}

/* Returns the words of a TT6E trace after its initial PC and its first record, which is
 * compute. */
static void
states_after_the_instruction_convert_except_the_first(void **unused)
{
	(void)unused;
	struct listed *list = load_states("sort");
	const struct shape shape = {1004, false, true};
	struct buf bytes = pack(&shape, list, RECORDS - 1), out = {0},
		   whole = slurp("../tt6/sort.tt6e");
	struct poly_read_options options = POLY_READ_OPTIONS_INIT;
	struct poly_error error;
	options.skip = 1;
	struct poly_reader *reader = open_memory(&bytes, &options);
	assert_int_equal(copy_trace(reader, "tt6e", &out, &error), POLY_END);
	assert_int_equal(load_be32(out.data), list[1].pc);
	assert_int_equal(out.size, whole.size - 4);
	assert_memory_equal(out.data + 4, whole.data + 8, out.size - 4);
	poly_reader_close(reader);
	buf_free(&out);
	buf_free(&bytes);
	buf_free(&whole);
	free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_equals_the_listing),
		cmocka_unit_test(every_layout_order_and_state_is_detected_and_read),
		cmocka_unit_test(a_single_record_is_known_by_its_length),
		cmocka_unit_test(truncation_is_survived),
		cmocka_unit_test(corrupted_pads_are_found),
		cmocka_unit_test(an_undecided_size_is_an_error),
		cmocka_unit_test(the_byte_order_can_be_set),
		cmocka_unit_test(synchronisation_between_records_is_read),
		cmocka_unit_test(a_long_run_of_synchronisation_is_read),
		cmocka_unit_test(synchronisation_is_not_detected_if_the_flow_does_not_continue),
		cmocka_unit_test(reading_resumes_after_corrupt_data),
		cmocka_unit_test(layouts_of_one_width_are_converted),
		cmocka_unit_test(the_byte_order_is_converted),
		cmocka_unit_test(padding_that_would_be_lost_is_refused),
		cmocka_unit_test(a_trace_without_registers_is_refused),
		cmocka_unit_test(branches_are_decided_by_the_registers),
		cmocka_unit_test(addresses_are_wide_in_64_bit_mode),
		cmocka_unit_test(rules_of_the_flow_are_checked),
		cmocka_unit_test(every_opcode_that_differs_from_the_first_of_its_pc_is_counted),
		cmocka_unit_test(files_shorter_than_the_magic_are_invalid),
		cmocka_unit_test(generated_runs_have_their_records),
		cmocka_unit_test(runs_are_converted_byte_for_byte),
		cmocka_unit_test(a_last_branch_without_successor_is_dropped),
		cmocka_unit_test(states_after_the_instruction_convert_except_the_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
