/* SPDX-License-Identifier: MIT */
/* Loading a segment. What its bytes say is held against limits before it is used. */
#include "format/ptz/decode.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/checksum.h"

#include <string.h>

/* Bytes of static slices that are given at once, but for those of a single row. */
#define SLICES_MOST ((uint32_t)64 << 20)

/* Values that are decoded at once. */
#define PIECE 256

static const char *const role_names[PTZ_ROLE_COUNT] = {"names", "shapes", "template shapes",
	"followers", "starts", "blocks", "static", "static bytes", "dynamic", "dynamic bytes"};

static bool
of_column(unsigned role)
{
	return role >= PTZ_STATIC;
}

/* The own name of a column of the file; NULL: it is not known. */
static const char *
column_name(const struct unpacked *it, unsigned number)
{
	const struct ptz_unpacker *with = it->with;
	return with && number < with->of_count && with->of_column[number] < POLY_COLUMN_COUNT
		       ? poly_column_name((enum poly_column)with->of_column[number])
		       : NULL;
}

/* Says what is wrong with a stream. */
static enum poly_status
stream_wrong(const struct unpacked *it, const struct ptz_stream *stream, const char *what,
	struct poly_error *error)
{
	const char *role = stream->role < PTZ_ROLE_COUNT ? role_names[stream->role] : "unknown";
	const char *column = column_name(it, stream->column);
	if (of_column(stream->role) && column)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"stream '%s' of column '%s' %s", role, column, what);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET, "stream '%s' %s", role, what);
}

enum poly_status
unpacked_front(struct unpacked *it, const uint8_t *p, size_t n, struct poly_error *error)
{
	uint64_t total = 0;
	unpacked_clear(it);
	if (n < PTZ_FRONT_SIZE)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"a segment's front has %zu bytes, expected at least %d", n,
			PTZ_FRONT_SIZE);
	it->first = load_le64(p);
	it->rows = load_le32(p + 8);
	it->templates = load_le32(p + 12);
	it->streams = load_le32(p + 16);
	it->number = load_le32(p + 20);
	if (it->rows > PTZ_ROWS_MOST || it->templates > PTZ_TEMPLATES_MOST ||
		it->streams > PTZ_STREAMS_MOST || it->templates > it->rows)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"a segment has %u rows, %u templates and %u streams; at most %u, %u "
			"and %u "
			"are expected",
			it->rows, it->templates, it->streams, PTZ_ROWS_MOST, PTZ_TEMPLATES_MOST,
			PTZ_STREAMS_MOST);
	if (n != PTZ_FRONT_SIZE + (size_t)it->streams * PTZ_STREAM_SIZE)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the front of a segment with %u streams has %zu bytes, expected %zu",
			it->streams, n, PTZ_FRONT_SIZE + (size_t)it->streams * PTZ_STREAM_SIZE);
	for (uint32_t i = 0; i < it->streams; i++) {
		const uint8_t *at = p + PTZ_FRONT_SIZE + (size_t)i * PTZ_STREAM_SIZE;
		struct ptz_stream *stream = &it->stream[i];
		*stream = (struct ptz_stream){at[0], at[1], at[2], at[3], load_le32(at + 4),
			load_le32(at + 8), load_le32(at + 12), load_le64(at + 16)};
		total += stream->size;
		if (stream->size > PTZ_STREAM_MOST || stream->packed > PTZ_STREAM_MOST ||
			total > PTZ_SEGMENT_MOST)
			return stream_wrong(
				it, stream, "is larger than the limit of 256 MiB", error);
	}
	return POLY_OK;
}

uint64_t
unpacked_size(const struct unpacked *it)
{
	uint64_t size = 0;
	for (uint32_t i = 0; i < it->streams; i++)
		size += it->stream[i].packed;
	return size;
}

static void
column_clear(struct ptz_column *column)
{
	mem_free(column->values);
	mem_free(column->before);
	ptz_decoder_fini(&column->decoder);
}

void
unpacked_clear(struct unpacked *it)
{
	for (uint32_t i = 0; i < it->streams && i < PTZ_STREAMS_MOST; i++) {
		mem_free(it->data[i]);
		it->data[i] = NULL;
	}
	for (unsigned i = 0; i < it->columns; i++)
		column_clear(&it->column[i]);
	for (unsigned i = 0; i < it->set_count; i++) {
		mem_free(it->sets[i]->templates);
		mem_free(it->sets[i]->before);
		mem_free(it->sets[i]);
	}
	it->set_count = 0;
	mem_free(it->follow);
	mem_free(it->run);
	mem_free(it->starts);
	mem_free(it->blocks);
	mem_free(it->names);
	it->names = NULL;
	it->name_count = it->record_count = 0;
	it->follow = it->run = it->starts = it->blocks = NULL;
	memset(it->column, 0, sizeof it->column);
	it->columns = it->streams = it->rows = it->given = it->block = 0;
	ptz_tally_clear(it->tally);
}

void
unpacked_fini(struct unpacked *it)
{
	unpacked_clear(it);
	mem_free(it->giving);
	mem_free(it->templating);
	it->giving = it->templating = NULL;
	ptz_tally_free(it->tally);
	it->tally = NULL;
}

/* Unpacks a stream from its bytes in the file. */
static enum poly_status
load_stream(struct unpacked *it, uint32_t i, struct block_unpacker *unpacker, const uint8_t *p,
	struct poly_error *error)
{
	const struct ptz_stream *stream = &it->stream[i];
	struct poly_error why;
	if (checksum(p, stream->packed) != stream->check)
		return stream_wrong(it, stream, "is damaged: its checksum is wrong", error);
	if (stream->packing == PTZ_STORED && stream->packed != stream->size)
		return stream_wrong(it, stream, "is not as long as it says", error);
	if (stream->packing >= PTZ_PACKING_COUNT)
		return stream_wrong(it, stream, "is packed in a way that is not known", error);
	/* Only what stands behind the bytes has to be 0. */
	it->data[i] = mem_resize(NULL, stream->size + (size_t)PTZ_SLACK, 1);
	if (!it->data[i])
		return err_memory(error);
	memset(it->data[i] + stream->size, 0, PTZ_SLACK);
	if (stream->packing == PTZ_STORED) {
		if (stream->size)
			memcpy(it->data[i], p, stream->size);
		return POLY_OK;
	}
	const struct block_room room = {it->data[i], stream->size};
	const enum poly_status status = block_unpack(unpacker, p, stream->packed, &room, &why);
	if (status == POLY_ERR_FORMAT)
		return stream_wrong(it, stream, why.message, error);
	if (status != POLY_OK && error)
		*error = why;
	return status;
}

/* The stream of a role and column that was loaded; NULL: there is none. */
static const struct ptz_stream *
find_stream(
	const struct unpacked *it, enum ptz_role role, unsigned column, const uint8_t **data)
{
	for (uint32_t i = 0; i < it->streams; i++) {
		const struct ptz_stream *stream = &it->stream[i];
		if (stream->role != role || (of_column(role) && stream->column != column))
			continue;
		*data = it->data[i];
		return it->data[i] ? stream : NULL;
	}
	return NULL;
}

/* A stream of numbers as an array of count numbers; NULL, and told, where it isn't one. */
static enum poly_status
load_numbers(const struct unpacked *it, enum ptz_role role, uint32_t count, uint32_t **to,
	struct poly_error *error)
{
	const uint8_t *data;
	const struct ptz_stream *stream = find_stream(it, role, 0, &data);
	const struct ptz_stream none = {.role = (uint8_t)role};
	struct ptz_decoder decoder = {0};
	uint64_t some[PIECE];
	*to = mem_new((size_t)count + 1, sizeof **to);
	if (!*to)
		return err_memory(error);
	if (count == 0)
		return POLY_OK;
	if (!stream || stream->values != count || stream->coding > PTZ_DELTA)
		return stream_wrong(it, stream ? stream : &none,
			"does not have the values expected", error);
	ptz_decoder_init(&decoder, stream, data, 0);
	for (uint32_t i = 0; i < count; i += PIECE) {
		const uint32_t n = count - i < PIECE ? count - i : PIECE;
		ptz_decode(&decoder, some, n, NULL);
		for (uint32_t k = 0; k < n; k++)
			(*to)[i + k] = (uint32_t)some[k];
	}
	return decoder.bytes.bad ? stream_wrong(it, stream, "ends early", error) : POLY_OK;
}

/* How the templates follow each other. */
static enum poly_status
load_order(struct unpacked *it, struct poly_error *error)
{
	const uint8_t *data;
	const struct ptz_stream *starts = find_stream(it, PTZ_STARTS, 0, &data);
	const struct ptz_stream *blocks = find_stream(it, PTZ_BLOCKS, 0, &data);
	it->start_count = starts ? starts->values : 0;
	it->block_count = blocks ? blocks->values : 0;
	if (it->start_count > it->templates || it->block_count > it->rows)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"%u blocks begin %u times, expected at most %u and %u", it->start_count,
			it->block_count, it->templates, it->rows);
	enum poly_status status =
		load_numbers(it, PTZ_FOLLOW, it->templates, &it->follow, error);
	if (status == POLY_OK)
		status = load_numbers(it, PTZ_STARTS, it->start_count, &it->starts, error);
	if (status == POLY_OK)
		status = load_numbers(it, PTZ_BLOCKS, it->block_count, &it->blocks, error);
	it->run = mem_new((size_t)it->templates + 1, sizeof *it->run);
	if (status == POLY_OK && !it->run)
		return err_memory(error);
	for (uint32_t t = it->templates; t-- > 0 && status == POLY_OK;) {
		const uint32_t v = it->follow[t];
		const uint32_t follow = t + 1 + (uint32_t)ptz_unzigzag((uint64_t)v - 1);
		it->follow[t] = v == 0 ? PTZ_SEVERAL : follow;
		it->run[t] = v != 0 && follow == t + 1 ? it->run[t + 1] + 1 : 1;
		if (v && follow >= it->templates)
			status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a template is followed by one that there is not");
	}
	for (uint32_t i = 0; i < it->start_count && status == POLY_OK; i++) {
		if (it->starts[i] >= it->templates)
			status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a block begins with a template that there is not");
	}
	return status;
}

/* What is gathered before columns are loaded. */
struct loading {
	const struct ptz_unpacker *with;
	const uint8_t *shapes;
	uint32_t *shape; /* by template */
	uint32_t shape_count;
	uint64_t *pc; /* by template that has one; NULL: not needed */
	struct poly_error *error;
};

/* Which of the first 64 shapes have a column, a bit each; *more: one of the others does. */
static uint64_t
shapes_with(const struct loading *loading, const uint8_t *masks, uint64_t bit, bool *more)
{
	uint64_t with = 0;
	*more = false;
	for (uint32_t i = 0; i < loading->shape_count; i++) {
		const bool has = load_le64(masks + (size_t)16 * i) & bit;
		if (i < 64)
			with |= (uint64_t)has << i;
		else
			*more |= has;
	}
	return with;
}

/*
 * The set of the templates that have a column, by the masks of the shapes (static or moving).
 * NULL with *count 0: none has it; with another count: no memory.
 */
static struct ptz_set *
find_set(struct unpacked *it, const struct loading *loading, bool moving, uint64_t bit,
	uint32_t *count)
{
	const size_t words = it->templates / 64 + (size_t)2;
	const uint8_t *masks = loading->shapes + (moving ? 8 : 0);
	bool more;
	const uint64_t with = shapes_with(loading, masks, bit, &more);
	*count = 0;
	if (!with && !more)
		return NULL;
	for (unsigned i = 0; !more && i < it->set_count; i++) {
		*count = it->sets[i]->count;
		if (it->sets[i]->shapes == with)
			return it->sets[i];
	}
	struct ptz_set *set = mem_new(1, sizeof *set);
	*count = 1;
	if (set)
		set->templates = mem_new(words, sizeof *set->templates);
	if (!set || !set->templates) {
		mem_free(set);
		return NULL;
	}
	for (uint32_t t = 0; t < it->templates; t += 64) {
		const uint32_t n = it->templates - t < 64 ? it->templates - t : 64;
		uint64_t members = 0;
		for (uint32_t k = 0; k < n; k++) {
			const uint32_t shape = loading->shape[t + k];
			const bool has = shape < 64
						 ? with >> shape & 1
						 : load_le64(masks + (size_t)16 * shape) & bit;
			members |= (uint64_t)has << k;
			set->count += has;
		}
		set->templates[t / 64] = members;
	}
	set->shapes = more ? 0 : with;
	*count = set->count;
	it->sets[it->set_count++] = set;
	return set;
}

/* Lists the templates of a set. False: no memory. */
static bool
list_members(const struct unpacked *it, struct ptz_set *set)
{
	uint32_t n = 0;
	if (set->before)
		return true;
	set->before = mem_resize(
		NULL, (size_t)it->templates + 1 + set->count + PTZ_SLACK, sizeof *set->before);
	if (!set->before)
		return false;
	set->members = set->before + it->templates + 1;
	for (uint32_t t = 0; t < it->templates; t++) {
		/* What is not in the set is written over. */
		set->before[t] = n;
		set->members[n] = t;
		n += bit_test(set->templates, t);
	}
	set->before[it->templates] = n;
	memset(set->members + n, 0, PTZ_SLACK * sizeof *set->members);
	return true;
}

static enum poly_status
load_shapes(struct unpacked *it, struct loading *loading)
{
	const struct ptz_stream *stream = find_stream(it, PTZ_SHAPES, 0, &loading->shapes);
	loading->shape_count = stream ? stream->size / 16 : 0;
	const enum poly_status status = load_numbers(
		it, PTZ_TEMPLATE_SHAPES, it->templates, &loading->shape, loading->error);
	for (uint32_t t = 0; status == POLY_OK && t < it->templates; t++) {
		if (loading->shape[t] >= loading->shape_count)
			return err_set(loading->error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a template has a shape that there is not");
	}
	return status;
}

/* Finds the segment's names in its data. */
static enum poly_status
load_names(struct unpacked *it, struct loading *loading)
{
	const uint8_t *data, *end;
	const struct ptz_stream *stream = find_stream(it, PTZ_NAMES, 0, &data);
	const uint32_t count = stream ? stream->values : 0;
	if (stream && stream->values > stream->size)
		return stream_wrong(it, stream, "has more names than bytes", loading->error);
	it->names = mem_new((size_t)count + 1, sizeof *it->names);
	if (!it->names)
		return err_memory(loading->error);
	end = stream ? data + stream->size : NULL;
	for (it->name_count = 0; it->name_count < count; it->name_count++) {
		const uint8_t *stop = memchr(data, 0, (size_t)(end - data));
		if (!stop)
			return stream_wrong(it, stream, "ends within a name", loading->error);
		it->names[it->name_count] = (const char *)data;
		data = stop + 1;
	}
	return POLY_OK;
}

/* Stores values of a type, which is known where this is compiled. */
#define STORE_VALUES(type)             \
	for (size_t i = 0; i < n; i++) \
		((type *)column->values)[own[i]] = (type)value[i];

/* Stores values of templates. */
static void
store_values(struct ptz_column *column, const uint32_t *own, const uint64_t *value, size_t n)
{
	switch (column->size) {
	case 1: STORE_VALUES(uint8_t) break;
	case 2: STORE_VALUES(uint16_t) break;
	case 4: STORE_VALUES(uint32_t) break;
	case 8: STORE_VALUES(uint64_t) break;
	default:
		for (size_t i = 0; i < n; i++)
			((struct poly_slice *)column->values)[own[i]].length =
				(uint32_t)value[i];
	}
}

/* Gives static slices their places in the bytes. */
static bool
place_slices(struct unpacked *it, struct ptz_column *column, uint32_t size)
{
	struct poly_slice *slices = column->values;
	uint64_t at = 0;
	uint32_t longest = 1;
	for (uint32_t t = 0; t < it->templates; t++) {
		if (!bit_test(column->fixed->templates, t))
			continue;
		slices[t].offset = (uint32_t)at;
		at += slices[t].length;
		if (at > size)
			return false;
		longest = slices[t].length > longest ? slices[t].length : longest;
	}
	if (SLICES_MOST / longest < it->rows_most)
		it->rows_most = SLICES_MOST / longest ? SLICES_MOST / longest : 1;
	return true;
}

/* How many values a column may have, from 0, that stand for something else. */
static uint64_t
value_limit(const struct unpacked *it, enum poly_column column)
{
	switch ((unsigned)poly_column_form(column)) {
	case POLY_FORM_KIND: return POLY_KIND_COUNT;
	case POLY_FORM_ACCESS: return POLY_ACCESS_COUNT;
	case POLY_FORM_BRANCH: return POLY_BRANCH_COUNT;
	case POLY_FORM_SYNC: return POLY_SYNC_COUNT;
	case POLY_FORM_EVENT: return POLY_EVENT_COUNT;
	case POLY_FORM_FLAGS: return POLY_FLAGS_COUNT;
	case POLY_FORM_RECORD: return PTZ_RECORDS;
	case POLY_FORM_NAME: return it->name_count;
	case POLY_FORM_BOOL: return 2;
	}
	return 0;
}

/* True where the values of a column stand for something else than numbers and bytes. */
static bool
has_limit(enum poly_column column)
{
	return poly_column_form(column) < POLY_FORM_DEC;
}

/* The static values of a column, from its stream; pc-coded ones by those of pc. */
static enum poly_status
fill_fixed(struct unpacked *it, struct loading *loading, struct ptz_column *column,
	const struct ptz_stream *stream, const uint8_t *data)
{
	struct ptz_decoder decoder = {0};
	const bool limited = has_limit(column->column);
	const uint64_t limit = value_limit(it, column->column);
	if (stream->coding > PTZ_PC || stream->coding == PTZ_TEMPLATE)
		return stream_wrong(
			it, stream, "has a coding that is not for it", loading->error);
	ptz_decoder_init(&decoder, stream, data, 0);
	for (uint32_t t = 0; t < it->templates && !decoder.bytes.bad; t += PIECE) {
		uint32_t own[PIECE];
		uint64_t value[PIECE];
		size_t n = 0;
		const uint32_t end = it->templates - t < PIECE ? it->templates : t + PIECE;
		for (uint32_t k = t; k < end; k++) {
			own[n] = k;
			n += column->always || bit_test(column->fixed->templates, k);
		}
		ptz_decode(&decoder, value, n, NULL);
		uint64_t most = 0;
		for (size_t i = 0; i < n && stream->coding == PTZ_PC; i++)
			value[i] += loading->pc ? loading->pc[own[i]] : 0;
		for (size_t i = 0; i < n && limited; i++)
			most = value[i] > most ? value[i] : most;
		if (limited && n && most >= limit)
			return stream_wrong(
				it, stream, "has a value that there is not", loading->error);
		if (n && column->column == POLY_COLUMN_record && most >= it->record_count)
			it->record_count = (unsigned)most + 1;
		store_values(column, own, value, n);
	}
	return decoder.bytes.bad ? stream_wrong(it, stream, "ends early", loading->error)
				 : POLY_OK;
}

/* The static side of a column, of the file's number. */
static enum poly_status
load_fixed(struct unpacked *it, struct loading *loading, struct ptz_column *column,
	unsigned number)
{
	const uint8_t *data, *bytes = NULL;
	const struct ptz_stream *stream = find_stream(it, PTZ_STATIC, number, &data);
	const struct ptz_stream *more = find_stream(it, PTZ_STATIC_BYTES, number, &bytes);
	const struct ptz_stream none = {.role = PTZ_STATIC, .column = (uint8_t)number};
	const size_t size = column->size ? column->size : sizeof(struct poly_slice);
	if (!column->fixed)
		return POLY_OK;
	if (!stream)
		return stream_wrong(it, &none, "is missing", loading->error);
	column->values = mem_new(it->templates + (size_t)PTZ_SLACK, size);
	if (!column->values)
		return err_memory(loading->error);
	const enum poly_status status = fill_fixed(it, loading, column, stream, data);
	column->bytes = bytes;
	if (status == POLY_OK && column->size == 0 &&
		!place_slices(it, column, more ? more->size : 0))
		return stream_wrong(
			it, stream, "has more bytes than there are", loading->error);
	return status;
}

/* The moving side. */
static enum poly_status
load_moving(struct unpacked *it, struct loading *loading, struct ptz_column *column,
	unsigned number)
{
	const uint8_t *data, *bytes = NULL;
	const struct ptz_stream *stream = find_stream(it, PTZ_DYNAMIC, number, &data);
	const struct ptz_stream *more = find_stream(it, PTZ_DYNAMIC_BYTES, number, &bytes);
	const struct ptz_stream none = {.role = PTZ_DYNAMIC, .column = (uint8_t)number};
	if (!column->moves)
		return POLY_OK;
	if (!stream)
		return stream_wrong(it, &none, "is missing", loading->error);
	if (stream->coding > PTZ_TEMPLATE || has_limit(column->column))
		return stream_wrong(
			it, stream, "has a coding that is not for it", loading->error);
	if (more) {
		column->slices = (struct ptz_bytes){bytes, bytes + more->size, false};
		column->is_xor = more->coding == PTZ_XOR;
	}
	return list_members(it, column->moves) && ptz_decoder_init(&column->decoder, stream,
							  data, column->moves->count)
		       ? POLY_OK
		       : err_memory(loading->error);
}

/* Loads a column of the file's number. */
static enum poly_status
load_column(struct unpacked *it, struct loading *loading, unsigned number)
{
	struct ptz_column *column = &it->column[it->columns];
	const uint64_t bit = (uint64_t)1 << number;
	uint32_t fixed, moving;
	memset(column, 0, sizeof *column);
	column->column = (enum poly_column)loading->with->of_column[number];
	column->size = ptz_column_size(column->column);
	column->fixed = find_set(it, loading, false, bit, &fixed);
	column->moves = find_set(it, loading, true, bit, &moving);
	column->always = fixed == it->templates;
	column->all_move = moving == it->templates;
	if ((fixed && !column->fixed) || (moving && !column->moves))
		return err_memory(loading->error);
	it->columns++;
	enum poly_status status = load_fixed(it, loading, column, number);
	if (status == POLY_OK)
		status = load_moving(it, loading, column, number);
	return status;
}

/* The file's number of a column; of_count where it has none. */
static unsigned
file_number(const struct ptz_unpacker *with, enum poly_column column)
{
	unsigned number = 0;
	while (number < with->of_count && with->of_column[number] != column)
		number++;
	return number;
}

static bool
is_wanted(const struct ptz_unpacker *with, unsigned number)
{
	return number < with->of_count && with->of_column[number] < POLY_COLUMN_COUNT &&
	       with->wanted >> with->of_column[number] & 1;
}

/* Whether a stream has to be unpacked. */
static bool
is_needed(const struct unpacked *it, const struct ptz_unpacker *with, uint32_t i)
{
	const struct ptz_stream *stream = &it->stream[i];
	if (!of_column(stream->role) || is_wanted(with, stream->column))
		return stream->role < PTZ_ROLE_COUNT;
	if (stream->role != PTZ_STATIC || stream->column != file_number(with, POLY_COLUMN_pc))
		return false;
	for (uint32_t k = 0; k < it->streams; k++) {
		if (it->stream[k].coding == PTZ_PC && is_wanted(with, it->stream[k].column))
			return true;
	}
	return false;
}

/* The pcs of templates, against which other columns may be coded. */
static enum poly_status
load_pc(struct unpacked *it, struct loading *loading)
{
	const uint8_t *data;
	const unsigned number = file_number(loading->with, POLY_COLUMN_pc);
	struct ptz_column pc = {.column = POLY_COLUMN_pc, .size = 8};
	if (number == loading->with->of_count || !find_stream(it, PTZ_STATIC, number, &data))
		return POLY_OK;
	uint32_t count;
	pc.fixed = find_set(it, loading, false, (uint64_t)1 << number, &count);
	if (count && !pc.fixed)
		return err_memory(loading->error);
	const enum poly_status status = load_fixed(it, loading, &pc, number);
	loading->pc = pc.values;
	return status;
}

enum poly_status
unpacked_load(struct unpacked *it, const struct ptz_unpacker *with, const uint8_t *p,
	struct poly_error *error)
{
	struct loading loading = {.with = with, .error = error};
	enum poly_status status = POLY_OK;
	it->with = with;
	for (uint32_t i = 0; i < it->streams && status == POLY_OK; i++) {
		if (is_needed(it, with, i))
			status = load_stream(it, i, with->unpacker, p, error);
		p += it->stream[i].packed;
	}
	if (status == POLY_OK)
		status = load_order(it, error);
	if (status == POLY_OK)
		status = load_shapes(it, &loading);
	if (status == POLY_OK)
		status = load_names(it, &loading);
	if (status == POLY_OK)
		status = load_pc(it, &loading);
	it->rows_most = POLY_BATCH_ROWS;
	for (unsigned number = 0; number < with->of_count && status == POLY_OK; number++) {
		if (is_wanted(with, number))
			status = load_column(it, &loading, number);
	}
	it->with = NULL;
	mem_free(loading.shape);
	mem_free(loading.pc);
	return status;
}

/* The numbers of a column's names instead of the segment's. */
static void
number_names(
	const struct unpacked *it, const struct ptz_column *column, const uint32_t *numbers)
{
	uint32_t *values = column->values;
	for (uint32_t t = 0; t < it->templates; t++) {
		if (bit_test(column->fixed->templates, t))
			values[t] = numbers[values[t]];
	}
}

enum poly_status
unpacked_adopt(struct unpacked *it, struct info *info, struct poly_error *error)
{
	enum poly_status status = POLY_OK;
	uint32_t *numbers = mem_new((size_t)it->name_count + 1, sizeof *numbers);
	if (!numbers)
		return err_memory(error);
	for (uint32_t i = 0; i < it->name_count && status == POLY_OK; i++) {
		const char *name = it->names[i];
		if (!info_keep_name(info, name, strlen(name), &numbers[i]))
			status = info->no_memory
					 ? err_memory(error)
					 : err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
						   "the trace has more names than are kept");
	}
	for (unsigned i = 0; i < it->columns && status == POLY_OK; i++) {
		const struct ptz_column *column = &it->column[i];
		if (column->fixed && poly_column_form(column->column) == POLY_FORM_NAME)
			number_names(it, column, numbers);
	}
	if (it->record_count > info->view.record_count)
		info->view.record_count = it->record_count;
	mem_free(numbers);
	return status;
}

void
unpacked_swap(struct unpacked *a, struct unpacked *b)
{
	const struct unpacked before = *a, other = *b;
	*b = before;
	*a = other;
	b->giving = other.giving;
	b->templating = other.templating;
	b->tally = other.tally;
	a->giving = before.giving;
	a->templating = before.templating;
	a->tally = before.tally;
}
