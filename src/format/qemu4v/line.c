/* SPDX-License-Identifier: MIT */
/*
 * Parsing lines of QEMU4V traces.
 *
 * spec: seed 002; reference qemu4v-tarmac 3 and 4.1
 */
#include "format/qemu4v/qemu4v.h"

/*
 * A place in a line. end is at its carriage return, newline, or at the newline behind it: bytes
 * that no token can hold, so tokens need not look for the end.
 */
struct cursor {
	const uint8_t *p, *end;
	bool plain;
};

static inline bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static inline bool
is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static inline bool
is_lower(uint8_t c)
{
	return (uint8_t)(c - 'a') < 26;
}

static inline bool
is_letter(uint8_t c)
{
	return is_lower(c | 0x20);
}

static inline bool
is_graphic(uint8_t c)
{
	return c > ' ' && c < 0x7f;
}

/* The value of a hexadecimal digit; 16 or more for anything else. */
static inline unsigned
hex_digit(uint8_t c)
{
	unsigned decimal = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
	return decimal < 10 ? decimal : (letter < 6 ? letter + 10 : 16);
}

static inline bool
is_word(const struct qemu4v_word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* Passes over the white space between two fields; false where there is none. */
static inline bool
gap(struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_blank(*p))
		p++;
	at->plain &= p == at->p + 1 && *at->p == ' ';
	bool good = p != at->p;
	at->p = p;
	return good;
}

/* True where a field ends here. */
static inline bool
ends(const struct cursor *at)
{
	return is_blank(*at->p) || at->p == at->end;
}

/* The graphic bytes from here on. */
static inline struct qemu4v_word
token(const struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p))
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

/* A decimal number; *known is false where it is larger than a number can be. */
static inline bool
decimal(struct cursor *at, uint64_t *value, bool *known)
{
	const uint8_t *p = at->p;
	uint64_t v = 0;
	for (; is_digit(*p); p++)
		v = v * 10 + (uint64_t)(*p - '0');
	size_t n = (size_t)(p - at->p);
	*known = n <= 19;
	*value = v;
	at->plain &= *known && (n == 1 || *at->p != '0');
	at->p = p;
	return n != 0;
}

/* A hexadecimal number of up to 16 digits, with or without 0x; returns its digits, or 0. */
static inline unsigned
hexadecimal(struct cursor *at, uint64_t *value)
{
	const uint8_t *p = at->p;
	if (p[0] == '0' && (p[1] | 0x20) == 'x') {
		p += 2;
		at->plain = false;
	}
	const uint8_t *start = p;
	uint64_t v = 0;
	bool upper = false;
	for (unsigned digit; (digit = hex_digit(*p)) < 16; p++) {
		v = v << 4 | digit;
		upper |= *p >= 'A' && *p <= 'F';
	}
	size_t n = (size_t)(p - start);
	if (n > 16)
		return 0;
	at->plain &= !upper;
	*value = v;
	at->p = p;
	return (unsigned)n;
}

bool
qemu4v_is_unit(const uint8_t *text, size_t n)
{
	static const char units[][4] = {
		"clk", "cyc", "tic", "cs", "fs", "ps", "ns", "us", "ms"};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strlen(units[i]) == n && memcmp(units[i], text, n) == 0)
			return true;
	}
	return false;
}

/* Time and its unit, which may be missing. */
static inline bool
parse_stamp(struct cursor *at, struct qemu4v *line)
{
	bool whole;
	line->time_text.text = at->p;
	if (!decimal(at, &line->time, &line->has_time))
		return false;
	line->time_text.length = (size_t)(at->p - line->time_text.text);
	if (*at->p == '.' && is_digit(at->p[1])) {
		uint64_t fraction;
		at->p++;
		decimal(at, &fraction, &whole);
		line->has_time = at->plain = false;
	}
	bool apart = gap(at);
	const uint8_t *p = at->p;
	while (is_lower(*p))
		p++;
	line->unit = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	if (line->unit.length && is_blank(*p)) {
		at->p = p;
		return gap(at);
	}
	line->unit.length = 0;
	at->plain = false;
	return apart;
}

/* The name of a processor: cpu0, core1, cluster0.cpu1; only the first two have a number. */
static bool
parse_cpu_name(struct cursor *at, struct qemu4v *line)
{
	struct qemu4v_word word = token(at);
	size_t prefix = 0;
	if (word.length > 3 && memcmp(word.text, "cpu", 3) == 0)
		prefix = 3;
	else if (word.length > 4 && memcmp(word.text, "core", 4) == 0)
		prefix = 4;
	else if (!memchr(word.text, '.', word.length))
		return false;
	struct cursor number = {word.text + prefix, at->end, true};
	uint64_t cpu;
	if (prefix && decimal(&number, &cpu, &line->has_cpu))
		line->has_cpu &= number.p == word.text + word.length && cpu <= UINT32_MAX;
	line->cpu = line->has_cpu ? (uint32_t)cpu : 0;
	at->p += word.length;
	at->plain = false;
	return gap(at);
}

/* The processor, where there is one; a bare number only behind a unit. */
static inline bool
parse_cpu(struct cursor *at, struct qemu4v *line)
{
	line->has_cpu = false;
	if (is_digit(*at->p) && line->unit.length) {
		uint64_t cpu;
		decimal(at, &cpu, &line->has_cpu);
		line->has_cpu &= cpu <= UINT32_MAX;
		at->plain &= line->has_cpu;
		line->cpu = (uint32_t)cpu;
		return gap(at);
	}
	return !is_lower(*at->p) || parse_cpu_name(at, line);
}

/* An address, and what it is translated to: va, va:pa, va:pa_NS, va:pa1,pa2. */
static inline bool
parse_address(struct cursor *at, struct qemu4v *line)
{
	line->has_real = false;
	line->address_digits = hexadecimal(at, &line->address);
	if (!line->address_digits)
		return false;
	line->address_text =
		(struct qemu4v_word){at->p - line->address_digits, line->address_digits};
	if (*at->p != ':')
		return true;
	at->plain = false;
	at->p++;
	line->has_real = hexadecimal(at, &line->real) != 0;
	while (*at->p == '_' || *at->p == ',' || is_letter(*at->p) || is_digit(*at->p))
		at->p++;
	return line->has_real;
}

/* Digits up to the next white space, with _ between them and x or - where one is unknown. */
static inline bool
parse_digits(struct cursor *at, struct qemu4v_digits *digits)
{
	const uint8_t *p = at->p;
	bool upper = false;
	if (p[0] == '0' && (p[1] | 0x20) == 'x' && hex_digit(p[2]) < 16) {
		p += 2;
		at->plain = false;
	}
	*digits = (struct qemu4v_digits){.word = {p, 0}};
	for (; is_graphic(*p); p++) {
		unsigned digit = hex_digit(*p);
		if (digit < 16) {
			digits->value = digits->value << 4 | digit;
			digits->count++;
			upper |= *p >= 'A' && *p <= 'F';
			continue;
		}
		bool unknown = (*p | 0x20) == 'x' || *p == '-' || *p == '#';
		if (!unknown && *p != '_' && *p != ':')
			return false;
		digits->unknown |= unknown;
		at->plain = false;
	}
	digits->known = !digits->unknown;
	at->plain &= !upper;
	digits->word.length = (size_t)(p - digits->word.text);
	at->p = p;
	return digits->word.length != 0;
}

/* More groups of digits behind the first one; what follows and is none is an annotation. */
static void
parse_more_digits(struct cursor *at, struct qemu4v_digits *digits)
{
	struct qemu4v_digits more;
	while (at->p != at->end) {
		at->plain = false;
		struct cursor next = *at;
		if (!gap(&next))
			return;
		const uint8_t *start = next.p;
		if (next.p != next.end &&
			(!parse_digits(&next, &more) || more.word.text != start))
			return;
		at->p = next.p;
		if (start == next.end)
			return;
		size_t n = more.count < 16 ? more.count : 16;
		digits->value = n == 16 ? more.value : digits->value << 4 * n | more.value;
		digits->count += more.count;
		digits->known &= more.known;
		digits->unknown |= more.unknown;
		digits->word.length = (size_t)(at->p - digits->word.text);
	}
}

size_t
qemu4v_bytes(const struct qemu4v_digits *digits, uint8_t *to)
{
	size_t n = 0;
	for (size_t i = 0; i < digits->word.length; i++) {
		unsigned digit = hex_digit(digits->word.text[i]);
		if (digit == 16)
			continue;
		to[n / 2] = (uint8_t)(n % 2 ? to[n / 2] | digit : digit << 4);
		n++;
	}
	return n / 2;
}

uint64_t
qemu4v_turned(uint64_t value, uint32_t size)
{
	uint64_t turned = 0;
	for (uint32_t i = 0; i < size; i++, value >>= 8)
		turned = turned << 8 | (value & 0xff);
	return turned;
}

void
qemu4v_turn(uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t byte = bytes[i];
		bytes[i] = bytes[n - 1 - i];
		bytes[n - 1 - i] = byte;
	}
}

/* (id), (address:id) or (address); bracket is what it may be as an address. */
static inline bool
parse_bracket(struct cursor *at, struct qemu4v *line, uint64_t *bracket)
{
	const uint8_t *start = ++at->p;
	if (decimal(at, &line->id, &line->has_id) && *at->p == ')') {
		line->id_text = (struct qemu4v_word){start, (size_t)(at->p - start)};
		struct cursor again = {start, at->end, true};
		if (!hexadecimal(&again, bracket))
			*bracket = 0;
		at->p++;
		return gap(at);
	}
	at->p = start;
	at->plain = line->has_id = false;
	if (!hexadecimal(at, bracket))
		return false;
	if (*at->p == ':') {
		at->p++;
		line->has_id = hexadecimal(at, &line->id) != 0;
	}
	return *at->p++ == ')' && gap(at);
}

/* The instruction set, where the word is one. */
static inline bool
is_iset(const struct qemu4v_word *word)
{
	if (word->length == 1)
		return word->text[0] == 'A' || word->text[0] == 'T' || word->text[0] == 'X' ||
		       word->text[0] == 'O';
	return is_word(word, "T16") || is_word(word, "T32");
}

/* What stands between two white spaces or before a colon. */
static inline struct qemu4v_word
label(const struct cursor *at)
{
	const uint8_t *p = at->p;
	while (is_graphic(*p) && *p != ':')
		p++;
	return (struct qemu4v_word){at->p, (size_t)(p - at->p)};
}

static inline void
split_mode(struct qemu4v *line)
{
	const struct qemu4v_word all = line->mode;
	line->security = (struct qemu4v_word){all.text, 0};
	for (size_t n = all.length; n-- > 1;) {
		if (all.text[n] != '_')
			continue;
		line->mode.length = n;
		line->security = (struct qemu4v_word){all.text + n + 1, all.length - n - 1};
		break;
	}
}

/* Instruction set, mode, the colon and the rest of the line. */
static inline bool
parse_disassembly(struct cursor *at, struct qemu4v *line)
{
	line->iset = label(at);
	if (is_iset(&line->iset)) {
		at->p += line->iset.length;
		gap(at);
	} else {
		line->iset.length = 0;
		at->plain = false;
	}
	line->mode = label(at);
	at->p += line->mode.length;
	at->plain &= line->mode.length != 0;
	split_mode(line);
	at->plain &= line->mode.length + line->security.length + (line->security.length != 0) ==
		     (size_t)(at->p - line->mode.text);
	gap(at);
	if (*at->p != ':')
		return false;
	at->p++;
	gap(at);
	line->text = (struct qemu4v_word){at->p, (size_t)(at->end - at->p)};
	return true;
}

static inline bool
parse_instruction(struct cursor *at, struct qemu4v *line)
{
	uint64_t bracket = 0;
	bool has_bracket = *at->p == '(';
	line->has_id = false;
	if (has_bracket && !parse_bracket(at, line, &bracket))
		return false;
	struct cursor first = *at;
	if (!parse_address(at, line) || !gap(at))
		return false;
	struct qemu4v_word next = label(at);
	line->data = (struct qemu4v_digits){.count = 0};
	at->plain &= has_bracket && line->has_id && line->has_cpu;
	if (next.length > 1 && hex_digit(*at->p) < 16 && !is_iset(&next)) {
		if (!parse_digits(at, &line->data) || !line->data.known ||
			line->data.count > QEMU4V_OPCODE_DIGITS || !gap(at))
			return false;
	} else {
		/* The address stands in the bracket, and the opcode in its place. */
		if (!has_bracket || !parse_digits(&first, &line->data) || !line->data.known ||
			line->data.count > QEMU4V_OPCODE_DIGITS)
			return false;
		line->address = bracket;
		line->address_digits = 0;
		line->has_id = at->plain = false;
	}
	return parse_disassembly(at, line);
}

static inline bool
parse_memory(struct cursor *at, struct qemu4v *line)
{
	uint64_t size;
	bool known;
	line->access = (char)at->p[1];
	at->p += 2;
	if (!decimal(at, &size, &known) || !known || size > UINT32_MAX)
		return false;
	line->size = (uint32_t)size;
	const uint8_t *p = at->p;
	while (is_letter(*p) || *p == '_')
		p++;
	line->attributes = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	at->p = p;
	if (!gap(at))
		return false;
	if (*at->p == 'X' && is_blank(at->p[1]) && !line->attributes.length) {
		line->attributes = (struct qemu4v_word){at->p++, 1};
		gap(at);
		at->plain = false;
	}
	if (!parse_address(at, line) || !gap(at))
		return false;
	at->plain &= !line->has_cpu;
	line->data = (struct qemu4v_digits){.word = token(at)};
	if (is_word(&line->data.word, "(ABORTED)") || is_word(&line->data.word, "(abort)")) {
		at->p += line->data.word.length;
		at->plain = false;
		return true;
	}
	if (!parse_digits(at, &line->data))
		return false;
	parse_more_digits(at, &line->data);
	return true;
}

/* True where the word names a system operation, which is no register. */
static inline bool
is_operation(const struct qemu4v_word *word)
{
	return is_word(word, "DC") || is_word(word, "IC") || is_word(word, "TLBI") ||
	       is_word(word, "AT");
}

static inline bool
parse_register(struct cursor *at, struct qemu4v *line)
{
	at->p++;
	if (!gap(at))
		return false;
	line->reg = token(at);
	at->p += line->reg.length;
	if (!line->reg.length || is_operation(&line->reg) || !gap(at))
		return false;
	if (*at->p == '(') {
		/* A bank belongs to the name. */
		at->p += token(at).length;
		line->reg.length = (size_t)(at->p - line->reg.text);
		at->plain = false;
		if (!gap(at))
			return false;
	}
	at->plain &= !line->has_cpu;
	if (!parse_digits(at, &line->data))
		return false;
	parse_more_digits(at, &line->data);
	return true;
}

/* True where a kind of record begins here that is not among the three of seed 002. */
static enum qemu4v_record
other_kind(const struct cursor *at)
{
	const uint8_t *p = at->p;
	if (p[0] == 'F' && (p[1] == 'D' || p[1] == 'I' || p[1] == 'R') && is_blank(p[2]))
		return QEMU4V_FLOW;
	if (p[0] == 'E' && is_blank(p[1]))
		return QEMU4V_EVENT;
	if (p[0] == 'B' && (p[1] == 'R' || p[1] == 'W') && is_digit(p[2]))
		return QEMU4V_BUS;
	return QEMU4V_OTHER;
}

static inline enum qemu4v_record
parse_body(struct cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	if (p[0] == 'M' && (p[1] == 'R' || p[1] == 'W'))
		return parse_memory(at, line) ? QEMU4V_MEMORY : QEMU4V_OTHER;
	if (p[0] == 'R' && is_blank(p[1]))
		return parse_register(at, line) ? QEMU4V_REGISTER : QEMU4V_OTHER;
	line->has_executed = line->executed = false;
	if (p[0] == 'I' && (p[1] == 'T' || p[1] == 'S' || p[1] == 'F') && is_blank(p[2])) {
		line->has_executed = p[1] != 'F';
		line->executed = p[1] == 'T';
		at->plain &= line->has_executed;
		at->p += 2;
		gap(at);
	} else if (p[0] != '(' || !line->unit.length) {
		return other_kind(at);
	}
	at->plain &= line->has_executed;
	return parse_instruction(at, line) ? QEMU4V_INSTRUCTION : QEMU4V_OTHER;
}

/* A line without a time. */
static enum qemu4v_record
without_stamp(const struct cursor *at)
{
	static const char heading[] = "Tarmac Text Rev";
	size_t n = (size_t)(at->end - at->p);
	if (n == 0)
		return QEMU4V_BLANK;
	bool comment =
		*at->p == '#' ||
		(n >= sizeof heading - 1 && memcmp(at->p, heading, sizeof heading - 1) == 0);
	return comment ? QEMU4V_COMMENT : QEMU4V_OTHER;
}

void
qemu4v_parse(const uint8_t *text, size_t size, bool ended, struct qemu4v *line)
{
	struct cursor at = {text, text + size - ended, ended};
	if (at.end > text && at.end[-1] == '\r') {
		at.end--;
		at.plain = false;
	}
	if (is_blank(*at.p)) {
		gap(&at);
		at.plain = false;
	}
	line->has_time = line->turned = false;
	line->ended = ended;
	if (!is_digit(*at.p)) {
		line->is = without_stamp(&at);
		line->plain = false;
		return;
	}
	line->is = parse_stamp(&at, line) && parse_cpu(&at, line) ? parse_body(&at, line)
								  : QEMU4V_OTHER;
	/* Behind the value of a register an annotation may stand, and nothing behind data. */
	if ((line->is == QEMU4V_MEMORY && at.p != at.end) ||
		(line->is == QEMU4V_REGISTER && !ends(&at)))
		line->is = QEMU4V_OTHER;
	line->plain = at.plain;
}
