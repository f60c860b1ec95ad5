/* SPDX-License-Identifier: MIT */
/*
 * Parses lines of QEMU4V traces, and the forms of Tarmac traces that equal them.
 *
 * spec: QEMU4V Trace Format; Arm Fast Models, Tarmac Trace
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

/* Parses the time and its unit, which is optional. */
static inline bool
parse_stamp(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->fraction_digits = 0;
	line->time_text.text = at->p;
	if (!parse_decimal(at, &line->time, &line->has_time))
		return false;
	line->time_text.length = (size_t)(at->p - line->time_text.text);
	if (*at->p == '.' && is_digit(at->p[1])) {
		const uint8_t *start = ++at->p;
		bool known;
		parse_decimal(at, &line->fraction, &known);
		line->fraction_digits = (unsigned)(at->p - start);
		line->has_time &= known;
		at->plain = false;
	}
	bool has_gap = skip_gap(at);
	const uint8_t *p = at->p;
	while (is_lower(*p))
		p++;
	line->unit = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	line->foreign |= !has_gap;
	if (line->unit.length && is_blank(*p)) {
		at->p = p;
		return skip_gap(at);
	}
	line->unit.length = 0;
	at->plain = false;
	return has_gap;
}

/*
 * Parses the name of a processor: cpu0, core1, cluster0.cpu1; only the first two have a number.
 */
static bool
parse_cpu_name(struct qemu4v_cursor *at, struct qemu4v *line)
{
	struct qemu4v_word word = find_token(at);
	size_t prefix = 0;
	if (word.length > 3 && memcmp(word.text, "cpu", 3) == 0)
		prefix = 3;
	else if (word.length > 4 && memcmp(word.text, "core", 4) == 0)
		prefix = 4;
	else if (!memchr(word.text, '.', word.length) || memchr(word.text, ':', word.length))
		return false;
	struct qemu4v_cursor number = {word.text + prefix, at->end, true};
	uint64_t cpu = 0;
	if (prefix && parse_decimal(&number, &cpu, &line->has_cpu))
		line->has_cpu &= number.p == word.text + word.length && cpu <= UINT32_MAX;
	line->cpu = line->has_cpu ? (uint32_t)cpu : 0;
	line->cpu_name = word;
	at->p += word.length;
	return skip_gap(at);
}

/* Parses the optional processor; a bare number counts only after a unit. */
static inline bool
parse_cpu(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->has_cpu = false;
	line->cpu_name.length = 0;
	if (is_digit(*at->p) && line->unit.length) {
		uint64_t cpu;
		parse_decimal(at, &cpu, &line->has_cpu);
		line->has_cpu &= cpu <= UINT32_MAX;
		at->plain &= line->has_cpu;
		line->cpu = (uint32_t)cpu;
		return skip_gap(at);
	}
	return !is_lower(*at->p) || parse_cpu_name(at, line);
}

/* True for a group of flags, as __C_ or -Z--, which are not digits. */
static bool
is_note(const uint8_t *p)
{
	bool dash = *p == '-';
	while (*p == '-')
		p++;
	return *p == '_' || (dash && is_graphic(*p));
}

/* Parses groups of digits after the first one; other words after them are annotations. */
static void
parse_further_digits(struct qemu4v_cursor *at, struct qemu4v *line)
{
	struct qemu4v_digits group, *digits = &line->data;
	while (at->p != at->end) {
		at->plain = false;
		line->foreign = true;
		struct qemu4v_cursor next = *at;
		if (!skip_gap(&next))
			return;
		const uint8_t *start = next.p;
		if (next.p != next.end && (is_note(start) || !parse_digits(&next, &group) ||
						  group.word.text != start))
			return;
		at->p = next.p;
		if (start == next.end)
			return;
		size_t n = group.count < 16 ? group.count : 16;
		digits->value = n == 16 ? group.value : digits->value << 4 * n | group.value;
		digits->count += group.count;
		digits->unknown += group.unknown;
		digits->word.length = (size_t)(at->p - digits->word.text);
	}
}

/* Returns whether more than annotations follow: flags, and words in parentheses. */
static bool
has_rest(const struct qemu4v_cursor *at)
{
	struct qemu4v_cursor next = *at;
	while (skip_gap(&next) && (is_note(next.p) || *next.p == '('))
		next.p += find_token(&next).length;
	return next.p != next.end;
}

size_t
qemu4v_bytes(const struct qemu4v_digits *digits, uint8_t *dst)
{
	size_t n = 0;
	for (size_t i = 0; i < digits->word.length; i++) {
		unsigned digit = hex_digit(digits->word.text[i]);
		if (digit == 16)
			continue;
		dst[n / 2] = (uint8_t)(n % 2 ? dst[n / 2] | digit : digit << 4);
		n++;
	}
	return n / 2;
}

uint64_t
qemu4v_swap_value(uint64_t value, uint32_t size)
{
	uint64_t swapped = 0;
	for (uint32_t i = 0; i < size; i++, value >>= 8)
		swapped = swapped << 8 | (value & 0xff);
	return swapped;
}

void
qemu4v_swap_bytes(uint8_t *bytes, size_t n)
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

/*
 * Returns whether a word stands where an instruction set does, although it is not one: capital
 * letters and digits, before a mode and a colon.
 */
static bool __attribute__((noinline))
is_unknown_set(const struct qemu4v_cursor *at, const struct qemu4v_word *word)
{
	struct qemu4v_cursor next = *at;
	for (size_t i = 0; i < word->length; i++) {
		const uint8_t c = word->text[i];
		if (!(c >= 'A' && c <= 'Z') && !(i && is_digit(c)))
			return false;
	}
	next.p += word->length;
	if (!word->length || !skip_gap(&next))
		return false;
	const struct qemu4v_word mode = find_label(&next);
	next.p += mode.length;
	skip_gap(&next);
	return mode.length && *next.p == ':';
}

/* Parses instruction set, mode, the colon and the rest of the line. */
static inline bool
parse_labels(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->iset = find_label(at);
	if (is_iset(&line->iset)) {
		at->p += line->iset.length;
		skip_gap(at);
	} else if (is_unknown_set(at, &line->iset)) {
		at->p += line->iset.length;
		skip_gap(at);
		at->plain = false;
		line->foreign = true;
	} else {
		line->iset.length = 0;
		at->plain = false;
	}
	line->mode = find_label(at);
	at->p += line->mode.length;
	at->plain &= line->mode.length != 0;
	split_mode(line);
	at->plain &= line->mode.length + line->security.length + (line->security.length != 0) ==
		     (size_t)(at->p - line->mode.text);
	skip_gap(at);
	if (*at->p != ':')
		return false;
	at->p++;
	skip_gap(at);
	line->text = (struct qemu4v_word){at->p, (size_t)(at->end - at->p)};
	return true;
}

bool
qemu4v_parse_disassembly(struct qemu4v_cursor *at, struct qemu4v *line)
{
	return parse_labels(at, line);
}

/* Parses the opcode, whose digits may be unknown. */
static inline bool
parse_opcode(struct qemu4v_cursor *at, struct qemu4v *line)
{
	return parse_digits(at, &line->data) &&
	       line->data.count + line->data.unknown <= QEMU4V_OPCODE_DIGITS;
}

/* Parses the part after IT, IS or IF; tagged: one of these was present. */
static inline bool
parse_instruction(struct qemu4v_cursor *at, struct qemu4v *line, bool tagged)
{
	uint64_t bracket = 0;
	bool has_bracket = *at->p == '(';
	line->has_id = line->has_pc = false;
	if (has_bracket && !parse_bracket(at, line, &bracket))
		return false;
	struct qemu4v_cursor first = *at;
	if (!parse_address(at, line) || !skip_gap(at))
		return false;
	at->plain &= has_bracket && line->has_id;
	struct qemu4v_word next = find_label(at);
	line->data = (struct qemu4v_digits){.count = 0};
	if (next.length > 1 && (hex_digit(*at->p) < 16 || *at->p == '-') && !is_iset(&next)) {
		if (!parse_opcode(at, line) || !(skip_gap(at) || (tagged && line->ended)))
			return false;
	} else {
		/* The address is in the bracket, and the opcode at the address's position. */
		if (!has_bracket || !parse_opcode(&first, line))
			return false;
		line->address = bracket;
		line->address_digits = 0;
		line->has_id &= line->has_pc;
		line->has_real = at->plain = false;
		line->foreign = true;
	}
	struct qemu4v_cursor rest = *at;
	if (parse_labels(at, line))
		return true;
	*at = rest;
	return tagged && qemu4v_parse_short(at, line);
}

bool
qemu4v_parse_data(struct qemu4v_cursor *at, struct qemu4v *line)
{
	static const char *const failures[] = {"(ABORTED)", "(abort)", "(wait)"};
	line->data = (struct qemu4v_digits){.word = find_token(at)};
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
		parse_further_digits(at, line);
	return true;
}

/* Parses the remarks that Tarmac has between the attributes of an access and its address. */
static bool
parse_remarks(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->plain = false;
	line->foreign = true;
	if (*at->p == 'X' && is_blank(at->p[1])) {
		if (!line->attributes.length)
			line->attributes = (struct qemu4v_word){at->p, 1};
		at->p++;
		skip_gap(at);
	}
	if (*at->p != '(')
		return true;
	const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
	struct qemu4v_cursor inner = {at->p + 1, at->end, true};
	if (!close)
		return false;
	line->has_pc = parse_hex(&inner, &line->pc) && (*inner.p == ':' || *inner.p == ')');
	line->has_id = false;
	if (line->has_pc && *inner.p++ == ':')
		line->has_id = parse_hex(&inner, &line->id) && *inner.p == ')';
	at->p = close + 1;
	return skip_gap(at);
}

/*
 * Parses M, in Tarmac a letter, R or W, size, attributes, address and data; letters is the
 * number of letters before the size.
 */
static inline bool
parse_memory(struct qemu4v_cursor *at, struct qemu4v *line, size_t letters)
{
	uint64_t size;
	bool known;
	line->access = (char)at->p[letters - 1];
	line->bus = letters > 2 ? (char)at->p[1] : 0;
	line->has_pc = line->fetch = false;
	line->text.length = 0;
	at->p += letters;
	if (!parse_decimal(at, &size, &known) || !known || size > UINT32_MAX)
		return false;
	line->size = (uint32_t)size;
	const uint8_t *p = at->p;
	while (is_letter(*p) || *p == '_')
		p++;
	line->attributes = (struct qemu4v_word){at->p, (size_t)(p - at->p)};
	if (p != at->p)
		line->fetch = p[-1] == 'I';
	at->p = p;
	if (!skip_gap(at))
		return false;
	if ((*at->p == 'X' || *at->p == '(') && !parse_remarks(at, line))
		return false;
	return parse_address(at, line) && skip_gap(at) && qemu4v_parse_data(at, line);
}

static inline bool
parse_register(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->p++;
	if (!skip_gap(at))
		return false;
	line->reg = find_token(at);
	at->p += line->reg.length;
	if (!line->reg.length || is_operation(&line->reg) || !skip_gap(at))
		return false;
	if (*at->p == '(') {
		/* A bank belongs to the name. */
		at->p += find_token(at).length;
		line->reg.length = (size_t)(at->p - line->reg.text);
		at->plain = false;
		line->foreign = true;
		if (!skip_gap(at))
			return false;
	}
	if (!parse_digits(at, &line->data))
		return false;
	line->rest = false;
	if (at->p != at->end) {
		parse_further_digits(at, line);
		line->rest = has_rest(at);
	}
	/* An annotation may follow the value. */
	return at_field_end(at);
}

/*
 * Parses the forms of QEMU4V Trace Format; QEMU4V_OTHER with the position unchanged for other
 * lines.
 */
static inline enum qemu4v_record
parse_qemu4v(struct qemu4v_cursor *at, struct qemu4v *line)
{
	const struct qemu4v_cursor start = *at;
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
			skip_gap(at);
		if ((tagged || (p[0] == '(' && line->unit.length)) &&
			parse_instruction(at, line, tagged))
			return QEMU4V_INSTRUCTION;
	}
	*at = start;
	return QEMU4V_OTHER;
}

/* As parse_qemu4v, for rare lines. */
static enum qemu4v_record __attribute__((noinline))
parse_qemu4v_slow(struct qemu4v_cursor *at, struct qemu4v *line)
{
	return parse_qemu4v(at, line);
}

/* As parse_memory, with a letter of the bus. */
static bool __attribute__((noinline))
parse_bus_access(struct qemu4v_cursor *at, struct qemu4v *line)
{
	return parse_memory(at, line, 3);
}

/* Parses forms that only Tarmac has. */
static enum qemu4v_record
parse_tarmac(struct qemu4v_cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	if (p[0] != 'M' || !is_letter(p[1]) || p[1] == 'C' || (p[2] != 'R' && p[2] != 'W'))
		return qemu4v_parse_form(at, line);
	at->plain = false;
	line->foreign = true;
	return parse_bus_access(at, line) && at->p == at->end ? QEMU4V_MEMORY : QEMU4V_OTHER;
}

/* Parses a Tarmac form, or a processor's name and a record. */
static enum qemu4v_record
parse_other_forms(struct qemu4v_cursor *at, struct qemu4v *line)
{
	struct qemu4v_cursor body = *at;
	enum qemu4v_record is = parse_tarmac(at, line);
	if (is != QEMU4V_OTHER || line->cpu_name.length || line->has_cpu)
		return is;
	/* The name of a processor may begin with any letter, as that of a record does. */
	*at = body;
	if (!is_letter(*at->p) || !parse_cpu_name(at, line))
		return QEMU4V_OTHER;
	is = parse_qemu4v_slow(at, line);
	return is != QEMU4V_OTHER ? is : parse_tarmac(at, line);
}

/* Parses a record without a time. */
static enum qemu4v_record
parse_unstamped(struct qemu4v_cursor *at, struct qemu4v *line)
{
	if (!parse_cpu(at, line))
		return QEMU4V_OTHER;
	enum qemu4v_record is = parse_qemu4v_slow(at, line);
	return is != QEMU4V_OTHER ? is : parse_other_forms(at, line);
}

/* Parses a line without a time: a record if it is indented or unambiguous. */
static enum qemu4v_record
parse_without_stamp(struct qemu4v_cursor *at, struct qemu4v *line)
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
	struct qemu4v_cursor at = {text, text + size - ended, ended};
	if (at.end > text && at.end[-1] == '\r') {
		at.end--;
		at.plain = false;
	}
	if (is_blank(*at.p)) {
		skip_gap(&at);
		at.plain = false;
	}
	line->has_time = line->swapped = line->foreign = false;
	line->ended = ended;
	line->stamp = at.p == text ? QEMU4V_STAMP_NONE : QEMU4V_STAMP_BEFORE;
	if (is_digit(*at.p)) {
		line->stamp = QEMU4V_STAMP_OWN;
		bool valid = parse_stamp(&at, line) && parse_cpu(&at, line);
		line->is = valid ? parse_qemu4v(&at, line) : QEMU4V_OTHER;
		if (valid && line->is == QEMU4V_OTHER)
			line->is = parse_other_forms(&at, line);
	} else {
		at.plain = false;
		line->is = parse_without_stamp(&at, line);
	}
	line->plain = at.plain;
}
