/* SPDX-License-Identifier: MIT */
/*
 * ZIP archives, by libarchive: the components, in the order of the archive, are one stream.
 *
 *     archive = { component } , { directory record } , end record ;
 *
 * libarchive decompresses one component at a time: it would search the next local header, and
 * skip bytes between components silently.
 *
 * spec: PKWARE APPNOTE.TXT 6.3 (4.3.7 local header, 4.3.9 data descriptor, 4.3.12 to 4.3.16
 * directory, 4.5.3 Zip64)
 */
#include "base/bits.h"
#include "base/err.h"
#include "io/filter.h"

#include <string.h>

#ifdef POLY_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#endif

/* Signatures, as little endian numbers. */
#define SIGNATURE_LOCAL 0x04034b50U
#define SIGNATURE_DESCRIPTOR 0x08074b50U
#define SIGNATURE_DIRECTORY 0x02014b50U
#define SIGNATURE_DIGITAL 0x05054b50U
#define SIGNATURE_END64 0x06064b50U
#define SIGNATURE_LOCATOR 0x07064b50U
#define SIGNATURE_END 0x06054b50U

enum { SIGNATURE_SIZE = 4, LOCAL_SIZE = 30, END_SIZE = 22 };

static unsigned
load_le16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* Returns whether a method of compression is defined. */
static bool
is_method(unsigned method)
{
	return method <= 20 || (method >= 93 && method <= 99);
}

static int
zip_probe(const uint8_t *p, size_t n)
{
	if (n < SIGNATURE_SIZE)
		return 0;
	if (load_le32(p) == SIGNATURE_END)
		return n < 12 || (!load_le64(p + 4)) ? 32 : 0;
	if (load_le32(p) != SIGNATURE_LOCAL)
		return 0;
	if (n < LOCAL_SIZE)
		return 32;
	/* The version needed, the method, and the length of the name. */
	return p[4] <= 63 && is_method(load_le16(p + 8)) && load_le16(p + 26) ? 48 : 0;
}

#ifdef POLY_WITH_ARCHIVE

enum { FLAG_ENCRYPTED = 1, FLAG_DESCRIPTOR = 8 };

/* A size that the local header does not state. */
#define SIZE_UNKNOWN UINT64_MAX

struct zip_decoder {
	struct archive *archive; /* of the present component; NULL: none */
	struct in *source;	 /* of the present call */
	uint64_t begin;		 /* offset of the component in the source */
	uint64_t size;		 /* of the component with its header, or SIZE_UNKNOWN */
	uint64_t fed;		 /* bytes of the component that libarchive got */
	uint64_t skip;		 /* bytes of the source to skip */
	unsigned components;	 /* so far */
	const uint8_t *block;	 /* decoded, not delivered yet */
	size_t block_size;
	bool starved; /* the source ended within the component */
	bool failed;  /* after the block */
	bool ended;   /* the end record was read */
};

/* Returns the bytes of the component that libarchive has processed. */
static uint64_t
processed(const struct zip_decoder *zip)
{
	const int64_t bytes = archive_filter_bytes(zip->archive, 0);
	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Consumes the bytes of the component up to a position. */
static void
consume_to(struct zip_decoder *zip, uint64_t position)
{
	const uint64_t at = zip->begin + position, offset = in_offset(zip->source);
	if (at > offset)
		in_consume(zip->source, (size_t)(at - offset));
}

/* Feeds libarchive; an archive_read_callback. What it has not processed stays in the source. */
static la_ssize_t
feed(struct archive *archive, void *user, const void **buffer)
{
	struct zip_decoder *zip = user;
	size_t have;
	(void)archive;
	if (zip->fed == zip->size)
		return 0;
	consume_to(zip, processed(zip));
	const size_t pending = (size_t)(zip->begin + zip->fed - in_offset(zip->source));
	const uint8_t *p = in_peek(zip->source, pending + 1, &have);
	zip->starved = have <= pending;
	if (zip->starved)
		return 0;
	size_t n = have - pending;
	if (n > zip->size - zip->fed)
		n = (size_t)(zip->size - zip->fed);
	*buffer = p + pending;
	zip->fed += n;
	return (la_ssize_t)n;
}

static enum poly_status
corrupt(struct poly_error *error, const char *what)
{
	return err_set(error, POLY_ERR_FORMAT, 0, "corrupt zip stream (%s)", what);
}

/* Reports why libarchive failed; a source that ended is reported by the framework. */
static enum poly_status
zip_failure(const struct zip_decoder *zip, struct poly_error *error)
{
	const char *what = archive_error_string(zip->archive);
	if (archive_errno(zip->archive) == ENOMEM)
		return err_memory(error);
	if (zip->starved)
		return POLY_OK;
	return err_set(error, POLY_ERR_FORMAT, 0, "corrupt zip stream (component %u: %s)",
		zip->components, what ? what : "unreadable");
}

/* Returns the compressed size that the extra fields of n bytes at p state; SIZE_UNKNOWN: none.
 */
static uint64_t
find_size64(const uint8_t *p, size_t n)
{
	while (n >= 4) {
		const size_t size = load_le16(p + 2);
		if (load_le16(p) == 1 && size >= 16 && n >= 20)
			return load_le64(p + 12);
		if (size + 4 > n)
			break;
		p += size + 4;
		n -= size + 4;
	}
	return SIZE_UNKNOWN;
}

/* Reads the size of the component whose local header of n bytes is at p. */
static bool
read_size(struct zip_decoder *zip, const uint8_t *p, size_t n)
{
	const size_t extra = load_le16(p + 28);
	uint64_t size = load_le32(p + 18);
	zip->size = SIZE_UNKNOWN;
	if (load_le16(p + 6) & FLAG_DESCRIPTOR)
		return true;
	if (size == UINT32_MAX)
		size = find_size64(p + n - extra, extra);
	if (size >= SIZE_UNKNOWN - n)
		return false;
	zip->size = size + n;
	return true;
}

/* Begins the component at the front of the source. POLY_OK also if the source ends before. */
static enum poly_status
begin_component(struct zip_decoder *zip, struct poly_error *error)
{
	size_t have;
	struct archive_entry *entry;
	const uint8_t *p = in_peek(zip->source, LOCAL_SIZE, &have);
	if (have < LOCAL_SIZE) {
		zip->starved = true;
		return POLY_OK;
	}
	const size_t n = LOCAL_SIZE + load_le16(p + 26) + load_le16(p + 28);
	p = in_peek(zip->source, n, &have);
	if (have < n) {
		zip->starved = true;
		return POLY_OK;
	}
	if (load_le16(p + 6) & FLAG_ENCRYPTED)
		return corrupt(error, "an encrypted component, which is not supported");
	if (!read_size(zip, p, n))
		return corrupt(error, "the size of a component");
	zip->begin = in_offset(zip->source);
	zip->fed = 0;
	zip->components++;
	zip->archive = archive_read_new();
	if (!zip->archive)
		return err_memory(error);
	if (archive_read_support_format_zip_streamable(zip->archive) < ARCHIVE_WARN ||
		archive_read_open(zip->archive, zip, NULL, feed, NULL) < ARCHIVE_WARN ||
		archive_read_next_header(zip->archive, &entry) < ARCHIVE_WARN)
		return zip_failure(zip, error);
	return POLY_OK;
}

/* Ends the component after its last byte. */
static void
end_component(struct zip_decoder *zip)
{
	if (zip->size == SIZE_UNKNOWN)
		consume_to(zip, processed(zip));
	else
		zip->skip = zip->begin + zip->size - in_offset(zip->source);
	archive_read_free(zip->archive);
	zip->archive = NULL;
}

/* Reads a record of the directory, of have bytes at p; sets skip. */
static enum poly_status
read_directory(struct zip_decoder *zip, const uint8_t *p, size_t have, struct poly_error *error)
{
	static const struct {
		uint32_t signature;
		uint8_t size, lengths; /* of the fixed fields; offset of those of the others */
		uint8_t count;	       /* of lengths */
	} records[] = {{SIGNATURE_DIRECTORY, 46, 28, .count = 3},
		{SIGNATURE_DIGITAL, 6, 4, .count = 1}, {SIGNATURE_LOCATOR, 20, 0, .count = 0},
		{SIGNATURE_END64, 12, 0, .count = 0},
		{SIGNATURE_END, END_SIZE, 20, .count = 1}};
	const uint32_t signature = load_le32(p);
	size_t i = 0;
	while (i < sizeof records / sizeof *records && records[i].signature != signature)
		i++;
	if (i == sizeof records / sizeof *records)
		return err_set(error, POLY_ERR_FORMAT, 0,
			"corrupt zip stream (signature 0x%08x, expected a component or the "
			"directory)",
			signature);
	zip->starved = have < records[i].size;
	if (zip->starved)
		return POLY_OK;
	zip->skip = records[i].size;
	for (unsigned field = 0; field < records[i].count; field++)
		zip->skip += load_le16(p + records[i].lengths + 2 * field);
	if (signature == SIGNATURE_END64 && load_le64(p + 4) < UINT32_MAX)
		zip->skip += load_le64(p + 4);
	if (signature != SIGNATURE_END)
		return POLY_OK;
	const unsigned listed = load_le16(p + 10), found = zip->components;
	zip->components = 0;
	zip->ended = true;
	if (listed != UINT16_MAX && listed != (found & UINT16_MAX))
		return err_set(error, POLY_ERR_FORMAT, 0,
			"corrupt zip stream (%u components, the directory lists %u)", found,
			listed);
	return POLY_OK;
}

/* Returns the size of a descriptor, whose sizes have 4 bytes, or 8 if Zip64 is used. */
static uint64_t
descriptor_size(const uint8_t *p, size_t have)
{
	const bool is_short = have >= 20 && (load_le32(p + 16) == SIGNATURE_LOCAL ||
						    load_le32(p + 16) == SIGNATURE_DIRECTORY);
	return is_short ? 16 : 24;
}

/* Reads what follows a component. POLY_END: nothing. */
static enum poly_status
read_next(struct zip_decoder *zip, struct poly_error *error)
{
	size_t have;
	const uint8_t *p = in_peek(zip->source, END_SIZE + 32, &have);
	if (zip->skip) {
		const size_t n = have < zip->skip ? have : (size_t)zip->skip;
		zip->starved = !n;
		zip->skip -= n;
		in_consume(zip->source, n);
		return POLY_OK;
	}
	if (!have && zip->ended)
		return POLY_END;
	zip->starved = have < SIGNATURE_SIZE;
	if (zip->starved)
		return POLY_OK;
	zip->ended = false;
	if (load_le32(p) == SIGNATURE_LOCAL)
		return begin_component(zip, error);
	/* libarchive does not consume the descriptor of stored bytes. */
	if (load_le32(p) == SIGNATURE_DESCRIPTOR && zip->size == SIZE_UNKNOWN) {
		zip->skip = descriptor_size(p, have);
		return POLY_OK;
	}
	return read_directory(zip, p, have, error);
}

/* Decodes a block of the component. */
static enum poly_status
read_block(struct zip_decoder *zip, struct poly_error *error)
{
	const void *block = NULL;
	la_int64_t offset;
	zip->block_size = 0;
	const int result =
		archive_read_data_block(zip->archive, &block, &zip->block_size, &offset);
	zip->block = block;
	if (result == ARCHIVE_EOF) {
		zip->block_size = 0;
		end_component(zip);
		return POLY_OK;
	}
	if (result == ARCHIVE_OK)
		return POLY_OK;
	/* A wrong checksum comes with the last block. */
	zip->failed = block && zip->block_size;
	if (zip->failed)
		return POLY_OK;
	zip->block_size = 0;
	return zip_failure(zip, error);
}

/* Consumes what is left of a source that ended. */
static void
consume_rest(struct in *source)
{
	size_t have;
	do {
		in_peek(source, 1, &have);
		in_consume(source, have);
	} while (have);
}

static enum poly_status
zip_decode(void *state, struct in *source, struct filter_room *room, struct poly_error *error)
{
	struct zip_decoder *zip = state;
	enum poly_status status = POLY_OK;
	zip->source = source;
	zip->starved &= zip->failed;
	while (status == POLY_OK && !zip->block_size && !zip->starved) {
		if (zip->failed)
			return zip_failure(zip, error);
		status = zip->archive ? read_block(zip, error) : read_next(zip, error);
	}
	if (status == POLY_OK && zip->starved)
		consume_rest(source);
	const size_t n = zip->block_size < room->size ? zip->block_size : room->size;
	if (n) {
		memcpy(room->dst, zip->block, n);
		zip->block += n;
		zip->block_size -= n;
	}
	room->got = n;
	return status;
}

static enum poly_status
zip_open(void *state, struct poly_error *error)
{
	(void)state;
	(void)error;
	return POLY_OK;
}

static void
zip_close(void *state)
{
	struct zip_decoder *zip = state;
	archive_read_free(zip->archive);
}

#endif

extern const struct filter filter_zip;
const struct filter filter_zip = {
	.name = "zip",
	.extension = "zip",
	.probe = zip_probe,
#ifdef POLY_WITH_ARCHIVE
	.decoder_size = sizeof(struct zip_decoder),
	.decode_open = zip_open,
	.decode = zip_decode,
	.decode_close = zip_close,
#else
	.missing = "libarchive-dev",
#endif
};
