/* SPDX-License-Identifier: MIT */
/* A program that does what its argument names; recorded by tests. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int received;

static void
receive(int number)
{
	received = number;
}

static unsigned
fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void
spin(int n)
{
	for (volatile int i = 0; i < n; i++)
		continue;
}

static int
fork_and(int how)
{
	int status;
	const pid_t child = fork();
	if (child == 0) {
		spin(1000);
		if (how)
			raise(SIGKILL);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	return 5;
}

#ifdef __x86_64__
/* Executes three functions, each written over the one before. */
static void
modify_code(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned char i = 1; i < 4; i++) {
		const unsigned char function[] = {0xb8, i, 0, 0, 0, 0xc3};
		memcpy(code, function, sizeof function);
		printf("%d\n", ((int (*)(void))(void *)code)());
	}
}
#endif

int
main(int count, char **arguments)
{
	const char *task = count > 1 ? arguments[1] : "";
	char *const command[] = {"/bin/true", NULL}, *const missing[] = {"/nonexistent", NULL};
	if (strcmp(task, "fib") == 0)
		printf("%u\n", fib((unsigned)atoi(arguments[2])));
	else if (strcmp(task, "strings") == 0)
		printf("%zu %.3f\n", strlen(strcat(strdup(arguments[0]), "")) > 0 ? strcspn(task, "g") : 0,
			strtod(arguments[2], NULL) * 1.5);
	else if (strcmp(task, "exit") == 0)
		return atoi(arguments[2]);
	else if (strcmp(task, "fork") == 0)
		return fork_and(0);
	else if (strcmp(task, "fork-kill") == 0)
		return fork_and(1);
	else if (strcmp(task, "exec") == 0) {
		execv(missing[0], missing);
		execv(command[0], command);
	} else if (strcmp(task, "kill") == 0) {
		spin(20000);
		raise(SIGKILL);
	} else if (strcmp(task, "fault") == 0)
		*(volatile int *)8 = 1;
	else if (strcmp(task, "signal") == 0) {
		signal(SIGUSR1, receive);
		raise(SIGUSR1);
		printf("%d\n", received == SIGUSR1);
	} else if (strcmp(task, "wait") == 0) {
		puts("waiting");
		fflush(stdout);
		for (;;)
			usleep(1000);
	} else if (strcmp(task, "spin") == 0) {
		puts("spinning");
		fflush(stdout);
		for (;;)
			spin(1000);
	}
#ifdef __x86_64__
	else if (strcmp(task, "modify") == 0)
		modify_code();
#endif
	return 0;
}
