// SPDX-License-Identifier: GPL-2.0
/*
 * A control of the first version's kind, as TCP calls it: what an ACK does, and in
 * which order.
 *
 *	an ACK -> round -> policer, bandwidth -> extra_acked -> phase -> full?
 *	       -> DRAIN -> min_rtt, PROBE_RTT -> gains -> pacing rate -> cwnd
 *
 * The order is mainline's, since each step sees what those before it have left:
 * phases are judged by the gain of the ACK before, and cwnd by the new one.
 */

#include <linux/inet_diag.h>
#include <linux/module.h>

#include "bandwidth.h"
#include "control.h"
#include "cycle.h"
#include "min_rtt.h"
#include "policer.h"
#include "window.h"

/* What a flow of any kind begins with. TCP has set all of it to 0. */
void bbrs_begin(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	memset(flow, 0, sizeof(*flow));
	flow->mode = BBRS_STARTUP;
	flow->ca_state = TCP_CA_Open;
	bbrs_start_round(sk);
	flow->min_rtt_us = tcp_min_rtt(tp);
	flow->min_rtt_jiffies = tcp_jiffies32;
	minmax_reset(&flow->max_bw, 0, 0);
	bbrs_restart_epoch(sk, tp->tcp_mstamp);

	bbrs_pace_by_rtt(sk);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

void bbrs_init(struct sock *sk)
{
	bbrs_begin(sk);
	bbrs_policer_reset(sk);
}

void bbrs_control(struct sock *sk, BBRS_ACK_AND_FLAG const struct rate_sample *rs)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	bbrs_update_round(sk, rs);
	bbrs_update_bw(sk, rs);
	bbrs_update_extra_acked(sk, rs);
	bbrs_update_phase(sk, rs);
	bbrs_update_full(sk, rs);
	bbrs_update_drain(sk);
	bbrs_update_min_rtt(sk, rs);
	bbrs_update_gains(sk);

	bbrs_pace(sk, bbrs_bw(flow), flow->pacing_gain);
	bbrs_update_cwnd(sk, rs);
}

void bbrs_set_state(struct sock *sk, u8 state)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (state != TCP_CA_Loss)
		return;
	flow->ca_state = TCP_CA_Loss;
	flow->full_bw = 0;
	bbrs_policer_timeout(sk);
}

/*
 * The program has something to send again: as if it had never stopped, at the estimate.
 * In PROBE_RTT its time may be over.
 */
void bbrs_restart(struct sock *sk, enum tcp_ca_event event,
		  void (*try_to_leave_probe_rtt)(struct sock *sk))
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (event != CA_EVENT_TX_START || !tp->app_limited)
		return;
	flow->restarts = true;
	bbrs_restart_epoch(sk, tp->tcp_mstamp);
	if (flow->mode == BBRS_PROBE_BW)
		bbrs_pace(sk, bbrs_bw(flow), BBRS_GAIN_1);
	else if (flow->mode == BBRS_PROBE_RTT)
		try_to_leave_probe_rtt(sk);
}

void bbrs_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	bbrs_restart(sk, event, bbrs_try_to_leave_probe_rtt);
}

/* A loss is no reason to have another ssthresh, but one to remember cwnd. */
u32 bbrs_ssthresh(struct sock *sk)
{
	bbrs_save_cwnd(sk);
	return tcp_sk(sk)->snd_ssthresh;
}

/* There was no loss. cwnd comes back when recovery ends. */
u32 bbrs_undo_cwnd(struct sock *sk)
{
	bbrs_forget_full(sk);
	bbrs_policer_reset(sk);
	return tcp_snd_cwnd(tcp_sk(sk));
}

/* cwnd is two BDPs, and a loss takes another to repair. */
u32 bbrs_sndbuf_expand(struct sock *sk)
{
	return 3;
}

/* As mainline's BBR tells of itself, in ss(8). */
size_t bbrs_get_info(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info)
{
	const struct bbrs_flow *flow = bbrs_flow(sk);
	u64 bytes_per_s;

	if (!(ext & (1 << (INET_DIAG_BBRINFO - 1))) &&
	    !(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	bytes_per_s = bbrs_packets_in(bbrs_bw(flow), USEC_PER_SEC) * tcp_sk(sk)->mss_cache;
	memset(&info->bbr, 0, sizeof(info->bbr));
	info->bbr.bbr_bw_lo = lower_32_bits(bytes_per_s);
	info->bbr.bbr_bw_hi = upper_32_bits(bytes_per_s);
	info->bbr.bbr_min_rtt = flow->min_rtt_us;
	info->bbr.bbr_pacing_gain = flow->pacing_gain;
	info->bbr.bbr_cwnd_gain = flow->cwnd_gain;
	*attr = INET_DIAG_BBRINFO;
	return sizeof(info->bbr);
}
