// SPDX-License-Identifier: GPL-2.0
/*
 * bbr_cycle: BBR with a cycle of one's own.
 *
 * The parameters of the module are those of PROBE_BW's cycle; they hold for all
 * flows of this control, and may be written while these run:
 *
 *	cycle_up	the pacing gain of UP, in percent	(125)
 *	cycle_down	that of DOWN				(75)
 *	cycle_cruise	how many phases at the estimate follow	(6)
 *	cycle_drain	whether DOWN drains to the target, as bbrdev's does (N)
 *
 * As they are by themselves they make mainline's BBR, to the bit: a test holds it to
 * that. max_bw is the highest of as many rounds as the cycle has phases, and two, so
 * that one probe is always among them. With cycle_drain the cycle has the length of
 * bbrdev's, and cycle_cruise is of that filter alone.
 *
 * What it is for: BBRp ("BBR for Wi-Fi", IEEE Access 8, 2020) changes the gain of the
 * cycle and its drain, so that aggregates form. Its abstract is all that we could
 * read, and the gains, the lengths and what becomes of the drain are not in it. So
 * nothing here is named BBRp. Which parameters come near its statements is a
 * question to an experiment.
 */

#include <linux/module.h>

#include "control.h"
#include "cycle.h"

#define BBR_CYCLE_PERCENT_MIN	10
#define BBR_CYCLE_PERCENT_MAX	390
#define BBR_CYCLE_CRUISE_MIN	1
#define BBR_CYCLE_CRUISE_MAX	30

static uint bbr_cycle_up = 125;
static uint bbr_cycle_down = 75;
static uint bbr_cycle_cruise = 6;
static bool bbr_cycle_drain;

static int bbr_cycle_set_percent(const char *text, const struct kernel_param *parameter)
{
	return param_set_uint_minmax(text, parameter, BBR_CYCLE_PERCENT_MIN,
				     BBR_CYCLE_PERCENT_MAX);
}

static int bbr_cycle_set_cruise(const char *text, const struct kernel_param *parameter)
{
	return param_set_uint_minmax(text, parameter, BBR_CYCLE_CRUISE_MIN,
				     BBR_CYCLE_CRUISE_MAX);
}

static const struct kernel_param_ops bbr_cycle_percent = {
	.set = bbr_cycle_set_percent,
	.get = param_get_uint,
};

static const struct kernel_param_ops bbr_cycle_number = {
	.set = bbr_cycle_set_cruise,
	.get = param_get_uint,
};

module_param_cb(cycle_up, &bbr_cycle_percent, &bbr_cycle_up, 0644);
MODULE_PARM_DESC(cycle_up, "bbr_cycle: the pacing gain of UP, in percent: 125");
module_param_cb(cycle_down, &bbr_cycle_percent, &bbr_cycle_down, 0644);
MODULE_PARM_DESC(cycle_down, "bbr_cycle: the pacing gain of DOWN, in percent: 75");
module_param_cb(cycle_cruise, &bbr_cycle_number, &bbr_cycle_cruise, 0644);
MODULE_PARM_DESC(cycle_cruise, "bbr_cycle: how many phases at the estimate follow: 6");
module_param_named(cycle_drain, bbr_cycle_drain, bool, 0644);
MODULE_PARM_DESC(cycle_drain, "bbr_cycle: whether DOWN lasts until the queue is gone");

static u8 bbr_cycle_phases(void)
{
	return BBRS_CRUISE + READ_ONCE(bbr_cycle_cruise);
}

static u16 bbr_cycle_phase_gain(u8 phase)
{
	switch (phase) {
	case BBRS_UP:
		return BBRS_GAIN_PERCENT(READ_ONCE(bbr_cycle_up));
	case BBRS_DOWN:
		return BBRS_GAIN_PERCENT(READ_ONCE(bbr_cycle_down));
	default:
		return BBRS_GAIN_1;
	}
}

static void bbr_cycle_update_phase(struct sock *sk, const struct rate_sample *rs)
{
	if (READ_ONCE(bbr_cycle_drain))
		bbrs_drain_to_target(sk, rs);
	else
		bbrs_v1_update_phase(sk, rs);
}

struct bbrs_control bbrs_bbr_cycle = {
	.ops = { BBRS_V1_OPS("bbr_cycle") },
	.rules = {
		BBRS_V1_GAINS,
		.extra_rounds	= 5,
		.phases		= bbr_cycle_phases,
		.phase_gain	= bbr_cycle_phase_gain,
		.update_phase	= bbr_cycle_update_phase,
	},
};

MODULE_ALIAS("tcp_bbr_cycle");
