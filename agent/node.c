// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes of the testbed: named network namespaces, as `ip netns` keeps them. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"

/* "-" is the guest's first namespace, where links are made before they move. */
void enter_node(const char *node)
{
	char path[64];
	int fd;

	if (!strcmp(node, "-"))
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die_errno("cannot enter the node %s", node);
	close(fd);
}

static int first = -1;	/* the guest's first namespace, once one has been left */

/* For PID 1, which does by itself what needs no program: a process costs 1 ms of real time. */
void visit_node(const char *node)
{
	if (first < 0)
		first = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (first < 0)
		die_errno("no way back from a node");
	enter_node(node);
}

/* Nobody stays: a node that is deleted goes when the last process has left it. */
void leave_node(void)
{
	if (setns(first, CLONE_NEWNET))
		die_errno("cannot leave a node");
}

pid_t fork_in_node(const char *node)
{
	pid_t pid = fork();

	if (pid < 0)
		die_errno("fork");
	if (!pid)
		enter_node(node);
	return pid;
}

void run_in_node(const char *node, char *const argv[])
{
	bool held = held_program(argv[0]);
	pid_t pid = fork_in_node(node);
	int status;

	if (!pid) {
		if (!held)
			held_begin();
		execvp(argv[0], argv);
		die_errno("cannot run %s", argv[0]);
	}
	status = held_end(pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die("in node %s: '%s %s' failed (wait status %#x)", node, argv[0],
		    argv[1] ? argv[1] : "", status);
}

#define CONTROLS	"/proc/sys/net/ipv4/tcp_%s_congestion_control"

/* Of several congestion controls the kernel does not say which one it lacks. */
static void die_of_controls(char *names)
{
	char path[sizeof(CONTROLS) + 16], *there, *padded = NULL, *wanted, *name, *rest;

	snprintf(path, sizeof(path), CONTROLS, "available");
	there = text_of_file(path);
	there[strcspn(there, "\n")] = 0;
	if (!names || asprintf(&padded, " %s ", there) < 0)
		die("out of memory for congestion controls");
	for (name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		if (asprintf(&wanted, " %s ", name) < 0)
			die("out of memory for congestion controls");
		if (!strstr(padded, wanted))
			die("no congestion control '%s' in this kernel; there are %s", name, there);
		free(wanted);
	}
	free(padded);
	free(there);
}

/* A file in /proc/sys belongs to the namespace of the process that opens it. */
void write_in_node(const char *node, const char *path, const char *value)
{
	ssize_t length = strlen(value);
	char allowed[sizeof(CONTROLS) + 16];
	int fd;

	visit_node(node);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno("cannot open %s", path);
	if (write(fd, value, length) != length) {
		int error = errno;

		snprintf(allowed, sizeof(allowed), CONTROLS, "allowed");
		if (error == ENOENT && !strcmp(path, allowed))
			die_of_controls(strdup(value));
		errno = error;
		die_errno("%s does not take '%s'", path, value);
	}
	close(fd);
	leave_node();
}

/* A file of sysfs takes a page at a time. */
void write_hex_in_node(const char *node, const char *path, const char *file)
{
	char *hex = text_of_file(file);
	size_t bytes, at = 0;
	unsigned char *value;
	int fd;

	hex[strcspn(hex, "\n")] = 0;
	value = malloc(strlen(hex) / 2 + 1);
	if (!value)
		die("out of memory for %s", file);
	bytes = word_bytes(hex, value, strlen(hex) / 2);
	visit_node(node);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die_errno("cannot open %s", path);
	while (at < bytes) {
		ssize_t taken = write(fd, value + at, bytes - at);

		if (taken <= 0)
			die_errno("%s does not take what %s has from byte %zu on", path, file, at);
		at += taken;
	}
	close(fd);
	leave_node();
	free(value);
	free(hex);
}
