// SPDX-License-Identifier: GPL-2.0-or-later
/* The wire's clock, whose functions are all inline, as a library for tests. */
#include <stdlib.h>

#include "clock.h"

struct wireline_clock *clock_make(u32 speed_mbps);
bool clock_schedule(struct wireline_clock *clock, u32 kind, u64 start_ns, u64 period_ns,
		    u32 count, const u64 *values);
u64 clock_occupy(struct wireline_clock *clock, u64 now_ns, u32 wire_bytes, u32 frames);
u64 clock_delay(struct wireline_clock *clock, u64 now_ns);
void clock_free(struct wireline_clock *clock);

struct wireline_clock *clock_make(u32 speed_mbps)
{
	struct wireline_clock *clock = calloc(1, sizeof(*clock));

	wireline_clock_set_speed(clock, speed_mbps);
	return clock;
}

/* Whether such a schedule is one; it is in force then. *values* are instants and values by turns. */
bool clock_schedule(struct wireline_clock *clock, u32 kind, u64 start_ns, u64 period_ns,
		    u32 count, const u64 *values)
{
	struct wireline_schedule *schedule;
	u32 n;

	schedule = calloc(1, sizeof(*schedule) + count * sizeof(schedule->entry[0]));
	schedule->kind = kind;
	schedule->start_ns = start_ns;
	schedule->period_ns = period_ns;
	schedule->count = count;
	for (n = 0; n < count; n++) {
		schedule->entry[n].at_ns = values[2 * n];
		schedule->entry[n].value = values[2 * n + 1];
	}
	if (!wireline_schedule_is_valid(schedule)) {
		free(schedule);
		return false;
	}
	free(wireline_clock_set_schedule(clock, schedule));
	return true;
}

u64 clock_occupy(struct wireline_clock *clock, u64 now_ns, u32 wire_bytes, u32 frames)
{
	return wireline_clock_occupy(clock, now_ns, wire_bytes, frames);
}

/* Of a schedule of delays. */
u64 clock_delay(struct wireline_clock *clock, u64 now_ns)
{
	return wireline_schedule_delay_ns(clock->schedule, now_ns);
}

void clock_free(struct wireline_clock *clock)
{
	free(clock->schedule);
	free(clock);
}
