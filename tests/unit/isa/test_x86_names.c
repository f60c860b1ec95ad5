/* SPDX-License-Identifier: MIT */
/* Classes of x86 instructions by name, of names in the Intel SDM's volume 2. */
#include "isa/x86_names.h"
#include "test_help.h"

#include <ctype.h>

static void
names_have_their_classes(void **state)
{
	(void)state;
	static const struct {
		enum isa_class cls;
		const char *names;
	} cases[] = {
		{ISA_FLOAT,
			"ADDSD ADDSS VADDSD MULSS DIVSD SQRTSD MINSS MAXSD UCOMISD COMISS "
			"CMPLTSD "
			"CVTSI2SD CVTSD2SI CVTTSS2SI CVTSD2SS VCVTSI2SS VCVTTSD2USI ROUNDSD "
			"MOVSD "
			"MOVSS VFMADD213SD VFNMADD231SS VADDSH FLD FST FADD FMULP FDIVRP FXCH "
			"FUCOMIP FCMOVBE F2XM1 FYL2X FWAIT"},
		{ISA_VECTOR,
			"ADDPS ADDPD VADDPD MULPS MOVAPS MOVUPD MOVHLPS ANDPS XORPD SHUFPS "
			"UNPCKLPD CVTDQ2PS CVTPS2PD CVTTPS2DQ CVTPD2DQ VFMADD132PS VADDPH "
			"PADDB "
			"PXOR PUNPCKLDQ PCMPEQB PSHUFD PMOVMSKB MOVD MOVQ MOVDQA MOVDQU "
			"MOVNTDQ "
			"LDDQU MPSADBW AESENC SHA1MSG1 PCLMULQDQ VPBROADCASTB VEXTRACTI128 "
			"VINSERTF128 VPERMQ VZEROUPPER VMOVDQU64 VGATHERDPS VTESTPS KMOVD "
			"KORTESTQ "
			"EXTRACTPS INSERTPS EMMS MOVDDUP MULPD_IMM"},
		{ISA_UNKNOWN,
			"ADD SUB MOV LEA PUSH PUSHFQ POP POPCNT PAUSE PDEP PEXT PREFETCHT0 "
			"STOSD LODSD SCASD LSS SHL SHR SHLD SAR IMUL JMP CALL RET NOP CPUID "
			"XGETBV VERR VMCALL FXSAVE VLDMXCSR LDMXCSR LFENCE SET CMOV BT TZCNT "
			"ADD_IMM PUSH_IMM POP_REG KILL SAVE_PC ZEXT_BYTE_TO_DWORD"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char names[1200];
		snprintf(names, sizeof names, "%s", cases[i].names);
		assert_int_equal(strlen(names), strlen(cases[i].names));
		for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
			if (x86_class_of_name(name) != cases[i].cls)
				fail_msg("%s is %s", name,
					isa_class_name(x86_class_of_name(name)));
		}
	}
}

/* Names that objdump prints of instructions with vector or x87 registers. */
static void
names_of_compiled_programs_are_of_floats_or_vectors(void **state)
{
	(void)state;
	const char *objdump =
		"objdump -d -M intel --no-show-raw-insn /lib/x86_64-linux-gnu/libm.so.6 "
		"2>/dev/null | grep -E '[xyz]mm[0-9]|st\\(|mm[0-7]' | cut -f 2 | "
		"cut -d ' ' -f 1 | sort -u";
	char name[64];
	unsigned count = 0;
	FILE *names = popen(objdump, "r");
	assert_non_null(names);
	while (fscanf(names, "%63s", name) == 1) {
		for (char *c = name; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		if (strcmp(name, "REX") == 0 || strcmp(name, "DATA16") == 0)
			continue;
		count++;
		if (x86_class_of_name(name) == ISA_UNKNOWN)
			fail_msg("%s has no class", name);
	}
	pclose(names);
	if (count < 20)
		skip();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_their_classes),
		cmocka_unit_test(names_of_compiled_programs_are_of_floats_or_vectors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
