/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bandwidth estimate, the rounds that it is taken by, and the pacing rate
 * that comes of it.
 *
 * A bandwidth is in packets/us, in fixed point: 1/2^24 of it. With packets of 1500
 * bytes the least is 715 bit/s, and the most that fits 32 bits 2.9 Tbit/s.
 *
 * A round is a round trip as packets tell the time: it is over when a packet is
 * ACKed that was sent after the round began.
 */
#ifndef BBRS_BANDWIDTH_H
#define BBRS_BANDWIDTH_H

#include "flow.h"

#define BBRS_BW_SHIFT	24
#define BBRS_BW_1	BIT_ULL(BBRS_BW_SHIFT)

/* Before an RTT is known, the one to pace by. */
#define BBRS_RTT_GUESS_US	1000

/* The highest that was measured of late. */
static inline u32 bbrs_max_bw(const struct bbrs_flow *flow)
{
	return minmax_get(&flow->max_bw);
}

/* What the flow is to send at, but for the gain. */
static inline u32 bbrs_bw(const struct bbrs_flow *flow)
{
	return flow->obeys ? flow->other_bw : bbrs_max_bw(flow);
}

/* Whether @rs is a measurement at all. */
static inline bool bbrs_is_sample(const struct rate_sample *rs)
{
	return rs->delivered >= 0 && rs->interval_us > 0;
}

/* Packets that @bw delivers in @us, rounded down. */
static inline u64 bbrs_packets_in(u32 bw, u64 us)
{
	return (bw * us) >> BBRS_BW_SHIFT;
}

/* A bandwidth that delivers @packets in @us. */
static inline u64 bbrs_bw_of(u64 packets, u64 us)
{
	return div64_u64(packets << BBRS_BW_SHIFT, us);
}

/* What @rs has measured; 0: nothing. */
static inline u32 bbrs_sample_bw(const struct rate_sample *rs)
{
	return bbrs_is_sample(rs) ? bbrs_bw_of(rs->delivered, rs->interval_us) : 0;
}

u64 bbrs_bytes_per_s(const struct sock *sk, u32 bw, u32 gain);
void bbrs_start_round(struct sock *sk);
void bbrs_update_round(struct sock *sk, const struct rate_sample *rs);
void bbrs_update_bw(struct sock *sk, const struct rate_sample *rs);
void bbrs_pace_by_rtt(struct sock *sk);
void bbrs_pace(struct sock *sk, u32 bw, u32 gain);

#endif /* BBRS_BANDWIDTH_H */
