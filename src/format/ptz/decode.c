/* SPDX-License-Identifier: MIT */
/* Loading a segment. Its values are checked against limits before they are used. */
#include "format/ptz/decode.h"

#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/checksum.h"

#include <string.h>

/* Maximum bytes of static slices per batch, unless a single row has more. */
#define SLICES_MAX ((uint32_t)64 << 20)

/* Values that are decoded together. */
#define DECODE_COUNT 256

static const char *const role_names[PTZ_ROLE_COUNT] = {"names", "shapes", "template shapes",
	"followers", "starts", "blocks", "static", "static bytes", "dynamic", "dynamic bytes"};

static bool
has_column(unsigned role)
{
	return role >= PTZ_STATIC;
}

/* Returns the name of a column of the file; NULL: unknown. */
static const char *
column_name(const struct unpacked *segment, unsigned number)
{
	const struct ptz_load_options *options = segment->options;
	return options && number < options->column_count &&
			       options->column_map[number] < POLY_COLUMN_COUNT
		       ? poly_column_name((enum poly_column)options->column_map[number])
		       : NULL;
}

/* Sets an error that describes a stream. */
static enum poly_status
fail_stream(const struct unpacked *segment, const struct ptz_stream *stream, const char *what,
	struct poly_error *error)
{
	const char *role = stream->role < PTZ_ROLE_COUNT ? role_names[stream->role] : "unknown";
	const char *column = column_name(segment, stream->column);
	if (has_column(stream->role) && column)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"stream '%s' of column '%s' %s", role, column, what);
	return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET, "stream '%s' %s", role, what);
}

enum poly_status
unpacked_parse_front(
	struct unpacked *segment, const uint8_t *p, size_t n, struct poly_error *error)
{
	uint64_t total = 0;
	unpacked_clear(segment);
	if (n < PTZ_FRONT_SIZE)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"a segment's front has %zu bytes, expected at least %d", n,
			PTZ_FRONT_SIZE);
	segment->first = load_le64(p);
	segment->rows = load_le32(p + 8);
	segment->templates = load_le32(p + 12);
	segment->streams = load_le32(p + 16);
	segment->number = load_le32(p + 20);
	if (segment->rows > PTZ_ROWS_MAX || segment->templates > PTZ_TEMPLATES_MAX ||
		segment->streams > PTZ_STREAMS_MAX || segment->templates > segment->rows)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"a segment has %u rows, %u templates and %u streams (maximum %u, %u "
			"and %u)",
			segment->rows, segment->templates, segment->streams, PTZ_ROWS_MAX,
			PTZ_TEMPLATES_MAX, PTZ_STREAMS_MAX);
	if (n != PTZ_FRONT_SIZE + (size_t)segment->streams * PTZ_STREAM_SIZE)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"the front of a segment with %u streams has %zu bytes, expected %zu",
			segment->streams, n,
			PTZ_FRONT_SIZE + (size_t)segment->streams * PTZ_STREAM_SIZE);
	for (uint32_t i = 0; i < segment->streams; i++) {
		const uint8_t *at = p + PTZ_FRONT_SIZE + (size_t)i * PTZ_STREAM_SIZE;
		struct ptz_stream *stream = &segment->stream[i];
		*stream = (struct ptz_stream){at[0], at[1], at[2], at[3], load_le32(at + 4),
			load_le32(at + 8), load_le32(at + 12), load_le64(at + 16)};
		total += stream->size;
		if (stream->size > PTZ_STREAM_MAX || stream->packed > PTZ_STREAM_MAX ||
			total > PTZ_SEGMENT_MAX)
			return fail_stream(
				segment, stream, "exceeds the limit of 256 MiB", error);
	}
	return POLY_OK;
}

uint64_t
unpacked_size(const struct unpacked *segment)
{
	uint64_t size = 0;
	for (uint32_t i = 0; i < segment->streams; i++)
		size += segment->stream[i].packed;
	return size;
}

static void
column_clear(struct ptz_column *column)
{
	mem_free(column->values);
	mem_free(column->previous);
	ptz_decoder_fini(&column->decoder);
}

void
unpacked_clear(struct unpacked *segment)
{
	for (uint32_t i = 0; i < segment->streams && i < PTZ_STREAMS_MAX; i++) {
		mem_free(segment->data[i]);
		segment->data[i] = NULL;
	}
	for (unsigned i = 0; i < segment->columns; i++)
		column_clear(&segment->column[i]);
	for (unsigned i = 0; i < segment->set_count; i++) {
		mem_free(segment->sets[i]->templates);
		mem_free(segment->sets[i]->rank);
		mem_free(segment->sets[i]);
	}
	segment->set_count = 0;
	mem_free(segment->follow);
	mem_free(segment->run_length);
	mem_free(segment->starts);
	mem_free(segment->blocks);
	mem_free(segment->names);
	segment->names = NULL;
	segment->name_count = segment->record_count = 0;
	segment->follow = segment->run_length = segment->starts = segment->blocks = NULL;
	memset(segment->column, 0, sizeof segment->column);
	segment->columns = segment->streams = segment->rows = segment->delivered =
		segment->block = 0;
	ptz_weights_clear(segment->weights);
}

void
unpacked_fini(struct unpacked *segment)
{
	unpacked_clear(segment);
	mem_free(segment->emitter);
	mem_free(segment->template_emitter);
	segment->emitter = segment->template_emitter = NULL;
	ptz_weights_free(segment->weights);
	segment->weights = NULL;
}

/* Decompresses a stream from its bytes in the file. */
static enum poly_status
load_stream(struct unpacked *segment, uint32_t i, struct block_unpacker *unpacker,
	const uint8_t *p, struct poly_error *error)
{
	const struct ptz_stream *stream = &segment->stream[i];
	struct poly_error why;
	if (checksum(p, stream->packed) != stream->check)
		return fail_stream(segment, stream, "is corrupt: its checksum is wrong", error);
	if (stream->coding >= PTZ_CODING_COUNT || stream->packing >= PTZ_PACKING_COUNT) {
		fail_stream(segment, stream,
			"has a coding that this version does not know; use a newer version of "
			"polytrace",
			error);
		if (error)
			error->status = POLY_ERR_UNSUPPORTED;
		return POLY_ERR_UNSUPPORTED;
	}
	if (stream->packing == PTZ_STORED && stream->packed != stream->size)
		return fail_stream(
			segment, stream, "does not have the size that it specifies", error);
	/* Only the bytes after the stream have to be 0. */
	segment->data[i] = mem_resize(NULL, stream->size + (size_t)PTZ_SLACK, 1);
	if (!segment->data[i])
		return err_memory(error);
	memset(segment->data[i] + stream->size, 0, PTZ_SLACK);
	if (stream->packing == PTZ_STORED) {
		if (stream->size)
			memcpy(segment->data[i], p, stream->size);
		return POLY_OK;
	}
	const struct block_room room = {segment->data[i], stream->size};
	const enum poly_status status = block_unpack(unpacker, p, stream->packed, &room, &why);
	if (status == POLY_ERR_FORMAT)
		return fail_stream(segment, stream, why.message, error);
	if (status != POLY_OK && error)
		*error = why;
	return status;
}

/* Finds the loaded stream of a role and column; NULL: there is none. */
static const struct ptz_stream *
find_stream(const struct unpacked *segment, enum ptz_role role, unsigned column,
	const uint8_t **data)
{
	for (uint32_t i = 0; i < segment->streams; i++) {
		const struct ptz_stream *stream = &segment->stream[i];
		if (stream->role != role || (has_column(role) && stream->column != column))
			continue;
		*data = segment->data[i];
		return segment->data[i] ? stream : NULL;
	}
	return NULL;
}

/* Decodes a stream of exactly count numbers; on failure reports the stream. */
static enum poly_status
load_numbers(const struct unpacked *segment, enum ptz_role role, uint32_t count,
	uint32_t **numbers, struct poly_error *error)
{
	const uint8_t *data;
	const struct ptz_stream *stream = find_stream(segment, role, 0, &data);
	const struct ptz_stream none = {.role = (uint8_t)role};
	struct ptz_decoder decoder = {0};
	uint64_t some[DECODE_COUNT];
	*numbers = mem_new((size_t)count + 1, sizeof **numbers);
	if (!*numbers)
		return err_memory(error);
	if (count == 0)
		return POLY_OK;
	if (!stream || stream->values != count || stream->coding > PTZ_DELTA)
		return fail_stream(segment, stream ? stream : &none,
			"does not have the expected number of values", error);
	ptz_decoder_init(&decoder, stream, data, 0);
	for (uint32_t i = 0; i < count; i += DECODE_COUNT) {
		const uint32_t n = count - i < DECODE_COUNT ? count - i : DECODE_COUNT;
		ptz_decode(&decoder, some, n, NULL);
		for (uint32_t k = 0; k < n; k++)
			(*numbers)[i + k] = (uint32_t)some[k];
	}
	return decoder.bytes.bad ? fail_stream(segment, stream, "ends early", error) : POLY_OK;
}

/* Loads the order of the templates. */
static enum poly_status
load_order(struct unpacked *segment, struct poly_error *error)
{
	const uint8_t *data;
	const struct ptz_stream *starts = find_stream(segment, PTZ_STARTS, 0, &data);
	const struct ptz_stream *blocks = find_stream(segment, PTZ_BLOCKS, 0, &data);
	segment->start_count = starts ? starts->values : 0;
	segment->block_count = blocks ? blocks->values : 0;
	if (segment->start_count > segment->templates || segment->block_count > segment->rows)
		return err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"%u blocks with %u executions (maximum %u and %u)",
			segment->start_count, segment->block_count, segment->templates,
			segment->rows);
	enum poly_status status =
		load_numbers(segment, PTZ_FOLLOW, segment->templates, &segment->follow, error);
	if (status == POLY_OK)
		status = load_numbers(
			segment, PTZ_STARTS, segment->start_count, &segment->starts, error);
	if (status == POLY_OK)
		status = load_numbers(
			segment, PTZ_BLOCKS, segment->block_count, &segment->blocks, error);
	segment->run_length =
		mem_new((size_t)segment->templates + 1, sizeof *segment->run_length);
	if (status == POLY_OK && !segment->run_length)
		return err_memory(error);
	for (uint32_t t = segment->templates; t-- > 0 && status == POLY_OK;) {
		const uint32_t v = segment->follow[t];
		const uint32_t follow = t + 1 + (uint32_t)ptz_unzigzag((uint64_t)v - 1);
		segment->follow[t] = v == 0 ? PTZ_SEVERAL : follow;
		segment->run_length[t] =
			v != 0 && follow == t + 1 ? segment->run_length[t + 1] + 1 : 1;
		if (v && follow >= segment->templates)
			status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a template is followed by an undefined template");
	}
	for (uint32_t i = 0; i < segment->start_count && status == POLY_OK; i++) {
		if (segment->starts[i] >= segment->templates)
			status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a block starts with an undefined template");
	}
	return status;
}

/* Intermediate data for loading columns. */
struct segment_loading {
	const struct ptz_load_options *options;
	const uint8_t *shapes;
	uint32_t *shape; /* by template */
	uint32_t shape_count;
	uint64_t *pc; /* by template that has one; NULL: not used */
	struct poly_error *error;
};

/* Returns which of the first 64 shapes have a column; *later: a later one has it, too. */
static uint64_t
shapes_with(
	const struct segment_loading *loading, const uint8_t *masks, uint64_t bit, bool *later)
{
	uint64_t with = 0;
	*later = false;
	for (uint32_t i = 0; i < loading->shape_count; i++) {
		const bool has = load_le64(masks + (size_t)16 * i) & bit;
		if (i < 64)
			with |= (uint64_t)has << i;
		else
			*later |= has;
	}
	return with;
}

/*
 * Finds or builds the set of the templates that have a column, by the masks of the shapes
 * (static or varying). NULL with *count 0: no template has it; with another count: out of
 * memory.
 */
static struct ptz_set *
get_set(struct unpacked *segment, const struct segment_loading *loading, bool varying,
	uint64_t bit, uint32_t *count)
{
	const size_t words = segment->templates / 64 + (size_t)2;
	const uint8_t *masks = loading->shapes + (varying ? 8 : 0);
	bool later;
	const uint64_t with = shapes_with(loading, masks, bit, &later);
	*count = 0;
	if (!with && !later)
		return NULL;
	for (unsigned i = 0; !later && i < segment->set_count; i++) {
		*count = segment->sets[i]->count;
		if (segment->sets[i]->shapes == with)
			return segment->sets[i];
	}
	struct ptz_set *set = mem_new(1, sizeof *set);
	*count = 1;
	if (set)
		set->templates = mem_new(words, sizeof *set->templates);
	if (!set || !set->templates) {
		mem_free(set);
		return NULL;
	}
	for (uint32_t t = 0; t < segment->templates; t += 64) {
		const uint32_t n = segment->templates - t < 64 ? segment->templates - t : 64;
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
	set->shapes = later ? 0 : with;
	*count = set->count;
	segment->sets[segment->set_count++] = set;
	return set;
}

/* Lists the templates of a set. Returns false if out of memory. */
static bool
list_members(const struct unpacked *segment, struct ptz_set *set)
{
	uint32_t n = 0;
	if (set->rank)
		return true;
	set->rank = mem_resize(NULL, (size_t)segment->templates + 1 + set->count + PTZ_SLACK,
		sizeof *set->rank);
	if (!set->rank)
		return false;
	set->members = set->rank + segment->templates + 1;
	for (uint32_t t = 0; t < segment->templates; t++) {
		/* The next member overwrites a template that is not in the set. */
		set->rank[t] = n;
		set->members[n] = t;
		n += bit_test(set->templates, t);
	}
	set->rank[segment->templates] = n;
	memset(set->members + n, 0, PTZ_SLACK * sizeof *set->members);
	return true;
}

static enum poly_status
load_shapes(struct unpacked *segment, struct segment_loading *loading)
{
	const struct ptz_stream *stream = find_stream(segment, PTZ_SHAPES, 0, &loading->shapes);
	loading->shape_count = stream ? stream->size / 16 : 0;
	const enum poly_status status = load_numbers(segment, PTZ_TEMPLATE_SHAPES,
		segment->templates, &loading->shape, loading->error);
	for (uint32_t t = 0; status == POLY_OK && t < segment->templates; t++) {
		if (loading->shape[t] >= loading->shape_count)
			return err_set(loading->error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
				"a template has an undefined shape");
	}
	return status;
}

/* Locates the segment's names in its data. */
static enum poly_status
load_names(struct unpacked *segment, struct segment_loading *loading)
{
	const uint8_t *data, *end;
	const struct ptz_stream *stream = find_stream(segment, PTZ_NAMES, 0, &data);
	const uint32_t count = stream ? stream->values : 0;
	if (stream && stream->values > stream->size)
		return fail_stream(
			segment, stream, "has more names than bytes", loading->error);
	segment->names = mem_new((size_t)count + 1, sizeof *segment->names);
	if (!segment->names)
		return err_memory(loading->error);
	end = stream ? data + stream->size : NULL;
	for (segment->name_count = 0; segment->name_count < count; segment->name_count++) {
		const uint8_t *stop = memchr(data, 0, (size_t)(end - data));
		if (!stop)
			return fail_stream(
				segment, stream, "ends within a name", loading->error);
		segment->names[segment->name_count] = (const char *)data;
		data = stop + 1;
	}
	return POLY_OK;
}

/* Stores values of a type known at compile time. */
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

/* Assigns static slices their offsets in the bytes. */
static bool
locate_slices(struct unpacked *segment, struct ptz_column *column, uint32_t size)
{
	struct poly_slice *slices = column->values;
	uint64_t at = 0;
	uint32_t longest = 1;
	for (uint32_t t = 0; t < segment->templates; t++) {
		if (!bit_test(column->fixed->templates, t))
			continue;
		slices[t].offset = (uint32_t)at;
		at += slices[t].length;
		if (at > size)
			return false;
		longest = slices[t].length > longest ? slices[t].length : longest;
	}
	if (SLICES_MAX / longest < segment->rows_max)
		segment->rows_max = SLICES_MAX / longest ? SLICES_MAX / longest : 1;
	return true;
}

/* Returns the number of valid values of a column whose values are codes or indexes. */
static uint64_t
value_limit(const struct unpacked *segment, enum poly_column column)
{
	switch ((unsigned)poly_column_form(column)) {
	case POLY_FORM_KIND: return POLY_KIND_COUNT;
	case POLY_FORM_ACCESS: return POLY_ACCESS_COUNT;
	case POLY_FORM_BRANCH: return POLY_BRANCH_COUNT;
	case POLY_FORM_SYNC: return POLY_SYNC_COUNT;
	case POLY_FORM_EVENT: return POLY_EVENT_COUNT;
	case POLY_FORM_FLAGS: return POLY_FLAGS_COUNT;
	case POLY_FORM_RECORD: return PTZ_RECORDS_MAX;
	case POLY_FORM_NAME: return segment->name_count;
	case POLY_FORM_BOOL: return 2;
	}
	return 0;
}

/* Returns whether the values of a column are codes or indexes, not numbers or bytes. */
static bool
is_coded(enum poly_column column)
{
	return poly_column_form(column) < POLY_FORM_DEC;
}

/* Decodes the static values of a column; PTZ_PC adds the templates' pc. */
static enum poly_status
fill_fixed(struct unpacked *segment, struct segment_loading *loading, struct ptz_column *column,
	const struct ptz_stream *stream, const uint8_t *data)
{
	struct ptz_decoder decoder = {0};
	const bool limited = is_coded(column->column);
	const uint64_t limit = value_limit(segment, column->column);
	if (stream->coding > PTZ_PC || stream->coding == PTZ_TEMPLATE)
		return fail_stream(segment, stream, "has an invalid coding", loading->error);
	ptz_decoder_init(&decoder, stream, data, 0);
	for (uint32_t t = 0; t < segment->templates && !decoder.bytes.bad; t += DECODE_COUNT) {
		uint32_t own[DECODE_COUNT];
		uint64_t value[DECODE_COUNT];
		size_t n = 0;
		const uint32_t end = segment->templates - t < DECODE_COUNT ? segment->templates
									   : t + DECODE_COUNT;
		for (uint32_t k = t; k < end; k++) {
			own[n] = k;
			n += column->always || bit_test(column->fixed->templates, k);
		}
		ptz_decode(&decoder, value, n, NULL);
		uint64_t max = 0;
		for (size_t i = 0; i < n && stream->coding == PTZ_PC; i++)
			value[i] += loading->pc ? loading->pc[own[i]] : 0;
		for (size_t i = 0; i < n && limited; i++)
			max = value[i] > max ? value[i] : max;
		if (limited && n && max >= limit)
			return fail_stream(
				segment, stream, "has an undefined value", loading->error);
		if (n && column->column == POLY_COLUMN_record && max >= segment->record_count)
			segment->record_count = (unsigned)max + 1;
		store_values(column, own, value, n);
	}
	return decoder.bytes.bad ? fail_stream(segment, stream, "ends early", loading->error)
				 : POLY_OK;
}

/* Loads the static values of a column of the file. */
static enum poly_status
load_fixed(struct unpacked *segment, struct segment_loading *loading, struct ptz_column *column,
	unsigned number)
{
	const uint8_t *data, *bytes = NULL;
	const struct ptz_stream *stream = find_stream(segment, PTZ_STATIC, number, &data);
	const struct ptz_stream *byte_stream =
		find_stream(segment, PTZ_STATIC_BYTES, number, &bytes);
	const struct ptz_stream none = {.role = PTZ_STATIC, .column = (uint8_t)number};
	const size_t size = column->size ? column->size : sizeof(struct poly_slice);
	if (!column->fixed)
		return POLY_OK;
	if (!stream)
		return fail_stream(segment, &none, "is missing", loading->error);
	column->values = mem_new(segment->templates + (size_t)PTZ_SLACK, size);
	if (!column->values)
		return err_memory(loading->error);
	const enum poly_status status = fill_fixed(segment, loading, column, stream, data);
	column->bytes = bytes;
	if (status == POLY_OK && column->size == 0 &&
		!locate_slices(segment, column, byte_stream ? byte_stream->size : 0))
		return fail_stream(segment, stream, "exceeds its bytes", loading->error);
	return status;
}

/* Loads the varying values of a column of the file. */
static enum poly_status
load_varying(struct unpacked *segment, struct segment_loading *loading,
	struct ptz_column *column, unsigned number)
{
	const uint8_t *data, *bytes = NULL;
	const struct ptz_stream *stream = find_stream(segment, PTZ_DYNAMIC, number, &data);
	const struct ptz_stream *byte_stream =
		find_stream(segment, PTZ_DYNAMIC_BYTES, number, &bytes);
	const struct ptz_stream none = {.role = PTZ_DYNAMIC, .column = (uint8_t)number};
	if (!column->varying)
		return POLY_OK;
	if (!stream)
		return fail_stream(segment, &none, "is missing", loading->error);
	if (stream->coding > PTZ_TEMPLATE || is_coded(column->column))
		return fail_stream(segment, stream, "has an invalid coding", loading->error);
	if (byte_stream) {
		column->slices = (struct ptz_bytes){bytes, bytes + byte_stream->size, false};
		column->is_xor = byte_stream->coding == PTZ_XOR;
	}
	return list_members(segment, column->varying) &&
			       ptz_decoder_init(
				       &column->decoder, stream, data, column->varying->count)
		       ? POLY_OK
		       : err_memory(loading->error);
}

/* Loads a column of the file. */
static enum poly_status
load_column(struct unpacked *segment, struct segment_loading *loading, unsigned number)
{
	struct ptz_column *column = &segment->column[segment->columns];
	const uint64_t bit = (uint64_t)1 << number;
	uint32_t fixed, varying;
	memset(column, 0, sizeof *column);
	column->column = (enum poly_column)loading->options->column_map[number];
	column->size = ptz_column_size(column->column);
	column->fixed = get_set(segment, loading, false, bit, &fixed);
	column->varying = get_set(segment, loading, true, bit, &varying);
	column->always = fixed == segment->templates;
	column->all_varying = varying == segment->templates;
	if ((fixed && !column->fixed) || (varying && !column->varying))
		return err_memory(loading->error);
	segment->columns++;
	enum poly_status status = load_fixed(segment, loading, column, number);
	if (status == POLY_OK)
		status = load_varying(segment, loading, column, number);
	return status;
}

/* Returns the file's number of a column; column_count if it has none. */
static unsigned
file_number(const struct ptz_load_options *options, enum poly_column column)
{
	unsigned number = 0;
	while (number < options->column_count && options->column_map[number] != column)
		number++;
	return number;
}

static bool
is_wanted(const struct ptz_load_options *options, unsigned number)
{
	return number < options->column_count &&
	       options->column_map[number] < POLY_COLUMN_COUNT &&
	       poly_columns_has(options->wanted, (enum poly_column)options->column_map[number]);
}

/* Returns whether a stream has to be decompressed. */
static bool
is_needed(const struct unpacked *segment, const struct ptz_load_options *options, uint32_t i)
{
	const struct ptz_stream *stream = &segment->stream[i];
	if (!has_column(stream->role) || is_wanted(options, stream->column))
		return stream->role < PTZ_ROLE_COUNT;
	if (stream->role != PTZ_STATIC ||
		stream->column != file_number(options, POLY_COLUMN_pc))
		return false;
	for (uint32_t k = 0; k < segment->streams; k++) {
		if (segment->stream[k].coding == PTZ_PC &&
			is_wanted(options, segment->stream[k].column))
			return true;
	}
	return false;
}

/* Loads the pcs of templates, which other columns may be encoded against. */
static enum poly_status
load_pc(struct unpacked *segment, struct segment_loading *loading)
{
	const uint8_t *data;
	const unsigned number = file_number(loading->options, POLY_COLUMN_pc);
	struct ptz_column pc = {.column = POLY_COLUMN_pc, .size = 8};
	if (number == loading->options->column_count ||
		!find_stream(segment, PTZ_STATIC, number, &data))
		return POLY_OK;
	uint32_t count;
	pc.fixed = get_set(segment, loading, false, (uint64_t)1 << number, &count);
	if (count && !pc.fixed)
		return err_memory(loading->error);
	const enum poly_status status = load_fixed(segment, loading, &pc, number);
	loading->pc = pc.values;
	return status;
}

enum poly_status
unpacked_load(struct unpacked *segment, const struct ptz_load_options *options,
	const uint8_t *p, struct poly_error *error)
{
	struct segment_loading loading = {.options = options, .error = error};
	enum poly_status status = POLY_OK;
	segment->options = options;
	for (uint32_t i = 0; i < segment->streams && status == POLY_OK; i++) {
		if (is_needed(segment, options, i))
			status = load_stream(segment, i, options->unpacker, p, error);
		p += segment->stream[i].packed;
	}
	if (status == POLY_OK)
		status = load_order(segment, error);
	if (status == POLY_OK)
		status = load_shapes(segment, &loading);
	if (status == POLY_OK)
		status = load_names(segment, &loading);
	if (status == POLY_OK)
		status = load_pc(segment, &loading);
	segment->rows_max = POLY_BATCH_ROWS;
	for (unsigned number = 0; number < options->column_count && status == POLY_OK;
		number++) {
		if (is_wanted(options, number))
			status = load_column(segment, &loading, number);
	}
	segment->options = NULL;
	mem_free(loading.shape);
	mem_free(loading.pc);
	return status;
}

/* Replaces the segment's name numbers of a column. */
static void
renumber_names(const struct unpacked *segment, const struct ptz_column *column,
	const uint32_t *numbers)
{
	uint32_t *values = column->values;
	for (uint32_t t = 0; t < segment->templates; t++) {
		if (bit_test(column->fixed->templates, t))
			values[t] = numbers[values[t]];
	}
}

/* Finds the numbers of the segment's names in the trace, unless numbers is NULL: adds them. */
static enum poly_status
number_names(const struct unpacked *segment, struct info *info, uint32_t *numbers,
	struct poly_error *error)
{
	for (uint32_t i = 0; i < segment->name_count; i++) {
		const char *name = segment->names[i];
		uint32_t number;
		if (!info_keep_name(info, name, strlen(name), &number))
			return info->no_memory
				       ? err_memory(error)
				       : err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
						 "the trace exceeds the maximum number of "
						 "names");
		if (numbers)
			numbers[i] = number;
	}
	return POLY_OK;
}

enum poly_status
unpacked_add_names(const struct unpacked *segment, struct info *info, struct poly_error *error)
{
	if (segment->record_count > info->view.record_count)
		info->view.record_count = segment->record_count;
	return number_names(segment, info, NULL, error);
}

enum poly_status
unpacked_resolve_names(struct unpacked *segment, struct info *info, struct poly_error *error)
{
	uint32_t *numbers = mem_new((size_t)segment->name_count + 1, sizeof *numbers);
	if (!numbers)
		return err_memory(error);
	const enum poly_status status = number_names(segment, info, numbers, error);
	for (unsigned i = 0; i < segment->columns && status == POLY_OK; i++) {
		const struct ptz_column *column = &segment->column[i];
		if (column->fixed && poly_column_form(column->column) == POLY_FORM_NAME)
			renumber_names(segment, column, numbers);
	}
	if (segment->record_count > info->view.record_count)
		info->view.record_count = segment->record_count;
	mem_free(numbers);
	return status;
}

void
unpacked_swap(struct unpacked *a, struct unpacked *b)
{
	const struct unpacked old_a = *a, old_b = *b;
	*b = old_a;
	*a = old_b;
	b->emitter = old_b.emitter;
	b->template_emitter = old_b.template_emitter;
	b->weights = old_b.weights;
	a->emitter = old_a.emitter;
	a->template_emitter = old_a.template_emitter;
	a->weights = old_a.weights;
}
