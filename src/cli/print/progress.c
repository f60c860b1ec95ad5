/* SPDX-License-Identifier: MIT */
/* The progress bar, and signals that end a command. */
#include "cli/print/progress.h"

#include "polytrace/byte_output.h"

#include "cli/print/term.h"
#include "cli/programs/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds of work before a bar appears, and between two drawings. */
#define DELAY 1000
#define INTERVAL 200

/* Set by the signal handler. */
static volatile sig_atomic_t interrupted;

/* Called by the handler of signals; NULL: nothing. */
static void (*_Atomic discard_others)(void);

/* Prints why a signal ends the process, if its user could not know. */
static void
print_cause(int number)
{
	static const char size[] = "polytrace: an output exceeds the limit of file sizes\n";
	static const char time[] = "polytrace: the limit of processor time is reached\n";
	if (number == SIGXFSZ)
		(void)!write(STDERR_FILENO, size, sizeof size - 1);
	if (number == SIGXCPU)
		(void)!write(STDERR_FILENO, time, sizeof time - 1);
}

/* Removes unfinished outputs, then ends the process by the signal, whose action is the default
 * by now. */
static void
end_by_signal(int number)
{
	void (*discard)(void) = discard_others;
	poly_outputs_discard();
	if (discard)
		discard();
	print_cause(number);
	raise(number);
}

static void catch_signal(int number, void (*handler)(int));

static void
note_interrupt(int number)
{
	interrupted = 1;
	catch_signal(number, end_by_signal);
}

/* Sets the action of a signal for its next occurrence, unless it is ignored. */
static void
catch_signal(int number, void (*handler)(int))
{
	struct sigaction action, before;
	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	action.sa_flags = (int)SA_RESETHAND;
	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void
progress_catch_signals(void)
{
	static const int ending[] = {SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
	catch_signal(SIGINT, note_interrupt);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		catch_signal(ending[i], end_by_signal);
}

void
progress_set_discard(void (*discard)(void))
{
	discard_others = discard;
}

bool
progress_interrupted(void)
{
	return interrupted;
}

static uint64_t
milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
progress_start(struct progress *progress, bool prints)
{
	uint64_t now = milliseconds();
	bool shown = term_error() && !(prints && term_output());
	*progress = (struct progress){shown, false, now, now + DELAY};
}

static void
draw(struct progress *progress, uint64_t now, uint64_t done, uint64_t total)
{
	double seconds = (double)(now - progress->start) / 1000, mib = 1 << 20;
	double rate = (double)done / seconds;
	fputs("\r\033[K", stderr);
	if (total && done <= total && rate > 0) {
		unsigned left = (unsigned)((double)(total - done) / rate + 0.5);
		fprintf(stderr, "%3.0f %%, %.1f of %.1f MiB, %.1f MiB/s, %u:%02u left",
			100 * (double)done / (double)total, (double)done / mib,
			(double)total / mib, rate / mib, left / 60, left % 60);
	} else {
		fprintf(stderr, "%.1f MiB, %.1f MiB/s", (double)done / mib, rate / mib);
	}
	fflush(stderr);
	progress->drawn = true;
}

int
progress_update(void *user, uint64_t done, uint64_t total)
{
	struct progress *progress = user;
	const bool stops = interrupted || ranks_are_stopped();
	if (!progress->shown)
		return stops;
	uint64_t now = milliseconds();
	if (now >= progress->next) {
		draw(progress, now, done, total);
		progress->next = now + INTERVAL;
	}
	return stops;
}

void
progress_count(struct progress *progress, uint64_t done, const char *units)
{
	const uint64_t now = milliseconds();
	if (!progress->shown || now < progress->next)
		return;
	const double seconds = (double)(now - progress->start) / 1000;
	fprintf(stderr, "\r\033[K%.1f million %s, %.1f million/s", (double)done / 1e6, units,
		(double)done / 1e6 / seconds);
	fflush(stderr);
	progress->drawn = true;
	progress->next = now + INTERVAL;
}

void
progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}
