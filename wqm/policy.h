/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WQM's policy: the limit of a queue, from how long it takes to drain. */
#ifndef WQM_POLICY_H
#define WQM_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define WQM_DRAIN_LIMIT_NS	2500000
#define WQM_BUFFER_MAX_PACKETS	95
#define WQM_PERMILLE		1000

/* At most one of the two is on. */
enum wqm_alarm {
	WQM_ALARM_OFF,
	WQM_ALARM_LOW,
	WQM_ALARM_HIGH,
};

struct wqm_policy {
	uint64_t drain_limit_ns;
	uint32_t buffer_packets;	/* 0 until an interval had a rate */
	enum wqm_alarm alarm;
};

/* What was seen in one interval. */
struct wqm_interval {
	uint32_t rate_kbps;		/* 0: not known */
	uint32_t backlog_bytes;
	uint32_t free_permille;		/* of the time, for this sender */
	bool sent;			/* anything; if not, the rate is old */
};

struct wqm_policy wqm_policy(uint64_t drain_limit_ns);

/* The limit after an interval, in packets; 0 until an interval had a rate. */
uint32_t wqm_policy_step(struct wqm_policy *policy,
			 const struct wqm_interval *seen);

/*
 * The share of a time in which the channel is free for a sender: in which nobody else was
 * heard, as sending is not waiting. `busy` is what it heard and sent of it, `own` what it
 * sent, all in one unit, of which there are 2^54 at most.
 */
uint32_t wqm_free_permille(uint64_t time, uint64_t busy, uint64_t own);

/* How long the backlog takes to drain; 0 if there is no rate. */
uint64_t wqm_drain_ns(const struct wqm_interval *seen);

/* The limit's lower bound, and the limit at the start. */
uint32_t wqm_buffer_min_packets(uint32_t rate_kbps);
uint32_t wqm_buffer_start_packets(uint32_t rate_kbps);

#endif
