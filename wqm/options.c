// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line. What is wrong with it is said, with what would do, and ends with 2. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "quantity.h"

#ifndef WQM_VERSION
#define WQM_VERSION	"unknown"
#endif

#define BAD_USAGE	2

#define LIMIT_MIN_NS	100000ULL
#define LIMIT_MAX_NS	1000000000ULL
#define INTERVAL_MIN_NS	10000000ULL
#define INTERVAL_MAX_NS	10000000000ULL

static const char options_help[] =
"Usage: wqm DEVICE [OPTION...]\n"
"Sizes the queue of a Wi-Fi device by how long it takes to drain (WQM).\n"
"\n"
"  --limit TIME      the drain time that is aimed at (2.5ms)\n"
"  --interval TIME   between two looks (100ms)\n"
"  --actuator WHAT   what is sized: qdisc, txq, or auto (auto: TXQs if it has them)\n"
"  --rate WHICH      tx: of the last frames (default); expected: rate control's\n"
"                    estimate of throughput; or a rate, such as 65Mbit\n"
"  --dry-run         change nothing, and say what would be changed\n"
"  --once            one look, and nothing changed\n"
"  --log FILE        a line for each interval; - is the standard output\n"
"  --state FILE      where the old limit is kept (/run/wqm.DEVICE)\n"
"  --restore         put back the limit that a killed wqm has left, and end\n"
"  --help, --version\n"
"\n"
"SIGUSR1 has it say how things are. It needs CAP_NET_ADMIN, and nothing else.\n";

enum {
	OPTION_LIMIT = 256,
	OPTION_INTERVAL,
	OPTION_ACTUATOR,
	OPTION_RATE,
	OPTION_DRY_RUN,
	OPTION_ONCE,
	OPTION_LOG,
	OPTION_STATE,
	OPTION_RESTORE,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option options_known[] = {
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "actuator", required_argument, NULL, OPTION_ACTUATOR },
	{ "rate", required_argument, NULL, OPTION_RATE },
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "log", required_argument, NULL, OPTION_LOG },
	{ "state", required_argument, NULL, OPTION_STATE },
	{ "restore", no_argument, NULL, OPTION_RESTORE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ 0 },
};

static uint64_t options_time(const char *option, const char *text, uint64_t least_ns,
			     uint64_t most_ns)
{
	uint64_t ns;

	if (!wqm_time_ns(text, &ns) || ns < least_ns || ns > most_ns)
		errx(BAD_USAGE, "%s %s: it has to be a time from %gms to %gms, such as 2.5ms or 1s",
		     option, text, least_ns / 1e6, most_ns / 1e6);
	return ns;
}

static enum wqm_actuator options_actuator(const char *text)
{
	if (!strcmp(text, "auto"))
		return WQM_AUTO;
	if (!strcmp(text, "qdisc"))
		return WQM_QDISC;
	if (!strcmp(text, "txq"))
		return WQM_TXQ;
	errx(BAD_USAGE, "--actuator %s: it has to be auto, qdisc or txq", text);
}

static void options_rate(const char *text, struct wqm_options *options)
{
	uint64_t kbps;

	if (!strcmp(text, "tx")) {
		options->rate = WQM_RATE_TX;
	} else if (!strcmp(text, "expected")) {
		options->rate = WQM_RATE_EXPECTED;
	} else if (wqm_rate_kbps(text, &kbps) && kbps && kbps <= UINT32_MAX) {
		options->rate = WQM_RATE_FIXED;
		options->fixed_kbps = kbps;
	} else {
		errx(BAD_USAGE, "--rate %s: it has to be tx, expected, or a rate such as 144.4Mbit",
		     text);
	}
}

static void options_state(const char *text, struct wqm_options *options)
{
	const char *folder = getenv("RUNTIME_DIRECTORY");
	int bytes;

	if (text)
		bytes = snprintf(options->state_path, WQM_PATH_BYTES, "%s", text);
	else if (folder)
		bytes = snprintf(options->state_path, WQM_PATH_BYTES, "%s/%s", folder,
				 options->device);
	else
		bytes = snprintf(options->state_path, WQM_PATH_BYTES, "/run/wqm.%s",
				 options->device);
	if (bytes >= WQM_PATH_BYTES)
		errx(BAD_USAGE, "--state: a name of %d bytes is too long", bytes);
}

static void options_device(int count, char *word[], struct wqm_options *options)
{
	const char *name;

	if (count != 1)
		errx(BAD_USAGE, "%s; try: wqm wlan0, or wqm --help",
		     count ? "one device at a time" : "a device is missing");
	name = word[0];
	if (!name[0] || strlen(name) >= WQM_NAME_BYTES || strchr(name, '/'))
		errx(BAD_USAGE, "%s: no device has such a name; `ip link` names the devices", name);
	options->device = name;
}

static _Noreturn void options_say(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout))
		err(1, "standard output");
	exit(0);
}

/* --state names a file, which depends on the device if it does not. */
static const char *options_one(int option, struct wqm_options *options, const char *state)
{
	switch (option) {
	case OPTION_LIMIT:
		options->drain_limit_ns = options_time("--limit", optarg, LIMIT_MIN_NS,
						       LIMIT_MAX_NS);
		break;
	case OPTION_INTERVAL:
		options->interval_ns = options_time("--interval", optarg, INTERVAL_MIN_NS,
						    INTERVAL_MAX_NS);
		break;
	case OPTION_ACTUATOR:
		options->actuator = options_actuator(optarg);
		break;
	case OPTION_RATE:
		options_rate(optarg, options);
		break;
	case OPTION_DRY_RUN:
		options->dry_run = true;
		break;
	case OPTION_ONCE:
		options->once = true;
		options->dry_run = true;
		break;
	case OPTION_LOG:
		options->log_path = optarg;
		break;
	case OPTION_STATE:
		return optarg;
	case OPTION_RESTORE:
		options->restore = true;
		break;
	case OPTION_HELP:
		options_say(options_help);
	case OPTION_VERSION:
		options_say("wqm " WQM_VERSION "\n");
	default:
		errx(BAD_USAGE, "wqm --help has the options");
	}
	return state;
}

struct wqm_options wqm_options(int count, char *word[])
{
	struct wqm_options options = {
		.drain_limit_ns = WQM_DRAIN_LIMIT_NS,
		.interval_ns = 100000000,
	};
	const char *state = NULL;
	int option;

	while ((option = getopt_long(count, word, "", options_known, NULL)) != -1)
		state = options_one(option, &options, state);
	if (options.restore && options.dry_run)
		errx(BAD_USAGE, "--restore changes the limit, which --dry-run and --once do not; "
		     "leave out one of the two");
	options_device(count - optind, word + optind, &options);
	options_state(state, &options);
	return options;
}
