// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What happens to the testbed while the measurement runs.
 *
 *   later NODE ID FILE
 *
 * Each line of FILE is an instant, in ns since boot, and then a line as a plan's, of
 * those that are done when the next begins (a sysctl, a request by netlink, a
 * program that ends). Instants ascend; several lines at one are done in their
 * order. The last line is 'end'. NODE is "-": each line names its own.
 */
#include "agent.h"

static int64_t latest;	/* the instant of the line before */

static void at_its_time(int words, char *word[])
{
	int64_t when = word_number(word[0], "an instant");

	if (when < latest || words < 2)
		die("plan: expected a later instant than %lld ns, and a line, not '%s'",
		    (long long)latest, word[0]);
	latest = when;
	sleep_until(when);
	if (!carry_out_now(words - 1, word + 1))
		die("plan: '%s' cannot be done while the measurement runs", word[1]);
}

void later_endpoint(int words, char *word[])
{
	(void)words;
	sleep_exactly();
	for_each_line(word[3], at_its_time);
}
