// SPDX-License-Identifier: GPL-2.0
/*
 * Volumes: the bandwidth-delay product, what is added to it, and cwnd.
 *
 *	BDP    = gain * bandwidth * min_rtt
 *	target = BDP + 3 skbs, even, + 2 in the phase that probes
 *	cwnd  -> target, with the gain of cwnd, + extra_acked
 *
 * The three skbs are one each for the sender's qdisc, its device, and a receiver
 * that waits for more before it ACKs: with a BDP of a few packets nothing would
 * flow without them. An even number spares a receiver that ACKs every other packet
 * its timer. The 2 let the smallest estimate grow.
 *
 * extra_acked is what was ACKed at once beyond what the bandwidth accounts for. Over
 * Wi-Fi a whole aggregate, or several, are ACKed together, and then nothing for as
 * long as they took: without these packets in flight the sender would run dry. It is
 * the highest of two windows of rounds, and at most 100 ms of the bandwidth.
 */

#include "age.h"
#include "bandwidth.h"
#include "window.h"

#define WINDOW_SKBS			3
#define WINDOW_SKB_PACKETS_MAX		127u
/* Below this rate an skb is one packet: two would hold up others for too long. */
#define WINDOW_LONE_PACKET_BYTES_PER_S	(1200000 / 8)

#define WINDOW_EXTRA_US_MAX		(100 * USEC_PER_MSEC)
/* What is counted in an epoch ends here, before 2^20. */
#define WINDOW_EPOCH_PACKETS_MAX	0xfffffu

/* The least packets of an skb. */
u32 bbrs_min_tso_segs(struct sock *sk)
{
	return READ_ONCE(sk->sk_pacing_rate) < WINDOW_LONE_PACKET_BYTES_PER_S ? 1 : 2;
}

#ifdef BBRS_HAVE_TSO_SEGS
/* What mainline's tcp_tso_autosize() makes of that: the bytes of sk_pacing_shift's time, more
 * where the peer is near, and no more than the device takes.
 */
u32 bbrs_tso_segs(struct sock *sk, unsigned int mss_now)
{
	u32 near = tcp_min_rtt(tcp_sk(sk)) >>
		   READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_tso_rtt_log);
	unsigned long bytes;

	bytes = READ_ONCE(sk->sk_pacing_rate) >> READ_ONCE(sk->sk_pacing_shift);
	if (near < BITS_PER_TYPE(sk->sk_gso_max_size))
		bytes += sk->sk_gso_max_size >> near;
	bytes = min_t(unsigned long, bytes, sk->sk_gso_max_size);
	return max_t(u32, bytes / mss_now, bbrs_min_tso_segs(sk));
}
#endif

/* The packets of an skb that the pacing rate fills in the time of sk_pacing_shift. */
u32 bbrs_skb_packets(struct sock *sk)
{
	unsigned long bytes;
	u32 packets;

	bytes = READ_ONCE(sk->sk_pacing_rate) >> READ_ONCE(sk->sk_pacing_shift);
	bytes = min_t(unsigned long, bytes, GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER);
	packets = max_t(u32, bytes / tcp_sk(sk)->mss_cache, bbrs_min_tso_segs(sk));
	packets = min(packets, WINDOW_SKB_PACKETS_MAX);
	if (bbrs_without(sk)->gso_budget)
		packets = min_t(u32, packets, sk->sk_gso_max_segs);
	return packets;
}

/* @gain times the bandwidth-delay product, rounded up; without an RTT, a guess. */
u32 bbrs_bdp(const struct sock *sk, u32 bw, u32 gain)
{
	u32 min_rtt_us = bbrs_flow(sk)->min_rtt_us;
	u64 scaled;

	if (min_rtt_us == U32_MAX)
		return TCP_INIT_CWND;
	scaled = ((u64)bw * min_rtt_us * gain) >> BBRS_GAIN_SHIFT;
	return (scaled + BBRS_BW_1 - 1) >> BBRS_BW_SHIFT;
}

/* @packets, and what hosts need beside. */
u32 bbrs_with_budget(struct sock *sk, u32 packets)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	bool probes = flow->mode == BBRS_PROBE_BW && flow->phase == BBRS_UP;
	u32 budget = WINDOW_SKBS * bbrs_skb_packets(sk);

	if (bbrs_rules(sk)->budget_is_least)
		packets = max3(packets, budget, (u32)BBRS_CWND_MIN);
	else
		packets = round_up(packets + budget, 2);
	if (probes && !bbrs_without(sk)->small_bdp)
		packets += 2;
	return packets;
}

/* What is to be in flight at @gain. */
u32 bbrs_target(struct sock *sk, u32 bw, u32 gain)
{
	return bbrs_with_budget(sk, bbrs_bdp(sk, bw, gain));
}

/*
 * What will be in flight when the next skb may leave, if nothing else is sent until
 * then: pacing has promised the link's time to what was sent before. Where the flow
 * is to rise above the estimate, with that skb.
 */
u32 bbrs_at_departure(struct sock *sk, u32 in_flight)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	u64 wait_ns = 0;
	u32 delivered;

	if (bbrs_without(sk)->edt)
		return in_flight;
	if (tp->tcp_wstamp_ns > tp->tcp_clock_cache)
		wait_ns = tp->tcp_wstamp_ns - tp->tcp_clock_cache;
	delivered = bbrs_packets_in(bbrs_bw(flow), div_u64(wait_ns, NSEC_PER_USEC));
	if (flow->pacing_gain > BBRS_GAIN_1)
		in_flight += bbrs_skb_packets(sk);
	return in_flight > delivered ? in_flight - delivered : 0;
}

/* The estimator's age in rounds: of a flow in STARTUP, one, if it counts at all. */
static u8 window_extra_rounds(const struct sock *sk)
{
	const struct bbrs_rules *rules = bbrs_rules(sk);

	return rules->extra_in_startup && !bbrs_flow(sk)->full ? 1 : rules->extra_rounds;
}

static bool window_counts_extra(const struct sock *sk)
{
	return bbrs_rules(sk)->own_extra_acked || !bbrs_without(sk)->ack_aggregation;
}

/* What cwnd is given for aggregates of ACKs, once the bandwidth is known. */
u32 bbrs_extra_cwnd(const struct sock *sk)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u32 most, extra;

	if (!flow->full && !bbrs_rules(sk)->extra_in_startup)
		return 0;
	if (!window_counts_extra(sk))
		return 0;
	most = bbrs_packets_in(bbrs_bw(flow), WINDOW_EXTRA_US_MAX);
	extra = max(flow->extra_acked[0], flow->extra_acked[1]);
	return min(extra, most);
}

/* Begin to count what is ACKed. */
void bbrs_restart_epoch(struct sock *sk, u64 now_us)
{
	bbrs_flow(sk)->epoch_us = now_us;
	bbrs_flow(sk)->epoch_acked = 0;
}

/* The older of the two windows begins anew, as the one of now. */
static void window_age_extra(struct bbrs_flow *flow, u8 rounds)
{
	if (++flow->extra_rounds < rounds)
		return;
	flow->extra_rounds = 0;
	flow->extra_now = !flow->extra_now;
	flow->extra_acked[flow->extra_now] = 0;
}

/*
 * An epoch goes on as long as more is ACKed than the bandwidth accounts for; it
 * begins anew where it does not, so that an extra is one of a burst.
 */
void bbrs_update_extra_acked(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 expected, extra;

	if (!window_counts_extra(sk) || !rs->acked_sacked || !bbrs_is_sample(rs))
		return;
	if (flow->round_began)
		window_age_extra(flow, window_extra_rounds(sk));

	expected = bbrs_packets_in(bbrs_bw(flow),
				   tcp_stamp_us_delta(tp->delivered_mstamp,
						      flow->epoch_us));
	if (flow->epoch_acked <= expected ||
	    flow->epoch_acked + rs->acked_sacked > WINDOW_EPOCH_PACKETS_MAX) {
		bbrs_restart_epoch(sk, tp->delivered_mstamp);
		expected = 0;
	}
	flow->epoch_acked = min(flow->epoch_acked + rs->acked_sacked,
				WINDOW_EPOCH_PACKETS_MAX);
	extra = min(flow->epoch_acked - expected, tcp_snd_cwnd(tp));
	if (extra > flow->extra_acked[flow->extra_now])
		flow->extra_acked[flow->extra_now] = extra;
}

/* Losses and PROBE_RTT cut cwnd; this is the one to go back to. */
void bbrs_save_cwnd(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));

	if (flow->ca_state >= TCP_CA_Recovery || flow->mode == BBRS_PROBE_RTT)
		cwnd = max(cwnd, flow->good_cwnd);	/* it has been cut already */
	flow->good_cwnd = cwnd;
}

void bbrs_restore_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp), bbrs_flow(sk)->good_cwnd));
}

/*
 * What TCP's recovery makes of cwnd: in its first round a packet is sent for each
 * that was ACKed, and no more; when it is over, cwnd is the one of before. Returns
 * whether that is all that there is to say of cwnd.
 */
static bool window_recover(struct sock *sk, const struct rate_sample *rs, u32 *cwnd)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	u8 before = flow->ca_state, now = inet_csk(sk)->icsk_ca_state;
	u32 clocked = tcp_packets_in_flight(tcp_sk(sk)) + rs->acked_sacked;

	if (rs->losses > 0)
		*cwnd = max_t(s32, *cwnd - rs->losses, 1);
	if (now == TCP_CA_Recovery && before != TCP_CA_Recovery) {
		flow->conserves = true;
		bbrs_start_round(sk);
		*cwnd = clocked;
	} else if (before >= TCP_CA_Recovery && now < TCP_CA_Recovery) {
		flow->conserves = false;
		*cwnd = max(*cwnd, flow->good_cwnd);
	}
	flow->ca_state = now;
	if (flow->conserves)
		*cwnd = max(*cwnd, clocked);
	return flow->conserves;
}

/* Towards the target: by what is ACKed, and down at once when the pipe was full. */
u32 bbrs_step_cwnd(struct sock *sk, u32 cwnd, u32 acked)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u32 target;

	target = bbrs_bdp(sk, bbrs_bw(flow), flow->cwnd_gain) + bbrs_extra_cwnd(sk);
	target = bbrs_with_budget(sk, target);
	if (flow->full)
		cwnd = min(cwnd + acked, target);
	else if (cwnd < target || tcp_sk(sk)->delivered < TCP_INIT_CWND)
		cwnd += acked;
	return max_t(u32, cwnd, BBRS_CWND_MIN);
}

void bbrs_update_cwnd(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tcp_snd_cwnd(tp);

	if (rs->acked_sacked && !window_recover(sk, rs, &cwnd))
		cwnd = bbrs_step_cwnd(sk, cwnd, rs->acked_sacked);
	cwnd = min(cwnd, tp->snd_cwnd_clamp);
	if (bbrs_flow(sk)->mode == BBRS_PROBE_RTT)
		cwnd = min_t(u32, cwnd, BBRS_CWND_MIN);
	tcp_snd_cwnd_set(tp, cwnd);
}
