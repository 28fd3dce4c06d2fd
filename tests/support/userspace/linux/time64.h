/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's names for parts of a second, for tests outside it. */
#ifndef USERSPACE_LINUX_TIME64_H
#define USERSPACE_LINUX_TIME64_H

#define NSEC_PER_USEC 1000L
#define NSEC_PER_SEC 1000000000L

#endif /* USERSPACE_LINUX_TIME64_H */
