/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that this module builds on, 6.1 and later.
 * Kbuild looks for each change in the headers and defines WIRELINE_HAVE_*.
 */
#ifndef WIRELINE_COMPAT_H
#define WIRELINE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>

/* skb_gso_segment() moved to this header with commit d457a0e329b0 ("net: move gso
 * declarations and functions to their own files") (in v6.5).
 */
#ifdef WIRELINE_HAVE_NET_GSO_H
#include <net/gso.h>
#endif

/* Later kernels have constant binary attributes, in a constant list. */
#ifdef WIRELINE_HAVE_CONST_BIN
#define WIRELINE_CONST_BIN	const
#else
#define WIRELINE_CONST_BIN
#endif

/* hrtimer_setup() came with commit 908a1d775422 ("hrtimers: Introduce
 * hrtimer_setup() to replace hrtimer_init()") (in v6.13), and hrtimer_init() went
 * with commit 9779489a31d7 ("hrtimers: Delete hrtimer_init()") (in v6.15).
 */
static inline void
wireline_hrtimer_setup(struct hrtimer *timer,
		       enum hrtimer_restart (*function)(struct hrtimer *),
		       clockid_t clock, enum hrtimer_mode mode)
{
#ifdef WIRELINE_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

#endif /* WIRELINE_COMPAT_H */
