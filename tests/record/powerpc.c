/* SPDX-License-Identifier: MIT */
/* The instructions of PowerPC whose accesses the emulator does not report; recorded by tests. */
#include <stdint.h>
#include <stdio.h>

static uint32_t words[64] __attribute__((aligned(128)));

int
main(void)
{
	register uint32_t *p __asm__("r9") = words;
	register uint32_t i __asm__("r10") = 64;
	uint32_t zero = 0;
	__asm__ volatile("dcbz %0, %1\n\tdcbf %0, %1\n\tdcbst 0, %0\n\tdcbt %0, %1\n\t"
			 "dcbtst 0, %0\n\ticbi %0, %1" ::"b"(p), "r"(i) : "memory");
	/* Multiples end with r31, which the compiler uses. */
	__asm__ volatile("mr 14, 29\n\tmr 15, 30\n\tmr 16, 31\n\tstmw 29, 12(%0)\n\t"
			 "lmw 29, 12(%0)\n\tmr 29, 14\n\tmr 30, 15\n\tmr 31, 16" ::"b"(p)
			 : "memory", "r14", "r15", "r16");
	__asm__ volatile("stswi 20, %0, 7" ::"b"(p) : "memory");
	__asm__ volatile("lswi 20, %0, 10" ::"b"(p) : "memory", "r20", "r21", "r22");
	__asm__ volatile("mtxer %2\n\tstswx 20, %0, %1" ::"b"(p), "r"(i), "r"(6)
			 : "memory", "xer");
	__asm__ volatile("mtxer %2\n\tlswx 20, %0, %1" ::"b"(p), "r"(i), "r"(5)
			 : "memory", "r20", "r21", "xer");
	/* The second one has no reservation and fails. */
	__asm__ volatile("lwarx %0, 0, %1\n\tstwcx. %0, 0, %1\n\tstwcx. %0, 0, %1"
			 : "=&r"(zero)
			 : "r"(p)
			 : "memory", "cr0");
	printf("%u %p\n", zero, (void *)words);
	return 0;
}
