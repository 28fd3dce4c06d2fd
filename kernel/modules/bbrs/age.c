// SPDX-License-Identifier: GPL-2.0
/* The parameters that take changes back; age.h says what they are. */

#include <linux/module.h>

#include "age.h"

struct bbrs_without bbrs_age;
const struct bbrs_without bbrs_ageless;

#define AGE_PARAMETER(name)						\
	module_param_named(without_##name, bbrs_age.name, bool, 0644)

AGE_PARAMETER(ack_aggregation);
MODULE_PARM_DESC(without_ack_aggregation, "cwnd does not grow with aggregates of ACKs, as before v5.1");
AGE_PARAMETER(delayed_ack_rtt);
MODULE_PARM_DESC(without_delayed_ack_rtt, "the RTT of a delayed ACK counts, as before v4.16");
AGE_PARAMETER(edt);
MODULE_PARM_DESC(without_edt, "what is in flight is counted now, as before v4.20");
AGE_PARAMETER(gso_budget);
MODULE_PARM_DESC(without_gso_budget, "cwnd is for skbs that the device takes, as before v4.16");
AGE_PARAMETER(pacing_margin);
MODULE_PARM_DESC(without_pacing_margin, "pace at the whole estimate, as before v4.20");
AGE_PARAMETER(small_bdp);
MODULE_PARM_DESC(without_small_bdp, "nothing is added to the cwnd of a probe, as before v5.0");
