/* SPDX-License-Identifier: MIT */
/*
 * Parsing the forms of lines that only Tarmac traces have, and those that MicroTESK shares with
 * them.
 *
 * spec: reference qemu4v-tarmac 2.3 and 4.1
 */
#include "format/qemu4v/cursor.h"

#include "base/num.h"

/* Hexadecimal digits in a group of a picture of memory. */
#define GROUP_DIGITS 8
#define GROUPS 4

static bool
begins(const struct cursor *at, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(at->end - at->p) >= n && memcmp(at->p, text, n) == 0;
}

/* Passes over a tag and the white space behind it, where it stands here. */
static bool
pass_tag(struct cursor *at, const char *tag)
{
	struct cursor next = *at;
	if (!begins(at, tag))
		return false;
	next.p += strlen(tag);
	if (!gap(&next))
		return false;
	*at = next;
	return true;
}

/* What is left of the line is its text. */
static void
take_text(struct cursor *at, struct qemu4v *line)
{
	line->text = (struct qemu4v_word){at->p, (size_t)(at->end - at->p)};
	at->p = at->end;
}

/* short = opcode , WS , [ iset , WS ] , disasm */
bool
qemu4v_parse_short(struct cursor *at, struct qemu4v *line)
{
	at->plain = false;
	line->foreign = true;
	line->mode.length = line->security.length = 0;
	line->iset = token(at);
	struct cursor next = *at;
	next.p += line->iset.length;
	if (is_iset(&line->iset) && gap(&next))
		*at = next;
	else
		line->iset.length = 0;
	take_text(at, line);
	return true;
}

/* insn-es = "ES (" , addr , ":" , opcode , ")" , iset , mode , ":" , [ "CCFAIL" ] , disasm */
static enum qemu4v_record
parse_es(struct cursor *at, struct qemu4v *line)
{
	at->p++;
	line->has_id = line->has_real = false;
	line->address_digits = hexadecimal(at, &line->address);
	if (!line->address_digits || *at->p++ != ':')
		return QEMU4V_OTHER;
	const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
	struct cursor opcode = *at;
	line->data = (struct qemu4v_digits){.count = 0};
	while (opcode.p != close && opcode.p != at->end && is_graphic(*opcode.p)) {
		unsigned digit = hex_digit(*opcode.p);
		if (digit == 16 && *opcode.p != '-')
			return QEMU4V_OTHER;
		line->data.count += digit < 16;
		line->data.unknown += digit == 16;
		line->data.value = digit < 16 ? line->data.value << 4 | digit : 0;
		opcode.p++;
	}
	line->data.word = (struct qemu4v_word){at->p, (size_t)(opcode.p - at->p)};
	if (opcode.p != close || line->data.word.length > QEMU4V_OPCODE_DIGITS)
		return QEMU4V_OTHER;
	at->p = close + 1;
	gap(at);
	if (!qemu4v_parse_disassembly(at, line))
		return QEMU4V_OTHER;
	struct cursor text = {line->text.text, at->end, true};
	bool failed = pass_tag(&text, "CCFAIL");
	take_text(&text, line);
	line->has_executed = true;
	line->executed = !failed;
	return QEMU4V_INSTRUCTION;
}

/* exc = [ "ES" ] , ( "EXC" | "Reset" ) , text */
static enum qemu4v_record
parse_exception(struct cursor *at, struct qemu4v *line)
{
	bool reset = begins(at, "Reset");
	if (!reset && !begins(at, "EXC"))
		return QEMU4V_OTHER;
	struct cursor behind = *at;
	behind.p += reset ? 5 : 3;
	if (!ends(&behind))
		return QEMU4V_OTHER;
	if (!reset) {
		*at = behind;
		gap(at);
	}
	take_text(at, line);
	return QEMU4V_EXCEPTION;
}

/* mem-rw = ( "R" | "W" ) , size in two digits , [ "X" ] , address , data */
static enum qemu4v_record
parse_moved(struct cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	line->access = (char)p[0];
	line->bus = 0;
	line->has_pc = line->fetch = line->has_real = false;
	line->text.length = 0;
	line->size = (uint32_t)(10 * (p[1] - '0') + (p[2] - '0'));
	line->attributes = (struct qemu4v_word){p, 0};
	at->p += 3;
	gap(at);
	if (*at->p == 'X' && is_blank(at->p[1])) {
		line->attributes = (struct qemu4v_word){at->p++, 1};
		gap(at);
	}
	if (!parse_address(at, line) || !gap(at) || !qemu4v_parse_data(at, line))
		return QEMU4V_OTHER;
	return at->p == at->end ? QEMU4V_MEMORY : QEMU4V_OTHER;
}

/* copro = "MC" , ( "R" | "W" ) , size , letters , [ bracket ] , "TRANSFER" , data */
static enum qemu4v_record
parse_coprocessor(struct cursor *at, struct qemu4v *line)
{
	uint64_t size;
	bool known;
	line->access = (char)at->p[2];
	line->has_pc = false;
	at->p += 3;
	if (!decimal(at, &size, &known) || !known || size > UINT32_MAX)
		return QEMU4V_OTHER;
	line->size = (uint32_t)size;
	line->attributes = token(at);
	at->p += line->attributes.length;
	gap(at);
	if (*at->p == '(') {
		const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
		if (!close)
			return QEMU4V_OTHER;
		at->p = close + 1;
		gap(at);
	}
	if (!pass_tag(at, "TRANSFER") || !parse_digits(at, &line->data))
		return QEMU4V_OTHER;
	return at->p == at->end ? QEMU4V_COPROCESSOR : QEMU4V_OTHER;
}

static bool
is_group(const uint8_t *p)
{
	unsigned n = 0;
	while (n < GROUP_DIGITS && (hex_digit(p[n]) < 16 || p[n] == '.' || p[n] == '#'))
		n++;
	return n == GROUP_DIGITS && !is_graphic(p[n]);
}

/* address , WS , quad , WS , quad , WS , quad , WS , quad , [ WS , text ] */
static bool
parse_groups(struct cursor *at, struct qemu4v *line)
{
	line->has_real = line->has_pc = line->fetch = false;
	line->bus = 0;
	line->attributes.length = 0;
	line->address_digits = hexadecimal(at, &line->address);
	if (!line->address_digits)
		return false;
	struct qemu4v_word groups = {at->p, 0};
	for (int i = 0; i < GROUPS; i++) {
		if (!gap(at) || !is_group(at->p))
			return false;
		at->p += GROUP_DIGITS;
	}
	groups.length = (size_t)(at->p - groups.text);
	line->data = (struct qemu4v_digits){.word = groups};
	line->data.unknown = memchr(groups.text, '#', groups.length) != NULL;
	gap(at);
	take_text(at, line);
	return true;
}

bool
qemu4v_parse_rest(const uint8_t *text, size_t size, bool ended, struct qemu4v *line)
{
	struct cursor at = {text, text + size - ended, false};
	if (at.end > text && at.end[-1] == '\r')
		at.end--;
	if (!gap(&at) || !parse_groups(&at, line))
		return false;
	line->is = QEMU4V_PICTURE;
	line->stamp = QEMU4V_STAMP_BEFORE;
	line->plain = line->has_time = line->has_cpu = line->turned = false;
	line->foreign = true;
	line->fraction_digits = 0;
	line->unit.length = line->cpu_name.length = 0;
	line->access = 'R';
	line->ended = ended;
	return true;
}

unsigned
qemu4v_run(const struct qemu4v *line, unsigned i, struct qemu4v_run *run)
{
	char digits[2 * QEMU4V_PICTURE_BYTES];
	unsigned count = 0, n = 0;
	for (size_t at = 0; at < line->data.word.length && n < sizeof digits; at++) {
		if (is_graphic(line->data.word.text[at]))
			digits[n++] = (char)line->data.word.text[at];
	}
	/* The last byte of the picture has the lowest address. */
	for (unsigned place = 0; place < n / 2;) {
		unsigned end = place;
		while (end < n / 2 && digits[n - 2 - 2 * end] != '.' &&
			digits[n - 1 - 2 * end] != '.')
			end++;
		if (end == place) {
			place++;
			continue;
		}
		if (count++ == i) {
			*run = (struct qemu4v_run){.place = place, .size = end - place};
			run->known = num_parse_bytes(
				digits + n - 2 * end, 2 * (size_t)run->size, run->bytes);
		}
		place = end;
	}
	return count;
}

/* flow = ( "FD" | "FI" | "FR" ) , "(" , id , ")" , vaddr , vaddr , iset */
static enum qemu4v_record
parse_flow(struct cursor *at, struct qemu4v *line)
{
	uint64_t bracket;
	line->text = token(at);
	at->p += 2;
	gap(at);
	if (*at->p != '(' || !parse_bracket(at, line, &bracket) ||
		!(line->address_digits = hexadecimal(at, &line->address)) || !gap(at))
		return QEMU4V_OTHER;
	line->has_pc = hexadecimal(at, &line->pc) != 0;
	gap(at);
	line->iset = token(at);
	at->p += line->iset.length;
	return line->has_pc && is_iset(&line->iset) && at->p == at->end ? QEMU4V_FLOW
									: QEMU4V_OTHER;
}

/* branch = "BR" , "(" , address , ")" , iset */
static enum qemu4v_record
parse_branch(struct cursor *at, struct qemu4v *line)
{
	at->p += 2;
	gap(at);
	if (*at->p++ != '(')
		return QEMU4V_OTHER;
	line->has_pc = hexadecimal(at, &line->pc) != 0;
	line->address_digits = 0;
	if (!line->has_pc || *at->p++ != ')')
		return QEMU4V_OTHER;
	gap(at);
	line->iset = token(at);
	at->p += line->iset.length;
	return is_iset(&line->iset) && at->p == at->end ? QEMU4V_BRANCH : QEMU4V_OTHER;
}

/* bus = "B" , rw , size , fetch or data , flags , "I" attrs , "O" attrs , master , hex , hex */
static enum qemu4v_record
parse_bus(struct cursor *at, struct qemu4v *line)
{
	uint64_t size;
	bool known;
	struct cursor all = *at;
	line->access = (char)at->p[1];
	line->bus = 0;
	line->has_pc = line->has_real = false;
	at->p += 2;
	decimal(at, &size, &known);
	line->size = known && size <= UINT32_MAX ? (uint32_t)size : 0;
	line->fetch = *at->p == 'I';
	line->attributes = token(at);
	at->p += line->attributes.length;
	for (int i = 0; i < 3; i++) {
		if (!gap(at))
			return QEMU4V_OTHER;
		at->p += token(at).length;
	}
	if (!gap(at))
		return QEMU4V_OTHER;
	line->address_digits = hexadecimal(at, &line->address);
	if (!line->address_digits || !gap(at) || !parse_digits(at, &line->data) ||
		at->p != at->end)
		return QEMU4V_OTHER;
	take_text(&all, line);
	return QEMU4V_BUS;
}

/* True where a line begins with a word that is known, and has nothing but text behind it. */
static bool
is_text(const struct cursor *at)
{
	static const char *const tags[] = {
		"SIGNAL:", "CADI", "CACHE MAINTENANCE", "INFO_EXCEPTION_REASON:", "TTW", "P"};
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		struct cursor behind = *at;
		behind.p += strlen(tags[i]);
		if (begins(at, tags[i]) && (behind.p[-1] == ':' || ends(&behind)))
			return true;
	}
	return false;
}

/* sysop = "R" , ( "DC" | "IC" | "TLBI" | "AT" ) , text */
static enum qemu4v_record
parse_operation(struct cursor *at, struct qemu4v *line)
{
	at->p++;
	gap(at);
	struct qemu4v_word name = token(at);
	if (!is_operation(&name))
		return QEMU4V_OTHER;
	take_text(at, line);
	return QEMU4V_OPERATION;
}

/* True where the size of an access stands in two digits. */
static bool
is_moved(const uint8_t *p)
{
	static const char sizes[][3] = {"01", "02", "04", "08", "16"};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if ((p[0] == 'R' || p[0] == 'W') && memcmp(p + 1, sizes[i], 2) == 0)
			return is_blank(p[3]);
	}
	return false;
}

static enum qemu4v_record
parse_tagged(struct cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	if (is_moved(p))
		return parse_moved(at, line);
	if (p[0] == 'M' && p[1] == 'C' && (p[2] == 'R' || p[2] == 'W'))
		return parse_coprocessor(at, line);
	if (p[0] == 'B' && p[1] == 'R' && (is_blank(p[2]) || p[2] == '('))
		return parse_branch(at, line);
	if (p[0] == 'L' || p[0] == 'S') {
		line->access = p[0] == 'L' ? 'R' : 'W';
		if (pass_tag(at, "LD") || pass_tag(at, "ST"))
			return parse_groups(at, line) ? QEMU4V_PICTURE : QEMU4V_OTHER;
	}
	/* A register was tried before. */
	if (p[0] == 'R' && is_blank(p[1]))
		return parse_operation(at, line);
	if (pass_tag(at, "ES"))
		return *at->p == '(' ? parse_es(at, line) : parse_exception(at, line);
	if (is_text(at)) {
		take_text(at, line);
		return QEMU4V_TEXT;
	}
	return parse_exception(at, line);
}

enum qemu4v_record
qemu4v_parse_form(struct cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	at->plain = false;
	if (p[0] == 'F' && (p[1] == 'D' || p[1] == 'I' || p[1] == 'R') && is_blank(p[2]))
		return parse_flow(at, line);
	if (p[0] == 'B' && (p[1] == 'R' || p[1] == 'W') && is_digit(p[2]))
		return parse_bus(at, line);
	if (pass_tag(at, "E")) {
		take_text(at, line);
		return QEMU4V_EVENT;
	}
	line->foreign = true;
	return parse_tagged(at, line);
}
