// SPDX-License-Identifier: GPL-2.0
/*
 * bbrplus: BBR whose pacing follows the kernel's pacing ratios.
 *
 * BBR sets its pacing rate by itself, and takes no notice of the sysctls
 * net.ipv4.tcp_pacing_ss_ratio and tcp_pacing_ca_ratio, which say for all other
 * controls what the pacing rate is of cwnd / RTT, in percent. The authors of
 * `aggregating` (docs/claims.md) have a BBR+ that does.
 *
 * Known, as they say it: BBR's own gain, "25 % above the rate" and hard-coded, was
 * made settable, so that BBR's pacing doubles and triples along with the system's
 * when its ratios are set to twice and three times.
 *
 * Our reading, others are possible: all of BBR's rates are multiplied, and not
 * those of the probing phase alone, with
 *
 *	tcp_pacing_ss_ratio / 200	until the pipe was full once
 *	tcp_pacing_ca_ratio / 120	from then on
 *
 * so that the stock ratios make it mainline's BBR, to the bit: a test holds it to
 * that. What is estimated, the cycle and cwnd are the same.
 *
 * Several distributions' kernels have a `bbrplus` that has nothing to do with this
 * one: it is Google's changes of 2018, which are bbrdev here.
 */

#include <linux/module.h>

#include "control.h"
#include "cycle.h"

/* The ratios that a kernel has by itself, in percent. */
#define BBRPLUS_STOCK_SS	200
#define BBRPLUS_STOCK_CA	120

static u64 bbrplus_pace(const struct sock *sk, u64 bytes_per_s)
{
	const struct net *net = sock_net(sk);

	if (!bbrs_flow(sk)->full)
		return div_u64(bytes_per_s * READ_ONCE(net->ipv4.sysctl_tcp_pacing_ss_ratio),
			       BBRPLUS_STOCK_SS);
	return div_u64(bytes_per_s * READ_ONCE(net->ipv4.sysctl_tcp_pacing_ca_ratio),
		       BBRPLUS_STOCK_CA);
}

struct bbrs_control bbrs_bbrplus = {
	.ops = { BBRS_V1_OPS("bbrplus") },
	.rules = {
		BBRS_V1_GAINS,
		.extra_rounds	= 5,
		.phases		= bbrs_v1_phases,
		.phase_gain	= bbrs_v1_phase_gain,
		.update_phase	= bbrs_v1_update_phase,
		.pace		= bbrplus_pace,
	},
};

MODULE_ALIAS("tcp_bbrplus");
