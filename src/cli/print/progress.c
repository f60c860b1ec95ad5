/* SPDX-License-Identifier: MIT */
/* The progress bar, and signals that end a command. */
#include "cli/print/progress.h"

#include "polytrace/byte_output.h"

#include "cli/print/term.h"
#include "cli/programs/ranks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds of work before a bar appears, and between two drawings. */
#define DELAY 1000
#define INTERVAL 200

/* Set by the signal handler. */
static volatile sig_atomic_t interrupted;

/* The signal that ended a program that this one ran; 0: none. */
static int ending;

/* Called by the handler of signals; NULL: nothing. */
static void (*_Atomic discard_others)(void);

/* Prints why a signal ends the process, if its user could not know. */
static void
print_cause(int number)
{
	static const char size[] = "polytrace: an output exceeds the limit of file sizes\n";
	static const char time[] = "polytrace: the limit of processor time is reached\n";
	const char *text = number == SIGXFSZ ? size : number == SIGXCPU ? time : NULL;
	if (!text)
		return;
	/* Which signal ends the process does not depend on the reader of this message. */
	signal(SIGPIPE, SIG_IGN);
	(void)!write(STDERR_FILENO, text, strlen(text));
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

/*
 * A pipe has no reader. That of standard output ends the process, but that of standard error
 * does not: who reads messages must not decide about outputs.
 */
static void
end_by_pipe(int number)
{
	if (term_prints_error())
		return;
	signal(number, SIG_DFL);
	end_by_signal(number);
}

static void catch_signal(int number, void (*handler)(int), unsigned flags);

static void
note_interrupt(int number)
{
	interrupted = 1;
	catch_signal(number, end_by_signal, SA_RESETHAND);
}

/* Sets the action of a signal, unless it is ignored: nohup(1) does so, for instance. */
static void
catch_signal(int number, void (*handler)(int), unsigned flags)
{
	struct sigaction action, before;
	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	action.sa_flags = (int)flags;
	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void
progress_catch_signals(void)
{
	static const int ends[] = {SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
	catch_signal(SIGINT, note_interrupt, SA_RESETHAND);
	catch_signal(SIGPIPE, end_by_pipe, SA_RESTART);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		catch_signal(ends[i], end_by_signal, SA_RESETHAND);
}

void
progress_end_by(int number)
{
	ending = number;
}

void
progress_finish(void)
{
	const int number = interrupted ? SIGINT : ending;
	const struct rlimit none = {0, 0};
	if (!number)
		return;
	/* A memory image would be that of this program, not of the one that it ran. */
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	raise(number);
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
	term_print_error("\r\033[K");
	if (total && done <= total && rate > 0) {
		unsigned left = (unsigned)((double)(total - done) / rate + 0.5);
		term_print_error("%3.0f %%, %.1f of %.1f MiB, %.1f MiB/s, %u:%02u left",
			100 * (double)done / (double)total, (double)done / mib,
			(double)total / mib, rate / mib, left / 60, left % 60);
	} else {
		term_print_error("%.1f MiB, %.1f MiB/s", (double)done / mib, rate / mib);
	}
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
	term_print_error("\r\033[K%.1f million %s, %.1f million/s", (double)done / 1e6, units,
		(double)done / 1e6 / seconds);
	progress->drawn = true;
	progress->next = now + INTERVAL;
}

void
progress_clear(struct progress *progress)
{
	if (progress->drawn)
		term_print_error("\r\033[K");
	progress->drawn = false;
}
