// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patience for programs that have none, as a library to be preloaded.
 *
 * In a guest nothing takes time but sleeping, and reading the clock. A program
 * that waits by asking again and again, and asks for something else, waits for
 * ever. Here each such question takes a little time, as it does on any machine.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <sys/times.h>
#include <time.h>

/*
 * times(2) counts hundredths of a second. Who waits for the next one sees it this
 * much late, at most.
 */
#define TIMES_NSEC	20000
/* How often a thread looks whether another one, which it has let go first, is done. */
#define YIELD_NSEC	1000

static void take(long nsec)
{
	const struct timespec time = { .tv_nsec = nsec };
	int error = errno;

	nanosleep(&time, NULL);
	errno = error;
}

clock_t times(struct tms *buffer)
{
	clock_t (*libc_times)(struct tms *) = dlsym(RTLD_NEXT, "times");

	take(TIMES_NSEC);
	return libc_times(buffer);
}

int sched_yield(void)
{
	int (*libc_yield)(void) = dlsym(RTLD_NEXT, "sched_yield");

	take(YIELD_NSEC);
	return libc_yield();
}
