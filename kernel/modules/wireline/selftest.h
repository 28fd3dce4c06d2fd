/* SPDX-License-Identifier: GPL-2.0 */
/* What the arithmetic of clock.h is held against when the module is loaded. */
#ifndef WIRELINE_SELFTEST_H
#define WIRELINE_SELFTEST_H

#include <linux/init.h>
#include <linux/types.h>

#ifdef WIRELINE_SELFTEST
bool __init wireline_selftest(void);
#else
static inline bool wireline_selftest(void)
{
	return true;
}
#endif

#endif /* WIRELINE_SELFTEST_H */
