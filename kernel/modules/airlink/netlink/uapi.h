/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family "airlink": media, radios, links, statistics.
 *
 * A medium has a number that whoever makes it chooses. A radio is named by its
 * medium and its address. Everything but AIRLINK_CMD_GET_RADIO needs
 * CAP_NET_ADMIN. A message with an error in it changes nothing; the extended
 * acknowledgment says what is wrong.
 */
#ifndef AIRLINK_UAPI_H
#define AIRLINK_UAPI_H

#define AIRLINK_GENL_NAME	"airlink"
#define AIRLINK_GENL_VERSION	1

enum airlink_command {
	AIRLINK_CMD_UNSPEC,
	AIRLINK_CMD_NEW_MEDIUM,		/* MEDIUM, BAND, SEED */
	AIRLINK_CMD_DEL_MEDIUM,		/* MEDIUM; its radios go with it */
	AIRLINK_CMD_NEW_RADIO,		/* MEDIUM, ADDRESS; optional: NAME, FRONT,
					 * ROLE, ACCESS_POINT, RATE, BEST_RATE,
					 * PROFILE
					 */
	AIRLINK_CMD_DEL_RADIO,		/* MEDIUM, ADDRESS */
	AIRLINK_CMD_SET_RADIO,		/* MEDIUM, ADDRESS; optional: PROFILE,
					 * RATE or RATE_CONTROL, EDCA
					 */
	AIRLINK_CMD_GET_RADIO,		/* MEDIUM, ADDRESS; a dump has all radios */
	AIRLINK_CMD_SET_LINK,		/* MEDIUM, ADDRESS, PEER; optional: LOSS,
					 * SNR, HEARS, RATE or RATE_CONTROL
					 */
	AIRLINK_CMD_NEW_SNIFFER,	/* MEDIUM; optional: NAME */
	AIRLINK_CMD_DEL_SNIFFER,	/* MEDIUM */
};

enum airlink_attribute {
	AIRLINK_ATTR_UNSPEC,
	AIRLINK_ATTR_MEDIUM,		/* u32 */
	AIRLINK_ATTR_BAND,		/* u8: 2 (2.4 GHz) or 5 (the default) */
	AIRLINK_ATTR_SEED,		/* u64: backoffs and errors follow from it */
	AIRLINK_ATTR_ADDRESS,		/* 6 bytes */
	AIRLINK_ATTR_NAME,		/* string: the name of the device */
	AIRLINK_ATTR_FRONT,		/* u8, enum airlink_front */
	AIRLINK_ATTR_ACCESS_POINT,	/* 6 bytes: a fullmac station's */
	AIRLINK_ATTR_RATE,		/* nest of AIRLINK_RATE_*: that of all data */
	AIRLINK_ATTR_RATE_CONTROL,	/* flag: rate control chooses again */
	AIRLINK_ATTR_BEST_RATE,		/* nest as RATE: a softmac device's highest */
	AIRLINK_ATTR_PROFILE,		/* nest of AIRLINK_PROFILE_* */
	AIRLINK_ATTR_EDCA,		/* nest of AIRLINK_EDCA_* */
	AIRLINK_ATTR_PEER,		/* 6 bytes: the receiving end of a link */
	AIRLINK_ATTR_LOSS,		/* u32: probability for an MPDU, in 1e-9 */
	AIRLINK_ATTR_SNR,		/* s32: in 1/100 dB */
	AIRLINK_ATTR_HEARS,		/* u8: whether PEER senses the radio */
	AIRLINK_ATTR_STATS,		/* nest of AIRLINK_STATS_* */
	AIRLINK_ATTR_PAD,
	AIRLINK_ATTR_ROLE,		/* u8, enum airlink_role, of a fullmac radio;
					 * by default it is a station if it has an
					 * ACCESS_POINT, and one itself if not
					 */
	AIRLINK_ATTR_COUNT
};

#define AIRLINK_ATTR_MAX	(AIRLINK_ATTR_COUNT - 1)

enum airlink_front { AIRLINK_FULLMAC, AIRLINK_SOFTMAC };

/* Whom a fullmac radio exchanges frames with: see fullmac.c. */
enum airlink_role {
	AIRLINK_ROLE_ACCESS_POINT,
	AIRLINK_ROLE_STATION,
	AIRLINK_ROLE_PEER,
};

enum airlink_phy { AIRLINK_LEGACY, AIRLINK_HT, AIRLINK_VHT, AIRLINK_HE };

enum airlink_rate_attribute {
	AIRLINK_RATE_UNSPEC,
	AIRLINK_RATE_PHY,		/* u8, enum airlink_phy */
	AIRLINK_RATE_MCS,		/* u8: see struct al_rate */
	AIRLINK_RATE_STREAMS,		/* u8: 1 to 4 */
	AIRLINK_RATE_WIDTH,		/* u8, MHz: 20, 40, 80, 160 */
	AIRLINK_RATE_GI,		/* u16, ns */
	AIRLINK_RATE_COUNT
};

#define AIRLINK_RATE_MAX	(AIRLINK_RATE_COUNT - 1)

/* All are u32. struct al_profile has a field for each, in the same order, and says
 * what they mean.
 */
enum airlink_profile_attribute {
	AIRLINK_PROFILE_UNSPEC,
	AIRLINK_PROFILE_AGGREGATE_FRAMES,
	AIRLINK_PROFILE_AGGREGATE_BYTES,
	AIRLINK_PROFILE_AGGREGATE_US,
	AIRLINK_PROFILE_WINDOW_FRAMES,
	AIRLINK_PROFILE_AGGREGATES_AHEAD,
	AIRLINK_PROFILE_SINGLES_AHEAD,
	AIRLINK_PROFILE_AMSDU_FRAMES,
	AIRLINK_PROFILE_AMSDU_BYTES,
	AIRLINK_PROFILE_SUBFRAME_BYTES_MIN,
	AIRLINK_PROFILE_DENSITY_NS,
	AIRLINK_PROFILE_PPDU_TRIES,
	AIRLINK_PROFILE_FRAME_TRIES,
	AIRLINK_PROFILE_RTS_BYTES,
	AIRLINK_PROFILE_DEVICE_QUEUES,
	AIRLINK_PROFILE_DEVICE_FRAMES,
	AIRLINK_PROFILE_HOST_FRAMES,
	AIRLINK_PROFILE_RESUME_FRAMES,
	AIRLINK_PROFILE_BUS_FRAMES,
	AIRLINK_PROFILE_BUS_BYTES,
	AIRLINK_PROFILE_BUS_TRANSFERS,
	AIRLINK_PROFILE_BUS_MBPS,
	AIRLINK_PROFILE_BUS_NS,
	AIRLINK_PROFILE_REFILL_NS,
	AIRLINK_PROFILE_REPORT_NS,
	AIRLINK_PROFILE_REPORT_FRAMES,
	AIRLINK_PROFILE_REPORT_WAIT_NS,
	AIRLINK_PROFILE_RECEIVE_WAIT_NS,
	AIRLINK_PROFILE_RECEIVE_WAIT_MAX_NS,
	AIRLINK_PROFILE_PACING_SHIFT,		/* or AIRLINK_KERNEL_SHIFT */
	AIRLINK_PROFILE_RECEIVE_WITH_REPORTS,
	AIRLINK_PROFILE_AQL,
	AIRLINK_PROFILE_RECEIVE_FRAMES,
	AIRLINK_PROFILE_COUNT
};

#define AIRLINK_PROFILE_MAX	(AIRLINK_PROFILE_COUNT - 1)

/* The pacing_shift that a TCP socket of this kernel has by itself. */
#define AIRLINK_KERNEL_SHIFT	0xffffffff

enum airlink_edca_attribute {
	AIRLINK_EDCA_UNSPEC,
	AIRLINK_EDCA_AC,		/* u8: 0 VO, 1 VI, 2 BE, 3 BK */
	AIRLINK_EDCA_AIFSN,		/* u8 */
	AIRLINK_EDCA_CW_MIN,		/* u16, slots */
	AIRLINK_EDCA_CW_MAX,		/* u16, slots */
	AIRLINK_EDCA_TXOP,		/* u32, us */
	AIRLINK_EDCA_COUNT
};

#define AIRLINK_EDCA_MAX	(AIRLINK_EDCA_COUNT - 1)

/* All are u64 but the last two. struct al_stats says what those up to BUSY_NS
 * count.
 */
enum airlink_stats_attribute {
	AIRLINK_STATS_UNSPEC,
	AIRLINK_STATS_PPDUS,
	AIRLINK_STATS_PPDUS_FAILED,
	AIRLINK_STATS_SUBFRAMES,
	AIRLINK_STATS_FRAMES_ACKED,
	AIRLINK_STATS_FRAMES_RETRIED,
	AIRLINK_STATS_FRAMES_DROPPED,
	AIRLINK_STATS_BYTES_ACKED,
	AIRLINK_STATS_FRAMES_RECEIVED,
	AIRLINK_STATS_RTS,
	AIRLINK_STATS_TX_NS,
	AIRLINK_STATS_BUSY_NS,
	/* The next three are about frames of the host at this instant. */
	AIRLINK_STATS_HOST_FRAMES,	/* taken from the host, not reported */
	AIRLINK_STATS_BUS_FRAMES,	/* wait for the bus, or are on it */
	AIRLINK_STATS_DEVICE_FRAMES,	/* in the device */
	AIRLINK_STATS_SUBFRAMES_OF,	/* u64[256]: PPDUs of 1, 2, ... frames */
	AIRLINK_STATS_LINKS,		/* nest: a nest of AIRLINK_LINK_* each */
	AIRLINK_STATS_PAD,
	AIRLINK_STATS_COUNT
};

#define AIRLINK_STATS_MAX	(AIRLINK_STATS_COUNT - 1)

enum airlink_link_attribute {
	AIRLINK_LINK_UNSPEC,
	AIRLINK_LINK_ADDRESS,		/* 6 bytes: the receiver's, or broadcast */
	AIRLINK_LINK_AIRTIME_NS,	/* u64 */
	AIRLINK_LINK_PAD,
};

#endif /* AIRLINK_UAPI_H */
