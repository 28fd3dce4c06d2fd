// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * WQM ("WQM: An Aggregation-aware Queue Management Scheme for IEEE 802.11n", CSWS
 * 2014): a queue in front of a radio is kept so short that it drains in 2.5 ms, but
 * no shorter than one aggregate. With R for the rate, BL for the backlog, F for the
 * share of the time in which the channel is free for us, and B for the queue's limit:
 *
 *	T_drain = (BL / R) / F		every 100 ms
 *
 *	T_drain > limit, B > B_min:	for the second time running: B = B / 2
 *	T_drain < limit, B < B_max:	for the second time running: B = B + 1
 *
 * "For the second time" is told by two alarms, of which at most one is on; it stays
 * on when its action is done, so that each further interval of the kind acts again.
 *
 * B begins with what a path of one hop holds: the rate times the time of an
 * aggregate and of the TCP ACKs for it.
 *
 * Nothing here asks or changes anything of the host. It is src/tsqlab/model/wqm.py in
 * integers, number by number; that file says what the paper leaves open, and what is
 * done about it.
 */
#include "policy.h"

#define SLOT_NS			9000
#define SIFS_NS			16000
#define DIFS_NS			34000
#define PHY_NS			33000	/* preamble and PHY header */
#define CW_MIN			15
#define BASIC_KBPS		6000

#define MAC_BYTES		38
#define DATA_BYTES		1500
#define TCP_ACK_BYTES		40
#define BLOCK_ACK_BYTES		30

#define AGGREGATE_MAX_FRAMES	64
#define AGGREGATE_MAX_BYTES	65535
#define AGGREGATE_MAX_NS	4000000	/* ath9k's bound */
#define UNAGGREGATED_MAX_KBPS	6500	/* up to it ath9k sends single frames */

#define FREE_MIN_PERMILLE	50
#define BACKLOG_MAX_BYTES	INT32_MAX

#define BIT_NS_PER_KBPS		8000000ULL	/* bytes / (kbit/s) * this = ns */

static uint64_t policy_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t policy_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct wqm_policy wqm_policy(uint64_t drain_limit_ns)
{
	return (struct wqm_policy){ .drain_limit_ns = drain_limit_ns };
}

uint32_t wqm_free_permille(uint64_t time, uint64_t busy, uint64_t own)
{
	uint64_t others = busy > own ? busy - own : 0;

	if (others >= time)
		return 0;
	return WQM_PERMILLE - WQM_PERMILLE * others / time;
}

uint64_t wqm_drain_ns(const struct wqm_interval *seen)
{
	uint64_t backlog_bytes = policy_min(seen->backlog_bytes, BACKLOG_MAX_BYTES);
	uint64_t free_permille = policy_max(seen->free_permille, FREE_MIN_PERMILLE);

	if (!seen->rate_kbps)
		return 0;
	return WQM_PERMILLE * BIT_NS_PER_KBPS * backlog_bytes / (seen->rate_kbps * free_permille);
}

uint32_t wqm_buffer_min_packets(uint32_t rate_kbps)
{
	uint64_t bytes = rate_kbps * (uint64_t)AGGREGATE_MAX_NS / BIT_NS_PER_KBPS;

	if (rate_kbps <= UNAGGREGATED_MAX_KBPS)
		return 1;
	bytes = policy_min(bytes, AGGREGATE_MAX_BYTES);
	return policy_min(bytes / (MAC_BYTES + DATA_BYTES), AGGREGATE_MAX_FRAMES);
}

/* Both ways: an aggregate, and a TCP ACK for each second of its frames. */
uint32_t wqm_buffer_start_packets(uint32_t rate_kbps)
{
	uint32_t frames = wqm_buffer_min_packets(rate_kbps);
	uint64_t access_ns = (CW_MIN - 1) * SLOT_NS / 2 + DIFS_NS + 2 * PHY_NS + SIFS_NS +
			     BLOCK_ACK_BYTES * BIT_NS_PER_KBPS / BASIC_KBPS;
	uint64_t data_bytes = frames * (MAC_BYTES + DATA_BYTES);
	uint64_t twice_ack_bytes = frames * (MAC_BYTES + TCP_ACK_BYTES);
	uint64_t bytes = (rate_kbps * 2 * access_ns + BIT_NS_PER_KBPS * data_bytes +
			  BIT_NS_PER_KBPS / 2 * twice_ack_bytes) / BIT_NS_PER_KBPS;

	return policy_min(policy_max(bytes / DATA_BYTES, frames), WQM_BUFFER_MAX_PACKETS);
}

uint32_t wqm_policy_step(struct wqm_policy *policy, const struct wqm_interval *seen)
{
	uint64_t drain_ns = wqm_drain_ns(seen);
	uint32_t least = wqm_buffer_min_packets(seen->rate_kbps);
	uint32_t *buffer = &policy->buffer_packets;

	if (!seen->sent || !seen->rate_kbps)
		return *buffer;
	if (!*buffer)
		*buffer = wqm_buffer_start_packets(seen->rate_kbps);
	*buffer = policy_max(*buffer, least);
	if (drain_ns > policy->drain_limit_ns && *buffer > least) {
		if (policy->alarm == WQM_ALARM_HIGH)
			*buffer = policy_max(*buffer / 2, least);
		policy->alarm = WQM_ALARM_HIGH;
	} else if (drain_ns < policy->drain_limit_ns && *buffer < WQM_BUFFER_MAX_PACKETS) {
		if (policy->alarm == WQM_ALARM_LOW)
			++*buffer;
		policy->alarm = WQM_ALARM_LOW;
	}
	return *buffer;
}
