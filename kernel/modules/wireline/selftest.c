// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the time model's arithmetic when the module is loaded, if it was built
 * with WIRELINE_SELFTEST=y. The module does not load if it is wrong.
 */

#include <linux/kernel.h>
#include <linux/printk.h>

#include "clock.h"
#include "selftest.h"

static bool failed __initdata;

static void __init expect(bool right, const char *what)
{
	if (right)
		return;
	pr_err("wireline: self-test failed: %s\n", what);
	failed = true;
}

#define EXPECT(what) expect(what, #what)

static void __init test_frame_bytes(void)
{
	u32 frames;

	EXPECT(wireline_frame_wire_bytes(42) == 84);
	EXPECT(wireline_frame_wire_bytes(60) == 84);
	EXPECT(wireline_frame_wire_bytes(61) == 85);
	EXPECT(wireline_frame_wire_bytes(1514) == 1538);

	/* two full segments, then one of a single byte, which is padded */
	EXPECT(wireline_burst_wire_bytes(66, 2 * 1448 + 1, 1448, &frames) ==
	       2 * 1538 + 91);
	EXPECT(frames == 3);
	EXPECT(wireline_burst_wire_bytes(66, 1448, 1448, &frames) == 1538);
	EXPECT(frames == 1);
	EXPECT(wireline_burst_wire_bytes(54, 0, 1448, &frames) == 84);
	EXPECT(frames == 1);
}

static struct wireline_clock __init clock_at(u32 speed_mbps)
{
	return (struct wireline_clock) {
		.speed_kbps = speed_mbps * WIRELINE_KBPS_PER_MBPS,
	};
}

/* A busy wire carries exactly its speed. */
static void __init test_no_drift(u32 speed_mbps)
{
	struct wireline_clock clock = clock_at(speed_mbps);
	const u64 start_ns = 1234567890123456789ULL;
	const u32 count = 10000;
	u64 end_ns = 0;
	u64 units = 0;
	u32 n;

	for (n = 0; n < count; n++) {
		u32 bytes = 84 + n % 1455;

		units += (u64)bytes * WIRELINE_BYTE_UNITS;
		end_ns = wireline_clock_occupy(&clock, start_ns, bytes, 1);
	}
	EXPECT(end_ns == start_ns +
	       div_u64(units + clock.speed_kbps - 1, clock.speed_kbps));
}

static void __init test_idle_and_speed(void)
{
	struct wireline_clock clock = clock_at(3);

	/* 84 bytes at 3 Mbit/s: 224000 ns; 85: 226666 2/3 */
	EXPECT(wireline_clock_occupy(&clock, 1000, 84, 1) == 225000);
	EXPECT(wireline_clock_occupy(&clock, 1000, 85, 1) == 451667);
	/* at that rounded instant the wire is free: the fraction is dropped */
	EXPECT(wireline_clock_occupy(&clock, 451667, 84, 1) == 675667);
	EXPECT(wireline_clock_occupy(&clock, 1000000, 84, 1) == 1224000);

	clock.free_frac = 1;
	wireline_clock_set_speed(&clock, 1000);
	EXPECT(wireline_clock_occupy(&clock, 0, 84, 1) == 1224001 + 672);
}

static void __init test_steps(void)
{
	u32 step_ns;

	/* a fine clock says 0 or 1 */
	for (step_ns = 0; step_ns < 2; step_ns++)
		EXPECT(wireline_clock_step_at(1000, 5001, step_ns) == 5001);
	EXPECT(wireline_clock_step_at(1000, 1001, 256) == 1256);
	EXPECT(wireline_clock_step_at(1000, 1256, 256) == 1256);
	EXPECT(wireline_clock_step_at(1000, 1257, 256) == 1512);
	EXPECT(wireline_clock_step_at(1000, 900, 256) == 900);
}

bool __init wireline_selftest(void)
{
	static const u32 speeds_mbps[] __initconst = {
		10, 11, 100, 997, 1000, 2500, 7919, 10000, 99991, 100000,
	};
	unsigned int i;

	test_frame_bytes();
	for (i = 0; i < ARRAY_SIZE(speeds_mbps); i++)
		test_no_drift(speeds_mbps[i]);
	test_idle_and_speed();
	test_steps();
	if (!failed)
		pr_info("wireline: self-tests pass\n");
	return !failed;
}
