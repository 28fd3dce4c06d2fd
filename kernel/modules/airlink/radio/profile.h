/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a kind of device is like: how it aggregates, how far ahead, and when its
 * host hears of what it did. All of it can be set for each radio over netlink;
 * profile.c has the bounds and the neutral defaults.
 *
 * Field order = attribute order: the fields stand in the order of enum
 * airlink_profile_attribute (uapi.h) and are u32, because attributes.c fills the
 * struct as an array.
 */
#ifndef AIRLINK_PROFILE_H
#define AIRLINK_PROFILE_H

#include <linux/types.h>

struct netlink_ext_ack;

#define AL_SUBFRAMES_MAX	256
#define AL_NO_RTS_BYTES		U32_MAX

struct al_profile {
	/* Aggregates. The standard's own limits hold as well. */
	u32 aggregate_frames;	/* most subframes; 1: it does not aggregate */
	u32 aggregate_bytes;	/* most bytes of a PSDU */
	u32 aggregate_us;	/* longest time of a PPDU on the air */
	u32 window_frames;	/* the block ack window: 64; with HE up to 256 */
	u32 aggregates_ahead;	/* most A-MPDUs at a time, formed or on the air */
	u32 singles_ahead;	/* most other PPDUs at a time, likewise */
	u32 amsdu_frames;	/* most MSDUs in an MPDU; 1: no A-MSDU */
	u32 amsdu_bytes;	/* most bytes of an A-MSDU's MPDU */
	u32 subframe_bytes_min;	/* shorter subframes get delimiters behind them */
	u32 density_ns;		/* shortest time of a subframe on the air */
	u32 ppdu_tries;		/* most tries of a PPDU that nobody answers */
	u32 frame_tries;	/* most PPDUs that a frame is sent in */
	u32 rts_bytes;		/* RTS and CTS go before longer PSDUs */

	/* Between host and device. */
	u32 device_queues;	/* where frames wait in a softmac device; see
				 * softmac/tx.c:
				 * 0: in mac80211, until a PPDU is formed (pull)
				 * 1: in the device, as far as mac80211's limits
				 *    go; it aggregates by itself (push)
				 * 2: in the device, as many as come (drain)
				 */
	u32 device_frames;	/* frames that fit in the device; 0: any number */
	u32 host_frames;	/* the host stops at so many without a report */
	u32 resume_frames;	/* the host goes on when there are fewer */
	u32 bus_frames;		/* most frames in a bus transfer; 0: no bus */
	u32 bus_bytes;		/* most bytes in a transfer */
	u32 bus_transfers;	/* most transfers at a time */
	u32 bus_mbps;
	u32 bus_ns;		/* what a transfer takes beside its bytes' time */
	u32 refill_ns;		/* from the end of an exchange until the device
				 * forms the next PPDU
				 */
	u32 report_ns;		/* from the end of an exchange to its report */
	u32 report_frames;	/* the host takes up so many reports at once */
	u32 report_wait_ns;	/* a report waits for others at most so long */
	u32 receive_wait_ns;	/* received frames go up after such a pause */
	u32 receive_wait_max_ns; /* a received frame waits at most so long */

	u32 pacing_shift;	/* the driver's sk_pacing_shift; 0: the stack's */
	u32 receive_with_reports; /* 1: received frames go up with reports, too */
	u32 aql;		/* with device_queues 1: whether mac80211 limits what
				 * the device has to some ms of airtime (1), or host_frames
				 * alone does (0)
				 */
	u32 receive_frames;	/* so many received frames go up without a wait */
};

extern const struct al_profile al_profile_neutral;

int al_profile_check(const struct al_profile *profile,
		     struct netlink_ext_ack *extack);

#endif /* AIRLINK_PROFILE_H */
