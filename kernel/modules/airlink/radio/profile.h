/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a kind of device is like: how it aggregates, how far ahead, and when its
 * host hears of what it did. All of it can be set for each radio over netlink;
 * profile.c has the bounds and the neutral defaults.
 */
#ifndef AIRLINK_PROFILE_H
#define AIRLINK_PROFILE_H

#include <linux/types.h>

struct netlink_ext_ack;

#define AL_SUBFRAMES_MAX	256
#define AL_NO_RTS_BYTES		U32_MAX

struct al_profile {
	/* Aggregates. The standard's own limits hold as well. */
	u32 aggregate_frames;	/* subframes; 1: does not aggregate */
	u32 aggregate_bytes;	/* of PSDU */
	u32 aggregate_us;	/* time of the PPDU */
	u32 window_frames;	/* of block ack: 64, HE: up to 256 */
	u32 aggregates_ahead;	/* formed at a time, with the one on the air */
	u32 singles_ahead;	/* frames that are not aggregated, likewise */
	u32 amsdu_frames;	/* MSDUs in an MPDU; 1: no A-MSDU */
	u32 amsdu_bytes;	/* at most, in an MPDU */
	u32 subframe_bytes_min;	/* shorter ones are padded with delimiters */
	u32 density_ns;		/* so long is a subframe at least */
	u32 ppdu_tries;		/* of the same PPDU, as long as none answers */
	u32 frame_tries;	/* of a frame, over all PPDUs that it is in */
	u32 rts_bytes;		/* longer PSDUs start with RTS/CTS */

	/* Between host and device. */
	u32 device_queues;	/* where a softmac's frames wait, as far as they may:
				 * 0: above, until a PPDU is formed (pull)
				 * 1: in the device, but fairness and limits above
				 *    say whose (push); it aggregates by itself
				 * 2: in the device, whatever comes (drain)
				 */
	u32 device_frames;	/* that the device has room for; 0: any number */
	u32 host_frames;	/* not reported yet; with so many the queue stops */
	u32 resume_frames;	/* it goes on when there are fewer than these */
	u32 bus_frames;		/* in a transfer to the device; 0: no bus */
	u32 bus_bytes;		/* in a transfer, at most */
	u32 bus_transfers;	/* under way at a time */
	u32 bus_mbps;
	u32 bus_ns;		/* of a transfer, beside its bytes */
	u32 refill_ns;		/* from the end of an exchange to the next PPDU
				 * that is formed
				 */
	u32 report_ns;		/* from the end of an exchange to its report */
	u32 report_frames;	/* reported at once when so many wait, or ... */
	u32 report_wait_ns;	/* ... when the first of them has waited this long */
	u32 receive_wait_ns;	/* received frames go up when none came for ... */
	u32 receive_wait_max_ns; /* ... or the first has waited this long */

	u32 pacing_shift;	/* sk_pacing_shift that the driver sets; 0: none */
	u32 receive_with_reports; /* 1: they go up with any report, too */
};

extern const struct al_profile al_profile_neutral;

int al_profile_check(const struct al_profile *profile,
		     struct netlink_ext_ack *extack);

#endif /* AIRLINK_PROFILE_H */
