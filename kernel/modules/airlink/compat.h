/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that this module builds on, 6.1 and later.
 * Kbuild looks for each change in the headers and defines AIRLINK_HAVE_*.
 */
#ifndef AIRLINK_COMPAT_H
#define AIRLINK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/mac80211.h>

/* hrtimer_setup() came with commit 908a1d775422 ("hrtimers: Introduce
 * hrtimer_setup() to replace hrtimer_init()") (in v6.13), and hrtimer_init() went
 * with commit 9779489a31d7 ("hrtimers: Delete hrtimer_init()") (in v6.15).
 */
static inline void
al_hrtimer_setup(struct hrtimer *timer,
		 enum hrtimer_restart (*function)(struct hrtimer *),
		 clockid_t clock, enum hrtimer_mode mode)
{
#ifdef AIRLINK_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* A device that is nothing but the owner of a NAPI context. Its allocator came with
 * commit c661050f93d3 ("net: create a dummy net_device allocator") (in v6.10).
 */
static inline struct net_device *al_dummy_netdev_alloc(void)
{
#ifdef AIRLINK_HAVE_DUMMY_NETDEV
	return alloc_netdev_dummy(0);
#else
	struct net_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (dev)
		init_dummy_netdev(dev);
	return dev;
#endif
}

static inline void al_dummy_netdev_free(struct net_device *dev)
{
#ifdef AIRLINK_HAVE_DUMMY_NETDEV
	free_netdev(dev);
#else
	kfree(dev);
#endif
}

/* What a band can do on each type of interface. The pointer got an address space
 * for sparse, and this accessor, with commit e8c1841278a7 ("wifi: cfg80211:
 * annotate iftype_data pointer with sparse") (in v6.7).
 */
static inline void
al_set_iftype_data(struct ieee80211_supported_band *band,
		   const struct ieee80211_sband_iftype_data *data, u16 count)
{
#ifdef AIRLINK_HAVE_SET_IFTYPE_DATA
	_ieee80211_set_sband_iftype_data(band, data, count);
#else
	band->iftype_data = data;
	band->n_iftype_data = count;
#endif
}

/* Drivers without channel contexts have to say so since commit 0a44dfc07074 ("wifi:
 * mac80211: simplify non-chanctx drivers") (in v6.9).
 */
#ifdef AIRLINK_HAVE_EMULATED_CHANCTX
#define AL_NO_CHANCTX						\
	.add_chanctx = ieee80211_emulate_add_chanctx,		\
	.remove_chanctx = ieee80211_emulate_remove_chanctx,	\
	.change_chanctx = ieee80211_emulate_change_chanctx,	\
	.switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
#else
#define AL_NO_CHANCTX
#endif

/* ieee80211_ops.stop learns whether the system is suspended since commit
 * 1decf05d0f4d ("wifi: mac80211: inform the low level if drv_stop() is a suspend")
 * (in v6.11).
 */
#ifdef AIRLINK_HAVE_STOP_SUSPEND
#define AL_STOP_ARGUMENTS struct ieee80211_hw *hw, bool suspend
#else
#define AL_STOP_ARGUMENTS struct ieee80211_hw *hw
#endif

#endif /* AIRLINK_COMPAT_H */
