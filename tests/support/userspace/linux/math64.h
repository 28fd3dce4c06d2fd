/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's 64-bit divisions, for tests outside it. */
#ifndef USERSPACE_LINUX_MATH64_H
#define USERSPACE_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

#endif /* USERSPACE_LINUX_MATH64_H */
