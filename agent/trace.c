// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trace events of the guest's kernel, as a text in the format that it prints.
 *
 *   trace NODE ID BUFFER_KIB FILE_BYTES EVENT...
 *
 * EVENT is SYSTEM:NAME, where * and ? stand for others; one that no event is called
 * by ends the guest. Of a line as the kernel has it, only the time is another: it is
 * virtual, in s since the measurement began, and exact. A file that would be longer
 * than FILE_BYTES ends the guest, and so do events that there was no room for:
 * what is there is all there was. ID.tsv counts them.
 *
 * Events take no time: they are stamped by a clock that costs none to read (the
 * patch in kernel/patches/VERSION/trace), and the buffer, which has room for some
 * 10,000 in each MiB, is emptied at instants at which PID 1 runs anyway, by a process
 * that runs only when nobody else wants to. What that process does itself is left
 * out, or a trace of writing pages would write itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "agent.h"
#include "big_file.h"
#include "near.h"

#define TRACEFS		"/sys/kernel/tracing"
#define CLOCK		"time-travel"
#define EVENT_MAX	160	/* characters of SYSTEM:NAME */
#define LINE_MAX_BYTES	(64 << 10)
#define EMPTY_NSEC	50000000LL	/* as often as main.c says how far it is */

#define PID_AT		17	/* in a line: behind the name of the task, and a '-' */

static struct {
	int fd;			/* of what empties the buffer as it is read */
	struct big_file file;
	int64_t bytes_max;	/* of the file */
	int64_t events;		/* in it */
	bool keeping;		/* the last event is in it, and so are lines that belong to it */
	char lines[LINE_MAX_BYTES + 1];
	size_t held;		/* bytes of a line that goes on */
} trace;

/* An event's line. */
struct event {
	long long time_ns;	/* since the boot */
	int time_at, rest_at;	/* where its time begins and ends */
	bool own;		/* of this process, and of no interrupt of it */
};

static void set(const char *name, const char *value)
{
	char path[sizeof(TRACEFS) + EVENT_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value) || close(fd))
		die_errno("cannot set a trace's %s to %s", name, value);
}

/* What the kernel counts of its buffer: "entries", "overrun", "dropped events", ... */
static int64_t counted(const char *name)
{
	char *text = text_of_file(TRACEFS "/per_cpu/cpu0/stats"), *rest = text, *line;
	size_t length = strlen(name);
	int64_t count = -1;

	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, name, length) && line[length] == ':')
			count = strtoll(line + length + 1, NULL, 10);
	free(text);
	if (count < 0)
		die("this kernel does not count a trace's %s", name);
	return count;
}

static void switch_on(char *event)
{
	char path[EVENT_MAX + 32], *name = strchr(event, ':');

	snprintf(path, sizeof(path), "events/%.*s/%s/enable", (int)(name - event), event, name + 1);
	set(path, "1");
}

/* All events that are called by a pattern. */
static void switch_on_all(const char *pattern)
{
	char *text = text_of_file(TRACEFS "/available_events"), *rest = text, *event;
	struct near near = near_begin(pattern);
	int found = 0;

	while ((event = strsep(&rest, "\n"))) {
		if (!strchr(event, ':') || strlen(event) >= EVENT_MAX)
			continue;
		near_note(&near, event);
		if (fnmatch(pattern, event, 0))
			continue;
		switch_on(event);
		found++;
	}
	if (!found)
		die("this kernel has no trace event '%s'; near it are %s", pattern,
		    near_words(&near));
	free(text);
}

static void set_up(const char *buffer_kib)
{
	if (mount("none", TRACEFS, "tracefs", 0, NULL))
		die_errno("this kernel has no trace events (CONFIG_FTRACE)");
	set("tracing_on", "0");
	set("trace_clock", CLOCK);
	/* What there is no room for is counted, and what came before it stays. */
	set("options/overwrite", "0");
	set("buffer_size_kb", buffer_kib);
	trace.fd = open(TRACEFS "/trace_pipe", O_RDONLY | O_NONBLOCK);
	if (trace.fd < 0)
		die_errno("cannot read a trace");
}

/* "   agent-31      [000] ..s1.  10000000123: tcp_probe: ...": false if it is no event's. */
static bool parse(const char *line, struct event *event)
{
	char context[8];
	int pid, cpu;

	*event = (struct event){ 0 };
	if (strlen(line) <= PID_AT || line[PID_AT - 1] != '-' ||
	    sscanf(line + PID_AT, "%d [%d] %7s %n%lld%n", &pid, &cpu, context, &event->time_at,
		   &event->time_ns, &event->rest_at) != 4 ||
	    line[PID_AT + event->rest_at] != ':')
		return false;
	event->time_at += PID_AT;
	event->rest_at += PID_AT;
	event->own = pid == getpid() && strlen(context) > 2 && context[2] == '.';
	return true;
}

static void put(const char *text, size_t bytes)
{
	if (trace.file.bytes + (int64_t)bytes > trace.bytes_max)
		die("the trace is longer than %lld MiB; fewer events, fewer flows or less time "
		    "would fit", (long long)(trace.bytes_max >> 20));
	big_file_put(&trace.file, text, bytes);
}

static void note_event(const char *line, const struct event *event)
{
	long long t_ns = event->time_ns - schedule.t0;
	char time[32];
	int digits;

	trace.keeping = !event->own && t_ns >= 0 && event->time_ns <= schedule.end;
	if (!trace.keeping)
		return;
	digits = snprintf(time, sizeof(time), "%5lld.%09lld", t_ns / NSEC_PER_SEC,
			  t_ns % NSEC_PER_SEC);
	put(line, event->time_at);
	put(time, digits);
	put(line + event->rest_at, strlen(line + event->rest_at));
	put("\n", 1);
	trace.events++;
}

static void note_line(const char *line)
{
	struct event event;

	if (parse(line, &event)) {
		note_event(line, &event);
	} else if (trace.keeping && strncmp(line, "CPU:", 4)) {
		put(line, strlen(line));
		put("\n", 1);
	}
}

/* Takes the lines that are whole; returns how many there were. */
static int64_t note_lines(void)
{
	char *line = trace.lines, *end;
	int64_t lines = 0;

	trace.lines[trace.held] = 0;
	for (; (end = strchr(line, '\n')); line = end + 1, lines++) {
		*end = 0;
		note_line(line);
	}
	trace.held -= line - trace.lines;
	memmove(trace.lines, line, trace.held);
	if (trace.held == LINE_MAX_BYTES)
		die("a line of the trace is longer than %d bytes", LINE_MAX_BYTES);
	return lines;
}

/* What there is now, and not what comes of writing it. */
static void empty(void)
{
	int64_t left = counted("entries");
	ssize_t got;

	while (left > 0) {
		got = read(trace.fd, trace.lines + trace.held, LINE_MAX_BYTES - trace.held);
		if (got < 0 && errno != EAGAIN)
			die_errno("cannot read a trace");
		if (got <= 0)
			break;
		trace.held += got;
		left -= note_lines();
		big_file_empty(&trace.file);
	}
}

static void check_whole(void)
{
	int64_t lost = counted("overrun") + counted("commit overrun") + counted("dropped events");

	if (lost)
		die("the trace lacks %lld events, for which its buffer had no room; fewer events, "
		    "or more [lab] memory, of which it is a sixteenth", (long long)lost);
}

static void write_count(const char *id)
{
	struct series *series = series_open(id, "t_ns\tevents");

	series_row(series, (int64_t[]){ schedule.end - schedule.t0, trace.events });
	series_write(series);
}

void trace_endpoint(int words, char *word[])
{
	const struct sched_param priority = { 0 };
	char name[ID_MAX + 8];
	int64_t when;
	int number;

	if (schedule.end == INT64_MAX)
		die("plan: a trace needs a measurement that has an end");
	set_up(word[3]);
	trace.bytes_max = word_number(word[4], "FILE_BYTES");
	for (number = 5; number < words; number++)
		switch_on_all(word[number]);
	snprintf(name, sizeof(name), "%s.txt", word[2]);
	trace.file = big_file_open(name, "a trace");
	if (sched_setscheduler(0, SCHED_IDLE, &priority))
		die_errno("cannot run a trace behind all else");
	/* What comes before the measurement is left out by its time. */
	sleep_until(schedule.t0 - EMPTY_NSEC);
	set("tracing_on", "1");
	for (when = schedule.t0; when <= schedule.end + EMPTY_NSEC; when += EMPTY_NSEC) {
		sleep_until(when);
		empty();
	}
	set("tracing_on", "0");
	empty();
	check_whole();
	big_file_close(&trace.file);
	write_count(word[2]);
}
