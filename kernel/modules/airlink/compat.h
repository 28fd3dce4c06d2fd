/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that this module builds on, 6.1 and later.
 * Kbuild looks for each in the headers and defines AIRLINK_HAVE_*.
 */
#ifndef AIRLINK_COMPAT_H
#define AIRLINK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/mac80211.h>

/* hrtimer_setup() came in 6.13 and hrtimer_init() went in 6.15. */
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

/* A device that is nothing but the owner of a NAPI context: 6.10. */
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

/* What a band is capable of by type of interface got an accessor, and an address
 * space for sparse, in 6.6.
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

/* Drivers without channel contexts have to say so since 6.9. */
#ifdef AIRLINK_HAVE_EMULATED_CHANCTX
#define AL_NO_CHANCTX						\
	.add_chanctx = ieee80211_emulate_add_chanctx,		\
	.remove_chanctx = ieee80211_emulate_remove_chanctx,	\
	.change_chanctx = ieee80211_emulate_change_chanctx,	\
	.switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
#else
#define AL_NO_CHANCTX
#endif

/* ieee80211_ops.stop is told whether the system is suspended since 6.11. */
#ifdef AIRLINK_HAVE_STOP_SUSPEND
#define AL_STOP_ARGUMENTS struct ieee80211_hw *hw, bool suspend
#else
#define AL_STOP_ARGUMENTS struct ieee80211_hw *hw
#endif

#endif /* AIRLINK_COMPAT_H */
