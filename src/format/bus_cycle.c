/* SPDX-License-Identifier: MIT */
/* What a six-byte bus record says. spec: seed 001; reference bach 2.2, 4.1 to 4.5 */
#include "format/bus_cycle.h"

#include "base/bits.h"
#include "base/num.h"

#include <string.h>

const char *const bus_record_names[BUS_RECORD_COUNT] = {"INVALID", "INT_ACK", "SPECIAL",
	"IO_READ", "IO_WRITE", "I_FETCH", "NC_I_FETCH", "D_READ", "NC_D_READ", "WRITE_BACK",
	"D_WRITE", "damaged"};

#define A POLY_KIND_ACCESS
#define E POLY_KIND_EVENT
#define X POLY_KIND_OTHER
const uint8_t bus_kinds[16] = {X, E, X, E, X, A, X, A, A, A, X, X, A, A, A, A};
#undef A
#undef E
#undef X

const uint8_t bus_records[16] = {0, 1, 0, 2, 0, 3, 0, 4, 5, 6, 0, 0, 7, 8, 9, 10};

#define NONE BUS_NO_ACCESS
const uint8_t bus_accesses[16] = {NONE, NONE, NONE, NONE, NONE, POLY_ACCESS_IO_READ, NONE,
	POLY_ACCESS_IO_WRITE, POLY_ACCESS_FETCH, POLY_ACCESS_FETCH, NONE, NONE,
	POLY_ACCESS_READ, POLY_ACCESS_READ, POLY_ACCESS_WRITE, POLY_ACCESS_WRITE};
#undef NONE

const uint8_t bus_first_low[16] = {0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 8};
const uint8_t bus_first_high[16] = {4, 5, 4, 6, 4, 5, 4, 7, 4, 5, 4, 6, 4, 5, 4, 8};
const uint8_t bus_count[16] = {4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0};

unsigned
bus_span(uint8_t enables)
{
	unsigned last = 8, first = bus_first_lane(enables);
	if (enables == 0xff)
		return 0;
	while (enables >> (last - 1) & 1)
		last--;
	return last - first;
}

/* The event of a special cycle by its byte enables, reference bach 4.3. */
static int
special_event(const struct bus_cycle *cycle)
{
	uint32_t address = cycle->address & ~7u;
	switch (cycle->enables) {
	case 0xfe: return POLY_EVENT_SHUTDOWN;
	case 0xfd: return POLY_EVENT_FLUSH;
	case 0xfb:
		return address == 0	 ? POLY_EVENT_HALT
		       : address == 0x10 ? POLY_EVENT_STOP_GRANT
					 : -1;
	case 0xf7: return POLY_EVENT_WRITE_BACK;
	case 0xef: return POLY_EVENT_FLUSH_ACKNOWLEDGE;
	case 0xdf: return POLY_EVENT_BRANCH_TRACE;
	default: return -1;
	}
}

int
bus_event(const struct bus_cycle *cycle)
{
	switch (cycle->control >> 4) {
	case BUS_INT_ACK: return POLY_EVENT_INTERRUPT_ACKNOWLEDGE;
	case BUS_SPECIAL: return special_event(cycle);
	default: return -1;
	}
}

static char
upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool
same_name(const char *name, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (upper(text[i]) != name[i])
			return false;
	}
	return name[n] == 0;
}

int
bus_operation(const char *name, size_t n)
{
	for (int operation = 0; operation < 16; operation++) {
		if (same_name(bus_record_names[bus_records[operation]], name, n))
			return operation;
	}
	return -1;
}

uint8_t
bus_enables(unsigned first, unsigned size)
{
	unsigned lanes = (1u << size) - 1;
	return (uint8_t) ~(lanes << first);
}

struct bus_cycle
bus_load(const uint8_t *p, bool little)
{
	return (struct bus_cycle){little ? load_le32(p) : load_be32(p), p[4], p[5]};
}

void
bus_store(uint8_t *p, const struct bus_cycle *cycle, bool little)
{
	if (little)
		store_le32(p, cycle->address);
	else
		store_be32(p, cycle->address);
	p[4] = cycle->enables;
	p[5] = cycle->control;
}

/* The next word of a line between blanks, and its length; 0 at the end. */
static size_t
next_word(const char **line, const char *end, const char **word)
{
	const char *p = *line;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	*word = p;
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	*line = p;
	return (size_t)(p - *word);
}

/* A word of at most digits hexadecimal digits, 0x before it or not. */
static bool
parse_word(const char *word, size_t n, size_t digits, uint64_t *value)
{
	if (n > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		word += 2;
		n -= 2;
	}
	return n > 0 && n <= digits && num_parse_hex(word, n, value);
}

/* line = address blanks enables blanks name [blanks] [return] newline */
bool
bus_parse(const char *line, size_t n, struct bus_cycle *cycle, bool *exact)
{
	const char *p = line, *end = line + n, *word;
	uint64_t address, enables;
	if (end > p && end[-1] == '\n')
		end--;
	if (end > p && end[-1] == '\r')
		end--;
	size_t length = next_word(&p, end, &word);
	if (!parse_word(word, length, 8, &address))
		return false;
	length = next_word(&p, end, &word);
	if (!parse_word(word, length, 2, &enables))
		return false;
	length = next_word(&p, end, &word);
	int operation = length ? bus_operation(word, length) : -1;
	if (operation < 0 || next_word(&p, end, &word))
		return false;
	*cycle = (struct bus_cycle){
		(uint32_t)address, (uint8_t)enables, (uint8_t)(operation << 4)};
	char again[BUS_PRINT_ROOM];
	*exact = bus_print(again, cycle) == n && memcmp(again, line, n) == 0;
	return true;
}

/* Every line but for its numbers, and its length. */
#define LINE(name)                                                    \
	{                                                             \
		"00000000 00 " name "\n", (uint8_t)(sizeof name + 12) \
	}
static const struct {
	char text[BUS_PRINT_ROOM - 1];
	uint8_t length;
} lines[16] = {
	LINE("INVALID"),
	LINE("INT_ACK"),
	LINE("INVALID"),
	LINE("SPECIAL"),
	LINE("INVALID"),
	LINE("IO_READ"),
	LINE("INVALID"),
	LINE("IO_WRITE"),
	LINE("I_FETCH"),
	LINE("NC_I_FETCH"),
	LINE("INVALID"),
	LINE("INVALID"),
	LINE("D_READ"),
	LINE("NC_D_READ"),
	LINE("WRITE_BACK"),
	LINE("D_WRITE"),
};
#undef LINE

static inline size_t
print_line(char *to, uint32_t address, uint8_t enables, uint8_t control)
{
	unsigned operation = control >> 4;
	memcpy(to, &lines[operation], BUS_PRINT_ROOM);
	memcpy(to, num_hex_pairs + 2 * (address >> 24), 2);
	memcpy(to + 2, num_hex_pairs + 2 * (address >> 16 & 0xff), 2);
	memcpy(to + 4, num_hex_pairs + 2 * (address >> 8 & 0xff), 2);
	memcpy(to + 6, num_hex_pairs + 2 * (address & 0xff), 2);
	memcpy(to + 9, num_hex_pairs + 2 * enables, 2);
	return lines[operation].length;
}

size_t
bus_print(char *to, const struct bus_cycle *cycle)
{
	return print_line(to, cycle->address, cycle->enables, cycle->control);
}

size_t
bus_print_rows(char *to, const struct poly_batch *batch, size_t row, size_t n)
{
	const uint64_t *address = batch->address + row;
	const uint8_t *enables = batch->byte_enables + row, *control = batch->control + row;
	char *p = to;
	for (size_t i = 0; i < n; i++)
		p += print_line(p, (uint32_t)address[i] & ~7u, enables[i], control[i]);
	return (size_t)(p - to);
}
