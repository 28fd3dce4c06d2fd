// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of a BSS (TSF), and its beacons. A radio's TSF is the time since its
 * host has started it, until the host sets it. A beacon is due when the TSF is a
 * multiple of the beacon interval (TBTT). It is queued like any other frame, in the
 * most urgent access category, and goes when the medium is free. The multicast
 * frames that were kept back for sleeping stations go behind the beacon with a DTIM.
 *
 * In an IBSS all stations send a beacon each time. (By 11.1.3.4 they draw a delay,
 * and a station that hears another's beacon meanwhile does not send its own.)
 */

#include "compat.h"
#include "softmac/beacon.h"
#include "softmac/softmac.h"
#include "softmac/tx.h"

#define TU_US	1024

u64 al_softmac_tsf_us(const struct al_softmac *softmac, u64 at_ns)
{
	return div_u64(at_ns, NSEC_PER_USEC) + READ_ONCE(softmac->tsf_offset_us);
}

u64 al_softmac_get_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	return al_softmac_tsf_us(hw->priv, ktime_get_ns());
}

/* Returns the time of the first beacon after @now_ns. */
static ktime_t softmac_next_beacon(const struct al_softmac *softmac, u64 now_ns)
{
	u64 offset_us = READ_ONCE(softmac->tsf_offset_us);
	u64 now_us = div_u64(now_ns, NSEC_PER_USEC) + offset_us;
	u64 next_us = (div_u64(now_us, softmac->beacon_interval_us) + 1) *
		      softmac->beacon_interval_us;

	return ns_to_ktime((next_us - offset_us) * NSEC_PER_USEC);
}

/* The callback calls this, too, maybe on another CPU. So both go by the medium's lock,
 * which the caller holds: the timer is set by who knows the latest offset.
 */
static void softmac_beacon_start_timer(struct al_softmac *softmac, u64 now_ns)
{
	if (softmac->beaconing)
		hrtimer_start(&softmac->beacon_timer,
			      softmac_next_beacon(softmac, now_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

void al_softmac_set_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			u64 tsf_us)
{
	struct al_softmac *softmac = hw->priv;
	struct al_medium *medium = softmac->radio->medium;
	u64 now_ns = ktime_get_ns();

	spin_lock_bh(&medium->lock);
	WRITE_ONCE(softmac->tsf_offset_us,
		   tsf_us - div_u64(now_ns, NSEC_PER_USEC));
	softmac_beacon_start_timer(softmac, now_ns);
	spin_unlock_bh(&medium->lock);
}

/* Two hosts hardly ever start in the same us, but in virtual time they do. Then
 * their beacons would collide every time, and of two cells of an IBSS neither would
 * be the older one, which stations of the other one join.
 */
void al_softmac_reset_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	const struct al_softmac *softmac = hw->priv;

	al_softmac_set_tsf(hw, vif, softmac->radio->index * TU_US);
}

static enum hrtimer_restart softmac_beacon_due(struct hrtimer *timer)
{
	struct al_softmac *softmac = container_of(timer, struct al_softmac,
						  beacon_timer);
	struct al_medium *medium = softmac->radio->medium;
	struct ieee80211_vif *vif = softmac->beaconing;
	struct sk_buff *skb = ieee80211_beacon_get(softmac->hw, vif, 0);

	spin_lock(&medium->lock);
	while (skb) {
		al_softmac_send_to_all(softmac, skb);
		skb = ieee80211_get_buffered_bc(softmac->hw, vif);
	}
	softmac_beacon_start_timer(softmac, ktime_get_ns());
	spin_unlock(&medium->lock);
	/* It has been started, here or by al_softmac_set_tsf() meanwhile. */
	return HRTIMER_NORESTART;
}

void al_softmac_beacons_init(struct al_softmac *softmac)
{
	al_hrtimer_setup(&softmac->beacon_timer, softmac_beacon_due,
			 CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

void al_softmac_beacons_stop(struct al_softmac *softmac)
{
	hrtimer_cancel(&softmac->beacon_timer);
	softmac->beaconing = NULL;
}

void al_softmac_beacons_start(struct al_softmac *softmac,
			      struct ieee80211_vif *vif, u16 interval_tu)
{
	struct al_medium *medium = softmac->radio->medium;
	u64 now_ns;

	al_softmac_beacons_stop(softmac);
	now_ns = ktime_get_ns();
	spin_lock_bh(&medium->lock);
	softmac->beacon_interval_us = max_t(u32, interval_tu, 1) * TU_US;
	softmac->beaconing = vif;
	softmac_beacon_start_timer(softmac, now_ns);
	spin_unlock_bh(&medium->lock);
}
