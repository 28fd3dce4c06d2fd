/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arithmetic that the kernel's headers give to its pure functions, for tests. */
#ifndef USERSPACE_LINUX_KERNEL_H
#define USERSPACE_LINUX_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(dividend, divisor) (((dividend) + (divisor) - 1) / (divisor))
#define rounddown(value, multiple) ((value) - (value) % (multiple))

#endif /* USERSPACE_LINUX_KERNEL_H */
