// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PID 1: mounts, carries out the plan line by line, waits for the endpoints,
 * says that all went well, and powers off.
 *
 * A plan is a text file of tab-separated words, made by tsqlab.guest.plan:
 *
 *   module  PATH [NAME=VALUE...]     load a kernel module, with parameters
 *   run     NODE PROGRAM ARG...      run it there, to its end; it must succeed
 *   write   NODE PATH VALUE          a sysctl, or an attribute in sysfs
 *   write-hex NODE PATH FILE         the bytes that FILE has in hexadecimal, in a file
 *                                    of sysfs
 *   write-time NODE PATH N D         the same, of N / D of the us that the kernel
 *                                    by itself gives TSQ (kernel_time.c)
 *   genl    NODE FAMILY HEX          a request by generic netlink (genl.c)
 *   ethtool NODE OPTION DEVICE NAME VALUE...
 *                                    what ethtool(8) does (ethtool.c)
 *   draw    N                        take N random numbers of the kernel
 *   align   NS                       wait until virtual time is a multiple of so
 *                                    many ns (clock.c)
 *   link    NODE DEVICE              wait until it has one (link.c)
 *   clock   T0 STEP [END]            the measurement's instants, ns since boot; of
 *                                    several the last, those before it being of
 *                                    endpoints that run and end before
 *   tcp|udp|ping|qdisc|capture|trace|genl-watch|genl-try|packet-try|program|later|
 *   wqm|shell|script NODE ID ...     an endpoint: a process of its own
 *   end                              the last line: a plan cut short is an error
 *
 * The first clock starts at T0, a fixed instant that lies after any set-up: how
 * long building the testbed took cannot leak into a result. What goes on until
 * then by times of its own, such as beacons, is begun by an 'align'. Without an
 * END a clock lasts until the last endpoint has ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

#define ENDLESS		INT64_MAX
#define NSEC_PER_MSEC	1000000LL
#define PROGRESS_NSEC	(50 * NSEC_PER_MSEC)

static const struct {
	const char *name;
	int words_min, words_max;
	void (*run)(int words, char *word[]);
} endpoints[] = {
	{ "tcp", 11, 13, tcp_endpoint },
	{ "udp", 11, 12, udp_endpoint },
	{ "ping", 8, 10, ping_endpoint },
	{ "qdisc", 5, 5, qdisc_endpoint },
	{ "capture", 6, 6, capture_endpoint },
	{ "trace", 6, WORDS_MAX, trace_endpoint },
	{ "genl-watch", 8, 12, genl_watch_endpoint },
	{ "genl-try", 7, 7, genl_try_endpoint },
	{ "packet-try", 6, 6, packet_try_endpoint },
	{ "program", 8, WORDS_MAX, program_endpoint },
	{ "later", 4, 4, later_endpoint },
	{ "wqm", 14, 14, wqm_endpoint },
	{ "shell", 5, WORDS_MAX, shell_endpoint },
	{ "script", 8, WORDS_MAX, script_endpoint },
};

static pid_t *processes;	/* the endpoints', process_count of them */
static int process_count;
static int64_t first_t0;	/* where the first clock starts */

static void mount_or_die(const char *type, const char *where)
{
	if (mount("none", where, type, 0, NULL))
		die_errno("cannot mount %s on %s", type, where);
}

static void set_up_guest(void)
{
	int console;

	mount_or_die("devtmpfs", "/dev");
	console = open("/dev/console", O_RDWR);
	if (console >= 0) {
		dup2(console, STDIN_FILENO);
		dup2(console, STDOUT_FILENO);
		dup2(console, STDERR_FILENO);
	}
	mount_or_die("proc", "/proc");
	mount_or_die("sysfs", "/sys");
	mount_or_die("tmpfs", "/run");
	mount_or_die("tmpfs", "/tmp");
	/* The kernel gives init no PATH, and ip and tc live in sbin. */
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	mount_places();
}

static void load_module(const char *path, int count, char *parameters[])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), at;
	char *text = NULL;
	size_t size;
	FILE *joined = open_memstream(&text, &size);

	if (!joined)
		die_errno("no memory for parameters");
	for (at = 0; at < count; at++)
		fprintf(joined, "%s%s", at ? " " : "", parameters[at]);
	fclose(joined);
	if (fd < 0 || !text || syscall(SYS_finit_module, fd, text, 0))
		die_errno("cannot load %s", path);
	free(text);
	close(fd);
}

/* Forks as fork() does. The guest does not end before the child has. */
static pid_t fork_endpoint(const char *node)
{
	pid_t pid;

	processes = realloc(processes, (process_count + 1) * sizeof(*processes));
	if (!processes)
		die("out of memory for endpoints");
	pid = fork_in_node(node);
	processes[process_count++] = pid;
	return pid;
}

static void start_endpoint(int words, char *word[])
{
	size_t kind;

	for (kind = 0; kind < sizeof(endpoints) / sizeof(*endpoints); kind++) {
		if (strcmp(endpoints[kind].name, word[0]))
			continue;
		if (words < endpoints[kind].words_min || words > endpoints[kind].words_max)
			die("plan: '%s' takes %d words%s, not %d", word[0],
			    endpoints[kind].words_min,
			    words < endpoints[kind].words_max ? " or more" : "", words);
		if (!fork_endpoint(word[1])) {
			endpoints[kind].run(words, word);
			exit(0);
		}
		return;
	}
	die("plan: no such thing as '%s'", word[0]);
}

static void set_clock(int words, char *word[])
{
	schedule = (struct schedule){
		.t0 = word_number(word[1], "T0"),
		.step = word_number(word[2], "STEP"),
		.end = words == 4 ? word_number(word[3], "END") : ENDLESS,
	};
	if (!first_t0)
		first_t0 = schedule.t0;
}

/* A plan that runs fewer programs than it once did has the random numbers that it had. */
static void draw(int64_t count)
{
	int64_t number;

	while (count-- > 0)
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			die_errno("no random numbers");
}

/* What needs no process; false if a line is nothing of that. */
static bool do_here(int words, char *word[])
{
	if (!strcmp(word[0], "module") && words >= 2)
		load_module(word[1], words - 2, word + 2);
	else if (!strcmp(word[0], "write") && words == 4)
		write_in_node(word[1], word[2], word[3]);
	else if (!strcmp(word[0], "write-hex") && words == 4)
		write_hex_in_node(word[1], word[2], word[3]);
	else if (!strcmp(word[0], "write-time") && words == 5)
		write_kernel_time(word[1], word[2], word[3], word[4]);
	else if (!strcmp(word[0], "genl") && words == 4)
		genl_in_node(word[1], word[2], word[3]);
	else if (!strcmp(word[0], "ethtool") && words >= 4)
		ethtool_in_node(word[1], words - 2, word + 2);
	else if (!strcmp(word[0], "draw") && words == 2)
		draw(word_number(word[1], "N"));
	else if (!strcmp(word[0], "align") && words == 2)
		sleep_until_multiple(word_number(word[1], "NS"));
	else if (!strcmp(word[0], "link") && words == 3)
		wait_for_link(word[1], word[2]);
	else if (!strcmp(word[0], "clock") && (words == 3 || words == 4))
		set_clock(words, word);
	else
		return false;
	return true;
}

bool carry_out_now(int words, char *word[])
{
	bool done;

	die_doing(word);
	done = do_here(words, word);
	die_doing(word + words);
	if (!done && !strcmp(word[0], "run") && words >= 3) {
		run_in_node(word[1], word + 2);
		done = true;
	}
	return done;
}

static void carry_out(int words, char *word[])
{
	if (!carry_out_now(words, word))
		start_endpoint(words, word);
}


/*
 * Says how much has been measured, twenty times a virtual second. The host draws
 * its progress from these lines, and knows from their absence that virtual time
 * stands still.
 */
static void show_progress(void)
{
	int64_t t_ns;

	for (t_ns = first_t0; t_ns < schedule.t0; t_ns += PROGRESS_NSEC) {
		sleep_until(t_ns);
		say("before %lld ms", (long long)((t_ns - first_t0) / NSEC_PER_MSEC));
	}
	for (t_ns = 0; t_ns <= schedule.end - schedule.t0; t_ns += PROGRESS_NSEC) {
		sleep_until(schedule.t0 + t_ns);
		say("t %lld ms", (long long)(t_ns / NSEC_PER_MSEC));
	}
	exit(0);
}

static bool is_endpoint(pid_t pid)
{
	int process;

	for (process = 0; process < process_count; process++)
		if (processes[process] == pid)
			return true;
	return false;
}

/* PID 1 inherits all orphans, such as daemons; these may end or not. */
static void wait_for_endpoints(void)
{
	int status, left = process_count;

	while (left) {
		pid_t pid = wait(&status);

		if (pid < 0)
			die_errno("wait");
		if (!is_endpoint(pid))
			continue;
		if (WIFEXITED(status) && WEXITSTATUS(status) == ENDS_GUEST)
			return;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			die("endpoint %d failed (wait status %#x)", (int)pid, status);
		left--;
	}
}

static void write_done(void)
{
	int fd = open(DONE_FILE, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, "done\n", 5) != 5 || fsync(fd) || close(fd))
		die_errno("cannot write %s", DONE_FILE);
}

static void measure(void)
{
	set_up_guest();
	for_each_line(PLAN_FILE, carry_out);
	if (now_ns() >= first_t0)
		die("set-up took until %lld ns, past the start of the measurement",
		    (long long)now_ns());
	say("measuring");
	/* With an END, the measurement lasts until then, whatever has ended before. */
	if (!(schedule.end == ENDLESS ? fork_in_node("-") : fork_endpoint("-")))
		show_progress();
	wait_for_endpoints();
	write_done();
}

/*
 * The kernel panics when PID 1 exits, so whenever it does, also in die(), it ends
 * the guest first. Children inherit this handler, and are not to end it.
 */
static void power_off(void)
{
	if (getpid() != 1)
		return;
	sync();
	reboot(RB_POWER_OFF);
}

int main(void)
{
	/* A system call for each line of the console, not for each part of one. */
	setvbuf(stderr, NULL, _IOLBF, 512);
	atexit(power_off);
	measure();
	return 0;
}
