/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wire whose capacity changes: when does the last bit of a frame leave it then?
 *
 * A schedule is a list of entries, each an instant and a value, and is of one of
 * three kinds:
 *
 *  - Rates. From an entry's instant on the wire carries so many kbit/s, until the
 *    next. Before the first it has its own speed. A frame that is under way when
 *    the rate changes has its rest sent at the new one, to the bit; at 0 it waits.
 *
 *  - Deliveries, as Mahimahi's traces have them. At an entry's instant so many bytes
 *    of packets arrive at the far end, and from start_ns on at no other time any. What nobody has
 *    to send by then is lost, and a packet for which not enough is left arrives
 *    with its last byte. Between two instants nothing is on the way, so a radio
 *    access network that hands over what it has each millisecond is this.
 *
 *  - Delays. A frame that leaves the wire from an entry's instant on is so many ns on
 *    its way to the peer.
 *
 * Instants count from start_ns. With a period all entries come again after it, and
 * otherwise the last rate or delay stays, and after the last delivery nothing is
 * carried.
 *
 * The arithmetic is the clock's (clock.h): nothing is rounded away, and an end is
 * known when the driver takes the frame, since the whole future is.
 */
#ifndef WIRELINE_SCHEDULE_H
#define WIRELINE_SCHEDULE_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/types.h>

#define WIRELINE_SCHEDULE_MAX_ENTRIES	1000000
#define WIRELINE_SCHEDULE_MAX_KBPS	100000000U
#define WIRELINE_SCHEDULE_MAX_NS	(4000000000ULL * NSEC_PER_SEC)

#define WIRELINE_PROPAGATION_MAX_NS	(10ULL * NSEC_PER_SEC)

#define WIRELINE_NEVER_NS	U64_MAX

enum wireline_schedule_kind {
	WIRELINE_RATES,
	WIRELINE_DELIVERIES,
	WIRELINE_DELAYS,
};

struct wireline_schedule_entry {
	u64 at_ns;		/* from the start of the round */
	u64 value;		/* kbit/s or ns from then on, or bytes at that instant */
};

struct wireline_schedule {
	u64 start_ns;		/* of the first round; CLOCK_MONOTONIC */
	u64 period_ns;		/* of a round; 0: there is one only */
	enum wireline_schedule_kind kind;
	u32 count;		/* of the entries; at least one */

	/* Where we are. It never goes back, as frames leave in their order. */
	u64 round_ns;		/* when this round began */
	u32 next;		/* the first entry that has not come yet */
	u64 value;		/* of the last entry that has come; of a delivery what
				 * frames have left of it
				 */
	u64 last_ns;		/* when that came */

	struct wireline_schedule_entry entry[];
};

/* Whether such entries can be a schedule: one that would carry nothing cannot. */
static inline bool
wireline_schedule_is_valid(const struct wireline_schedule *schedule)
{
	static const u64 value_max[] = {
		[WIRELINE_RATES] = WIRELINE_SCHEDULE_MAX_KBPS,
		[WIRELINE_DELIVERIES] = U32_MAX,
		[WIRELINE_DELAYS] = WIRELINE_PROPAGATION_MAX_NS,
	};
	const struct wireline_schedule_entry *entry = schedule->entry;
	bool any = schedule->kind == WIRELINE_DELAYS;
	u32 n;

	if (!schedule->count || schedule->kind > WIRELINE_DELAYS ||
	    schedule->start_ns > WIRELINE_SCHEDULE_MAX_NS ||
	    schedule->period_ns > WIRELINE_SCHEDULE_MAX_NS)
		return false;
	for (n = 0; n < schedule->count; n++) {
		if (entry[n].at_ns > WIRELINE_SCHEDULE_MAX_NS ||
		    entry[n].value > value_max[schedule->kind])
			return false;
		/* Several deliveries may be at one instant. */
		if (n && (entry[n].at_ns < entry[n - 1].at_ns ||
			  (entry[n].at_ns == entry[n - 1].at_ns &&
			   schedule->kind != WIRELINE_DELIVERIES)))
			return false;
		any |= entry[n].value;
	}
	/*
	 * The last delivery of a round may be at its end, with the next one's first.
	 * A slow frame lasts for many entries, and looking for its end shall not
	 * take longer than it.
	 */
	if (schedule->period_ns &&
	    (entry[n - 1].at_ns > schedule->period_ns ||
	     schedule->period_ns < (u64)schedule->count * NSEC_PER_USEC))
		return false;
	return any;
}

/* To the beginning; what the wire has by itself until the first entry is @value. */
static inline void wireline_schedule_begin(struct wireline_schedule *schedule,
					   u64 value)
{
	schedule->round_ns = schedule->start_ns;
	schedule->next = 0;
	schedule->value = value;
	schedule->last_ns = 0;
}

/* When the next entry comes. */
static inline u64
wireline_schedule_next_ns(const struct wireline_schedule *schedule)
{
	if (schedule->next < schedule->count)
		return schedule->round_ns + schedule->entry[schedule->next].at_ns;
	if (!schedule->period_ns)
		return WIRELINE_NEVER_NS;
	return schedule->round_ns + schedule->period_ns + schedule->entry[0].at_ns;
}

/* The next entry comes. The caller knows that there is one. */
static inline void wireline_schedule_go_on(struct wireline_schedule *schedule)
{
	const struct wireline_schedule_entry *entry;

	if (schedule->next == schedule->count) {
		schedule->round_ns += schedule->period_ns;
		schedule->next = 0;
	}
	entry = &schedule->entry[schedule->next++];
	schedule->last_ns = schedule->round_ns + entry->at_ns;
	schedule->value = entry->value;
}

/*
 * All entries before @now_ns have come, and with @inclusive those at it. Whole
 * rounds in which nobody sent are skipped at once.
 */
static inline void wireline_schedule_come_to(struct wireline_schedule *schedule,
					     u64 now_ns, bool inclusive)
{
	u64 next_ns;

	if (schedule->period_ns &&
	    now_ns > schedule->round_ns + 2 * schedule->period_ns) {
		u64 rounds = div64_u64(now_ns - schedule->round_ns,
				       schedule->period_ns) - 1;

		/* The entry before is then the last of a round. */
		schedule->round_ns += rounds * schedule->period_ns;
		schedule->next = 0;
		schedule->value = schedule->entry[schedule->count - 1].value;
	}
	while ((next_ns = wireline_schedule_next_ns(schedule)) < now_ns ||
	       (inclusive && next_ns == now_ns))
		wireline_schedule_go_on(schedule);
}

/* What the wire has room for until @until_ns, in units, of which a kbit/s is one a ns. */
static inline u64 wireline_schedule_room(const struct wireline_schedule *schedule,
					 u64 free_ns, u32 free_frac,
					 u64 until_ns)
{
	if (!schedule->value)
		return 0;
	if (until_ns == WIRELINE_NEVER_NS ||
	    until_ns - free_ns > div64_u64(U64_MAX, schedule->value))
		return U64_MAX;
	return (until_ns - free_ns) * schedule->value - free_frac;
}

/*
 * The end of a frame that takes so many @units, on a wire that is free at
 * *@free_ns + *@free_frac / kbps, which becomes that end; it is returned rounded
 * up to the ns.
 */
static inline u64 wireline_schedule_by_rate(struct wireline_schedule *schedule,
					    u64 *free_ns, u32 *free_frac,
					    u64 units)
{
	u64 next_ns, room;

	for (;;) {
		wireline_schedule_come_to(schedule, *free_ns, true);
		next_ns = wireline_schedule_next_ns(schedule);
		room = wireline_schedule_room(schedule, *free_ns, *free_frac,
					      next_ns);
		if (units <= room)
			break;
		if (next_ns == WIRELINE_NEVER_NS)
			return WIRELINE_NEVER_NS;
		units -= room;
		*free_ns = next_ns;
		*free_frac = 0;
	}
	*free_ns += div_u64_rem(units + *free_frac, schedule->value, free_frac);
	return *free_ns + !!*free_frac;
}

/* The end of a frame of so many @bytes that is ready at *@free_ns, which becomes that end. */
static inline u64
wireline_schedule_by_delivery(struct wireline_schedule *schedule, u64 *free_ns,
			      u64 bytes)
{
	u64 next_ns;

	wireline_schedule_come_to(schedule, *free_ns, false);
	if (schedule->last_ns < *free_ns)
		schedule->value = 0;
	while (bytes > schedule->value) {
		next_ns = wireline_schedule_next_ns(schedule);
		if (next_ns == WIRELINE_NEVER_NS)
			return WIRELINE_NEVER_NS;
		bytes -= schedule->value;
		wireline_schedule_go_on(schedule);
		*free_ns = next_ns;
	}
	schedule->value -= bytes;
	return *free_ns;
}

/* The delay of what leaves at @now_ns. */
static inline u64
wireline_schedule_delay_ns(struct wireline_schedule *schedule, u64 now_ns)
{
	wireline_schedule_come_to(schedule, now_ns, true);
	return schedule->value;
}

#endif /* WIRELINE_SCHEDULE_H */
