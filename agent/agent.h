/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's only program. It runs as PID 1, builds the testbed that the plan
 * describes, forks one process per endpoint, and powers the guest off.
 *
 * Why one static C program: in User-Mode Linux every system call and every page
 * fault of a guest process is a ptrace round trip that costs microseconds of
 * real time, while kernel work costs what it costs anywhere. So endpoints make
 * few, large, blocking calls and let the kernel do the looping, and nothing is
 * exec'd once the measurement has begun.
 *
 * Why no library but the C library: what one could help with is netlink, and of
 * that a guest needs the few functions of attribute.c and genl.c. So the program
 * builds with gcc alone, runs whatever libraries the host has, and can be read in
 * one sitting, from main.c on.
 */
#ifndef TSQLAB_AGENT_H
#define TSQLAB_AGENT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC	1000000000LL
#define ID_MAX		32
#define WORDS_MAX	64	/* of a line */

/* The measurement's instants, in nanoseconds of CLOCK_MONOTONIC, which is 0 at boot. */
struct schedule {
	int64_t t0;		/* the beginning, where t_ns is 0 in every time series */
	int64_t step;		/* the sampling period */
	int64_t end;		/* the end; INT64_MAX if it is that of the last endpoint */
};

extern struct schedule schedule;

/*
 * die.c: every failure ends the guest, and the host then shows the last lines of
 * its console. say() only writes such a line.
 */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die_errno(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* What die() says first: a line of the plan, until there are no words. */
void die_doing(char *const words[]);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* clock.c: virtual time */
int64_t now_ns(void);
void sleep_until(int64_t when);
/* From now on this process sleeps until that very instant. */
void sleep_exactly(void);
void sleep_until_multiple(int64_t period_ns);
/* Calls sample() from a signal handler at each instant t0, t0 + step, ... from now on. */
void sample_every_step(void (*sample)(int64_t now));
/* The first of these instants after now. */
int64_t next_instant(void);

/* series.c: a time series, kept in memory and written to the host at the end */
struct series;
struct series *series_open(const char *id, const char *columns);
void series_row(struct series *series, const int64_t *values);
void series_write(struct series *series);

/* memory.c: what a socket has below it, and what it may have; both in bytes of skmem */
struct send_memory {
	int64_t alloc_bytes;	/* sk_wmem_alloc: what qdiscs and devices have of it */
	int64_t queued_bytes;	/* sk_wmem_queued: what TCP has, unacknowledged data included */
	int64_t limit_bytes;	/* sk_sndbuf: how much the one (UDP) or the other (TCP) may be */
};

struct send_memory send_memory(int fd);

/*
 * node.c: the testbed's nodes, which are network namespaces. Who visits one comes
 * back; a process of its own enters one, and stays.
 */
void visit_node(const char *node);
void leave_node(void);
void enter_node(const char *node);
pid_t fork_in_node(const char *node);
void run_in_node(const char *node, char *const argv[]);
void write_in_node(const char *node, const char *path, const char *value);
void write_hex_in_node(const char *node, const char *path, const char *file);

/* lines.c: files of lines; one without a last line 'end' is cut short, an error */
char *text_of_file(const char *path);
void for_each_line(const char *path, void (*carry_out)(int words, char *word[]));

/* hostfs.c: mounts what the guest sees of its host */
void mount_places(void);

/* main.c: does what a line says, if that is done when the next begins */
bool carry_out_now(int words, char *word[]);

/*
 * held.c: programs whose files stay open. Whether one is held already; if not, its
 * child begins to be, and in any case its end is waited for: its wait status.
 */
bool held_program(const char *program);
void held_begin(void);
int held_end(pid_t pid);

/* kernel_time.c: a sysctl in us, as a share of what the kernel gives TSQ by itself */
void write_kernel_time(const char *node, const char *path, const char *numerator,
		       const char *denominator);

/* ethtool.c: what ethtool(8) does with OPTION DEVICE NAME VALUE ... */
void ethtool_in_node(const char *node, int words, char *word[]);
/* One of its commands that set or get a number; false, and errno, if it is refused. */
bool ethtool_value(int fd, const char *device, uint32_t command, uint32_t *data);

/* link.c: until a device has one; a guest in which it never has ends */
void wait_for_link(const char *node, const char *device);

/* genl.c: a request by generic netlink; a refusal ends the guest */
void genl_in_node(const char *node, const char *family, const char *hex);

/*
 * The endpoints. Each takes its words from a plan line, runs in a process of its
 * own inside its node, and returns when it is done. The head of each file says
 * what the words are.
 */
void tcp_endpoint(int words, char *word[]);
void udp_endpoint(int words, char *word[]);
void ping_endpoint(int words, char *word[]);
void qdisc_endpoint(int words, char *word[]);
void capture_endpoint(int words, char *word[]);
void trace_endpoint(int words, char *word[]);
void genl_watch_endpoint(int words, char *word[]);
void genl_try_endpoint(int words, char *word[]);
void program_endpoint(int words, char *word[]);
void packet_try_endpoint(int words, char *word[]);
void later_endpoint(int words, char *word[]);
void wqm_endpoint(int words, char *word[]);
void shell_endpoint(int words, char *word[]);
void script_endpoint(int words, char *word[]);

/* The status of an endpoint with which the guest ends, whatever the others do. */
#define ENDS_GUEST	200

/* words.c: a plan line's words as numbers, bytes and addresses; an error calls them what */
int64_t word_number(const char *word, const char *what);
size_t word_bytes(const char *hex, unsigned char *bytes, size_t room);
struct sockaddr_in word_address(const char *address, const char *port);

#endif
