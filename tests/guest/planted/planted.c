// SPDX-License-Identifier: GPL-2.0-or-later
/* A bug, planted: the kernel dies 11 s after its boot. */
#include <linux/hrtimer.h>
#include <linux/module.h>

#define DIES_NS		11000000000LL

static struct hrtimer planted_timer;

static noinline void planted_check(s64 now_ns)
{
	BUG_ON(now_ns >= DIES_NS);
}

static enum hrtimer_restart planted_fires(struct hrtimer *timer)
{
	planted_check(ktime_get_ns());
	return HRTIMER_NORESTART;
}

static int __init planted_init(void)
{
	hrtimer_init(&planted_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	planted_timer.function = planted_fires;
	hrtimer_start(&planted_timer, ns_to_ktime(DIES_NS), HRTIMER_MODE_ABS);
	return 0;
}

static void __exit planted_exit(void)
{
	hrtimer_cancel(&planted_timer);
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("a planted bug");
MODULE_LICENSE("GPL");
