/* SPDX-License-Identifier: GPL-2.0 */
/* How likely an MPDU is lost at a signal-to-noise ratio; see error.c. */
#ifndef AIRLINK_ERROR_H
#define AIRLINK_ERROR_H

#include <linux/types.h>

#include "air/phy.h"

/* Probabilities of a loss are integers: 0 is never, AL_LOSS_SCALE is always. */
#define AL_LOSS_SCALE	1000000000U

u32 al_error_of_mpdu(const struct al_rate *rate, s16 snr_cdb, u32 bytes);

#endif /* AIRLINK_ERROR_H */
