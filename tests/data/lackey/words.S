# The program of words.lackey: adds up 32 words and adds 1 to two places of each (modifies).
# gcc -nostdlib -static -o words words.S
# valgrind --tool=lackey --trace-mem=yes --detailed-counts=yes ./words > words.lackey 2>&1
	.intel_syntax noprefix
	.globl _start
	.data
msg:	.ascii "sum of words\n"
	.align 16
table:	.fill 32, 8, 1
buf:	.fill 64, 1, 0
	.text

_start:
	lea rsi, table[rip]
	mov ecx, 32
	xor eax, eax
1:	add rax, [rsi]
	add qword ptr [rsi], 1
	inc byte ptr [rsi+1]
	lea rsi, [rsi+8]
	dec ecx
	jnz 1b
	push rax
	pop rbx
	movdqu xmm0, table[rip]
	movdqu buf[rip], xmm0
	lock xadd buf[rip], rax
	lea rsi, table[rip]
	lea rdi, buf[rip]
	mov ecx, 3
	rep movsq
	mov eax, 1
	mov edi, 1
	lea rsi, msg[rip]
	mov edx, 13
	syscall
	mov eax, 231
	xor edi, edi
	syscall
