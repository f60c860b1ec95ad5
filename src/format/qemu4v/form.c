/* SPDX-License-Identifier: MIT */
/*
 * Parses the forms of lines that only Tarmac traces and MicroTESK have.
 *
 * spec: Arm Fast Models, Tarmac Trace
 */
#include "format/qemu4v/cursor.h"

#include "base/num.h"

/* Hexadecimal digits per group of a memory dump, and groups per line. */
#define GROUP_DIGITS 8
#define GROUPS 4

static bool
begins(const struct qemu4v_cursor *at, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(at->end - at->p) >= n && memcmp(at->p, text, n) == 0;
}

/* Skips a tag and the white space after it; false if absent. */
static bool
skip_tag(struct qemu4v_cursor *at, const char *tag)
{
	struct qemu4v_cursor next = *at;
	if (!begins(at, tag))
		return false;
	next.p += strlen(tag);
	if (!skip_gap(&next))
		return false;
	*at = next;
	return true;
}

/* Stores the rest of the line as its text. */
static void
set_text(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->text = (struct qemu4v_word){at->p, (size_t)(at->end - at->p)};
	at->p = at->end;
}

/* short = opcode , WS , [ iset , WS ] , disasm */
bool
qemu4v_parse_short(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->plain = false;
	line->foreign = true;
	line->mode.length = line->security.length = 0;
	line->iset = find_token(at);
	struct qemu4v_cursor next = *at;
	next.p += line->iset.length;
	if (is_iset(&line->iset) && skip_gap(&next))
		*at = next;
	else
		line->iset.length = 0;
	set_text(at, line);
	return true;
}

/* insn-es = "ES (" , addr , ":" , opcode , ")" , iset , mode , ":" , [ "CCFAIL" ] , disasm */
static enum qemu4v_record
parse_es(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->p++;
	line->has_id = line->has_real = false;
	line->address_digits = parse_hex(at, &line->address);
	if (!line->address_digits || *at->p++ != ':')
		return QEMU4V_OTHER;
	const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
	struct qemu4v_cursor opcode = *at;
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
	skip_gap(at);
	if (!qemu4v_parse_disassembly(at, line))
		return QEMU4V_OTHER;
	struct qemu4v_cursor text = {line->text.text, at->end, true};
	bool failed = skip_tag(&text, "CCFAIL");
	set_text(&text, line);
	line->has_executed = true;
	line->executed = !failed;
	return QEMU4V_INSTRUCTION;
}

/* exc = [ "ES" ] , ( "EXC" | "Reset" ) , text */
static enum qemu4v_record
parse_exception(struct qemu4v_cursor *at, struct qemu4v *line)
{
	bool reset = begins(at, "Reset");
	if (!reset && !begins(at, "EXC"))
		return QEMU4V_OTHER;
	struct qemu4v_cursor after = *at;
	after.p += reset ? 5 : 3;
	if (!at_field_end(&after))
		return QEMU4V_OTHER;
	if (!reset) {
		*at = after;
		skip_gap(at);
	}
	set_text(at, line);
	return QEMU4V_EXCEPTION;
}

/* mem-rw = ( "R" | "W" ) , size in two digits , [ "X" ] , address , data */
static enum qemu4v_record
parse_sized_access(struct qemu4v_cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	line->access = (char)p[0];
	line->bus = 0;
	line->has_pc = line->fetch = line->has_real = false;
	line->text.length = 0;
	line->size = (uint32_t)(10 * (p[1] - '0') + (p[2] - '0'));
	line->attributes = (struct qemu4v_word){p, 0};
	at->p += 3;
	skip_gap(at);
	if (*at->p == 'X' && is_blank(at->p[1])) {
		line->attributes = (struct qemu4v_word){at->p++, 1};
		skip_gap(at);
	}
	if (!parse_address(at, line) || !skip_gap(at) || !qemu4v_parse_data(at, line))
		return QEMU4V_OTHER;
	return at->p == at->end ? QEMU4V_MEMORY : QEMU4V_OTHER;
}

/* copro = "MC" , ( "R" | "W" ) , size , letters , [ bracket ] , "TRANSFER" , data */
static enum qemu4v_record
parse_coprocessor(struct qemu4v_cursor *at, struct qemu4v *line)
{
	uint64_t size;
	bool known;
	line->access = (char)at->p[2];
	line->has_pc = false;
	at->p += 3;
	if (!parse_decimal(at, &size, &known) || !known || size > UINT32_MAX)
		return QEMU4V_OTHER;
	line->size = (uint32_t)size;
	line->attributes = find_token(at);
	at->p += line->attributes.length;
	skip_gap(at);
	if (*at->p == '(') {
		const uint8_t *close = memchr(at->p, ')', (size_t)(at->end - at->p));
		if (!close)
			return QEMU4V_OTHER;
		at->p = close + 1;
		skip_gap(at);
	}
	if (!skip_tag(at, "TRANSFER") || !parse_digits(at, &line->data))
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
parse_groups(struct qemu4v_cursor *at, struct qemu4v *line)
{
	line->has_real = line->has_pc = line->fetch = false;
	line->bus = 0;
	line->attributes.length = 0;
	line->address_digits = parse_hex(at, &line->address);
	if (!line->address_digits)
		return false;
	struct qemu4v_word groups = {at->p, 0};
	for (int i = 0; i < GROUPS; i++) {
		if (!skip_gap(at) || !is_group(at->p))
			return false;
		at->p += GROUP_DIGITS;
	}
	groups.length = (size_t)(at->p - groups.text);
	line->data = (struct qemu4v_digits){.word = groups};
	line->data.unknown = memchr(groups.text, '#', groups.length) != NULL;
	skip_gap(at);
	set_text(at, line);
	return true;
}

bool
qemu4v_parse_rest(const uint8_t *text, size_t size, bool ended, struct qemu4v *line)
{
	struct qemu4v_cursor at = {text, text + size - ended, false};
	if (at.end > text && at.end[-1] == '\r')
		at.end--;
	if (!skip_gap(&at) || !parse_groups(&at, line))
		return false;
	line->is = QEMU4V_PICTURE;
	line->stamp = QEMU4V_STAMP_BEFORE;
	line->plain = line->has_time = line->has_cpu = line->swapped = false;
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
	/* The last byte of the dump has the lowest address. */
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
parse_flow(struct qemu4v_cursor *at, struct qemu4v *line)
{
	uint64_t bracket;
	line->text = find_token(at);
	at->p += 2;
	skip_gap(at);
	if (*at->p != '(' || !parse_bracket(at, line, &bracket) ||
		!(line->address_digits = parse_hex(at, &line->address)) || !skip_gap(at))
		return QEMU4V_OTHER;
	line->has_pc = parse_hex(at, &line->pc) != 0;
	skip_gap(at);
	line->iset = find_token(at);
	at->p += line->iset.length;
	return line->has_pc && is_iset(&line->iset) && at->p == at->end ? QEMU4V_FLOW
									: QEMU4V_OTHER;
}

/* branch = "BR" , "(" , address , ")" , iset */
static enum qemu4v_record
parse_branch(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->p += 2;
	skip_gap(at);
	if (*at->p++ != '(')
		return QEMU4V_OTHER;
	line->has_pc = parse_hex(at, &line->pc) != 0;
	line->address_digits = 0;
	if (!line->has_pc || *at->p++ != ')')
		return QEMU4V_OTHER;
	skip_gap(at);
	line->iset = find_token(at);
	at->p += line->iset.length;
	return is_iset(&line->iset) && at->p == at->end ? QEMU4V_BRANCH : QEMU4V_OTHER;
}

/* bus = "B" , rw , size , fetch or data , flags , "I" attrs , "O" attrs , master , hex , hex */
static enum qemu4v_record
parse_bus(struct qemu4v_cursor *at, struct qemu4v *line)
{
	uint64_t size;
	bool known;
	struct qemu4v_cursor all = *at;
	line->access = (char)at->p[1];
	line->bus = 0;
	line->has_pc = line->has_real = false;
	at->p += 2;
	parse_decimal(at, &size, &known);
	line->size = known && size <= UINT32_MAX ? (uint32_t)size : 0;
	line->fetch = *at->p == 'I';
	line->attributes = find_token(at);
	at->p += line->attributes.length;
	for (int i = 0; i < 3; i++) {
		if (!skip_gap(at))
			return QEMU4V_OTHER;
		at->p += find_token(at).length;
	}
	if (!skip_gap(at))
		return QEMU4V_OTHER;
	line->address_digits = parse_hex(at, &line->address);
	if (!line->address_digits || !skip_gap(at) || !parse_digits(at, &line->data) ||
		at->p != at->end)
		return QEMU4V_OTHER;
	set_text(&all, line);
	return QEMU4V_BUS;
}

/* True if a line consists of a known tag and text. */
static bool
is_text(const struct qemu4v_cursor *at)
{
	static const char *const tags[] = {
		"SIGNAL:", "CADI", "CACHE MAINTENANCE", "INFO_EXCEPTION_REASON:", "TTW", "P"};
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		struct qemu4v_cursor after = *at;
		after.p += strlen(tags[i]);
		if (begins(at, tags[i]) && (after.p[-1] == ':' || at_field_end(&after)))
			return true;
	}
	return false;
}

/* sysop = "R" , ( "DC" | "IC" | "TLBI" | "AT" ) , text */
static enum qemu4v_record
parse_operation(struct qemu4v_cursor *at, struct qemu4v *line)
{
	at->p++;
	skip_gap(at);
	struct qemu4v_word name = find_token(at);
	if (!is_operation(&name))
		return QEMU4V_OTHER;
	set_text(at, line);
	return QEMU4V_OPERATION;
}

/* True if two digits follow R or W: the size of an access. */
static bool
is_sized_access(const uint8_t *p)
{
	static const char sizes[][3] = {"01", "02", "04", "08", "16"};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if ((p[0] == 'R' || p[0] == 'W') && memcmp(p + 1, sizes[i], 2) == 0)
			return is_blank(p[3]);
	}
	return false;
}

static enum qemu4v_record
parse_tagged(struct qemu4v_cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	if (is_sized_access(p))
		return parse_sized_access(at, line);
	if (p[0] == 'M' && p[1] == 'C' && (p[2] == 'R' || p[2] == 'W'))
		return parse_coprocessor(at, line);
	if (p[0] == 'B' && p[1] == 'R' && (is_blank(p[2]) || p[2] == '('))
		return parse_branch(at, line);
	if (p[0] == 'L' || p[0] == 'S') {
		line->access = p[0] == 'L' ? 'R' : 'W';
		if (skip_tag(at, "LD") || skip_tag(at, "ST"))
			return parse_groups(at, line) ? QEMU4V_PICTURE : QEMU4V_OTHER;
	}
	/* The caller has already tried to parse a register. */
	if (p[0] == 'R' && is_blank(p[1]))
		return parse_operation(at, line);
	if (skip_tag(at, "ES"))
		return *at->p == '(' ? parse_es(at, line) : parse_exception(at, line);
	if (is_text(at)) {
		set_text(at, line);
		return QEMU4V_TEXT;
	}
	return parse_exception(at, line);
}

enum qemu4v_record
qemu4v_parse_form(struct qemu4v_cursor *at, struct qemu4v *line)
{
	const uint8_t *p = at->p;
	at->plain = false;
	if (p[0] == 'F' && (p[1] == 'D' || p[1] == 'I' || p[1] == 'R') && is_blank(p[2]))
		return parse_flow(at, line);
	if (p[0] == 'B' && (p[1] == 'R' || p[1] == 'W') && is_digit(p[2]))
		return parse_bus(at, line);
	if (skip_tag(at, "E")) {
		set_text(at, line);
		return QEMU4V_EVENT;
	}
	line->foreign = true;
	return parse_tagged(at, line);
}
