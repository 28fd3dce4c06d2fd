// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs whose files stay open. hostfs forgets what it has read of a file when
 * the last process closes it, so each program would read itself, ld.so and its
 * libraries from the host again. What a program has mapped when it ends for the
 * first time is opened here, and never closed.
 *
 * Only the program knows what that is, and only until it has ended. So it is
 * traced, and stops once more on its way out.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "agent.h"

#define FILES_MAX	128	/* beyond these, programs read again */

static char *held[FILES_MAX];	/* paths; of programs as the plan has them */
static int held_count;

/* Whether something is held; if it is not, it is from now on. */
static bool is_held(const char *path)
{
	int file;

	for (file = 0; file < held_count; file++)
		if (!strcmp(held[file], path))
			return true;
	if (held_count == FILES_MAX)
		return true;
	held[held_count] = strdup(path);
	if (!held[held_count++])
		die("out of memory for the names of files");
	return false;
}

static void hold_mapped(pid_t pid)
{
	char path[32], line[512], *name;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		die_errno("cannot open %s", path);
	while (fgets(line, sizeof(line), maps)) {
		name = strchr(line, '/');
		if (!name)
			continue;
		name[strcspn(name, "\n")] = 0;
		/* One that is not there any more cannot be held, and need not be. */
		if (!is_held(name))
			open(name, O_RDONLY | O_CLOEXEC);
	}
	fclose(maps);
}

bool held_program(const char *program)
{
	return is_held(program);
}

void held_begin(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die_errno("cannot be traced");
}

int held_end(pid_t pid)
{
	int status, signal;

	for (;;) {
		if (waitpid(pid, &status, 0) != pid)
			die_errno("waitpid");
		if (!WIFSTOPPED(status))
			return status;
		signal = WSTOPSIG(status);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
			hold_mapped(pid);
		else if (signal == SIGTRAP &&	/* it begins */
			 ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACEEXIT) &&
			 errno != ESRCH)
			die_errno("cannot trace a program to its end");
		if (signal == SIGTRAP)
			signal = 0;
		/* One that was killed meanwhile goes on to its end. */
		if (ptrace(PTRACE_CONT, pid, NULL, signal) && errno != ESRCH)
			die_errno("cannot let a program go on");
	}
}
