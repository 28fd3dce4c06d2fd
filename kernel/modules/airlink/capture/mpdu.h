/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of an MPDU for a capture; see mpdu.c. */
#ifndef AIRLINK_CAPTURE_MPDU_H
#define AIRLINK_CAPTURE_MPDU_H

#include <linux/types.h>

struct al_mpdu;
struct sk_buff;

struct sk_buff *al_capture_alloc(u32 bytes);
struct sk_buff *al_capture_mpdu(const struct al_mpdu *mpdu);

#endif /* AIRLINK_CAPTURE_MPDU_H */
