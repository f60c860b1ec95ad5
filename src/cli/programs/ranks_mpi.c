/* SPDX-License-Identifier: MIT */
/* Ranks by MPI. spec: MPI: A Message-Passing Interface Standard, 3.1. */
#include "cli/programs/ranks.h"

#include "cli/command.h"
#include "cli/print/diagnostics.h"
#include "cli/print/term.h"

#include <stdlib.h>
#include <time.h>

#ifdef POLY_WITH_MPI
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* Maximum number of bytes of a message; MPI counts with an int. */
#define MESSAGE_MAX ((size_t)1 << 30)

#define POLL_NS 1000000L /* between two polls */

/*
 * Messages of a rank to rank 0: results; its last one, the texts of a failure or nothing. Rank
 * 0 sends an end to each, with which it stops if it works. No rank leaves before.
 */
enum message { MESSAGE_BYTES, MESSAGE_LAST, MESSAGE_END };

static int count = 1, number;
static bool is_joined, is_stopped;
static unsigned ended; /* in rank 0: ranks whose last messages were received */

/* Ends all ranks without regard: the process ends without having left them. */
static void
end_all(void)
{
	if (is_joined)
		MPI_Abort(MPI_COMM_WORLD, STATUS_ERROR);
}

bool
ranks_join(void)
{
	int level;
	if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
		return true;
	/* Errors end all ranks: the default handler is MPI_ERRORS_ARE_FATAL. */
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_size(MPI_COMM_WORLD, &count);
	MPI_Comm_rank(MPI_COMM_WORLD, &number);
	is_joined = true;
	if (atexit(end_all) != 0)
		diag_no_memory();
	if (number)
		diag_hold();
	return true;
}

unsigned
ranks_count(void)
{
	return (unsigned)count;
}

unsigned
ranks_number(void)
{
	return (unsigned)number;
}

/* Sends bytes as a message. */
static void
send_message(int rank, enum message message, const void *bytes, size_t size)
{
	const unsigned char *next = bytes;
	uint64_t length = size;
	MPI_Send(&length, 1, MPI_UINT64_T, rank, (int)message, MPI_COMM_WORLD);
	while (size) {
		const size_t n = size < MESSAGE_MAX ? size : MESSAGE_MAX;
		MPI_Send(next, (int)n, MPI_BYTE, rank, (int)message, MPI_COMM_WORLD);
		next += n;
		size -= n;
	}
}

/* Receives a message, whose bytes are followed by a NUL. */
static unsigned char *
receive_message(int rank, enum message message, size_t *size)
{
	uint64_t length = 0;
	MPI_Recv(&length, 1, MPI_UINT64_T, rank, (int)message, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	unsigned char *bytes = diag_allocate((size_t)length + 1, 1);
	for (size_t at = 0; at < length;) {
		const size_t left = (size_t)length - at,
			     n = left < MESSAGE_MAX ? left : MESSAGE_MAX;
		MPI_Recv(bytes + at, (int)n, MPI_BYTE, rank, (int)message, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		at += n;
	}
	*size = (size_t)length;
	return bytes;
}

/* Returns whether a message of a rank is there, and which. */
static bool
is_there(int rank, enum message message, MPI_Status *status)
{
	int is = 0;
	MPI_Iprobe(rank, (int)message, MPI_COMM_WORLD, &is, status);
	return is;
}

/* Sends the end to all ranks, once; nothing more is printed. */
static void
stop_all(void)
{
	if (is_stopped)
		return;
	is_stopped = true;
	for (int rank = 1; rank < count; rank++)
		send_message(rank, MESSAGE_END, NULL, 0);
	diag_hold();
}

/* Receives the last message of a rank in rank 0. */
static void
receive_last(int rank)
{
	size_t size;
	unsigned char *texts = receive_message(rank, MESSAGE_LAST, &size);
	ended++;
	if (size && !is_stopped) {
		term_print_error("%.*s", (int)size, (const char *)texts);
		stop_all();
	}
	free(texts);
}

bool
ranks_are_stopped(void)
{
	MPI_Status status;
	int is_main = 0;
	if (!is_joined || is_stopped)
		return is_stopped;
	MPI_Is_thread_main(&is_main);
	if (is_main && number)
		is_stopped = is_there(0, MESSAGE_END, &status);
	else if (is_main && is_there(MPI_ANY_SOURCE, MESSAGE_LAST, &status))
		receive_last(status.MPI_SOURCE);
	return is_stopped;
}

void
ranks_send(const void *bytes, size_t size)
{
	if (!ranks_are_stopped())
		send_message(0, MESSAGE_BYTES, bytes, size);
}

unsigned char *
ranks_receive(unsigned rank, size_t *size)
{
	MPI_Status status;
	*size = 0;
	while (!ranks_are_stopped()) {
		if (is_there((int)rank, MESSAGE_BYTES, &status))
			return receive_message((int)rank, MESSAGE_BYTES, size);
		nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
	}
	return NULL;
}

/* Ends a rank other than 0. */
static void
leave_rank(bool has_failed)
{
	char *texts = NULL;
	size_t size = 0;
	if (has_failed && !ranks_are_stopped()) {
		size = diag_take(&texts);
		/* Rank 0 recognizes a failure by its texts. */
		if (!size) {
			free(texts);
			diag_hold();
			diag_print(NULL, "failed");
			size = diag_take(&texts);
		}
	}
	diag_release(!has_failed);
	send_message(0, MESSAGE_LAST, texts, size);
	free(texts);
	free(receive_message(0, MESSAGE_END, &size));
}

/* Receives in rank 0 what the others still send. */
static void
receive_rest(void)
{
	MPI_Status status;
	while (ended + 1 < ranks_count()) {
		if (is_there(MPI_ANY_SOURCE, MESSAGE_LAST, &status)) {
			receive_last(status.MPI_SOURCE);
		} else if (is_there(MPI_ANY_SOURCE, MESSAGE_BYTES, &status)) {
			size_t size;
			free(receive_message(status.MPI_SOURCE, MESSAGE_BYTES, &size));
		} else {
			nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
		}
	}
}

bool
ranks_leave(bool has_failed)
{
	if (!is_joined)
		return has_failed;
	if (number) {
		leave_rank(has_failed);
	} else {
		if (has_failed)
			stop_all();
		receive_rest();
		has_failed |= is_stopped;
		stop_all();
		diag_release(false);
	}
	MPI_Finalize();
	is_joined = false;
	return has_failed;
}

#else

/* Returns the number in a variable of the environment; 0: none. */
static unsigned long
read_variable(const char *name)
{
	const char *text = getenv(name);
	return text ? strtoul(text, NULL, 10) : 0;
}

bool
ranks_join(void)
{
	static const char *const variables[][2] = {
		{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const unsigned long ranks = read_variable(variables[i][0]);
		if (ranks < 2)
			continue;
		/* A launcher ends all ranks when one fails, before another prints. */
		if (read_variable(variables[i][1]))
			nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
		else
			diag_print(NULL,
				"the build lacks MPI, so that each of %lu ranks would do all "
				"of the work; build with -Dmpi=enabled, or run one process",
				ranks);
		return false;
	}
	return true;
}

unsigned
ranks_count(void)
{
	return 1;
}

unsigned
ranks_number(void)
{
	return 0;
}

void
ranks_send(const void *bytes, size_t size)
{
	(void)bytes, (void)size;
}

unsigned char *
ranks_receive(unsigned rank, size_t *size)
{
	(void)rank;
	*size = 0;
	return NULL;
}

bool
ranks_are_stopped(void)
{
	return false;
}

bool
ranks_leave(bool has_failed)
{
	return has_failed;
}

#endif
