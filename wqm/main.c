// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wqm: sizes the queue of a Wi-Fi device by how long it takes to drain.
 *
 *	session			a run: what is kept, changed and put back
 *	options, quantity	the command line
 *	events			intervals and signals
 *	log			a table, and the status
 *	state			the old limit, in a file
 *	inputs, stations	what the policy is told, from what the kernel counts
 *	queue			what is sized: a qdisc, or mac80211's TXQs
 *	qdisc, link, wifi	questions to the kernel; wifi_parse, attributes: its answers
 *	netlink			what they are asked by
 *	policy			the paper's algorithm, without I/O
 *
 * Each uses only those below it in this list.
 */
#include <err.h>
#include <string.h>

#include "session.h"

int main(int count, char *word[])
{
	struct wqm_options options = wqm_options(count, word);
	struct wqm_kernel kernel;
	int error, status;

	error = wqm_netlink_open(&kernel.route, NETLINK_ROUTE, MNL_SOCKET_AUTOPID);
	if (error)
		errx(1, "netlink: %s", strerror(-error));
	error = wqm_wifi_open(&kernel.wifi);
	if (error)
		errx(1, "generic netlink: %s", strerror(-error));
	status = options.restore ? wqm_session_restore(&options, &kernel) :
				   wqm_session_run(&options, &kernel);
	wqm_wifi_close(&kernel.wifi);
	wqm_netlink_close(&kernel.route);
	return status;
}
