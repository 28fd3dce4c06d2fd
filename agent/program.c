// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of the host's or the user's, which need not know what a plan is.
 *
 *   program NODE ID START STOP BYTES FOLDER PROGRAM ARG...
 *
 * It starts at START in FOLDER, with nothing to read. What it writes to its
 * standard output and error goes to ID.out and ID.err, the first BYTES of each.
 * At STOP it is asked to end (SIGTERM), if it has not ended, so that it can write
 * what it has held back; 100 ms later it is killed. When it has ended, its process
 * group is killed: what it left behind would go on in a measurement that has no
 * place for it. ID.tsv has one row, about its end. How it ends is a result, not an
 * error: a program that fails does not end the guest.
 *
 * Output goes to the host as it comes, so that it is there even if the host has
 * to end the guest, because the program never lets time pass. Nothing else would
 * have it go: so we are served before the program, which then waits, not we.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

#define COLUMNS		"t_ns\tstatus\tsignal\tstopped\tout_bytes\terr_bytes"
#define CHUNK_BYTES	(1 << 16)	/* what a pipe holds */
#define GRACE_NS	(100 * 1000 * 1000)	/* from SIGTERM to SIGKILL */
#define NOT_RUN		127		/* a shell's status of what is not there */

/* One of the program's two streams, on its way to a file. */
struct stream {
	int in, out;		/* the pipe's end to read, -1 if it is closed; the file */
	int64_t bytes;		/* how many the program has written */
	int64_t bytes_max;	/* how many of them are kept */
};

enum { OUT, ERR, STREAMS };

/* Makes a pipe to a stream's file; returns the end that the program writes to. */
static int stream_open(struct stream *stream, const char *id, const char *suffix,
		       int64_t bytes_max)
{
	char path[sizeof(OUT_DIR) + ID_MAX + 8];
	int ends[2];

	if (strlen(id) >= ID_MAX)
		die("cannot keep what '%s' writes: its name is too long", id);
	snprintf(path, sizeof(path), OUT_DIR "/%s.%s", id, suffix);
	stream->out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (stream->out < 0 || pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		die_errno("cannot keep a program's output in %s", path);
	stream->in = ends[0];
	stream->bytes = 0;
	stream->bytes_max = bytes_max;
	return ends[1];
}

/* Writes what there is room for, and has the kernel hand it to the host at once. */
static void stream_keep(struct stream *stream, const char *chunk, ssize_t bytes)
{
	int64_t room = stream->bytes_max - stream->bytes;
	ssize_t kept = bytes < room ? bytes : room;

	stream->bytes += bytes;
	if (kept <= 0)
		return;
	if (write(stream->out, chunk, kept) != kept ||
	    sync_file_range(stream->out, 0, 0,
			    SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER))
		die_errno("cannot write a program's output");
}

/* Reads what is there, and does not wait for more. */
static void stream_drain(struct stream *stream)
{
	static char chunk[CHUNK_BYTES];
	ssize_t got;

	while (stream->in >= 0) {
		got = read(stream->in, chunk, sizeof(chunk));
		if (got > 0) {
			stream_keep(stream, chunk, got);
			continue;
		}
		if (got < 0 && errno == EAGAIN)
			return;
		if (got < 0)
			die_errno("cannot read what a program writes");
		close(stream->in);
		stream->in = -1;	/* poll() passes over it */
	}
}

/* What has no priority waits for as long as something of it runs; its children have none. */
static void go_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first))
		die_errno("sched_setscheduler");
}

static pid_t start(const char *folder, char *const argv[], const int write_to[STREAMS])
{
	pid_t pid = fork();
	int nothing;

	if (pid < 0)
		die_errno("fork");
	if (pid)
		return pid;
	nothing = open("/dev/null", O_RDONLY);
	setsid();
	/* Virtual time is exact, and so is a timer, unless its process allows for 50 us. */
	prctl(PR_SET_TIMERSLACK, 1);
	dup2(nothing, STDIN_FILENO);
	dup2(write_to[OUT], STDOUT_FILENO);
	dup2(write_to[ERR], STDERR_FILENO);
	if (chdir(folder))
		fprintf(stderr, "cannot enter %s: %s\n", folder, strerror(errno));
	else if (execvp(argv[0], argv))
		fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
	fflush(stderr);
	_exit(NOT_RUN);
}

/* Waits for the program to end, or until an instant. Returns false at the latter. */
static bool ended_by(int64_t stop, int pidfd, struct stream *streams)
{
	struct pollfd polled[STREAMS + 1];
	struct timespec left;
	int64_t left_ns;
	int stream;

	while ((left_ns = stop - now_ns()) > 0) {
		for (stream = 0; stream < STREAMS; stream++)
			polled[stream] = (struct pollfd){ streams[stream].in, POLLIN, 0 };
		polled[STREAMS] = (struct pollfd){ pidfd, POLLIN, 0 };
		left.tv_sec = left_ns / NSEC_PER_SEC;
		left.tv_nsec = left_ns % NSEC_PER_SEC;
		if (ppoll(polled, STREAMS + 1, &left, NULL) < 0)
			die_errno("cannot wait for a program");
		for (stream = 0; stream < STREAMS; stream++)
			stream_drain(&streams[stream]);
		if (polled[STREAMS].revents)
			return true;
	}
	return false;
}

void program_endpoint(int words, char *word[])
{
	struct series *series = series_open(word[2], COLUMNS);
	int64_t start_ns = word_number(word[3], "START"), stop_ns = word_number(word[4], "STOP");
	int64_t bytes = word_number(word[5], "BYTES"), end_ns;
	struct stream streams[STREAMS];
	int write_to[STREAMS], status, pidfd;
	bool stopped;
	pid_t pid;

	(void)words;
	go_first();
	write_to[OUT] = stream_open(&streams[OUT], word[2], "out", bytes);
	write_to[ERR] = stream_open(&streams[ERR], word[2], "err", bytes);
	sleep_until(start_ns);
	pid = start(word[6], word + 7, write_to);
	close(write_to[OUT]);
	close(write_to[ERR]);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		die_errno("pidfd_open");
	stopped = !ended_by(stop_ns, pidfd, streams);
	if (stopped) {
		kill(-pid, SIGTERM);
		ended_by(stop_ns + GRACE_NS, pidfd, streams);
	}
	end_ns = now_ns();
	/* It is not waited for yet, so its number is still its own. */
	kill(pid, SIGKILL);
	kill(-pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		die_errno("waitpid");
	stream_drain(&streams[OUT]);
	stream_drain(&streams[ERR]);
	series_row(series, (int64_t[]){
		end_ns - schedule.t0,
		WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		stopped, streams[OUT].bytes, streams[ERR].bytes,
	});
	series_write(series);
}
