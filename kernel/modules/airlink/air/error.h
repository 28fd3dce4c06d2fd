/* SPDX-License-Identifier: GPL-2.0 */
/* Errors of MPDUs by signal-to-noise ratio; error.c has the model. */
#ifndef AIRLINK_ERROR_H
#define AIRLINK_ERROR_H

#include <linux/types.h>

#include "air/phy.h"

#define AL_LOSS_SCALE	1000000000U	/* losses are in parts of it */

u32 al_error_of_mpdu(const struct al_rate *rate, s16 snr_cdb, u32 bytes);

#endif /* AIRLINK_ERROR_H */
