/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's minima and maxima, for tests outside it. */
#ifndef USERSPACE_LINUX_MINMAX_H
#define USERSPACE_LINUX_MINMAX_H

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

#endif /* USERSPACE_LINUX_MINMAX_H */
