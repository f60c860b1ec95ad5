/* SPDX-License-Identifier: MIT */
/*
 * Register dumps of -d cpu, of each target.
 *
 * spec: "Text and event logs", section 1.4.
 */
#include "format/qemu_log/qemu_log.h"

#include "base/num.h"

#include <stdio.h>
#include <string.h>

/* How the lines of a target look. */
struct target_lines {
	const char *first; /* the beginning of the first line */
	const char *inner; /* a text within the first line, which others than QEMU print
			      differently */
	const char *lines; /* the beginnings of all lines, each before a bar */
	const char *names; /* of the registers as logs have them, each before a blank */
	const char *known; /* their names in the instruction set, in the same order */
	const char *last;  /* the beginning of the last line that all dumps have */
};

#define NAMES_ARM "R00 R01 R02 R03 R04 R05 R06 R07 R08 R09 R10 R11 R12 R13 R14 PSR "
#define TO_31(p)                                                                          \
	p "0 " p "1 " p "2 " p "3 " p "4 " p "5 " p "6 " p "7 " p "8 " p "9 " p "10 " p   \
	  "11 " p "12 " p "13 " p "14 " p "15 " p "16 " p "17 " p "18 " p "19 " p "20 " p \
	  "21 " p "22 " p "23 " p "24 " p "25 " p "26 " p "27 " p "28 " p "29 " p "30 " p \
	  "31 "
#define NAMES_PPC TO_31("r") TO_31("f") "MSR CR LR CTR XER FPSCR "
#define NAMES_RISCV                                                                           \
	"ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 " \
	"t3 t4 t5 t6 ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 "    \
	"fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11 "
#define NAMES_MIPS                                                                          \
	"at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 " \
	"gp sp s8 ra LO HI "
#define NAMES_X86_64 "RAX RBX RCX RDX RSI RDI RBP RSP R8 R9 R10 R11 R12 R13 R14 R15 RFL "
#define NAMES_AARCH64                                                                          \
	"X00 X01 X02 X03 X04 X05 X06 X07 X08 X09 X10 X11 X12 X13 X14 X15 X16 X17 X18 X19 X20 " \
	"X21 X22 X23 X24 X25 X26 X27 X28 X29 X30 SP PSTATE "
#define LINES_X86                                                                           \
	"ES =|CS =|SS =|DS =|FS =|GS =|LDT=|TR =|GDT=|IDT=|CR0=|DR0=|DR6=|CCS=|EFER=|FCW=|" \
	"FPR|XMM|YMM|ZMM|Opmask|"

static const struct target_lines targets[LOG_TARGETS] = {
	[LOG_X86_64] = {.first = "RAX=",
		.inner = " RBX=",
		.lines = "RAX=|RSI=|R8 =|R12=|RIP=|" LINES_X86,
		.names = NAMES_X86_64,
		.known =
			"rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rflags ",
		.last = "EFER="},
	[LOG_I386] = {.first = "EAX=",
		.inner = " EBX=",
		.lines = "EAX=|ESI=|EIP=|" LINES_X86,
		.names = "EAX EBX ECX EDX ESI EDI EBP ESP EFL ",
		.known = "eax ebx ecx edx esi edi ebp esp eflags ",
		.last = "EFER="},
	[LOG_ARM] = {.first = "R00=",
		.inner = " R01=",
		.lines = "R00=|R04=|R08=|R12=|PSR=|XPSR=|s0|s1|s2|s3|s4|s5|s6|d0|FPSCR|",
		.names = NAMES_ARM,
		.known = "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr cpsr ",
		.last = "PSR="},
	[LOG_AARCH64] = {.first = " PC=",
		.inner = " X00=",
		.lines = " PC=|X0|X1|X2|X30|PSTATE=|P0|P1|FFR|Z|Q|   [|     |",
		.names = NAMES_AARCH64,
		.known = "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 "
			 "x19 x20 x21 "
			 "x22 x23 x24 x25 x26 x27 x28 x29 x30 sp nzcv ",
		.last = "PSTATE="},
	[LOG_PPC] = {.first = "NIP ",
		.inner = " LR ",
		.lines = "NIP |MSR |TB |GPR|CR |FPR|FPSCR|VR|SRR|SPRG| SRR|",
		.names = NAMES_PPC,
		.known = TO_31("r") TO_31("f") "msr cr lr ctr xer fpscr ",
		.last = "CR "},
	[LOG_RISCV] = {.first = " pc ",
		.inner = "",
		.lines = " pc | x| f| V| mh| ms| mt| me| mc| v",
		.names = NAMES_RISCV,
		.known = NAMES_RISCV,
		.last = " x28"},
	[LOG_MIPS] = {.first = "pc=0x",
		.inner = " HI=0x",
		.lines = "pc=0x|GPR|CP0 |    C|CP1 |FPR|f",
		.names = NAMES_MIPS,
		.known = "at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 "
			 "t8 t9 k0 "
			 "k1 gp sp fp ra lo hi ",
		.last = "GPR28"},
	[LOG_S390X] = {.first = "PSW=",
		.inner = " addr ",
		.lines = "PSW=|R0|R1|C0|C1|F0|F1|V|",
		.names = "R00 R01 R02 R03 R04 R05 R06 R07 R08 R09 R10 R11 R12 R13 R14 R15 ",
		.known = "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 ",
		.last = "R12="},
};

/* Returns the n-th name of a list, of *size bytes; NULL: there are fewer. */
static const char *
name_at(const char *list, unsigned n, size_t *size)
{
	while (n-- && *list)
		list += strcspn(list, " ") + 1;
	*size = strcspn(list, " ");
	return *list ? list : NULL;
}

/* Returns the number of a name in a list; QEMU_LOG_REGISTERS: it has none. */
static unsigned
number_of(const char *list, const char *name, size_t n)
{
	unsigned number = 0;
	for (; *list; list += strcspn(list, " ") + 1, number++) {
		if (strcspn(list, " ") == n && memcmp(list, name, n) == 0)
			return number;
	}
	return QEMU_LOG_REGISTERS;
}

/* Whether a line contains a text. */
static bool
contains(const struct log_line *line, const char *text)
{
	const size_t n = strlen(text);
	for (size_t at = 0; at + n <= line->size; at++) {
		if (memcmp(line->text + at, text, n) == 0)
			return true;
	}
	return false;
}

enum log_target
log_dump_begins(const struct log_line *line)
{
	for (unsigned i = LOG_X86_64; i < LOG_TARGETS; i++) {
		if (log_begins(line, targets[i].first) && contains(line, targets[i].inner))
			return (enum log_target)i;
	}
	return LOG_UNKNOWN;
}

static bool
is_line_of(const struct target_lines *target, const struct log_line *line)
{
	for (const char *each = target->lines; *each; each += *each == '|') {
		const size_t n = strcspn(each, "|");
		if (line->size >= n && memcmp(line->text, each, n) == 0)
			return true;
		each += n;
	}
	return false;
}

static void
set_value(struct log_dump *dump, unsigned number, uint64_t value, size_t digits)
{
	if (number >= QEMU_LOG_REGISTERS)
		return;
	dump->set[number / 64] |= (uint64_t)1 << number % 64;
	dump->value[number] = value;
	dump->size[number] = (uint8_t)(digits / 2);
}

/* Stores the number that a name has. */
static void
add_pair(struct log_dump *dump, const char *name, size_t size, uint64_t value, size_t digits)
{
	static const char *const pcs[LOG_TARGETS] = {
		"", "RIP", "EIP", "R15", "PC", "NIP", "pc", "pc", ""};
	const char *pc = pcs[dump->target];
	if (size == strlen(pc) && size && memcmp(name, pc, size) == 0) {
		dump->has_pc = true;
		dump->pc = value;
		dump->pc_digits = (unsigned)digits;
		return;
	}
	set_value(dump, number_of(targets[dump->target].names, name, size), value, digits);
}

/* Returns the digits of a number at the front, and its value; 0: there is none, or a longer
 * one. */
static size_t
parse_number(const char *p, const char *end, uint64_t *value)
{
	size_t n = 0;
	while (p + n < end && num_hex_digit(p[n]) >= 0)
		n++;
	return n && n <= 16 && num_parse_hex(p, n, value) ? n : 0;
}

static bool
is_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Adds pairs of a name, which blanks may follow, '=', and a number. */
static void
add_equations(struct log_dump *dump, const struct log_line *line)
{
	const char *end = line->text + line->size, *name = NULL;
	size_t size = 0;
	for (const char *p = line->text; p < end;) {
		if (is_name(*p)) {
			name = p;
			while (p < end && is_name(*p))
				p++;
			size = (size_t)(p - name);
		} else if (*p == '=' && name) {
			uint64_t value;
			p += end - p > 2 && p[1] == '0' && p[2] == 'x' ? 3 : 1;
			const size_t n = parse_number(p, end, &value);
			if (n)
				add_pair(dump, name, size, value, n);
			p += n;
			name = NULL;
		} else {
			p++;
		}
	}
}

/* Adds pairs of a name and a number, with blanks between them: other words are
 * skipped. A name may have another one and a slash before it. */
static void
add_words(struct log_dump *dump, const struct log_line *line)
{
	const char *end = line->text + line->size, *name = NULL;
	size_t size = 0;
	for (const char *p = line->text; p < end;) {
		const char *word = p;
		uint64_t value;
		while (p < end && *p != ' ')
			p++;
		const size_t n = (size_t)(p - word);
		if (name && n >= 8 && parse_number(word, p, &value) == n) {
			add_pair(dump, name, size, value, n);
			name = NULL;
		} else if (n) {
			const char *slash = memchr(word, '/', n);
			name = slash ? slash + 1 : word;
			size = (size_t)(p - name);
		}
		p += p < end;
	}
}

/* Adds the registers of a line with the number of the first one: GPR04 and four values. */
static void
add_row(struct log_dump *dump, const struct log_line *line, unsigned first)
{
	const char *end = line->text + line->size, *p = line->text + 5;
	uint64_t value;
	uint64_t number;
	if (line->size < 6 || !num_parse(line->text + 3, 2, &number) || number > 28)
		return;
	for (unsigned i = 0; i < 4 && p < end && *p == ' '; i++) {
		const size_t n = parse_number(++p, end, &value);
		/* General registers have 16 digits on processors of 32 bits, too. */
		const size_t digits = first == 0 && dump->pc_digits == 8 ? 8 : n;
		if (n)
			set_value(dump, first + (unsigned)number + i,
				digits == 8 ? (uint32_t)value : value, digits);
		p += n;
	}
}

static void
add_ppc(struct log_dump *dump, const struct log_line *line)
{
	if (log_begins(line, "GPR"))
		add_row(dump, line, 0);
	else if (log_begins(line, "FPR"))
		add_row(dump, line, 32);
	else
		add_words(dump, line);
	const char *cpu = line->size > 5 && log_begins(line, "NIP")
				  ? memchr(line->text, '#', line->size)
				  : NULL;
	uint64_t number;
	if (!cpu)
		return;
	dump->has_cpu =
		num_parse(cpu + 1, (size_t)(line->text + line->size - cpu - 1), &number);
	dump->cpu = dump->has_cpu ? (uint32_t)number : 0;
}

/* PSW=mask MASK addr ADDRESS cc CC */
static void
add_psw(struct log_dump *dump, const struct log_line *line)
{
	const char *end = line->text + line->size, *p = line->text;
	for (; p + 5 < end; p++) {
		if (memcmp(p, "addr ", 5) != 0)
			continue;
		const size_t n = parse_number(p + 5, end, &dump->pc);
		dump->has_pc = n;
		dump->pc_digits = (unsigned)n;
		return;
	}
}

bool
log_dump_line(struct log_dump *dump, const struct log_line *line)
{
	if (!is_line_of(&targets[dump->target], line))
		return false;
	const bool is_mips = dump->target == LOG_MIPS, is_s390 = dump->target == LOG_S390X;
	if (dump->target == LOG_PPC)
		add_ppc(dump, line);
	else if (dump->target == LOG_RISCV || (is_mips && log_begins(line, "GPR")))
		add_words(dump, line);
	else if (is_s390 && log_begins(line, "PSW="))
		add_psw(dump, line);
	else if (is_mips ? log_begins(line, "pc=") : !is_s390 || *line->text == 'R')
		add_equations(dump, line);
	dump->is_complete |= log_begins(line, targets[dump->target].last);
	return true;
}

void
log_dump_end(struct log_dump *dump)
{
	enum { NZCV = 32 };
	if (dump->target == LOG_AARCH64) {
		dump->value[NZCV] &= 0xf0000000;
		dump->size[NZCV] = 4;
	}
}

bool
log_register_name(enum log_target target, unsigned number, char name[16])
{
	size_t n;
	const char *known = name_at(targets[target].known, number, &n);
	if (known)
		snprintf(name, 16, "%.*s", (int)n, known);
	return known;
}
