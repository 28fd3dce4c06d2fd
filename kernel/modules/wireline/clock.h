/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time model: when does the last bit of a frame leave the wire?
 *
 * A frame of `len` bytes (from the destination address to the end of the
 * payload, as in skb->len) takes this much of an Ethernet wire:
 *
 *	     8		 max(len + 4, 64)	  12
 *	+----------+-----------------------+----------------+
 *	| preamble |  frame, pad and FCS   | inter-frame gap |
 *	+----------+-----------------------+----------------+
 *
 * so 84 bytes at least and 1538 for the 1514 bytes of a full 1500-byte packet.
 * The gap is counted behind the frame: "the wire is free again" and "the frame
 * has left" are one and the same instant here, 96 bit times later than the last
 * bit proper. One instant per frame is what keeps the cost at one timer expiry.
 *
 * At a speed of S kbit/s one byte takes 8 / (S * 10^3) s = 8 * 10^6 / S ns, which
 * is a whole number neither of nanoseconds nor of picoseconds for most S. So the
 * clock counts in units of 1/S ns, of which one byte is exactly 8 * 10^6:
 *
 *	free = free_ns + free_frac / speed_kbps,  0 <= free_frac < speed_kbps
 *
 *	frame arrives at t:   start = max(t, free)
 *			      end   = start + 8 * 10^6 * bytes / S  = the new free
 *
 * Nothing is ever rounded away, so a wire that is kept busy carries S Mbit/s
 * exactly, at any frame size and over any time. Only when an end is shown to
 * the outside (a timer, a comparison with the clock) is it rounded, up to the
 * next nanosecond: a frame is never reported before its last bit is out.
 *
 * The ends are computed when the driver takes the frame, from the end before.
 * They therefore do not depend on how late a timer fires: a late timer makes a
 * completion late, it never makes the wire slower. (What could is a driver queue
 * that runs empty in the meantime: that is a real loss on a real wire as well.)
 *
 * Range: 2^64 ns are 584 years; a 64 KiB super-frame of 8-byte segments is
 * 0.8 MB on the wire, 8 * 10^6 times that is 6 * 10^12: u64 is needed and is enough.
 *
 * Where the speed changes over time, schedule.h says when a frame ends.
 */
#ifndef WIRELINE_CLOCK_H
#define WIRELINE_CLOCK_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "schedule.h"

#define WIRELINE_HEADER_BYTES		14
#define WIRELINE_FCS_BYTES		4
#define WIRELINE_FRAME_MIN_BYTES	64	/* with FCS; shorter frames are padded */
#define WIRELINE_PREAMBLE_BYTES		8	/* with the start frame delimiter */
#define WIRELINE_GAP_BYTES		12

#define WIRELINE_SPEED_MIN_MBPS		10
#define WIRELINE_SPEED_MAX_MBPS		100000
#define WIRELINE_SPEED_DEFAULT_MBPS	1000

#define WIRELINE_KBPS_PER_MBPS		1000
#define WIRELINE_BYTE_UNITS		8000000ULL	/* one byte, in 1/speed_kbps ns */

struct wireline_clock {
	u64 free_ns;		/* the wire is free from then on; CLOCK_MONOTONIC */
	u32 free_frac;		/* adds free_frac / speed_kbps ns to free_ns */
	u32 speed_kbps;
	struct wireline_schedule *schedule;	/* what it carries instead; or NULL */
};

/* Bytes of wire that a frame of @len bytes (without FCS) occupies. */
static inline u32 wireline_frame_wire_bytes(u32 len)
{
	u32 frame = max_t(u32, len + WIRELINE_FCS_BYTES,
			  WIRELINE_FRAME_MIN_BYTES);

	return WIRELINE_PREAMBLE_BYTES + frame + WIRELINE_GAP_BYTES;
}

/*
 * Bytes of wire for @payload_len bytes that are cut into frames of at most
 * @segment_len bytes of payload, each behind its own copy of the headers.
 */
static inline u32 wireline_burst_wire_bytes(u32 header_len, u32 payload_len,
					    u32 segment_len, u32 *frames)
{
	u32 full = payload_len / segment_len;
	u32 rest = payload_len % segment_len;
	u32 bytes = full * wireline_frame_wire_bytes(header_len + segment_len);

	*frames = full;
	if (rest || !full) {
		bytes += wireline_frame_wire_bytes(header_len + rest);
		++*frames;
	}
	return bytes;
}

/* The bytes of @frames that are packets: without what Ethernet has around them. */
static inline u32 wireline_packet_bytes(u32 wire_bytes, u32 frames)
{
	return wire_bytes - frames * (WIRELINE_PREAMBLE_BYTES +
				      WIRELINE_HEADER_BYTES +
				      WIRELINE_FCS_BYTES + WIRELINE_GAP_BYTES);
}

/*
 * The end of @frames that are one skb, rounded up to the nanosecond; they are
 * ready at @now_ns. WIRELINE_NEVER_NS if a schedule carries nothing any more.
 */
static inline u64 wireline_clock_occupy(struct wireline_clock *clock,
					u64 now_ns, u32 wire_bytes, u32 frames)
{
	u64 units = wire_bytes * WIRELINE_BYTE_UNITS;

	/* now > free_ns is now >= free_ns + 1 > free_ns + free_frac / speed */
	if (now_ns > clock->free_ns) {
		clock->free_ns = now_ns;
		clock->free_frac = 0;
	}

	if (clock->schedule && clock->schedule->kind == WIRELINE_RATES)
		return wireline_schedule_by_rate(clock->schedule, &clock->free_ns,
						 &clock->free_frac, units);
	if (clock->schedule && clock->free_ns >= clock->schedule->start_ns)
		return wireline_schedule_by_delivery(clock->schedule,
						     &clock->free_ns,
						     wireline_packet_bytes(wire_bytes,
									   frames));
	units += clock->free_frac;
	clock->free_ns += div_u64_rem(units, clock->speed_kbps,
				      &clock->free_frac);
	return clock->free_ns + !!clock->free_frac;
}

/* Frames that are under way keep their times; later ones go at @speed_mbps. */
static inline void wireline_clock_set_speed(struct wireline_clock *clock,
					    u32 speed_mbps)
{
	clock->free_ns += !!clock->free_frac;
	clock->free_frac = 0;
	clock->speed_kbps = speed_mbps * WIRELINE_KBPS_PER_MBPS;
}

/* The same of a schedule, or of NULL for none; returns the one of before. */
static inline struct wireline_schedule *
wireline_clock_set_schedule(struct wireline_clock *clock,
			    struct wireline_schedule *schedule)
{
	struct wireline_schedule *old = clock->schedule;

	clock->free_ns += !!clock->free_frac;
	clock->free_frac = 0;
	clock->schedule = schedule;
	if (schedule)
		wireline_schedule_begin(schedule,
					schedule->kind == WIRELINE_RATES ?
					clock->speed_kbps : 0);
	return old;
}

/*
 * The system's clock may tell time in coarse steps only (User-Mode Linux: 256
 * ns). A timer that is due between two steps then fires at its exact instant,
 * finds that the clock still shows the step before, and has to come again. So
 * timers are put on the first step at which the clock will show @at_ns or
 * later. @now_ns is what the clock shows, that is, it stands on a step.
 */
static inline u64 wireline_clock_step_at(u64 now_ns, u64 at_ns, u32 step_ns)
{
	u32 past_step_ns;

	if (step_ns <= 1 || at_ns <= now_ns)
		return at_ns;

	div_u64_rem(at_ns - now_ns, step_ns, &past_step_ns);
	return past_step_ns ? at_ns + step_ns - past_step_ns : at_ns;
}

#endif /* WIRELINE_CLOCK_H */
