/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What wqm waits for: the end of an interval, or a signal. */
#ifndef WQM_EVENTS_H
#define WQM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum wqm_event {
	WQM_INTERVAL,
	WQM_STATUS,	/* SIGUSR1 */
	WQM_END,	/* SIGTERM, SIGINT, SIGHUP */
};

struct wqm_events {
	int timer;
	int signals;
	uint64_t interval_ns;
	uint64_t intervals;	/* that have passed */
};

/* Signals wait for wqm_events_next() from here on. False if there is no room for it. */
bool wqm_events_open(struct wqm_events *events, uint64_t interval_ns);

enum wqm_event wqm_events_next(struct wqm_events *events);

#endif
