/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What softmac/beacon.c needs of the kernel and of the module, for a test outside of
 * them: one timer, one lock, and another CPU that sets the TSF at the instant that the
 * test chooses. A timer that is changed while it is queued, or that is started without
 * the lock, is counted as an error.
 */
#ifndef USERSPACE_BEACON_SOFTMAC_H
#define USERSPACE_BEACON_SOFTMAC_H

#include <linux/kernel.h>
#include <linux/math64.h>

#define NSEC_PER_USEC		1000ULL
#define READ_ONCE(value)	(value)
#define WRITE_ONCE(place, value) ((place) = (value))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define container_of(pointer, type, member) \
	((type *)((char *)(pointer) - offsetof(type, member)))
#define ns_to_ktime(ns)		(ns)

enum { HRTIMER_MODE_ABS_SOFT };
#ifndef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC	1
#endif
enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
typedef u64 ktime_t;

struct hrtimer {
	bool queued;
	u64 expires_ns;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
};

struct sk_buff { int unused; };
struct ieee80211_hw { void *priv; };
struct ieee80211_vif { int unused; };
struct al_medium { bool lock; };
struct al_radio { struct al_medium *medium; u16 index; };

struct al_softmac {
	struct ieee80211_hw *hw;
	struct al_radio *radio;
	s64 tsf_offset_us;
	struct ieee80211_vif *beaconing;
	struct hrtimer beacon_timer;
	u32 beacon_interval_us;
};

void al_softmac_set_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u64 tsf_us);
void al_softmac_beacons_init(struct al_softmac *softmac);
void al_softmac_beacons_start(struct al_softmac *softmac, struct ieee80211_vif *vif,
			      u16 interval_tu);

enum instant { NEVER, BEFORE_THE_LOCK, AFTER_THE_LOCK };

u64 test_now_ns, test_tsf_us;
u32 test_errors, test_beacons;
enum instant test_other_cpu_at;

static struct al_medium test_medium;
static struct al_radio test_radio = { .medium = &test_medium };
static struct ieee80211_vif test_vif;
static struct ieee80211_hw test_hw;
static struct al_softmac test_softmac = { .hw = &test_hw, .radio = &test_radio };

static inline void test_other_cpu(enum instant instant)
{
	if (test_other_cpu_at != instant)
		return;
	test_other_cpu_at = NEVER;
	al_softmac_set_tsf(&test_hw, &test_vif, test_tsf_us);
}

static inline u64 ktime_get_ns(void)
{
	return test_now_ns;
}

static inline void spin_lock(bool *lock)
{
	*lock = true;
}

static inline void spin_unlock(bool *lock)
{
	*lock = false;
	test_other_cpu(AFTER_THE_LOCK);
}

#define spin_lock_bh	spin_lock
#define spin_unlock_bh	spin_unlock

static inline void al_hrtimer_setup(struct hrtimer *timer,
				    enum hrtimer_restart (*function)(struct hrtimer *),
				    int clock, int mode)
{
	(void)clock;
	(void)mode;
	timer->function = function;
}

/* It may be queued, and is queued anew then. */
static inline void hrtimer_start(struct hrtimer *timer, u64 ns, int mode)
{
	(void)mode;
	test_errors += !test_medium.lock;
	timer->queued = true;
	timer->expires_ns = ns;
}

static inline void hrtimer_set_expires(struct hrtimer *timer, u64 ns)
{
	test_errors += timer->queued;
	timer->expires_ns = ns;
}

static inline void hrtimer_cancel(struct hrtimer *timer)
{
	timer->queued = false;
}

static inline struct sk_buff *ieee80211_beacon_get(struct ieee80211_hw *hw,
						   struct ieee80211_vif *vif, int link)
{
	static struct sk_buff beacon;

	(void)hw;
	(void)vif;
	(void)link;
	test_other_cpu(BEFORE_THE_LOCK);
	return &beacon;
}

static inline struct sk_buff *ieee80211_get_buffered_bc(struct ieee80211_hw *hw,
							struct ieee80211_vif *vif)
{
	(void)hw;
	(void)vif;
	return NULL;
}

static inline void al_softmac_send_to_all(struct al_softmac *softmac, struct sk_buff *skb)
{
	(void)softmac;
	(void)skb;
	test_beacons++;
}

void test_start(u16 interval_tu)
{
	test_hw.priv = &test_softmac;
	al_softmac_beacons_init(&test_softmac);
	al_softmac_beacons_start(&test_softmac, &test_vif, interval_tu);
}

/* The timer expires, as __run_hrtimer() has it. Returns when it will again. */
u64 test_expire(void)
{
	struct hrtimer *timer = &test_softmac.beacon_timer;

	test_now_ns = timer->expires_ns;
	timer->queued = false;
	if (timer->function(timer) != HRTIMER_NORESTART)
		timer->queued = true;
	test_errors += !timer->queued;
	return timer->expires_ns;
}

#endif /* USERSPACE_BEACON_SOFTMAC_H */
