// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Somebody who looks around in a node, or a script that does.
 *
 *   shell   NODE ID START PROGRAM ARG...
 *   script  NODE ID ...                   the words of a 'program' (program.c)
 *
 * A shell starts at START on a terminal of its own, SHELL_TTY, which leads to the
 * user's; what it returns is the only row of ID.tsv. When either has ended, so has
 * the guest, whatever else goes on: nobody asks for the results of a cell in which
 * somebody has been.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

#define COLUMNS		"t_ns\tstatus\tsignal"
#define NOT_RUN		127		/* a shell's status of what is not there */

/* What /sys shows of devices are those of the namespace in which it was mounted. */
static void see_own_devices(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/sys", "sysfs", 0, NULL))
		die_errno("cannot mount a node's own /sys");
}

/* The terminal becomes that of a new session, so that Ctrl-C and Ctrl-Z are the shell's. */
static void run_on_terminal(char *const argv[])
{
	int terminal;

	setsid();
	terminal = open(SHELL_TTY, O_RDWR);
	if (terminal < 0)
		die_errno("cannot open %s", SHELL_TTY);
	dup2(terminal, STDIN_FILENO);
	dup2(terminal, STDOUT_FILENO);
	dup2(terminal, STDERR_FILENO);
	if (terminal > STDERR_FILENO)
		close(terminal);
	if (chdir("/tmp") || execvp(argv[0], argv))
		fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
	fflush(stderr);
	_exit(NOT_RUN);
}

void shell_endpoint(int words, char *word[])
{
	struct series *series = series_open(word[2], COLUMNS);
	int status;
	pid_t pid;

	(void)words;
	see_own_devices();
	sleep_until(word_number(word[3], "START"));
	pid = fork();
	if (pid < 0)
		die_errno("fork");
	if (!pid)
		run_on_terminal(word + 4);
	if (waitpid(pid, &status, 0) != pid)
		die_errno("waitpid");
	series_row(series, (int64_t[]){
		now_ns() - schedule.t0,
		WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	});
	series_write(series);
	exit(ENDS_GUEST);
}

void script_endpoint(int words, char *word[])
{
	see_own_devices();
	program_endpoint(words, word);
	exit(ENDS_GUEST);
}
