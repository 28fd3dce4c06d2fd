/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sk_pacing_shift that sockets of this kernel have by themselves.
 */
#ifndef AIRLINK_KERNEL_SHIFT_H
#define AIRLINK_KERNEL_SHIFT_H

#include <linux/types.h>

struct net;

int al_kernel_shift(struct net *net, u32 *shift);

#endif /* AIRLINK_KERNEL_SHIFT_H */
