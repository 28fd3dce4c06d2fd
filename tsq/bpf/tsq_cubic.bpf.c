// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CUBIC with a TSQ limit of its own: the kernel's cubic, called as it is, and one number more.
 *
 * TSQ lets a flow have, below TCP,
 *
 *	max(2 * truesize of the next skb, sk_pacing_rate >> sk_pacing_shift)
 *
 * and nothing but the rate of it may be written from here. tcp_write_xmit() asks min_tso_segs() for a
 * number before it makes skbs and before TSQ looks; the rate that is written there is the one that both
 * take. The next acknowledgement has the kernel write its own rate again. Nothing else of the kernel's
 * congestion control is replaced: neither its recovery (PRR) nor its cwnd.
 *
 * The rate also decides how large the next skb is, up to the device's gso_max_size: as much as TSQ's time
 * is. Two of them would be twice the limit. As long as half of the limit is less than the largest skb,
 * half of it is asked for therefore, and two skbs are the limit. So CoTSQ's patches have it, too. What
 * TCP adds to an skb on a short path (tcp_tso_rtt_log) stays.
 *
 * Flows that are paced need their rate as it is and are left alone.
 */
#include "kernel.h"

/* Only their kind is compared with the kernel's. */
struct ack_sample {
	__u32 pkts_acked;
} __kernel_struct;

enum tcp_ca_event {
	CA_EVENT_TX_START,
};

/* What of the kernel's struct is filled in; its other members stay 0. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*init)(struct sock *sk);
	char name[16];
	__u32 flags;
};

/* Containers, too, may have it: see tcp_set_congestion_control(). */
#define TCP_CONG_NON_RESTRICTED 1

extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

/* Written before the program is loaded: the limit, in microseconds at stock's pacing rate. */
const volatile __u32 tsq_us = 6000;

/* The rate that a kernel with its own ratios has, in bytes per second: 200 % in slow start, then 120 %. */
static __u64 stock_rate(const struct tcp_sock *tp)
{
	__u32 cwnd = tp->snd_cwnd;
	__u64 packets = cwnd > tp->packets_out ? cwnd : tp->packets_out;
	__u64 percent = cwnd < tp->snd_ssthresh / 2 ? 200 : 120;

	if (!tp->srtt_us)
		return 0;
	return packets * tp->mss_cache * percent * (8000000 / 100) / tp->srtt_us;
}

/* The bytes that the rate is to be worth, so that both terms of the limit together are tsq_us. */
static __u64 wanted(const struct sock *sk, const struct tcp_sock *tp, __u64 limit)
{
	__u64 skb = (__u64)sk->sk_gso_max_segs * tp->mss_cache;

	if (skb > sk->sk_gso_max_size)
		skb = sk->sk_gso_max_size;
	return limit / 2 < skb && skb > tp->mss_cache ? limit / 2 : limit;
}

SEC("struct_ops/tsq_min_tso_segs")
__u32 BPF_PROG(tsq_min_tso_segs, struct sock *sk)
{
	const struct tcp_sock *tp = (const struct tcp_sock *)sk;
	__u64 rate;

	if (sk->sk_pacing_status == SK_PACING_NONE) {
		rate = stock_rate(tp);
		if (rate)
			sk->sk_pacing_rate = wanted(sk, tp, rate * tsq_us / 1000000)
					     << (sk->sk_pacing_shift & 31);
	}
	return 2;	/* as tcp_min_tso_segs is */
}

SEC("struct_ops/tsq_init")
void BPF_PROG(tsq_init, struct sock *sk)
{
	cubictcp_init(sk);
}

SEC("struct_ops/tsq_ssthresh")
__u32 BPF_PROG(tsq_ssthresh, struct sock *sk)
{
	return cubictcp_recalc_ssthresh(sk);
}

SEC("struct_ops/tsq_cong_avoid")
void BPF_PROG(tsq_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	cubictcp_cong_avoid(sk, ack, acked);
}

SEC("struct_ops/tsq_set_state")
void BPF_PROG(tsq_set_state, struct sock *sk, __u8 new_state)
{
	cubictcp_state(sk, new_state);
}

SEC("struct_ops/tsq_cwnd_event")
void BPF_PROG(tsq_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops/tsq_pkts_acked")
void BPF_PROG(tsq_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	cubictcp_acked(sk, sample);
}

SEC("struct_ops/tsq_undo_cwnd")
__u32 BPF_PROG(tsq_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops tsq_cubic = {
	.init = (void *)tsq_init,
	.ssthresh = (void *)tsq_ssthresh,
	.cong_avoid = (void *)tsq_cong_avoid,
	.set_state = (void *)tsq_set_state,
	.cwnd_event = (void *)tsq_cwnd_event,
	.pkts_acked = (void *)tsq_pkts_acked,
	.min_tso_segs = (void *)tsq_min_tso_segs,
	.undo_cwnd = (void *)tsq_undo_cwnd,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "tsq_cubic",
};

char _license[] SEC("license") = "GPL";
