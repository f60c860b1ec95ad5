/* SPDX-License-Identifier: MIT */
/*
 * Parsing lines of QEMU4V traces, and of Tarmac traces where they are alike.
 *
 * spec: seed 002; reference qemu4v-tarmac 3 and 4.1
 */
#include "format/qemu4v/cursor.h"

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
	line->fraction_digits = 0;
	line->time_text.text = at->p;
	if (!decimal(at, &line->time, &line->has_time))
		return false;
	line->time_text.length = (size_t)(at->p - line->time_text.text);
	if (*at->p == '.' && is_digit(at->p[1])) {
		const uint8_t *start = ++at->p;
		bool whole;
		decimal(at, &line->fraction, &whole);
		line->fraction_digits = (unsigned)(at->p - start);
		line->has_time &= whole;
		at->plain = false;
	}
	bool apart = gap(at);
	const uint8_t *p = at->p;
	while (is_lower(*p))
		p++;
	line->unit = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	line->foreign |= !apart;
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
	else if (!memchr(word.text, '.', word.length) || memchr(word.text, ':', word.length))
		return false;
	struct cursor number = {word.text + prefix, at->end, true};
	uint64_t cpu = 0;
	if (prefix && decimal(&number, &cpu, &line->has_cpu))
		line->has_cpu &= number.p == word.text + word.length && cpu <= UINT32_MAX;
	line->cpu = line->has_cpu ? (uint32_t)cpu : 0;
	line->cpu_name = word;
	at->p += word.length;
	return gap(at);
}

/* The processor, where there is one; a bare number only behind a unit. */
static inline bool
parse_cpu(struct cursor *at, struct qemu4v *line)
{
	line->has_cpu = false;
	line->cpu_name.length = 0;
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

/* True for a group of flags, as __C_ or -Z--, which no digits are. */
static bool
is_note(const uint8_t *p)
{
	bool dash = *p == '-';
	while (*p == '-')
		p++;
	return *p == '_' || (dash && is_graphic(*p));
}

/* More groups of digits behind the first one; what follows and is none is an annotation. */
static void
parse_more_digits(struct cursor *at, struct qemu4v *line)
{
	struct qemu4v_digits more, *digits = &line->data;
	while (at->p != at->end) {
		at->plain = false;
		line->foreign = true;
		struct cursor next = *at;
		if (!gap(&next))
			return;
		const uint8_t *start = next.p;
		if (next.p != next.end && (is_note(start) || !parse_digits(&next, &more) ||
						  more.word.text != start))
			return;
		at->p = next.p;
		if (start == next.end)
			return;
		size_t n = more.count < 16 ? more.count : 16;
		digits->value = n == 16 ? more.value : digits->value << 4 * n | more.value;
		digits->count += more.count;
		digits->unknown += more.unknown;
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
parse_labels(struct cursor *at, struct qemu4v *line)
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

bool
qemu4v_parse_disassembly(struct cursor *at, struct qemu4v *line)
{
	return parse_labels(at, line);
}

/* The opcode, which may be unknown. */
static inline bool
parse_opcode(struct cursor *at, struct qemu4v *line)
{
	return parse_digits(at, &line->data) &&
	       line->data.count + line->data.unknown <= QEMU4V_OPCODE_DIGITS;
}

/* What follows IT, IS or IF; tagged: one of these was there. */
static inline bool
parse_instruction(struct cursor *at, struct qemu4v *line, bool tagged)
{
	uint64_t bracket = 0;
	bool has_bracket = *at->p == '(';
	line->has_id = line->has_pc = false;
	if (has_bracket && !parse_bracket(at, line, &bracket))
		return false;
	struct cursor first = *at;
	if (!parse_address(at, line) || !gap(at))
		return false;
	at->plain &= has_bracket && line->has_id;
	struct qemu4v_word next = label(at);
	line->data = (struct qemu4v_digits){.count = 0};
	if (next.length > 1 && (hex_digit(*at->p) < 16 || *at->p == '-') && !is_iset(&next)) {
		if (!parse_opcode(at, line) || !(gap(at) || (tagged && line->ended)))
			return false;
	} else {
		/* The address stands in the bracket, and the opcode in its place. */
		if (!has_bracket || !parse_opcode(&first, line))
			return false;
		line->address = bracket;
		line->address_digits = 0;
		line->has_id &= line->has_pc;
		line->has_real = at->plain = false;
		line->foreign = true;
	}
	struct cursor rest = *at;
	if (parse_labels(at, line))
		return true;
	*at = rest;
	return tagged && qemu4v_parse_short(at, line);
}

bool
qemu4v_parse_data(struct cursor *at, struct qemu4v *line)
{
	static const char *const failures[] = {"(ABORTED)", "(abort)", "(wait)"};
	line->data = (struct qemu4v_digits){.word = token(at)};
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		if (!is_word(&line->data.word, failures[i]))
			continue;
		line->text = line->data.word;
		at->p += line->text.length;
		at->plain = false;
		line->foreign = true;
		return true;
	}
	if (!parse_digits(at, &line->data))
		return false;
	if (at->p != at->end)
		parse_more_digits(at, line);
	return true;
}

/* What only Tarmac has between the attributes of an access and its address. */
static bool
parse_remarks(struct cursor *at, struct qemu4v *line)
{
	at->plain = false;
	line->foreign = true;
	if (*at->p == 'X' && is_blank(at->p[1])) {
		if (!line->attributes.length)
			line->attributes = (struct qemu4v_word){at->p, 1};
		at->p++;
		gap(at);
	}
	if (*at->p != '(')
		return true;
	const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
	struct cursor inner = {at->p + 1, at->end, true};
	if (!close)
		return false;
	line->has_pc = hexadecimal(&inner, &line->pc) && (*inner.p == ':' || *inner.p == ')');
	line->has_id = false;
	if (line->has_pc && *inner.p++ == ':')
		line->has_id = hexadecimal(&inner, &line->id) && *inner.p == ')';
	at->p = close + 1;
	return gap(at);
}

/* M, a letter in Tarmac, R or W, size, attributes, address and data; letters: before the size.
 */
static inline bool
parse_memory(struct cursor *at, struct qemu4v *line, size_t letters)
{
	uint64_t size;
	bool known;
	line->access = (char)at->p[letters - 1];
	line->bus = letters > 2 ? (char)at->p[1] : 0;
	line->has_pc = line->fetch = false;
	line->text.length = 0;
	at->p += letters;
	if (!decimal(at, &size, &known) || !known || size > UINT32_MAX)
		return false;
	line->size = (uint32_t)size;
	const uint8_t *p = at->p;
	while (is_letter(*p) || *p == '_')
		p++;
	line->attributes = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	if (p != at->p)
		line->fetch = p[-1] == 'I';
	at->p = p;
	if (!gap(at))
		return false;
	if ((*at->p == 'X' || *at->p == '(') && !parse_remarks(at, line))
		return false;
	return parse_address(at, line) && gap(at) && qemu4v_parse_data(at, line);
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
		line->foreign = true;
		if (!gap(at))
			return false;
	}
	if (!parse_digits(at, &line->data))
		return false;
	if (at->p != at->end)
		parse_more_digits(at, line);
	/* Behind the value an annotation may stand. */
	return ends(at);
}

/* The forms that the seed has; QEMU4V_OTHER with the place unchanged where it is none. */
static inline enum qemu4v_record
parse_seed(struct cursor *at, struct qemu4v *line)
{
	const struct cursor start = *at;
	const uint8_t *p = at->p;
	if (p[0] == 'M' && (p[1] == 'R' || p[1] == 'W')) {
		if (parse_memory(at, line, 2) && at->p == at->end)
			return QEMU4V_MEMORY;
	} else if (p[0] == 'R' && is_blank(p[1])) {
		if (parse_register(at, line))
			return QEMU4V_REGISTER;
	} else {
		bool tagged = p[0] == 'I' && (p[1] == 'T' || p[1] == 'S' || p[1] == 'F') &&
			      is_blank(p[2]);
		line->has_executed = tagged && p[1] != 'F';
		line->executed = tagged && p[1] == 'T';
		at->plain &= line->has_executed;
		at->p += tagged ? 2 : 0;
		if (tagged)
			gap(at);
		if ((tagged || (p[0] == '(' && line->unit.length)) &&
			parse_instruction(at, line, tagged))
			return QEMU4V_INSTRUCTION;
	}
	*at = start;
	return QEMU4V_OTHER;
}

/* As parse_seed, for lines that there are few of. */
static enum qemu4v_record __attribute__((noinline))
parse_again(struct cursor *at, struct qemu4v *line)
{
	return parse_seed(at, line);
}

/* As parse_memory, with a letter of the bus. */
static bool __attribute__((noinline)) parse_bus_access(struct cursor *at, struct qemu4v *line)
{
	return parse_memory(at, line, 3);
}

/* What the seed does not have. */
static enum qemu4v_record
parse_more(struct cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	if (p[0] != 'M' || !is_letter(p[1]) || p[1] == 'C' || (p[2] != 'R' && p[2] != 'W'))
		return qemu4v_parse_form(at, line);
	at->plain = false;
	line->foreign = true;
	return parse_bus_access(at, line) && at->p == at->end ? QEMU4V_MEMORY : QEMU4V_OTHER;
}

/* What is not of the seed behind a time and a processor, or has the name of one first. */
static enum qemu4v_record
parse_rarely(struct cursor *at, struct qemu4v *line)
{
	struct cursor body = *at;
	enum qemu4v_record is = parse_more(at, line);
	if (is != QEMU4V_OTHER || line->cpu_name.length || line->has_cpu)
		return is;
	/* The name of a processor may begin with any letter, as that of a record does. */
	*at = body;
	if (!is_letter(*at->p) || !parse_cpu_name(at, line))
		return QEMU4V_OTHER;
	is = parse_again(at, line);
	return is != QEMU4V_OTHER ? is : parse_more(at, line);
}

/* A record without a time. */
static enum qemu4v_record
parse_unstamped(struct cursor *at, struct qemu4v *line)
{
	if (!parse_cpu(at, line))
		return QEMU4V_OTHER;
	enum qemu4v_record is = parse_again(at, line);
	return is != QEMU4V_OTHER ? is : parse_rarely(at, line);
}

/* A line without a time: a record where it is indented, or can be nothing else. */
static enum qemu4v_record
without_stamp(struct cursor *at, struct qemu4v *line)
{
	static const char heading[] = "Tarmac Text Rev";
	size_t n = (size_t)(at->end - at->p);
	line->foreign = true;
	line->unit.length = line->cpu_name.length = 0;
	line->has_cpu = false;
	line->fraction_digits = 0;
	if (n == 0)
		return QEMU4V_BLANK;
	if (*at->p == '#' ||
		(n >= sizeof heading - 1 && memcmp(at->p, heading, sizeof heading - 1) == 0))
		return QEMU4V_COMMENT;
	const uint8_t *p = at->p;
	enum qemu4v_record is = parse_unstamped(at, line);
	if (line->stamp == QEMU4V_STAMP_BEFORE || line->cpu_name.length)
		return is;
	bool digits =
		is == QEMU4V_REGISTER && line->data.count >= 4 && line->data.count % 2 == 0;
	return is_blank(p[1]) && !digits ? QEMU4V_OTHER : is;
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
	line->has_time = line->turned = line->foreign = false;
	line->ended = ended;
	line->stamp = at.p == text ? QEMU4V_STAMP_NONE : QEMU4V_STAMP_BEFORE;
	if (is_digit(*at.p)) {
		line->stamp = QEMU4V_STAMP_OWN;
		bool sound = parse_stamp(&at, line) && parse_cpu(&at, line);
		line->is = sound ? parse_seed(&at, line) : QEMU4V_OTHER;
		if (sound && line->is == QEMU4V_OTHER)
			line->is = parse_rarely(&at, line);
	} else {
		at.plain = false;
		line->is = without_stamp(&at, line);
	}
	line->plain = at.plain;
}
