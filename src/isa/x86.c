/* SPDX-License-Identifier: MIT */
/*
 * x86: registers, accesses, flow and class from the library's operands, with corrections of
 * what Capstone 4.0.2 states wrongly.
 *
 * spec: Intel SDM volumes 1 (chapters 3, 8) and 2.
 */
#include "isa/x86.h"

#include "isa/mnemonic.h"

#include <string.h>

#define BIT(number) ((uint64_t)1 << (number))
#define RAX BIT(X86_RAX)
#define RCX BIT(X86_RCX)
#define RDX BIT(X86_RDX)
#define RBX BIT(X86_RBX)
#define RSP BIT(X86_RSP)
#define RBP BIT(X86_RBP)
#define RDI BIT(X86_RDI)
#define R11 BIT(X86_R11)
#define FLAGS BIT(X86_FLAGS)
#define MXCSR BIT(X86_MXCSR)
#define ROUNDING BIT(X86_ROUNDING)
#define CONTROL BIT(X86_CONTROL)

/* An instruction with the state of its description. */
struct x86 {
	enum capstone_mode mode;
	const struct capstone_instruction *decoded;
	struct isa_instruction *described;
	const char *name;  /* mnemonic without prefixes */
	bool has_operand_size; /* prefix 66 */
	bool has_wide;	       /* REX.W */
	bool is_locked, repeats;
};

/* What a line of the table of corrections changes. */
enum x86_change {
	NO_CHANGE = 0,
	ADDRESS_ONLY = 1, /* the memory operand is not an access */
	READS_MEMORY = 2,
	WRITES_MEMORY = 4,
	READS_FIRST = 8,    /* the first operand is read, too */
	NO_SIZE = 16,	    /* the size of the access depends on more than the encoding */
	NO_ACCESSES = 32,   /* accesses cannot be expressed */
	NO_OPERANDS = 64,   /* operands are not read */
	KEEPS_FIRST = 128,  /* the first operand is not written */
	WRITES_MASK = 256,  /* mask registers, the last operand of AVX2, are written, too */
};

struct x86_correction {
	const char *names;	/* with blanks around each */
	unsigned changes;	/* bits of enum x86_change */
	uint64_t reads, writes; /* further registers, by bit */
};

/* The faults of Capstone 4.0.2, with their corrections. A prefix ends in '*'. */
static const struct x86_correction corrections[] = {
	/* Memory is read only, and nothing is written. */
	{.names = " cmpxchg ", .changes = READS_MEMORY | WRITES_MEMORY, .writes = RAX | FLAGS},
	{.names = " cmpxchg8b cmpxchg16b ", .changes = READS_MEMORY | WRITES_MEMORY},
	{.names = " rol ror ", .changes = READS_MEMORY | WRITES_MEMORY},
	{.names = " rcl rcr ", .changes = READS_MEMORY | WRITES_MEMORY, .reads = FLAGS},
	/* The carry is not read. */
	{.names = " cmc ", .reads = FLAGS},
	/* Some conditions store a byte as a read. */
	{.names = " set* ", .changes = WRITES_MEMORY},
	/* Flags are not written. */
	{.names = " xadd ", .writes = FLAGS},
	/* The first operand of an immediate test is written. */
	{.names = " test ", .changes = READS_MEMORY | KEEPS_FIRST},
	/* The destination is not read. */
	{.names = " adox ", .changes = READS_FIRST},
	/* Stores that are reads. */
	{.names = " movnti movbe movntq movntps movntpd movntdq ", .changes = NO_CHANGE},
	/* Addresses that are accesses. */
	{.names = " lea prefetch* clflush clflushopt clwb cldemote invlpg bndmk bndcl bndcu "
		  "bndcn ",
		.changes = ADDRESS_ONLY},
	{.names = " nop ud0 ud1 ud2b ", .changes = ADDRESS_ONLY | NO_OPERANDS},
	/* No registers. */
	{.names = " syscall ", .reads = FLAGS, .writes = RCX | R11},
	{.names = " sysret sysretq sysretd ", .reads = RCX | R11, .writes = FLAGS},
	{.names = " enter ", .reads = RSP | RBP, .writes = RSP | RBP},
	{.names = " retf retfq retfd ", .reads = RSP, .writes = RSP},
	{.names = " lcall ", .reads = RSP, .writes = RSP},
	{.names = " iret iretd iretq ", .reads = RSP, .writes = RSP | FLAGS},
	{.names = " xlatb ", .reads = RAX | RBX, .writes = RAX},
	{.names = " daa das aaa aas aam aad ", .reads = RAX | FLAGS, .writes = RAX | FLAGS},
	{.names = " salc ", .reads = FLAGS, .writes = RAX},
	{.names = " rdpmc ", .reads = RCX, .writes = RAX | RDX},
	{.names = " xsetbv ", .reads = RAX | RCX | RDX, .writes = CONTROL},
	{.names = " wrmsr lgdt lidt lldt ltr lmsw clts ", .writes = CONTROL},
	{.names = " rdmsr ", .reads = CONTROL},
	{.names = " cli sti ", .writes = FLAGS},
	/* State of vector and x87 units: direction, size, registers. */
	{.names = " stmxcsr vstmxcsr ", .changes = WRITES_MEMORY, .reads = MXCSR},
	{.names = " ldmxcsr vldmxcsr ", .changes = READS_MEMORY, .writes = MXCSR},
	{.names = " fnstcw ", .changes = WRITES_MEMORY, .reads = ROUNDING},
	{.names = " fldcw ", .changes = READS_MEMORY, .writes = ROUNDING},
	{.names = " xsave* fxsave* ",
		.changes = WRITES_MEMORY | NO_SIZE,
		.reads = MXCSR | ROUNDING},
	{.names = " xrstor* fxrstor* ",
		.changes = READS_MEMORY | NO_SIZE,
		.writes = MXCSR | ROUNDING},
	{.names = " fnsave fnstenv ", .changes = WRITES_MEMORY | NO_SIZE, .reads = ROUNDING},
	{.names = " frstor fldenv ", .changes = READS_MEMORY | NO_SIZE, .writes = ROUNDING},
	/* Masked and scattered elements: the mask of a gather is written. */
	{.names = " vpgather* vgather* ", .changes = READS_FIRST | NO_ACCESSES | WRITES_MASK},
	{.names = " vpscatter* vscatter* ", .changes = NO_ACCESSES | WRITES_MASK},
	{.names = " vmaskmovps vmaskmovpd vpmaskmovd vpmaskmovq ", .changes = NO_SIZE},
	/* The descriptors of tables have 6 or 10 bytes. */
	{.names = " sgdt sidt ", .changes = WRITES_MEMORY | NO_SIZE},
	{.names = " lds les lfs lgs lss ", .changes = READS_MEMORY | NO_SIZE},
};

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether a name is in a list with blanks around each; "abc*" stands for all names that
 * begin so. */
static bool
is_listed(const char *list, const char *name)
{
	if (mnemonic_is_among(list, name))
		return true;
	for (const char *star = strchr(list, '*'); star; star = strchr(star + 1, '*')) {
		const char *word = star;
		while (word[-1] != ' ')
			word--;
		if (strncmp(word, name, (size_t)(star - word)) == 0)
			return true;
	}
	return false;
}

static const struct x86_correction *
find_correction(const char *name)
{
	static const struct x86_correction none = {.names = ""};
	for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++) {
		if (is_listed(corrections[i].names, name))
			return &corrections[i];
	}
	return &none;
}

static bool
is_x87(const char *name)
{
	return (name[0] == 'f' && !begins(name, "fx") && strcmp(name, "femms") != 0) ||
	       strcmp(name, "fxch") == 0 || strcmp(name, "fxam") == 0 ||
	       strcmp(name, "fxtract") == 0 || strcmp(name, "wait") == 0;
}

static bool
is_vector_number(unsigned number)
{
	return number >= X86_MASK && number < X86_REGISTER_COUNT;
}

/* Returns whether an instruction is of MMX, SSE or AVX. */
static bool
is_vector(const struct x86 *x86)
{
	if (mnemonic_is_among(" crc32 pause popcnt movnti ", x86->name))
		return false;
	if (x86->decoded->groups & CAPSTONE_VECTOR)
		return true;
	for (unsigned i = 0; i < x86->decoded->operand_count; i++) {
		const struct capstone_operand *operand = &x86->decoded->operand[i];
		if (operand->kind == CAPSTONE_REGISTER && is_vector_number(operand->number))
			return true;
	}
	return false;
}

/* Returns whether the first operand is memory to which the instruction stores a register, which
 * Capstone states as a read for most. */
static bool
is_vector_store(const struct x86 *x86)
{
	return x86->decoded->operand_count > 1 &&
	       x86->decoded->operand[0].kind == CAPSTONE_MEMORY &&
	       (is_vector(x86) || mnemonic_is_among(" movnti movbe ", x86->name));
}

static void
read_register(struct x86 *x86, unsigned number)
{
	registers_add(&x86->described->reads, number);
}

static void
write_register(struct x86 *x86, unsigned number)
{
	registers_add(&x86->described->writes, number);
}

/* Returns how an operand is accessed, corrected. */
static unsigned
direction_of(const struct x86 *x86, unsigned i, const struct x86_correction *correction)
{
	const struct capstone_operand *operand = &x86->decoded->operand[i];
	const bool is_memory = operand->kind == CAPSTONE_MEMORY;
	unsigned direction = operand->access;
	if (is_memory && correction->changes & (READS_MEMORY | WRITES_MEMORY))
		return (correction->changes & READS_MEMORY ? ISA_READS : 0u) |
		       (correction->changes & WRITES_MEMORY ? ISA_WRITES : 0u);
	if (is_memory && i == 0 && is_vector_store(x86))
		return ISA_WRITES;
	/* Of masked instructions, string input and output, and pop into a segment register the
	 * library states no access. */
	if (!direction)
		direction = (is_memory && begins(x86->name, "ins")) ||
					    begins(x86->name, "pop")
				    ? ISA_WRITES
				    : ISA_READS;
	if (i == 0 && correction->changes & READS_FIRST)
		direction |= ISA_READS;
	if (i == 0 && correction->changes & KEEPS_FIRST)
		direction = ISA_READS;
	return direction;
}

/* Adds an access to those of the description. */
static void
add_access(struct x86 *x86, const struct isa_access *access)
{
	struct isa_instruction *described = x86->described;
	if (described->access_count < ISA_ACCESSES_MAX)
		described->accesses[described->access_count++] = *access;
}

/* The library states vector registers as the index of some addresses of AVX-512. */
static unsigned
index_of(const struct x86 *x86, const struct capstone_operand *operand)
{
	const unsigned index = operand->index;
	const bool is_vector_index =
		strstr(x86->name, "gather") || strstr(x86->name, "scatter");
	if (index < X86_VECTOR || index == ISA_NO_REGISTER || is_vector_index)
		return index;
	return (index - X86_VECTOR) & 15;
}

/* Returns the bytes of a memory operand; 0: not known. */
static unsigned
size_of(const struct x86 *x86, const struct capstone_operand *operand,
	const struct x86_correction *correction)
{
	static const char *const singles = " comiss ucomiss vcomiss vucomiss ";
	static const char *const doubles = " comisd ucomisd vcomisd vucomisd ";
	/* The element of a repeated string instruction is accessed rcx times. */
	if (x86->repeats || correction->changes & NO_SIZE)
		return 0;
	/* The library states the size of the register. */
	if (mnemonic_is_among(singles, x86->name))
		return 4;
	if (strcmp(x86->name, "fnstsw") == 0)
		return 2;
	return mnemonic_is_among(doubles, x86->name) ? 8 : operand->size;
}

static void
describe_memory(struct x86 *x86, unsigned i, const struct x86_correction *correction)
{
	const struct capstone_operand *operand = &x86->decoded->operand[i];
	if (correction->changes & NO_OPERANDS)
		return;
	const unsigned index = index_of(x86, operand);
	read_register(x86, operand->number);
	read_register(x86, index);
	read_register(x86, operand->segment);
	if (correction->changes & (ADDRESS_ONLY | NO_ACCESSES))
		return;
	add_access(x86, &(struct isa_access){
				.direction = (uint8_t)direction_of(x86, i, correction),
				.base = operand->number,
				.index = (uint8_t)index,
				.scale = operand->scale,
				.size = size_of(x86, operand, correction),
				.displacement = operand->value,
			});
}

static void
describe_register(struct x86 *x86, unsigned i, const struct x86_correction *correction)
{
	const struct capstone_operand *operand = &x86->decoded->operand[i];
	const unsigned direction = direction_of(x86, i, correction);
	if (correction->changes & NO_OPERANDS)
		return;
	if (direction & ISA_READS)
		read_register(x86, operand->number);
	if (!(direction & ISA_WRITES))
		return;
	write_register(x86, operand->number);
	/* In 16-bit code 16 bits are the whole register. */
	if (operand->is_partial && (operand->size == 1 || x86->mode != CAPSTONE_X86_16))
		read_register(x86, operand->number);
}

/* The mask of a gather: of AVX2 the last operand, of AVX-512 a mask register. */
static void
write_masks(struct x86 *x86)
{
	const struct capstone_instruction *decoded = x86->decoded;
	for (unsigned i = 1; i < decoded->operand_count; i++) {
		const struct capstone_operand *operand = &decoded->operand[i];
		const bool is_mask =
			operand->number >= X86_MASK && operand->number < X86_MASK + 8;
		const bool is_last = i + 1u == decoded->operand_count && strstr(x86->name, "gather");
		if (operand->kind == CAPSTONE_REGISTER && (is_mask || is_last))
			write_register(x86, operand->number);
	}
}

/* Operands of x87: the library lists few of them, and stores as reads. */
static void
describe_x87(struct x86 *x86)
{
	static const char *const no_registers =
		" ffree ffreep fincstp fdecstp fnop fninit fnclex wait fldcw fnstcw fnstsw fnsave "
		"fnstenv frstor fldenv ";
	const char *name = x86->name;
	const struct capstone_operand *operand = x86->decoded->operand;
	const unsigned count = x86->decoded->operand_count, top = X86_X87;
	const bool is_register = count && operand->kind == CAPSTONE_REGISTER;
	const bool pops = name[strlen(name) - 1] == 'p';
	write_register(x86, X86_STATUS);
	if (strcmp(name, "fnstsw") == 0)
		read_register(x86, X86_STATUS);
	if (mnemonic_is_among(no_registers, name))
		return;
	if (strcmp(name, "fcompp") == 0 || strcmp(name, "fucompp") == 0 ||
		is_listed(" fpatan fyl2x* fprem* fscale ", name))
		read_register(x86, top + 1);
	if (is_listed(" fpatan fyl2x* ", name))
		write_register(x86, top + 1);
	/* Loads push: only their operand is read. */
	if (!is_listed(" fld* fild fbld ", name))
		read_register(x86, top);
	for (unsigned i = 0; i < count; i++) {
		if (operand[i].kind == CAPSTONE_REGISTER)
			read_register(x86, operand[i].number);
	}
	if (is_listed(" fcom* fucom* ficom* ftst fxam ", name))
		return;
	if (is_listed(" fst fstp fist* fbstp ", name)) {
		if (is_register)
			write_register(x86, operand->number);
	} else if (is_register && (count == 2 || pops) && !begins(name, "fcmov")) {
		write_register(x86, operand->number);
	} else {
		write_register(x86, top);
	}
	if (strcmp(name, "fxch") == 0) {
		write_register(x86, top);
		write_register(x86, operand[count > 1].number);
	}
}

/* Reduces the implicit registers of the library to those that are right. */
static void
describe_implicit(struct x86 *x86)
{
	struct isa_instruction *described = x86->described;
	described->reads = x86->decoded->reads;
	described->writes = x86->decoded->writes;
	registers_join(&described->reads, &x86->decoded->writes_part);
	registers_remove(&described->reads, X86_RIP); /* call reads it to store it */
	/* stosq counts without a prefix that repeats it. */
	if (strcmp(x86->name, "stosq") == 0 && !x86->repeats) {
		registers_remove(&described->reads, X86_RCX);
		registers_remove(&described->writes, X86_RCX);
	}
}

static void
describe_operands(struct x86 *x86)
{
	const struct x86_correction *correction = find_correction(x86->name);
	const bool is_float = is_x87(x86->name);
	struct x86_correction store = *correction;
	describe_implicit(x86);
	x86->described->reads.bits[0] |= correction->reads;
	x86->described->writes.bits[0] |= correction->writes;
	if (is_float) {
		describe_x87(x86);
		if (is_listed(" fst* fist* fbst* fnst* fnsave ", x86->name))
			store.changes |= WRITES_MEMORY;
		else
			store.changes |= READS_MEMORY;
	}
	for (unsigned i = 0; i < x86->decoded->operand_count; i++) {
		const unsigned kind = x86->decoded->operand[i].kind;
		if (kind == CAPSTONE_MEMORY)
			describe_memory(x86, i, &store);
		else if (kind == CAPSTONE_REGISTER && !is_float)
			describe_register(x86, i, &store);
	}
	if (is_float && strcmp(x86->name, "fnstsw") == 0 && x86->decoded->operand_count &&
		x86->decoded->operand[0].kind == CAPSTONE_REGISTER)
		write_register(x86, X86_RAX);
	if (correction->changes & WRITES_MASK)
		write_masks(x86);
	x86->described->has_registers = true;
	x86->described->has_accesses = !(correction->changes & NO_ACCESSES);
}

/* Bytes that a push or pop moves. */
static unsigned
slot_size(const struct x86 *x86)
{
	const bool is_near = x86->described->flow && x86->name[0] != 'l';
	const bool is_far = is_listed(" lcall retf retfd retfq ", x86->name);
	switch ((int)x86->mode) {
	case CAPSTONE_X86_16: return x86->has_operand_size ? 4 : 2;
	case CAPSTONE_X86: return x86->has_operand_size ? 2 : 4;
	default: break;
	}
	if (is_far)
		return x86->has_wide ? 8 : x86->has_operand_size ? 2 : 4;
	return x86->has_operand_size && !is_near ? 2 : 8;
}

/* Adds an access of n slots at an address relative to a register. */
static void
add_stack(struct x86 *x86, unsigned direction, unsigned base, unsigned n)
{
	const unsigned size = n * slot_size(x86);
	const bool is_below = direction == ISA_WRITES;
	add_access(x86,
		&(struct isa_access){.direction = (uint8_t)direction,
			.base = (uint8_t)base,
			.index = ISA_NO_REGISTER,
			.scale = 1,
			.size = size,
			.displacement = is_below ? -(int64_t)size : 0});
}

/* The accesses of the stack, which the library does not list. */
static void
describe_stack(struct x86 *x86)
{
	static const struct {
		const char *names;
		unsigned direction, base, slots; /* slots 0: unknown */
	} forms[] = {
		{" push pushf pushfd pushfq call enter ", ISA_WRITES, X86_RSP, 1},
		{" pushal pushaw ", ISA_WRITES, X86_RSP, 8},
		{" lcall ", ISA_WRITES, X86_RSP, 2},
		{" pop popf popfd popfq ret ", ISA_READS, X86_RSP, 1},
		{" popal popaw ", ISA_READS, X86_RSP, 8},
		{" retf retfd retfq ", ISA_READS, X86_RSP, 2},
		{" iret iretd iretq ", ISA_READS, X86_RSP, 0},
		{" leave ", ISA_READS, X86_RBP, 1},
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (mnemonic_is_among(forms[i].names, x86->name))
			add_stack(x86, forms[i].direction, forms[i].base, forms[i].slots);
	}
	/* The address of a pop to memory is computed after rsp was changed. */
	struct isa_access *operand = x86->described->accesses;
	if (strcmp(x86->name, "pop") == 0 && x86->described->access_count == 2 &&
		operand->base == X86_RSP)
		operand->displacement += slot_size(x86);
	/* Accesses that have no operand at all. */
	if (strcmp(x86->name, "xlatb") == 0)
		add_access(x86,
			&(struct isa_access){.direction = ISA_READS,
				.base = X86_RBX,
				.index = X86_RAX,
				.size = 1});
	if (is_listed(" maskmovdqu maskmovq vmaskmovdqu ", x86->name))
		add_access(x86,
			&(struct isa_access){.direction = ISA_WRITES,
				.base = X86_RDI,
				.index = ISA_NO_REGISTER,
				.scale = 1});
}

/* Sets the target of a branch relative to the pc, decoded at pc 0. */
static void
describe_target(struct x86 *x86)
{
	struct isa_instruction *described = x86->described;
	const struct capstone_operand *operand = x86->decoded->operand;
	const unsigned count = x86->decoded->operand_count;
	if (!count || operand[0].kind != CAPSTONE_IMMEDIATE) {
		described->flow |= ISA_INDIRECT;
		return;
	}
	const int64_t value = operand[count - 1].value;
	const bool is_narrow = (x86->mode == CAPSTONE_X86_16) != x86->has_operand_size;
	if (count == 2) {
		/* A far branch; segments of 16-bit code do not begin at 0. */
		if (x86->mode == CAPSTONE_X86)
			described->target_kind = ISA_TARGET_ABSOLUTE;
		described->target = x86->mode == CAPSTONE_X86 ? value : 0;
		return;
	}
	described->target_kind = ISA_TARGET_RELATIVE;
	described->target = x86->mode == CAPSTONE_X86_64 ? value
			    : is_narrow			 ? (int16_t)value
							 : (int32_t)value;
}

static void
describe_flow(struct x86 *x86)
{
	const char *name = x86->name;
	const unsigned groups = x86->decoded->groups;
	const bool is_loop = begins(name, "loop");
	if (begins(name, "xbegin") || begins(name, "iret") || begins(name, "sys"))
		return;
	if (groups & CAPSTONE_RETURNS) {
		x86->described->flow = ISA_JUMPS | ISA_INDIRECT | ISA_RETURNS;
		return;
	}
	if (groups & CAPSTONE_CALLS)
		x86->described->flow = ISA_JUMPS | ISA_CALLS;
	else if (groups & CAPSTONE_JUMPS || is_loop)
		x86->described->flow = ISA_JUMPS;
	else
		return;
	if (is_loop || (name[0] == 'j' && strcmp(name, "jmp") != 0))
		x86->described->flow |= ISA_CONDITIONAL;
	describe_target(x86);
}

/* Moves between registers and memory, and of memory to memory, which are stores. */
static bool
is_move(const struct x86 *x86)
{
	static const char *const moves =
		" mov* vmov* kmov* lddqu vlddqu maskmov* vmaskmov* vpmaskmov* vpgather* vgather* "
		"vpscatter* vscatter* push* pop popf popfd popfq popal popaw leave enter "
		"lodsb lodsw lodsd lodsq stosb stosw stosd stosq fld fst fstp ";
	return is_listed(moves, x86->name);
}

static bool
is_system(const struct x86 *x86)
{
	static const char *const names =
		" syscall sysenter sysexit* sysret* int int1 int3 into hlt ud0 ud1 ud2 ud2b iret "
		"iretd iretq in out insb insw insd outsb outsw outsd cli sti clts lgdt lidt lldt "
		"ltr lmsw sgdt sidt sldt smsw str verr verw lar lsl invpcid invlpg rdmsr wrmsr "
		"rdpmc rdtsc rdtscp cpuid xgetbv xsetbv xsave* xrstor* fxsave* fxrstor* ldmxcsr "
		"stmxcsr vldmxcsr vstmxcsr fldcw fnstcw fnsave fnstenv frstor fldenv fninit "
		"monitor mwait swapgs stac clac rdfsbase rdgsbase wrfsbase wrgsbase rdpkru wrpkru "
		"xbegin xend xabort rsm lds les lfs lgs lss ";
	if (is_listed(names, x86->name) || x86->decoded->groups & CAPSTONE_PRIVILEGED)
		return true;
	for (unsigned i = 0; i < x86->decoded->operand_count; i++) {
		const struct capstone_operand *operand = &x86->decoded->operand[i];
		if (operand->kind == CAPSTONE_REGISTER && operand->number >= X86_CONTROL &&
			operand->number < X86_SEGMENT + 6)
			return true;
	}
	return false;
}

/* Returns whether a vector instruction operates on one number of a register alone. */
static bool
is_scalar(const char *name)
{
	const size_t n = strlen(name);
	const char *last = n > 2 ? name + n - 2 : "";
	if (name[0] == 'p' || begins(name, "vp"))
		return false;
	return strcmp(last, "ss") == 0 || strcmp(last, "sd") == 0 || strstr(name, "ss2") ||
	       strstr(name, "sd2");
}

static bool
accesses_memory(const struct x86 *x86, enum isa_direction direction)
{
	const struct isa_instruction *described = x86->described;
	for (unsigned i = 0; i < described->access_count; i++) {
		if (described->accesses[i].direction & direction)
			return true;
	}
	return false;
}

static enum isa_class
class_of(const struct x86 *x86)
{
	static const char *const caches =
		" prefetch* clflush clflushopt clwb cldemote wbinvd wbnoinvd invd ";
	const char *name = x86->name;
	const bool writes = accesses_memory(x86, ISA_WRITES);
	if (is_listed(caches, name))
		return ISA_CACHE;
	if (x86->described->flow)
		return ISA_BRANCH;
	if (is_listed(" lfence mfence sfence ", name))
		return ISA_FENCE;
	if (is_system(x86))
		return ISA_SYSTEM;
	if (x86->is_locked || (writes && is_listed(" xchg cmpxchg* ", name)))
		return ISA_ATOMIC;
	if (is_move(x86) && begins(name, "vp") && strstr(name, "scatter"))
		return ISA_STORE;
	if (is_move(x86) && strstr(name, "gather"))
		return ISA_LOAD;
	if (is_move(x86) && x86->described->access_count)
		return writes ? ISA_STORE : ISA_LOAD;
	if (is_x87(name))
		return ISA_FLOAT;
	if (is_vector(x86))
		return is_scalar(name) ? ISA_FLOAT : ISA_VECTOR;
	if (is_listed(" mul imul mulx ", name))
		return ISA_MULTIPLY;
	return is_listed(" div idiv ", name) ? ISA_DIVIDE : ISA_INTEGER;
}

/* Notes the prefixes that change sizes. */
static void
read_prefixes(struct x86 *x86, const uint8_t *encoding)
{
	static const uint8_t prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
	const unsigned length = x86->decoded->length;
	unsigned i = 0;
	for (; i < length && memchr(prefixes, encoding[i], sizeof prefixes); i++)
		x86->has_operand_size |= encoding[i] == 0x66;
	if (i < length && x86->mode == CAPSTONE_X86_64 && (encoding[i] & 0xf0) == 0x40)
		x86->has_wide = encoding[i] & 8;
}

static void
describe(enum capstone_mode mode, const struct capstone_instruction *decoded,
	const uint8_t *encoding, struct isa_instruction *instruction)
{
	struct x86 x86 = {.mode = mode,
		.decoded = decoded,
		.described = instruction,
		.name = instruction->mnemonic,
		.is_locked = begins(decoded->mnemonic, "lock "),
		.repeats = begins(decoded->mnemonic, "rep")};
	read_prefixes(&x86, encoding);
	describe_flow(&x86);
	describe_operands(&x86);
	describe_stack(&x86);
	instruction->cls = (uint8_t)class_of(&x86);
}

const struct capstone_family capstone_x86 = {
	.numbering = x86_register_number,
	.register_name = x86_register_name,
	.describe = describe,
};
