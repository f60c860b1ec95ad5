/* SPDX-License-Identifier: MIT */
/*
 * The window of an input, and the stack of layers below it. Every layer is a struct in of its
 * own: a decompressor peeks and consumes the one below.
 */
#include "io/in.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/filter.h"
#include "io/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK_SIZE ((size_t)256 << 10)
#define NESTING_LIMIT 4

/* Maximum rest that is moved to the front instead of growing the window. */
#define SHORT_REST 4096

/* Bytes that filters examine for detection: the longest header that they verify. */
#define PROBE_SIZE 4096

struct in {
	uint8_t *data;		   /* the window's memory: capacity and IN_PADDING bytes */
	size_t capacity;	   /* usable bytes */
	bool borrowed;		   /* data belongs to the caller: a view */
	bool seeked;		   /* after in_seek: the source is read at offsets */
	size_t begin, end;	   /* the bytes read and not consumed */
	uint64_t offset;	   /* of the byte at begin */
	size_t block_size;	   /* maximum bytes per read of the source */
	struct source source;	   /* provides more bytes */
	struct root_source *root;  /* of the lowest source, which owns it */
	enum poly_status status;   /* POLY_OK while the source may have more */
	struct poly_error error;   /* of a failed status */
	struct buf layers;	   /* names of the layers below */
	struct buf directory;	   /* its path; empty: not a directory */
	struct in_options options; /* of a directory */
};

static const struct in_options initial_options = {.nesting_limit = NESTING_LIMIT};

/* Bytes per read of a file in a directory, of which many may be open. */
#define ENTRY_BLOCK_SIZE ((size_t)16 << 10)

/* in_peek returns this before the first window exists. */
static const uint8_t nothing[IN_PADDING];

void
in_close(struct in *in)
{
	if (!in)
		return;
	if (in->source.close)
		in->source.close(in->source.self);
	if (!in->borrowed)
		mem_free(in->data);
	buf_free(&in->layers);
	buf_free(&in->directory);
	mem_free(in);
}

/* Creates an input on a source, and takes ownership of the source, also on failure. */
static enum poly_status
in_new(const struct source *source, struct root_source *root, size_t block_size,
	struct in **result, struct poly_error *error)
{
	struct in *in = mem_new(1, sizeof *in);
	if (!in) {
		source->close(source->self);
		return err_memory(error);
	}
	in->source = *source;
	in->root = root;
	in->block_size = block_size;
	*result = in;
	return POLY_OK;
}

/* Makes room in the window for want bytes, and a block. */
static bool
make_room(struct in *in, size_t want)
{
	size_t have = in->end - in->begin;
	size_t need = (want > BLOCK_SIZE ? want : BLOCK_SIZE) + in->block_size;
	if (in->capacity >= need) {
		/* Move a short rest to the front, so that the window stays in the caches. */
		if (in->begin && (have <= SHORT_REST || want > in->capacity - in->begin))
			memmove(in->data, in->data + in->begin, have);
		else
			return true;
	} else {
		/* Not zeroed: zeroing costs more than reading a small input. */
		uint8_t *data = mem_resize(NULL, need + IN_PADDING, 1);
		if (!data)
			return false;
		if (have)
			memcpy(data, in->data + in->begin, have);
		mem_free(in->data);
		in->data = data;
		in->capacity = need;
	}
	in->begin = 0;
	in->end = have;
	return true;
}

/* Reads a block from the source; offset is that of the next byte. */
static size_t
read_block(struct in *in, uint8_t *dst, size_t size, uint64_t offset)
{
	struct source_room room = {dst, size < in->block_size ? size : in->block_size, 0};
	if (in->seeked)
		in->status = in->source.read_at(in->source.self, offset, &room, &in->error);
	else
		in->status = in->source.read(
			in->source.self, room.dst, room.size, &room.got, &in->error);
	return room.got;
}

/* Reads one more block into the window, which has room for it. */
static void
refill(struct in *in)
{
	in->end += read_block(in, in->data + in->end, in->capacity - in->end,
		in->offset + (in->end - in->begin));
}

const uint8_t *
in_peek(struct in *in, size_t want, size_t *have)
{
	if (want > IN_PEEK_MAX)
		want = IN_PEEK_MAX;
	while (in->end - in->begin < want && in->status == POLY_OK) {
		if (!make_room(in, want)) {
			in->status = err_memory(&in->error);
			break;
		}
		refill(in);
	}
	/*
	 * At most a block, even if more is available: then the result does not depend on when
	 * the window was filled, and small blocks test every caller.
	 */
	size_t max = want > in->block_size ? want : in->block_size;
	*have = in->end - in->begin < max ? in->end - in->begin : max;
	return in->data ? in->data + in->begin : nothing;
}

void
in_consume(struct in *in, size_t n)
{
	in->begin += n;
	in->offset += n;
}

size_t
in_read(struct in *in, uint8_t *data, size_t size)
{
	size_t have = in->end - in->begin;
	size_t done = have < size ? have : size;
	if (done)
		memcpy(data, in->data + in->begin, done);
	in->begin += done;
	while (done < size && in->status == POLY_OK)
		done += read_block(in, data + done, size - done, in->offset + done);
	in->offset += done;
	return done;
}

bool
in_is_random(const struct in *in)
{
	return in->source.read_at != NULL;
}

enum poly_status
in_read_at(const struct in *in, uint64_t offset, struct source_room *room,
	struct poly_error *error)
{
	return in->source.read_at(in->source.self, offset, room, error);
}

void
in_seek(struct in *in, uint64_t offset)
{
	const uint64_t distance = offset - in->offset;
	if (distance <= in->end - in->begin) {
		in_consume(in, (size_t)distance);
		return;
	}
	in->begin = in->end = 0;
	in->offset = offset;
	in->seeked = true;
}

uint64_t
in_offset(const struct in *in)
{
	return in->offset;
}

enum poly_status
in_status(const struct in *in, struct poly_error *error)
{
	if (in->status < 0 && error)
		*error = in->error;
	return in->status;
}

const char *
in_layers(const struct in *in)
{
	return in->layers.size ? (const char *)in->layers.data : "none";
}

void
in_progress(const struct in *in, uint64_t *taken, uint64_t *total)
{
	*taken = atomic_load(&in->root->taken);
	*total = in->root->total;
	/* Threads read the ends of their chunks more than once. */
	if (*total && *taken > *total)
		*taken = *total;
}

bool
in_waits(const struct in *in)
{
	return in->root->waits;
}

struct in *
in_view(void)
{
	struct in *in = mem_new(1, sizeof *in);
	if (!in)
		return NULL;
	in->borrowed = true;
	in->block_size = SIZE_MAX;
	in->status = POLY_END;
	return in;
}

void
in_show(struct in *view, uint8_t *p, size_t n, uint64_t offset)
{
	view->data = p;
	view->begin = 0;
	view->end = n;
	view->offset = offset;
}

struct in *
in_from_source(const struct source *source, size_t block_size)
{
	struct in *in = NULL;
	if (block_size == 0 || block_size > IN_PEEK_MAX)
		block_size = BLOCK_SIZE;
	return in_new(source, NULL, block_size, &in, NULL) == POLY_OK ? in : NULL;
}

void
in_restart(struct in *in, uint64_t offset)
{
	in->begin = in->end = 0;
	in->offset = offset;
	in->status = POLY_OK;
}

/* Returns the filter with the strongest evidence at the front of the input, or NULL. */
static const struct filter *
recognise(struct in *in)
{
	size_t have;
	const uint8_t *p = in_peek(in, PROBE_SIZE, &have);
	const struct filter *best = NULL, *filter;
	int best_bits = 0;
	for (size_t i = 0; (filter = filter_at(i)); i++) {
		int bits = filter->probe(p, have);
		if (bits > best_bits) {
			best_bits = bits;
			best = filter;
		}
	}
	return best;
}

/* Adds a decompressor to *in, which then is the decompressed input. */
static enum poly_status
add_layer(struct in **in, const struct filter *filter, const struct in_options *options,
	struct poly_error *error)
{
	struct in *below = *in, *above = NULL;
	struct source source;
	enum poly_status status =
		source_decoder_open(filter, below, options->expansion_limit, &source, error);
	if (status != POLY_OK)
		return status;
	*in = NULL;
	struct root_source *root = below->root;
	status = in_new(&source, root, below->block_size, &above, error);
	if (status != POLY_OK)
		return status;
	*in = above;
	buf_string(&above->layers, in_layers(below));
	if (!below->layers.size)
		buf_clear(&above->layers);
	else
		buf_string(&above->layers, ", ");
	buf_string(&above->layers, filter->name);
	buf_text(&above->layers);
	return above->layers.failed ? err_memory(error) : POLY_OK;
}

/* Adds a decompressor per layer; on failure the caller closes *in. */
static enum poly_status
add_layers(struct in **in, const struct in_options *options, struct poly_error *error)
{
	const struct filter *filter;
	unsigned depth = 0;
	for (; (filter = recognise(*in)); depth++) {
		if (depth == options->nesting_limit)
			return err_set(error, POLY_ERR_LIMIT, 0,
				"more than %u layers of compression (options.nesting_limit): "
				"%s "
				"inside '%s'",
				depth, filter->name, in_layers(*in));
		enum poly_status status = add_layer(in, filter, options, error);
		if (status != POLY_OK)
			return status;
	}
	if (depth && !options->one_thread)
		source_read_ahead(&(*in)->source, (*in)->root, (*in)->block_size);
	return POLY_OK;
}

/* Finishes opening on a source, which is used up also on failure. */
static enum poly_status
start(const struct source *source, struct root_source *root, const struct in_options *options,
	struct in **in, struct poly_error *error)
{
	if (!options)
		options = &initial_options;
	size_t block_size = options->block_size ? options->block_size : BLOCK_SIZE;
	if (block_size > IN_PEEK_MAX)
		block_size = IN_PEEK_MAX;
	struct in *top = NULL;
	enum poly_status status = in_new(source, root, block_size, &top, error);
	if (status == POLY_OK)
		status = add_layers(&top, options, error);
	if (status != POLY_OK) {
		in_close(top);
		return status;
	}
	*in = top;
	return POLY_OK;
}

/* A file or directory that was opened. */
struct opened {
	const char *path;
	struct source source;
	struct root_source *root;
};

/* Finishes opening a directory, whose source is used up also on failure. */
static enum poly_status
start_directory(const struct opened *opened, const struct in_options *options,
	struct in **result, struct poly_error *error)
{
	struct in *in = NULL;
	enum poly_status status =
		in_new(&opened->source, opened->root, ENTRY_BLOCK_SIZE, &in, error);
	if (!in)
		return status;
	buf_string(&in->directory, opened->path);
	buf_text(&in->directory);
	if (in->directory.failed) {
		in_close(in);
		return err_memory(error);
	}
	in->status = POLY_END;
	in->options = *options;
	in->options.block_size = ENTRY_BLOCK_SIZE;
	in->options.one_thread = true;
	*result = in;
	return POLY_OK;
}

bool
in_is_directory(const struct in *in)
{
	return in->directory.size != 0;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts names, each with a NUL after it. */
static bool
sort_names(struct buf *names)
{
	const char **list = NULL;
	size_t count = 0, capacity = 0;
	struct buf sorted = {0};
	const char *end = (const char *)names->data + names->size;
	for (const char *name = (const char *)names->data; name < end;
		name += strlen(name) + 1) {
		if (!VEC_ROOM(list, capacity, count))
			break;
		list[count++] = name;
	}
	bool is_complete =
		count ? list[count - 1] + strlen(list[count - 1]) + 1 == end : !names->size;
	if (count)
		qsort(list, count, sizeof *list, compare_names);
	for (size_t i = 0; i < count; i++)
		buf_append(&sorted, list[i], strlen(list[i]) + 1);
	buf_text(&sorted);
	is_complete &= !sorted.failed;
	mem_free(list);
	buf_free(names);
	*names = sorted;
	return is_complete;
}

enum poly_status
in_list(const struct in *in, struct buf *names, struct poly_error *error)
{
	DIR *directory = opendir((const char *)in->directory.data);
	const struct dirent *entry;
	if (!directory)
		return err_system(error, POLY_NO_OFFSET, "cannot open directory");
	errno = 0;
	while (names->size <= IN_NAMES_MAX && (entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			buf_append(names, entry->d_name, strlen(entry->d_name) + 1);
	}
	const int failure = errno;
	closedir(directory);
	errno = failure;
	if (failure)
		return err_system(error, POLY_NO_OFFSET, "cannot read directory");
	if (names->size > IN_NAMES_MAX)
		return err_set(error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
			"the names in the directory have more than %zu bytes", IN_NAMES_MAX);
	buf_text(names);
	return !names->failed && sort_names(names) ? POLY_OK : err_memory(error);
}

enum poly_status
in_open_entry(
	const struct in *directory, const char *name, struct in **in, struct poly_error *error)
{
	struct buf path = {0};
	struct stat stat_;
	enum poly_status status = POLY_OK;
	*in = NULL;
	buf_printf(&path, "%s/%s", (const char *)directory->directory.data, name);
	const char *text = buf_text(&path);
	if (path.failed)
		status = err_memory(error);
	/* Opening a pipe waits for its other end. */
	else if (stat(text, &stat_) == 0 && !S_ISREG(stat_.st_mode) && !S_ISDIR(stat_.st_mode))
		status = err_set(error, POLY_ERR_FORMAT, POLY_NO_OFFSET,
			"neither a file nor a directory");
	if (status == POLY_OK)
		status = in_open(text, &directory->options, in, error);
	buf_free(&path);
	return status;
}

enum poly_status
in_open(const char *path, const struct in_options *options, struct in **in,
	struct poly_error *error)
{
	struct opened opened = {.path = path};
	*in = NULL;
	enum poly_status status = source_file_open(path, &opened.source, &opened.root, error);
	if (status != POLY_OK)
		return status;
	if (opened.root->is_directory && options && options->directories)
		return start_directory(&opened, options, in, error);
	return start(&opened.source, opened.root, options, in, error);
}

enum poly_status
in_open_memory(const void *data, size_t size, const struct in_options *options, struct in **in,
	struct poly_error *error)
{
	struct source source;
	struct root_source *root;
	*in = NULL;
	enum poly_status status = source_memory_open(data, size, &source, &root, error);
	return status == POLY_OK ? start(&source, root, options, in, error) : status;
}
