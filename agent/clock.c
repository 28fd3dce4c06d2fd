// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Virtual time as guest processes see it. With time-travel=inf-cpu a process
 * takes no time to compute, so a handler that runs at an instant sees the state
 * of that very instant.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "agent.h"

struct schedule schedule;

static void (*sample_at)(int64_t now);

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){
		.tv_sec = ns / NSEC_PER_SEC,
		.tv_nsec = ns % NSEC_PER_SEC,
	};
}

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void sleep_until(int64_t when)
{
	struct timespec deadline = timespec_of(when);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
		;
}

/*
 * The kernel wakes a process up to 50 us after the time that it asked for, unless
 * it says otherwise: its timer slack.
 */
void sleep_exactly(void)
{
	if (prctl(PR_SET_TIMERSLACK, 1UL))
		die_errno("cannot set the timer slack");
}

/*
 * A process that looks at the clock moves it by 256 ns, or else one that looks
 * until time has passed would look for ever. So a line of the plan takes some us,
 * the more the more often its program looks, and what comes after it comes later.
 * What comes after this comes at a multiple, whatever was before.
 */
void sleep_until_multiple(int64_t period_ns)
{
	if (period_ns <= 0)
		die("plan: no time is a multiple of %lld ns", (long long)period_ns);
	sleep_until((now_ns() / period_ns + 1) * period_ns);
}

/* The last instant of the grid t0, t0 + step, ... at or before a time. */
static int64_t grid_floor(int64_t time)
{
	return time - (time - schedule.t0) % schedule.step;
}

int64_t next_instant(void)
{
	return grid_floor(now_ns()) + schedule.step;
}

/*
 * The handler is given the instant that it stands for. It may run some nanoseconds
 * after that, because reading the clock takes virtual time.
 */
static void on_tick(int signal)
{
	int64_t instant = grid_floor(now_ns());
	int error = errno;

	(void)signal;
	sample_at(instant);
	errno = error;
}

void sample_every_step(void (*sample)(int64_t now))
{
	int64_t now = now_ns();
	struct sigaction action = { .sa_handler = on_tick };
	struct itimerspec when = {
		.it_value = timespec_of(now < schedule.t0 ? schedule.t0 :
					grid_floor(now) + schedule.step),
		.it_interval = timespec_of(schedule.step),
	};
	timer_t timer;

	sample_at = sample;
	if (sigaction(SIGALRM, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
	    timer_settime(timer, TIMER_ABSTIME, &when, NULL))
		die_errno("cannot start the sampling timer");
}
