/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef USERSPACE_LINUX_KERNEL_H
#define USERSPACE_LINUX_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif /* USERSPACE_LINUX_KERNEL_H */
