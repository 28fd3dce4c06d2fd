/* SPDX-License-Identifier: GPL-2.0 */
/* A policer's rate, for controls of the first version's kind: policer.c. */
#ifndef BBRS_POLICER_H
#define BBRS_POLICER_H

#include "flow.h"

void bbrs_policer_reset(struct sock *sk);
void bbrs_policer_update(struct sock *sk, const struct rate_sample *rs);
void bbrs_policer_timeout(struct sock *sk);

#endif /* BBRS_POLICER_H */
