/* SPDX-License-Identifier: MIT */
/*
 * Classes of x86 names. Intel's names end in the type of their operands: SS, SD and SH are
 * scalars, PS, PD and PH packed ones; integers in vectors begin with P.
 *
 * spec: Intel SDM volume 1, 8.3 (x87), 9.4 (MMX), 10.4, 11.4 and 12 (SSE), 14 (AVX, FMA), 15
 * (AVX-512); volume 2 for the names.
 */
#include "isa/x86_names.h"

#include "isa/mnemonic.h"

#include <string.h>

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool
ends(const char *text, const char *with)
{
	const size_t n = strlen(text), length = strlen(with);
	return n > length && strcmp(text + n - length, with) == 0;
}

/* Names that look like those of vectors or scalars, and are of neither. */
static bool
is_excluded(const char *name)
{
	return mnemonic_is_among(
		" LODSD STOSD SCASD INSD OUTSD LSS PUSH PUSHA PUSHAD PUSHF PUSHFD "
		"PUSHFQ POP POPA POPAD POPF POPFD POPFQ POPCNT PAUSE PDEP PEXT "
		"PREFETCH PREFETCHW PREFETCHWT1 PREFETCHT0 PREFETCHT1 PREFETCHT2 "
		"PREFETCHNTA PTWRITE PCONFIG PBNDKB FXSAVE FXSAVE64 FXRSTOR "
		"FXRSTOR64 VERR VERW VMCALL VMCLEAR VMFUNC VMLAUNCH VMPTRLD "
		"VMPTRST VMREAD VMRESUME VMWRITE VMXOFF VMXON VLDMXCSR "
		"VSTMXCSR ",
		name);
}

/* Conversions and rounding between scalars, whose suffix is that of an integer. */
static bool
is_scalar_conversion(const char *name)
{
	return begins(name, "CVT") && (strstr(name, "SS2") || strstr(name, "SD2") ||
					      strstr(name, "SH2") || strstr(name, "SI2S"));
}

/* Vector instructions without a type at their end; has_prefix: of AVX. */
static bool
is_other_vector(const char *name, bool has_prefix)
{
	/* Integers in vectors, conversions, cryptography, moves of vectors, masks of AVX-512.
	 */
	static const char *const prefixes[] = {"P", "CVT", "AES", "SHA", "GF2P8", "MOVDQ",
		"MOVNTDQ", "MASKMOV", "EXTRACT", "INSERT", "KADD", "KAND", "KMOV", "KNOT",
		"KOR", "KSHIFT", "KTEST", "KUNPCK", "KXNOR", "KXOR"};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		if (begins(name, prefixes[i]))
			return true;
	}
	return has_prefix ||
	       mnemonic_is_among(
		       " MOVD MOVQ MOVQ2DQ MOVDDUP MOVSHDUP MOVSLDUP LDDQU MPSADBW EMMS ",
		       name);
}

enum isa_class
x86_class_of_name(const char *full_name)
{
	char name[MNEMONIC_SIZE];
	const size_t n = strcspn(full_name, "_");
	if (n >= sizeof name)
		return ISA_UNKNOWN;
	memcpy(name, full_name, n);
	name[n] = 0;
	/* AVX and FMA put V before the name; half precision exists there alone. */
	const bool has_prefix = name[0] == 'V';
	const char *base = name + has_prefix;
	if (is_excluded(name))
		return ISA_UNKNOWN;
	if (ends(base, "PS") || ends(base, "PD") || (has_prefix && ends(base, "PH")))
		return ISA_VECTOR;
	if (ends(base, "SS") || ends(base, "SD") || (has_prefix && ends(base, "SH")) ||
		is_scalar_conversion(base) || name[0] == 'F')
		return ISA_FLOAT;
	return is_other_vector(base, has_prefix) ? ISA_VECTOR : ISA_UNKNOWN;
}
