// SPDX-License-Identifier: GPL-2.0-or-later
/* A window that grows by a packet a round, until a round's packets have waited too long. */
#include <linux/module.h>
#include <net/tcp.h>

static unsigned int target_us = 5000;
module_param(target_us, uint, 0444);
MODULE_PARM_DESC(target_us, "how long packets may wait in queues");

struct mycc {
	u32 base_us;	/* the shortest RTT of the flow */
	u32 round_us;	/* the shortest RTT of the round that goes on */
	u32 round_end;	/* what it ends with: the next packet when it began */
	bool cut;	/* whether it measures packets from before a cut */
};

static void mycc_init(struct sock *sk)
{
	struct mycc *ca = inet_csk_ca(sk);

	*ca = (struct mycc){ .base_us = U32_MAX, .round_us = U32_MAX };
	ca->round_end = tcp_sk(sk)->snd_nxt;
}

static void mycc_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct mycc *ca = inet_csk_ca(sk);

	if (sample->rtt_us <= 0)	/* of what was sent twice there is none */
		return;
	ca->round_us = min_t(u32, ca->round_us, sample->rtt_us);
	ca->base_us = min(ca->base_us, ca->round_us);
}

static void mycc_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct mycc *ca = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (after(ack, ca->round_end)) {
		bool late = ca->round_us - ca->base_us > target_us;

		ca->cut = late && !ca->cut;
		ca->round_us = U32_MAX;
		ca->round_end = tp->snd_nxt;
		if (ca->cut) {
			tp->snd_ssthresh = max(tcp_snd_cwnd(tp) * 7 / 8, 2U);
			tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
			return;
		}
	}
	tcp_reno_cong_avoid(sk, ack, acked);
}

static struct tcp_congestion_ops mycc __read_mostly = {
	.name		= "mycc",
	.owner		= THIS_MODULE,
	.init		= mycc_init,
	.pkts_acked	= mycc_pkts_acked,
	.cong_avoid	= mycc_cong_avoid,
	.ssthresh	= tcp_reno_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
};

static int __init mycc_register(void)
{
	BUILD_BUG_ON(sizeof(struct mycc) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mycc);
}

static void __exit mycc_unregister(void)
{
	tcp_unregister_congestion_control(&mycc);
}

module_init(mycc_register);
module_exit(mycc_unregister);
MODULE_DESCRIPTION("TCP that backs off from a queue");
MODULE_LICENSE("GPL");
