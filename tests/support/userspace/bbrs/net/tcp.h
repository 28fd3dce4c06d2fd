/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of TCP's 32-bit numbers, which wrap, for tests outside of the kernel. */
#ifndef USERSPACE_NET_TCP_H
#define USERSPACE_NET_TCP_H

#include <linux/types.h>

static inline bool after(u32 one, u32 other)
{
	return (s32)(other - one) < 0;
}

#endif /* USERSPACE_NET_TCP_H */
