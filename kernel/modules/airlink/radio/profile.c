// SPDX-License-Identifier: GPL-2.0
/*
 * The bounds of a profile's values, and the profile of a device that adds nothing of
 * its own to the standard. Those of real devices are data, which come by netlink.
 */

#include <linux/limits.h>
#include <linux/netlink.h>
#include <linux/time64.h>

#include "radio/profile.h"

const struct al_profile al_profile_neutral = {
	.aggregate_frames = 64,
	.aggregate_bytes = U32_MAX,
	.aggregate_us = 5484,
	.window_frames = 64,
	.aggregates_ahead = 1,
	.singles_ahead = 1,
	.amsdu_frames = 1,
	.amsdu_bytes = 7935,
	.ppdu_tries = 7,
	.frame_tries = 30,
	.rts_bytes = AL_NO_RTS_BYTES,
	.host_frames = 1000,
	.resume_frames = 1000,
	.aql = 1,
};

static const struct {
	size_t offset;
	u32 min, max;
	const char *error;
} profile_bounds[] = {
#define BOUND(field, min_, max_)					\
	{ offsetof(struct al_profile, field), min_, max_,		\
	  #field ": expected " #min_ " to " #max_ }
	BOUND(aggregate_frames, 1, 256),
	BOUND(aggregate_bytes, 1, U32_MAX),
	BOUND(aggregate_us, 1, 5484),
	BOUND(window_frames, 1, 256),
	BOUND(aggregates_ahead, 1, 64),
	BOUND(singles_ahead, 1, 64),
	BOUND(amsdu_frames, 1, 64),
	BOUND(amsdu_bytes, 1, 11454),
	BOUND(subframe_bytes_min, 0, 4096),
	BOUND(density_ns, 0, 16000),
	BOUND(ppdu_tries, 1, 255),
	BOUND(frame_tries, 1, 255),
	BOUND(device_queues, 0, 2),
	BOUND(host_frames, 1, 1000000),
	BOUND(resume_frames, 1, 1000000),
	BOUND(bus_frames, 0, 65536),
	BOUND(bus_ns, 0, 1000000000),
	BOUND(refill_ns, 0, 1000000000),
	BOUND(report_ns, 0, 1000000000),
	BOUND(report_wait_ns, 0, 1000000000),
	BOUND(receive_wait_ns, 0, 1000000000),
	BOUND(receive_wait_max_ns, 0, 1000000000),
	BOUND(pacing_shift, 0, 31),
	BOUND(receive_with_reports, 0, 1),
	BOUND(aql, 0, 1),
#undef BOUND
};

/* Errors: -ERANGE, with the reason in @extack. */
int al_profile_check(const struct al_profile *profile,
		     struct netlink_ext_ack *extack)
{
	unsigned int bound;
	u32 value;

	for (bound = 0; bound < ARRAY_SIZE(profile_bounds); bound++) {
		value = *(const u32 *)((const char *)profile +
				       profile_bounds[bound].offset);
		if (value >= profile_bounds[bound].min &&
		    value <= profile_bounds[bound].max)
			continue;
		if (extack)
			extack->_msg = profile_bounds[bound].error;
		return -ERANGE;
	}
	if (profile->bus_frames && (!profile->bus_bytes || !profile->bus_mbps ||
				    !profile->bus_transfers)) {
		NL_SET_ERR_MSG(extack,
			       "a bus has bus_bytes, bus_mbps and bus_transfers");
		return -ERANGE;
	}
	if (profile->resume_frames > profile->host_frames) {
		NL_SET_ERR_MSG(extack,
			       "resume_frames: at most host_frames");
		return -ERANGE;
	}
	if (profile->receive_wait_max_ns < profile->receive_wait_ns) {
		NL_SET_ERR_MSG(extack,
			       "receive_wait_max_ns: at least receive_wait_ns");
		return -ERANGE;
	}
	return 0;
}
