/* SPDX-License-Identifier: MIT */
/* A program without a library, whose instructions are the same everywhere; recorded by tests.
 */
static unsigned table[64];
static unsigned char text[32] = "loads, stores and modifies";

static unsigned
mix(unsigned n)
{
	return n < 2 ? n : mix(n - 1) + mix(n - 2) + table[n];
}

/* Ends the program by a system call of the processor. */
static void
leave(unsigned status)
{
#if defined __x86_64__
	__asm__ volatile("syscall" ::"a"(60), "D"(status) : "rcx", "r11", "memory");
#elif defined __i386__
	__asm__ volatile("int $128" ::"a"(1), "b"(status) : "memory");
#elif defined __powerpc__
	register unsigned number __asm__("r0") = 1, result __asm__("r3") = status;
	__asm__ volatile("sc" ::"r"(number), "r"(result) : "memory");
#elif defined __aarch64__
	register unsigned long number __asm__("x8") = 93, result __asm__("x0") = status;
	__asm__ volatile("svc 0" ::"r"(number), "r"(result) : "memory");
#elif defined __arm__
	register unsigned number __asm__("r7") = 1, result __asm__("r0") = status;
	__asm__ volatile("svc 0" ::"r"(number), "r"(result) : "memory");
#elif defined __riscv
	register unsigned long number __asm__("a7") = 93, result __asm__("a0") = status;
	__asm__ volatile("ecall" ::"r"(number), "r"(result) : "memory");
#elif defined __mips__
	register unsigned number __asm__("$2") = 4001, result __asm__("$4") = status;
	__asm__ volatile("syscall" ::"r"(number), "r"(result) : "memory");
#elif defined __s390x__
	register unsigned long number __asm__("1") = 1, result __asm__("2") = status;
	__asm__ volatile("svc 0" ::"d"(number), "d"(result) : "memory");
#endif
}

void
_start(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 64; i++)
		table[i] += i;
	for (unsigned i = 0; text[i]; i++)
		sum += text[i] & 15;
	sum += mix(8);
	leave(sum & 63);
	__builtin_unreachable();
}
