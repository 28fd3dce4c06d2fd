// SPDX-License-Identifier: GPL-2.0
/*
 * Is there a policer, and at which rate does it let packets pass?
 *
 * A policer drops what exceeds a rate, but has let a burst pass before: the highest
 * bandwidth is then that of the burst, and each probe for more is lost. So the
 * first version looks for two intervals in a row, each of 4 to 16 rounds that
 * begins and ends with a loss, with a fifth of what was delivered lost in it, and
 * about the same bandwidth in both (within an eighth, or 4 kbit/s). It then sends
 * at their mean, without gains, for 48 rounds, and looks anew.
 *
 *	nothing --loss--> an interval --lossy--> a first rate --agrees--> obeyed
 *	   ^                  |                    |   ^ no                  |
 *	   '-- idle program, or 16 rounds ---------'   '-'    48 rounds of PROBE_BW
 */

#include "bandwidth.h"
#include "cycle.h"
#include "policer.h"

#define POLICER_ROUNDS_MIN	4	/* of an interval */
#define POLICER_ROUNDS_MAX	(4 * POLICER_ROUNDS_MIN)
#define POLICER_LOSS		50	/* in 1/256: a fifth */
#define POLICER_ALIKE		32	/* in 1/256: an eighth */
#define POLICER_ALIKE_BYTES	500	/* per second */
#define POLICER_OBEYED_ROUNDS	48

static void policer_begin(struct sock *sk)
{
	struct bbrs_policer *policer = &bbrs_flow(sk)->policer;
	const struct tcp_sock *tp = tcp_sk(sk);

	policer->start_ms = div_u64(tp->delivered_mstamp, USEC_PER_MSEC);
	policer->start_delivered = tp->delivered;
	policer->start_lost = tp->lost;
	policer->rounds = 0;
}

/* Forget what seemed to be a policer. */
void bbrs_policer_reset(struct sock *sk)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	flow->other_bw = 0;
	flow->obeys = false;
	flow->policer.watches = false;
	policer_begin(sk);
}

static bool policer_alike(const struct sock *sk, u32 one, u32 other)
{
	u32 apart = max(one, other) - min(one, other);

	return (u64)apart << BBRS_GAIN_SHIFT <= (u64)POLICER_ALIKE * other ||
	       bbrs_bytes_per_s(sk, apart, BBRS_GAIN_1) <= POLICER_ALIKE_BYTES;
}

/* An interval is over, with @bw. */
static void policer_judge(struct sock *sk, u32 bw)
{
	struct bbrs_flow *flow = bbrs_flow(sk);

	if (flow->other_bw && policer_alike(sk, bw, flow->other_bw)) {
		flow->other_bw = (bw + flow->other_bw) >> 1;
		flow->obeys = true;
		flow->policer.rounds = 0;
		flow->pacing_gain = BBRS_GAIN_1;
		return;
	}
	flow->other_bw = bw;
	policer_begin(sk);
}

/* The interval ends with a loss if it was long and lossy enough. */
static void policer_try_to_end(struct sock *sk)
{
	const struct bbrs_policer *policer = &bbrs_flow(sk)->policer;
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 delivered = tp->delivered - policer->start_delivered;
	u32 lost = tp->lost - policer->start_lost;
	u32 ms;

	if (!delivered || lost << BBRS_GAIN_SHIFT < POLICER_LOSS * delivered)
		return;
	ms = (u32)div_u64(tp->delivered_mstamp, USEC_PER_MSEC) - policer->start_ms;
	if ((s32)ms < 1)
		return;
	if (ms >= U32_MAX / USEC_PER_MSEC) {
		bbrs_policer_reset(sk);
		return;
	}
	policer_judge(sk, bbrs_bw_of(delivered, ms * USEC_PER_MSEC));
}

/* One ACK, or a timeout, with what it says of losses. */
static void policer_look(struct sock *sk, bool lost, bool app_limited)
{
	struct bbrs_flow *flow = bbrs_flow(sk);
	struct bbrs_policer *policer = &flow->policer;

	if (flow->obeys) {
		if (flow->mode == BBRS_PROBE_BW && flow->round_began &&
		    ++policer->rounds >= POLICER_OBEYED_ROUNDS) {
			bbrs_policer_reset(sk);
			bbrs_enter_probe_bw(sk);
		}
		return;
	}

	if (!policer->watches) {
		if (!lost)
			return;
		policer_begin(sk);
		policer->watches = true;
	}
	if (app_limited) {
		bbrs_policer_reset(sk);
		return;
	}
	if (flow->round_began)
		policer->rounds++;
	if (policer->rounds < POLICER_ROUNDS_MIN)
		return;
	if (policer->rounds > POLICER_ROUNDS_MAX)
		bbrs_policer_reset(sk);
	else if (lost)
		policer_try_to_end(sk);
}

void bbrs_policer_update(struct sock *sk, const struct rate_sample *rs)
{
	policer_look(sk, rs->losses > 0, rs->is_app_limited);
}

/* All that is in flight counts as lost, and a round begins. */
void bbrs_policer_timeout(struct sock *sk)
{
	bbrs_flow(sk)->round_began = true;
	policer_look(sk, true, false);
}
