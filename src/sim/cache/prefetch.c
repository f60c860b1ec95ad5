/* SPDX-License-Identifier: MIT */
/* Next line, stride and stream prefetchers. */
#include "sim/cache/prefetch.h"

/* Stores the addresses of degree lines from an address on, step bytes apart. */
static size_t
bring(const struct prefetcher *p, uint64_t from, uint64_t step, uint64_t *addresses)
{
	for (uint32_t i = 0; i < p->degree; i++) {
		from += step;
		addresses[i] = from >> p->line_shift << p->line_shift;
	}
	return p->degree;
}

static size_t
see_stride(struct prefetcher *p, const struct prefetch_access *access, uint64_t *addresses)
{
	struct prefetch_stride *entry = &p->strides[access->pc / 4 % PREFETCH_STRIDES];
	if (!entry->used || entry->pc != access->pc) {
		*entry = (struct prefetch_stride){
			.pc = access->pc, .address = access->address, .used = true};
		return 0;
	}
	const uint64_t step = access->address - entry->address;
	entry->steady = step && step == entry->step;
	entry->step = step;
	entry->address = access->address;
	return entry->steady ? bring(p, access->address, step, addresses) : 0;
}

/* Returns whether a line continues a stream; may set the stream's direction. */
static bool
goes_on(const struct prefetcher *p, struct prefetch_stream *stream, uint64_t line)
{
	const uint64_t up = line - stream->line, down = stream->line - line;
	if (!stream->moved)
		return false;
	if (!stream->direction)
		stream->direction = up == 1 ? 1 : down == 1 ? -1 : 0;
	const uint64_t on = stream->direction > 0 ? up : down;
	return stream->direction && on >= 1 && on <= p->degree;
}

static size_t
see_stream(struct prefetcher *p, const struct prefetch_access *access, uint64_t *addresses)
{
	const uint64_t line = access->address >> p->line_shift, size = UINT64_C(1)
								       << p->line_shift;
	struct prefetch_stream *oldest = p->streams;
	if (!access->missed && !access->brought)
		return 0;
	p->time++;
	for (int i = 0; i < PREFETCH_STREAMS; i++) {
		struct prefetch_stream *stream = &p->streams[i];
		if (stream->moved < oldest->moved)
			oldest = stream;
		if (!goes_on(p, stream, line))
			continue;
		stream->line = line;
		stream->moved = p->time;
		return bring(
			p, access->address, stream->direction > 0 ? size : -size, addresses);
	}
	if (access->missed)
		*oldest = (struct prefetch_stream){.line = line, .moved = p->time};
	return 0;
}

size_t
prefetch_see(struct prefetcher *p, const struct prefetch_access *access, uint64_t *addresses)
{
	switch (p->kind) {
	case PREFETCH_NEXT:
		return access->missed ? bring(p, access->address, UINT64_C(1) << p->line_shift,
						addresses)
				      : 0;
	case PREFETCH_STRIDE: return see_stride(p, access, addresses);
	case PREFETCH_STREAM: return see_stream(p, access, addresses);
	case PREFETCH_NONE:
	case PREFETCHES: return 0;
	}
	return 0;
}
