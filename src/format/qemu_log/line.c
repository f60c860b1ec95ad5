/* SPDX-License-Identifier: MIT */
/*
 * Lines of executions: those of -d exec, and of the plugin execlog.
 *
 * spec: "Text and event logs", sections 1.2 and 1.6.
 */
#include "format/qemu_log/qemu_log.h"

#include "base/num.h"

bool
log_parse_trace(const struct log_line *line, uint32_t *cpu, uint64_t *pc, unsigned *digits)
{
	const char *end = line->text + line->size, *p = line->text + 6;
	uint64_t number;
	if (!log_begins(line, "Trace "))
		return false;
	const char *colon = memchr(p, ':', (size_t)(end - p));
	if (!colon || !num_parse(p, (size_t)(colon - p), &number) || number > UINT32_MAX)
		return false;
	*cpu = (uint32_t)number;
	const char *open = memchr(colon, '[', (size_t)(end - colon));
	const char *slash = open ? memchr(open, '/', (size_t)(end - open)) : NULL;
	const char *after = slash ? memchr(slash + 1, '/', (size_t)(end - slash - 1)) : NULL;
	/* Before version 3 the bracket had the address alone. */
	const char *first = slash ? slash + 1 : open ? open + 1 : NULL;
	if (!after && first)
		after = memchr(first, ']', (size_t)(end - first));
	if (!after || after - first > 16)
		return false;
	*digits = (unsigned)(after - first);
	return num_parse_hex(first, (size_t)(after - first), pc);
}

/* CPU, 0xPC, 0xOPCODE, "TEXT", ... */
bool
log_parse_execlog(const struct log_line *line, struct log_execlog *found)
{
	struct log_line rest = *line;
	unsigned digits;
	const char *comma = memchr(rest.text, ',', rest.size);
	if (!comma || !num_parse(rest.text, (size_t)(comma - rest.text), &found->cpu))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const size_t n = (size_t)(comma - rest.text) + 2;
		if (rest.size < n + 3)
			return false;
		rest = (struct log_line){rest.text + n, rest.size - n};
		if (!log_skip_hex(&rest, i ? &found->opcode : &found->pc, &digits) ||
			!rest.size || *rest.text != ',')
			return false;
		comma = rest.text;
	}
	if (rest.size < 4 || rest.text[2] != '"')
		return false;
	/* The text may hold quotes: it ends with the last one. */
	const char *end = rest.text + rest.size - 1;
	while (*end != '"')
		end--;
	if (end == rest.text + 2)
		return false;
	found->text = (struct log_line){rest.text + 3, (size_t)(end - rest.text - 3)};
	found->rest = (struct log_line){end + 1, (size_t)(rest.text + rest.size - end - 1)};
	found->is_read = true;
	found->has_address = false;
	return true;
}

/* Takes the next field after ", "; false: there is none. */
static bool
next_field(struct log_line *rest, struct log_line *field)
{
	if (!log_begins(rest, ", "))
		return false;
	const char *start = rest->text + 2, *end = rest->text + rest->size;
	const char *comma = memchr(start, ',', (size_t)(end - start));
	*field = (struct log_line){start, (size_t)((comma ? comma : end) - start)};
	*rest = (struct log_line){start + field->size, (size_t)(end - start) - field->size};
	return true;
}

bool
log_next_access(struct log_execlog *line, struct log_access *access)
{
	struct log_line field, address;
	unsigned digits;
	while (next_field(&line->rest, &field)) {
		access->is_store = log_begins(&field, "store");
		if (!access->is_store && !log_begins(&field, "load")) {
			/* An arrow states a register's value. */
			line->is_read &=
				line->has_address && !memchr(field.text, '>', field.size);
			line->has_address = false;
			continue;
		}
		line->has_address = next_field(&line->rest, &address) &&
				    log_skip_hex(&address, &access->address, &digits);
		line->is_read &= line->has_address;
		if (line->has_address)
			return true;
	}
	line->is_read &= !line->rest.size;
	return false;
}
