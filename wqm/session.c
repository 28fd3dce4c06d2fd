// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One run of wqm. The queue's old limit is kept in a file before it is changed, and put
 * back when the run ends, however it does: by a signal, because the device goes, or
 * because something fails. When wqm is killed, the file stays.
 *
 * What fails for once (the kernel has no memory, a dump was disturbed) costs an interval.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "events.h"
#include "log.h"
#include "policy.h"
#include "session.h"
#include "state.h"

#define RATE_MEANT_KBPS	600000
#define RATELESS_MAX	20	/* intervals: 2 s, unless --interval says otherwise */

enum {
	SESSION_DONE = 0,
	SESSION_FAILED = 1,
};

struct session {
	const struct wqm_options *options;
	struct wqm_kernel *kernel;
	struct wqm_queue queue;
	struct wqm_netlink claim;	/* on the queue, until the process ends */
	struct wqm_old_limit old;
	bool kept;			/* in the file, so that the limit may be another */
	struct wqm_inputs inputs;
	struct wqm_interval seen;
	struct wqm_policy policy;
	struct wqm_events events;
	FILE *log;
	uint32_t set_packets;	/* 0: nothing was set yet */
	uint64_t changes;
	bool complained;	/* of what fails in interval after interval */
	bool warned;		/* of a rate that WQM was not made for */
	unsigned int rateless;	/* intervals in a row in which frames were sent at no rate */
};

/* Sets the limit that there is: who may not do that is to know it before anything else. */
static bool session_may(struct session *session)
{
	int error = wqm_queue_put_back(session->kernel, &session->old);

	if (!error)
		return true;
	warnx("%s: its limit cannot be set: %s%s", session->queue.device,
	      wqm_queue_why(session->kernel, session->queue.actuator, error),
	      error == -EPERM ? "; that takes CAP_NET_ADMIN, try: sudo wqm, or --dry-run" : "");
	return false;
}

/* Another wqm is one that runs: what a killed one had claimed is free again. */
static bool session_claim(struct wqm_netlink *claim, const char *device,
			  const struct wqm_old_limit *of)
{
	int error = wqm_queue_claim(claim, of);

	if (error == -EADDRINUSE)
		warnx("%s: another wqm sizes its queue; stop that one first", device);
	else if (error)
		warnx("%s: its queue cannot be claimed: %s", device, strerror(-error));
	return !error;
}

/* True if nothing of it is left to be put back; if anything is said, it begins with `why`. */
static bool session_put_back(const struct wqm_options *options, struct wqm_kernel *kernel,
			     const struct wqm_old_limit *old, const char *why)
{
	int error = wqm_queue_put_back(kernel, old);

	if (error && error != -ESTALE) {
		warnx("%s: its old limit, %" PRIu32 ", cannot be put back: %s; it is kept in %s",
		      options->device, old->limit, wqm_queue_why(kernel, old->actuator, error),
		      options->state_path);
		return false;
	}
	if (why)
		warnx(error ? "%s: %s; the queue whose limit was %" PRIu32 " is gone" :
			      "%s: %s; the limit is %" PRIu32 " again",
		      options->device, why, old->limit);
	wqm_state_remove(options->state_path);
	return true;
}

/* What a killed wqm has left, of a queue that may be `mine`, which is claimed already. */
static bool session_put_back_left(const struct wqm_options *options, struct wqm_kernel *kernel,
				  const struct wqm_old_limit *mine)
{
	struct wqm_netlink claim = { 0 };
	struct wqm_old_limit left;
	bool found, done;

	if (!wqm_state_read(options->state_path, &left, &found))
		return false;
	if (!found)
		return true;
	if (!(mine && wqm_queue_same(mine, &left)) &&
	    !session_claim(&claim, options->device, &left))
		return false;
	done = session_put_back(options, kernel, &left, "another wqm was killed");
	wqm_netlink_close(&claim);
	return done;
}

static bool session_find(struct session *session)
{
	const struct wqm_options *options = session->options;

	if (!wqm_queue_open(&session->queue, session->kernel, options->device, options->actuator,
			    options->rate == WQM_RATE_FIXED))
		return false;
	session->old = wqm_queue_old_limit(&session->queue);
	return true;
}

/* What the limit is, is asked again once nobody else sets it. */
static bool session_take(struct session *session)
{
	const struct wqm_options *options = session->options;

	session->kept = session_claim(&session->claim, options->device, &session->old) &&
			session_put_back_left(options, session->kernel, &session->old) &&
			session_find(session) && session_may(session) &&
			wqm_state_write(options->state_path, &session->old);
	return session->kept;
}

static bool session_open(struct session *session)
{
	const struct wqm_options *options = session->options;

	if (!session_find(session))
		return false;
	wqm_inputs_init(&session->inputs, options->rate, options->fixed_kbps);
	session->policy = wqm_policy(options->drain_limit_ns);
	if (!wqm_log_open(&session->log, options->log_path))
		return false;
	if (!wqm_events_open(&session->events, options->interval_ns)) {
		warnx("there is no timer or no signals: %s", strerror(errno));
		return false;
	}
	return options->dry_run || session_take(session);
}

static void session_status(const struct session *session)
{
	uint32_t packets = session->policy.buffer_packets;
	char sentence[256], limit[64] = "not changed yet";

	if (packets)
		snprintf(limit, sizeof(limit), "%s%" PRIu32 " packets",
			 session->options->dry_run ? "would be " : "", packets);
	wqm_log_sentence(sentence, sizeof(sentence), &session->seen, &session->policy);
	fprintf(stderr, "%s: limit of the %s: %s (it was %" PRIu32 " %s); %s; %" PRIu64
		" intervals, %" PRIu64 " changes\n", session->queue.device,
		wqm_queue_name(&session->queue), limit, session->old.limit,
		wqm_queue_unit(&session->queue), sentence, session->events.intervals,
		session->changes);
}

static void session_complain(struct session *session, const char *what, const char *why)
{
	if (!session->complained)
		warnx("%s: %s: %s; it is tried again", session->queue.device, what, why);
	session->complained = true;
}

static int session_set(struct session *session, uint32_t packets)
{
	int error;

	if (!packets || packets == session->set_packets)
		return 0;
	error = session->options->dry_run ? 0 : wqm_queue_set(&session->queue, packets);
	if (error) {
		session_complain(session, "its limit cannot be set",
				 wqm_queue_why(session->kernel, session->queue.actuator,
					       error));
		return error;
	}
	session->set_packets = packets;
	session->changes++;
	return 0;
}

/* WQM_BUFFER_MAX_PACKETS is what the paper has for the fastest 802.11n. */
static void session_warn(struct session *session)
{
	if (session->warned || session->seen.rate_kbps <= RATE_MEANT_KBPS)
		return;
	warnx("%s: its rate is above the 600 Mbit/s that WQM was made for: a limit of %d packets "
	      "may cost throughput", session->queue.device, WQM_BUFFER_MAX_PACKETS);
	session->warned = true;
}

/* Without a rate the limit stays what it was, and who started wqm would take it for sized. */
static void session_warn_of_none(struct session *session)
{
	bool expected = session->options->rate == WQM_RATE_EXPECTED;

	if (session->rateless == RATELESS_MAX)
		return;
	session->rateless = session->seen.rate_kbps ? 0 : session->rateless + session->seen.sent;
	if (session->rateless < RATELESS_MAX)
		return;
	warnx("%s: in %d intervals in which it sent no station had %s, so its limit stays as it "
	      "is; try --rate %s, or give one, as in --rate 65Mbit", session->queue.device,
	      RATELESS_MAX, expected ? "an expected throughput" : "a rate",
	      expected ? "tx" : "expected");
}

/* 0, or -errno if there is no sense in going on. */
static int session_interval(struct session *session)
{
	int error;

	error = wqm_inputs_read(&session->inputs, &session->queue, &session->seen);
	if (error == -ENODEV || error == -ESTALE)
		return error;
	/* Stations came or went while they were dumped. */
	if (error == -EINTR)
		return 0;
	if (error) {
		session_complain(session, "its counters cannot be read", strerror(-error));
		return 0;
	}
	session_warn(session);
	session_warn_of_none(session);
	error = session_set(session, wqm_policy_step(&session->policy, &session->seen));
	if (error == -ENODEV || error == -EPERM)
		return error;
	session->complained = error;
	if (!wqm_log_write(session->log, session->events.intervals * session->options->interval_ns,
			   &session->seen, &session->policy))
		session->log = NULL;
	return 0;
}

static int session_loop(struct session *session)
{
	int error;

	/* What was counted so far is no interval's. */
	error = wqm_inputs_read(&session->inputs, &session->queue, &session->seen);
	while (error != -ENODEV && error != -ESTALE && error != -EPERM) {
		switch (wqm_events_next(&session->events)) {
		case WQM_INTERVAL:
			error = session_interval(session);
			if (!session->options->once)
				break;
			session_status(session);
			return SESSION_DONE;
		case WQM_STATUS:
			session_status(session);
			break;
		case WQM_END:
			return SESSION_DONE;
		}
	}
	if (error == -ENODEV) {
		warnx("%s: the device is gone", session->queue.device);
		return SESSION_DONE;
	}
	if (error == -ESTALE)
		warnx("%s: somebody has replaced its root, the %s %x:, and its limit with it; "
		      "start wqm again to have the new one sized", session->queue.device,
		      session->old.kind, session->old.handle >> 16);
	return SESSION_FAILED;
}

int wqm_session_run(const struct wqm_options *options, struct wqm_kernel *kernel)
{
	static struct session session;
	int status;

	session.options = options;
	session.kernel = kernel;
	status = session_open(&session) ? session_loop(&session) : SESSION_FAILED;
	if (session.kept && !session_put_back(options, kernel, &session.old, NULL))
		status = SESSION_FAILED;
	return status;
}

int wqm_session_restore(const struct wqm_options *options, struct wqm_kernel *kernel)
{
	return session_put_back_left(options, kernel, NULL) ? SESSION_DONE : SESSION_FAILED;
}
