/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that this module builds on, 6.1 and later.
 * Kbuild looks for each change in the headers and defines BBRS_HAVE_*.
 */
#ifndef BBRS_COMPAT_H
#define BBRS_COMPAT_H

#include <linux/random.h>
#include <net/tcp.h>

/* cong_control() got the ACK and its flags with "tcp: Add new args for cong_control in
 * tcp_congestion_ops" (in v6.10).
 */
#ifdef BBRS_HAVE_ACK_IN_CONG_CONTROL
#define BBRS_ACK_AND_FLAG	u32 ack, int flag,
#else
#define BBRS_ACK_AND_FLAG
#endif

/* Mainline asks a control for the least segments of an skb, and sizes it by itself.
 * BBRv2's and BBRv3's trees ask for how many there are to be.
 */
#ifdef BBRS_HAVE_TSO_SEGS
#define BBRS_SEGS_OP	.tso_segs = bbrs_tso_segs
#else
#define BBRS_SEGS_OP	.min_tso_segs = bbrs_min_tso_segs
#endif

/* get_random_u32_below() came with "random: use rejection sampling for uniform bounded
 * random integers" (in v6.2), and was carried back to later releases of 6.1.
 */
static __always_inline u32 bbrs_random_below(u32 bound)
{
#ifdef BBRS_HAVE_RANDOM_BELOW
	return get_random_u32_below(bound);
#else
	return prandom_u32_max(bound);
#endif
}

#endif /* BBRS_COMPAT_H */
