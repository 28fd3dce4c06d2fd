/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One end of a cable: the private data of a wireline net device.
 *
 * An end sends on its own lane and receives from its peer's:
 *
 *	end A				end B
 *	tx   |------- A's lane ------>| napi,
 *	napi |<------ B's lane -------| tx
 *
 * Lifetime. RTNL is held by all that joins, parts, opens and stops ends. A peer
 * pointer is set when the second end is made and cleared, on both sides, when
 * either is unregistered (ndo_uninit). Those who follow it without RTNL, the
 * timer and the NAPI, do so under RCU; unregister_netdevice_many() waits for a
 * grace period between ndo_uninit and the free, and the lanes have been closed
 * before that (ndo_stop), so nothing of an end that is gone is ever touched.
 */
#ifndef WIRELINE_END_H
#define WIRELINE_END_H

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/u64_stats_sync.h>

#include "lane.h"

/* Written by the NAPI only, read anywhere through sync. */
struct wireline_rx_stats {
	u64_stats_t skbs;
	u64_stats_t bytes;
	u64_stats_t dropped_length;	/* longer than the MTU allows */
	u64_stats_t dropped_error;	/* no memory to segment or to checksum */
	struct u64_stats_sync sync;
};

#define WIRELINE_PACING_SHIFT_MAX	31	/* no rate is left of what fits 32 bits */

struct wireline_end {
	struct net_device *dev;
	struct wireline_end __rcu *peer;	/* written under RTNL */
	bool running;				/* RTNL: between open and stop */
	u8 pacing_shift;			/* no lock: one byte; 0 is none */
	struct wireline_moderation moderation;	/* RTNL: of the peer's lane */
	struct {
		struct wireline_schedule *schedule;
		size_t bytes;			/* of its entries, so far */
	} written;				/* RTNL: a schedule that is not whole */
	struct wireline_lane tx;
	struct napi_struct napi;		/* serves the peer's lane */
	struct wireline_rx_stats rx;
};

static inline struct wireline_end *
wireline_peer_rtnl(const struct wireline_end *end)
{
	return rtnl_dereference(end->peer);
}

#endif /* WIRELINE_END_H */
