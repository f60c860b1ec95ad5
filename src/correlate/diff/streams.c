/* SPDX-License-Identifier: MIT */
/* Streams: reads rows of both traces into their steps, and queues differences. */
#include "correlate/diff/streams.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

void
diff_stop(struct poly_diff *diff, enum poly_status status)
{
	if (diff->status != POLY_OK)
		return;
	diff->status = status;
	if (status == POLY_ERR_MEMORY)
		err_memory(&diff->error);
}

void
diff_report(struct poly_diff *diff, const struct difference *difference)
{
	if (!VEC_ROOM(diff->queue, diff->room, diff->first + diff->count)) {
		diff_stop(diff, POLY_ERR_MEMORY);
		return;
	}
	diff->queue[diff->first + diff->count++] = *difference;
}

struct diff_stream *
streams_add(struct poly_diff *diff, uint32_t cpu)
{
	if (diff->stream_count == STREAMS_MAX) {
		diff_stop(diff, err_set(&diff->error, POLY_ERR_LIMIT, POLY_NO_OFFSET,
					"more than %d processors", STREAMS_MAX));
		return NULL;
	}
	struct diff_stream **streams =
		mem_resize(diff->streams, diff->stream_count + 1, sizeof *streams);
	if (streams)
		diff->streams = streams;
	struct diff_stream *stream = streams ? mem_new(1, sizeof *stream) : NULL;
	if (stream)
		stream->pending = mem_new(diff->reach + 1, sizeof *stream->pending);
	if (!stream || !stream->pending) {
		mem_free(stream);
		diff_stop(diff, POLY_ERR_MEMORY);
		return NULL;
	}
	stream->cpu = cpu;
	stream->patience = 1;
	for (unsigned side = 0; side < 2; side++)
		stream->sides[side].skip = diff->builders[side].skip;
	streams[diff->stream_count++] = stream;
	return stream;
}

/* Returns the stream of a builder's next row. */
static struct diff_stream *
row_stream(struct poly_diff *diff, const struct builder *builder)
{
	const bool stated = diff->rules.each_cpu &&
			    poly_present(builder->batch, POLY_COLUMN_cpu, builder->row);
	const uint32_t cpu = stated ? builder->batch->cpu[builder->row] : 0;
	for (size_t i = 0; i < diff->stream_count; i++) {
		if (diff->streams[i]->cpu == cpu || !diff->rules.each_cpu)
			return diff->streams[i];
	}
	return streams_add(diff, cpu);
}

bool
streams_add_row(struct poly_diff *diff, unsigned side)
{
	struct builder *builder = &diff->builders[side];
	bool good = true;
	if (diff->status != POLY_OK)
		return false;
	if (builder_has_row(builder)) {
		struct diff_stream *stream = row_stream(diff, builder);
		good = stream && builder_add_row(builder, &stream->sides[side]);
		if (!good)
			diff_stop(diff, POLY_ERR_MEMORY);
		return good;
	}
	for (size_t i = 0; i < diff->stream_count && good; i++)
		good = builder_finish(builder, &diff->streams[i]->sides[side]);
	if (!good)
		diff_stop(diff, POLY_ERR_MEMORY);
	return false;
}

void
stream_fill(struct poly_diff *diff, struct diff_stream *stream, unsigned side, uint64_t number)
{
	const struct ring *ring = stream_ring(stream, side);
	while (ring->head < number && streams_add_row(diff, side))
		;
}

void
stream_free(struct diff_stream *stream)
{
	for (unsigned side = 0; side < 2; side++) {
		ring_free(&stream->sides[side].ring);
		mem_free(stream->sides[side].lead.effects);
		buf_free(&stream->sides[side].lead.bytes);
		map_free(&stream->state.values[side]);
		map_free(&stream->state.lost[side]);
	}
	mem_free(stream->pending);
	mem_free(stream);
}
