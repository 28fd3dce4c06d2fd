// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What wqm waits for. Intervals end at fixed instants of a clock that stands still while
 * the machine is suspended: one that comes late does not put off the next, and those
 * that were missed are not made up for.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "events.h"

#define NS_PER_S	1000000000

static struct timespec events_time(uint64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
}

static bool events_start(struct wqm_events *events)
{
	struct itimerspec when = { .it_interval = events_time(events->interval_ns) };
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return false;
	when.it_value = events_time(now.tv_sec * (uint64_t)NS_PER_S + now.tv_nsec +
				    events->interval_ns);
	return !timerfd_settime(events->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

bool wqm_events_open(struct wqm_events *events, uint64_t interval_ns)
{
	sigset_t set;

	*events = (struct wqm_events){ .interval_ns = interval_ns };
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return false;
	events->signals = signalfd(-1, &set, SFD_CLOEXEC);
	events->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return events->signals >= 0 && events->timer >= 0 && events_start(events);
}

enum wqm_event wqm_events_next(struct wqm_events *events)
{
	struct pollfd each[] = {
		{ .fd = events->signals, .events = POLLIN },
		{ .fd = events->timer, .events = POLLIN },
	};
	struct signalfd_siginfo signal;
	uint64_t passed;

	for (;;) {
		if (poll(each, 2, -1) < 0 && errno != EINTR)
			return WQM_END;
		if (each[0].revents && read(events->signals, &signal, sizeof(signal)) > 0)
			return signal.ssi_signo == SIGUSR1 ? WQM_STATUS : WQM_END;
		if (each[1].revents && read(events->timer, &passed, sizeof(passed)) > 0) {
			events->intervals += passed;
			return WQM_INTERVAL;
		}
	}
}
