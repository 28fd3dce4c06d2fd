// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What wqm tells of its intervals. The table has a line for each, of which the first
 * names the columns; words are separated by tabs. The limit is that after the interval,
 * in packets, and 0 until one had a rate.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "log.h"

static const char *const log_alarms[] = {
	[WQM_ALARM_OFF] = "off",
	[WQM_ALARM_LOW] = "low",
	[WQM_ALARM_HIGH] = "high",
};

static const char log_head[] =
"t_s\trate_kbps\tbacklog_bytes\tfree_permille\tsent\tdrain_us\tlimit_packets\talarm\n";

bool wqm_log_open(FILE **log, const char *path)
{
	*log = NULL;
	if (!path)
		return true;
	*log = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!*log) {
		warnx("--log %s: %s", path, strerror(errno));
		return false;
	}
	setvbuf(*log, NULL, _IOLBF, BUFSIZ);
	fputs(log_head, *log);
	return true;
}

bool wqm_log_write(FILE *log, uint64_t ns, const struct wqm_interval *seen,
		   const struct wqm_policy *policy)
{
	if (!log)
		return true;
	fprintf(log, "%.3f\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%d\t%" PRIu64 "\t%" PRIu32
		"\t%s\n",
		ns / 1e9, seen->rate_kbps, seen->backlog_bytes, seen->free_permille, seen->sent,
		wqm_drain_ns(seen) / 1000, policy->buffer_packets, log_alarms[policy->alarm]);
	if (!ferror(log))
		return true;
	warnx("the log cannot be written: %s; it ends here", strerror(errno));
	return false;
}

void wqm_log_sentence(char *text, size_t room, const struct wqm_interval *seen,
		      const struct wqm_policy *policy)
{
	if (!seen->sent || !seen->rate_kbps)
		snprintf(text, room, "%s in the last interval, backlog %" PRIu32 " bytes, channel "
			 "free %g %%", seen->sent ? "no rate" : "nothing sent", seen->backlog_bytes,
			 seen->free_permille / 10.0);
	else
		snprintf(text, room, "rate %g Mbit/s, backlog %" PRIu32 " bytes, channel free "
			 "%g %%, drains in %.2f ms, alarm %s", seen->rate_kbps / 1e3,
			 seen->backlog_bytes, seen->free_permille / 10.0,
			 wqm_drain_ns(seen) / 1e6, log_alarms[policy->alarm]);
}
