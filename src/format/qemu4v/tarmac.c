/* SPDX-License-Identifier: MIT */
/*
 * What Arm's tools read: processors, units of time, instruction sets, registers and events.
 *
 * spec: Arm Fast Models, Tarmac Trace; ARM-software/tarmac-trace-utilities, parser
 */
#include "format/qemu4v/tarmac.h"

#include <string.h>

/* Processors to which a register belongs, as bits. */
enum { IN_ARM = 1, IN_AARCH64 = 2, IN_UNKNOWN = 4 };

/* Registers with a number. */
static const struct {
	char letter;
	uint8_t last, digits, machines;
	bool upper;
} families[] = {
	{.letter = 'r', .last = 15, .digits = 8, .machines = IN_ARM | IN_UNKNOWN},
	{.letter = 'x',
		.last = 30,
		.digits = 16,
		.machines = IN_AARCH64 | IN_UNKNOWN,
		.upper = true},
	{.letter = 'w',
		.last = 30,
		.digits = 8,
		.machines = IN_AARCH64 | IN_UNKNOWN,
		.upper = true},
	{.letter = 's',
		.last = 31,
		.digits = 8,
		.machines = IN_ARM | IN_AARCH64,
		.upper = true},
	{.letter = 'd',
		.last = 31,
		.digits = 16,
		.machines = IN_ARM | IN_AARCH64 | IN_UNKNOWN,
		.upper = true},
	{.letter = 'q',
		.last = 31,
		.digits = 32,
		.machines = IN_ARM | IN_AARCH64 | IN_UNKNOWN,
		.upper = true},
	{.letter = 'v', .last = 31, .digits = 32, .machines = IN_AARCH64, .upper = true},
};

/* Registers with a name. */
static const struct {
	const char *name, *written;
	uint8_t digits, machines;
} named[] = {
	{.name = "sp", .written = "sp", .digits = 8, .machines = IN_ARM},
	{.name = "sp", .written = "SP", .digits = 16, .machines = IN_AARCH64},
	{.name = "lr", .written = "lr", .digits = 8, .machines = IN_ARM | IN_UNKNOWN},
	{.name = "lr", .written = "X30", .digits = 16, .machines = IN_AARCH64},
	{.name = "pc", .written = "pc", .digits = 8, .machines = IN_ARM | IN_UNKNOWN},
	{.name = "cpsr",
		.written = "cpsr",
		.digits = 8,
		.machines = IN_ARM | IN_AARCH64 | IN_UNKNOWN},
	{.name = "psr",
		.written = "cpsr",
		.digits = 8,
		.machines = IN_ARM | IN_AARCH64 | IN_UNKNOWN},
	{.name = "pstate", .written = "cpsr", .digits = 8, .machines = IN_AARCH64 | IN_UNKNOWN},
	{.name = "spsr", .written = "spsr", .digits = 8, .machines = IN_ARM | IN_UNKNOWN},
	{.name = "fpscr", .written = "fpscr", .digits = 8, .machines = IN_ARM},
	{.name = "fpcr", .written = "FPCR", .digits = 8, .machines = IN_AARCH64},
	{.name = "fpsr", .written = "FPSR", .digits = 8, .machines = IN_AARCH64},
};

/* Modes that have registers of their own. */
static const char *const banks[] = {
	"usr", "fiq", "irq", "svc", "abt", "und", "mon", "hyp", "sys", NULL};

/* Units of time that Arm's tools read. */
static const char *const units[] = {"clk", "cyc", "tic", "cs", "ps", "ns", "us", NULL};

static bool
is_among(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list;
}

static uint8_t
find_machine(const struct writing *writing)
{
	const char *isa = writing->source->isa;
	if (!isa)
		return IN_UNKNOWN;
	if (strcmp(isa, "aarch64") == 0)
		return IN_AARCH64;
	return strcmp(isa, "arm") == 0 || strncmp(isa, "thumb", 5) == 0 ? IN_ARM : 0;
}

/* Chooses the unit of time, and the factor of the times. */
static void
choose_unit(struct writing *writing)
{
	struct qemu4v_writer *writer = writing->state;
	const char *clock = writing->source->clock;
	writer->time_factor = writer->time_divisor = 1;
	if (strcmp(writer->unit, "ms") == 0) {
		writer->time_factor = 1000;
		memcpy(writer->unit, "us", 3);
	} else if (strcmp(writer->unit, "fs") == 0) {
		writer->time_divisor = 1000;
		memcpy(writer->unit, "ps", 3);
	} else if (!is_among(writer->unit, units)) {
		memcpy(writer->unit, "clk", 4);
	}
	if (writer->time_factor == 1 && writer->time_divisor == 1 && clock && *clock &&
		strcmp(clock, writer->unit) != 0)
		writing_note(writing, "the unit of time was replaced by clk");
}

void
tarmac_open_writer(struct writing *writing)
{
	struct qemu4v_writer *writer = writing->state;
	const char *form = poly_trace_fact(writing->source, "qemu4v.form");
	const uint64_t cpus = writing->options[TARMAC_OPTION_CPU];
	if (writer->copies_lines && cpus == TARMAC_CPU_AUTO)
		return;
	writer->copies_lines = false;
	writer->converts = true;
	writer->rewrites = writing->own_raw && (!form || strcmp(form, "tarmac") == 0);
	writer->machine = find_machine(writing);
	if (!writer->rewrites)
		writer->address_digits = writer->machine == IN_AARCH64 ? 16 : 8;
	/* Arm's tools read data as values. */
	writer->memory_order = writing->is_set[QEMU4V_OPTION_DATA] &&
			       writing->options[QEMU4V_OPTION_DATA] == QEMU4V_DATA_MEMORY;
	choose_unit(writing);
	writer->cpus = TARMAC_CPUS_NONE;
	if (cpus == TARMAC_CPU_ALWAYS ||
		(cpus == TARMAC_CPU_AUTO && poly_trace_fact(writing->source, "tarmac.cpus")))
		writer->cpus = TARMAC_CPUS_EVERY;
	else if (cpus == TARMAC_CPU_AUTO && !form && POLY_HAS(writing->source->columns, cpu))
		writer->cpus = TARMAC_CPUS_UNKNOWN;
}

static bool
is_other_cpu(const struct poly_batch *batch, size_t row)
{
	return poly_present(batch, POLY_COLUMN_cpu, row) && batch->cpu[row] != 0;
}

enum poly_status
tarmac_choose_cpus(struct writing *writing, const struct poly_batch *batch, size_t row,
	struct poly_error *error)
{
	struct qemu4v_writer *writer = writing->state;
	if (writer->cpus == TARMAC_CPUS_EVERY)
		return POLY_OK;
	/* A line in the cache must not depend on what was written before. */
	if (writing->cache && (writer->cpus == TARMAC_CPUS_UNKNOWN || is_other_cpu(batch, row)))
		writing_no_cache(writing);
	if (writing->cache)
		return POLY_OK;
	/* Batches depend on threads and selections: the choice must not depend on later rows.
	 */
	if (writer->cpus == TARMAC_CPUS_UNKNOWN)
		writer->cpus = poly_present(batch, POLY_COLUMN_cpu, row) ? TARMAC_CPUS_EVERY
									 : TARMAC_CPUS_NONE;
	if (writer->cpus == TARMAC_CPUS_EVERY || !is_other_cpu(batch, row))
		return POLY_OK;
	if (writing->options[TARMAC_OPTION_CPU] == TARMAC_CPU_NEVER) {
		writing_note(writing, "numbers of processors were dropped");
		return POLY_OK;
	}
	err_set(error, POLY_ERR_LOSS,
		poly_present(batch, POLY_COLUMN_origin, row) ? batch->origin[row]
							     : POLY_NO_OFFSET,
		"the record is of processor %u, and those before it were written without a "
		"processor; set tarmac.cpu=always",
		(unsigned)batch->cpu[row]);
	if (error)
		error->record = poly_batch_number(batch, row);
	return POLY_ERR_LOSS;
}

void
tarmac_append_cpu(struct writing *writing, struct line_buffer *line,
	const struct poly_batch *batch, size_t row)
{
	const struct qemu4v_writer *writer = writing->state;
	const bool numbered = poly_present(batch, POLY_COLUMN_cpu, row);
	if (poly_present(batch, POLY_COLUMN_cpu_name, row))
		writing_note(writing, "names of processors were dropped");
	if (writer->cpus != TARMAC_CPUS_EVERY)
		return;
	if (!numbered && POLY_HAS(writing->source->columns, cpu))
		writing_note(
			writing, "records without a processor were written with processor 0");
	append_text(line, " cpu", 4);
	append_decimal(line, numbered ? batch->cpu[row] : 0);
}

uint64_t
tarmac_time(struct writing *writing, uint64_t time)
{
	const struct qemu4v_writer *writer = writing->state;
	if (!writer->converts || (writer->time_factor == 1 && writer->time_divisor == 1))
		return time;
	writing_no_cache(writing);
	if (time % writer->time_divisor || time > UINT64_MAX / writer->time_factor)
		writing_note(writing, "times were rounded to the unit that Tarmac has");
	return time > UINT64_MAX / writer->time_factor
		       ? UINT64_MAX
		       : time * writer->time_factor / writer->time_divisor;
}

const char *
tarmac_iset(struct writing *writing, const char *iset)
{
	static const char *const known[] = {"A", "T", "O", "T16", "T32", NULL};
	const struct qemu4v_writer *writer = writing->state;
	if (is_among(iset, known))
		return iset;
	if (iset[0])
		writing_note(writing, "instruction sets that Tarmac does not have were "
				      "replaced");
	if (writer->machine == IN_AARCH64)
		return "O";
	return writer->machine == IN_ARM && strcmp(writing->source->isa, "arm") != 0 ? "T"
										     : "A";
}

/* Parses a number from 0 to last without leading zeros, at the end of a name. */
static bool
is_number(const char *text, unsigned last)
{
	unsigned number = 0;
	size_t n = 0;
	for (; text[n] >= '0' && text[n] <= '9' && n < 3; n++)
		number = 10 * number + (unsigned)(text[n] - '0');
	return n && !text[n] && number <= last && (n == 1 || text[0] != '0');
}

/* Splits the bank off a name: r13_svc, r13 (svc); false if it is not a bank. */
static bool
cut_bank(char *name)
{
	const size_t at = strcspn(name, "_ "), n = strlen(name);
	char bank[4] = "";
	if (!name[at])
		return true;
	const bool bracketed = name[at] == ' ';
	const size_t begin = at + (bracketed ? 2 : 1);
	if (n != begin + 3 + bracketed ||
		(bracketed && (name[at + 1] != '(' || name[n - 1] != ')')))
		return false;
	memcpy(bank, name + begin, 3);
	name[at] = 0;
	return is_among(bank, banks);
}

/* Returns the digits of a register of the tables and sets its spelling; 0: none. */
static unsigned
find_known(const struct qemu4v_writer *writer, const char *folded, char *written)
{
	char base[TARMAC_NAME_MAX];
	memcpy(base, folded, strlen(folded) + 1);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		if (folded[0] != families[i].letter ||
			!(writer->machine & families[i].machines) ||
			!is_number(folded + 1, families[i].last))
			continue;
		written[0] = families[i].upper ? (char)(folded[0] - 'a' + 'A') : folded[0];
		memcpy(written + 1, folded + 1, strlen(folded + 1) + 1);
		return families[i].digits;
	}
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		if ((writer->machine & named[i].machines) &&
			strcmp(folded, named[i].name) == 0) {
			memcpy(written, named[i].written, strlen(named[i].written) + 1);
			return named[i].digits;
		}
	}
	/* Registers of a mode are those of a 32-bit processor. */
	if (!(writer->machine & (IN_ARM | IN_UNKNOWN)) || !cut_bank(base) ||
		!((base[0] == 'r' && is_number(base + 1, 14)) || strcmp(base, "spsr") == 0))
		return 0;
	memcpy(written, folded, strlen(folded) + 1);
	return 8;
}

/*
 * True for a name that Arm's tools skip: a register of the processor that they do not have.
 * They would read a letter of a family, or a system operation, in another way.
 */
static bool
is_skipped(const char *folded)
{
	static const char *const operations[] = {"dc", "ic", "at", "tlbi", NULL};
	const size_t letters = strspn(folded, "abcdefghijklmnopqrstuvwxyz");
	const size_t n = strspn(folded, "abcdefghijklmnopqrstuvwxyz0123456789_");
	return !folded[n] && letters > 1 && !strchr("xw", folded[0]) &&
	       strcmp(folded, "sp") != 0 && !is_among(folded, operations);
}

/* True if the value of a register can be written with its digits. */
static bool
fits(const struct qemu4v_writer *writer, const struct row_content *content, unsigned digits)
{
	const bool same = 2 * content->size == digits;
	if (content->bytes.length)
		return same;
	if (digits < 16 && content->value >> 4 * digits)
		return false;
	/* Another processor's register of this name would have another size. */
	return same || content->guessed || writer->machine != IN_UNKNOWN;
}

bool
tarmac_find_register(const struct qemu4v_writer *writer, const char *name,
	const struct row_content *content, struct tarmac_register *found)
{
	char folded[TARMAC_NAME_MAX];
	const size_t n = strlen(name);
	if (n == 0 || n >= sizeof folded)
		return false;
	for (size_t i = 0; i <= n; i++)
		folded[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a'
								    : name[i]);
	found->digits = find_known(writer, folded, found->name);
	if (found->digits)
		return fits(writer, content, found->digits);
	if (!(writer->machine & (IN_ARM | IN_AARCH64)) || !is_skipped(folded) ||
		content->size > 16)
		return false;
	memcpy(found->name, name, n + 1);
	found->digits = 2 * (unsigned)content->size;
	return true;
}

unsigned
tarmac_access_size(uint64_t size)
{
	static const uint8_t sizes[] = {16, 8, 4, 3, 2, 1};
	for (size_t i = 0; i < sizeof sizes; i++) {
		/* Three bytes are one access only at the end. */
		if (size == sizes[i] || (size > sizes[i] && sizes[i] != 3))
			return sizes[i];
	}
	return 0;
}

/* Parses a word of hexadecimal digits, and the blanks after it. */
static bool
parse_digits(const char **p, const char *end, uint64_t *value)
{
	const char *word = *p;
	while (*p<end &&* * p> ' ')
		++*p;
	const bool valid = num_parse_hex(word, (size_t)(*p - word), value);
	while (*p < end && **p == ' ')
		++*p;
	return valid;
}

bool
tarmac_parse_event(const struct qemu4v_word *text, struct tarmac_event *event)
{
	const char *p = (const char *)text->text, *end = p + text->length;
	if (!parse_digits(&p, end, &event->address) || !parse_digits(&p, end, &event->number) ||
		event->number > UINT32_MAX || p == end || end - p > TARMAC_EVENT_MAX)
		return false;
	event->name = (struct qemu4v_word){(const uint8_t *)p, (size_t)(end - p)};
	return true;
}
