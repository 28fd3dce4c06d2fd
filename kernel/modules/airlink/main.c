// SPDX-License-Identifier: GPL-2.0
/*
 * airlink: 802.11 radios that aggregate, on a medium with true airtime.
 *
 * mac80211_hwsim, the usual simulated radio, hands a frame over in no time and
 * reports it at once. What is driven by how long a radio takes (mac80211's queues,
 * airtime fairness, TCP Small Queues, pacing, rate control) then has nothing to go
 * by. Here frames contend for the medium, go out in A-MPDUs that last as long as
 * IEEE 802.11 says, get lost one by one, and are reported when hardware would.
 *
 *	air/		what is on the air
 *	  phy		how long a PPDU takes
 *	  error		how many MPDUs get lost at which SNR
 *	  medium	a channel: the simulator's events, in their order
 *	  edca		who sends when
 *	  exchange	RTS, CTS, PPDU, acknowledgment; who hears what
 *	  reception	what gets through, and to whom
 *	radio/		what a radio has
 *	  radio, link	its life, its peers
 *	  queue, window	the frames that wait for a peer, block ack
 *	  aggregate	what is sent together
 *	  ppdu		how long that takes, and what becomes of it
 *	  host		the bus, reports and interrupts between it and its host
 *	  profile	what a kind of device is like
 *	fullmac/	a front end: an Ethernet-like device; firmware does 802.11
 *	softmac/	a front end: a mac80211 device
 *	capture/	all that is on the air, for tcpdump
 *	netlink/	making, setting and reading all of this
 *
 * The way of a frame, and the event loop:
 *
 *	front end -> host -> queue -> aggregate -> ppdu -> edca -> medium
 *	                                  ^                        |    ^
 *	            al_host_exchange_over()                     due|    |next
 *	                                  |                        v    |
 *	sender's front end   <- host <- al_ppdu_close()    <----- exchange
 *	receiver's front end <- host <- al_host_received() <--------'
 *
 * It is a circle on purpose. medium has the timer and calls the event that is due;
 * exchange says when its next one is. The end of an exchange is a completion. A
 * completion makes room, and in that room the next PPDU is formed, which asks for
 * the medium again. All of it runs under the medium's lock; what goes up to a host
 * leaves by NAPI.
 *
 * Clauses and tables that comments cite are those of IEEE 802.11-2020, and of
 * 802.11ax-2021 (27.*) for HE, unless they name another edition.
 *
 * What it does not model: propagation time, capture, movement, interference
 * between channels, MU-MIMO and OFDMA, 802.11b.
 */

#include <linux/module.h>

#include "netlink/commands.h"
#include "netlink/registry.h"
#include "radio/ppdu.h"
#include "radio/queue.h"

static int __init airlink_init(void)
{
	int err = al_mpdu_cache_create();

	if (err)
		return err;
	err = al_ppdu_cache_create();
	if (err)
		goto destroy_mpdus;
	err = al_netlink_register();
	if (err)
		goto destroy_ppdus;
	return 0;

destroy_ppdus:
	al_ppdu_cache_destroy();
destroy_mpdus:
	al_mpdu_cache_destroy();
	return err;
}

static void __exit airlink_exit(void)
{
	al_netlink_unregister();
	mutex_lock(&al_mutex);
	al_registry_clear();
	mutex_unlock(&al_mutex);
	al_ppdu_cache_destroy();
	al_mpdu_cache_destroy();
}

module_init(airlink_init);
module_exit(airlink_exit);
MODULE_DESCRIPTION("802.11 radios that aggregate, in true airtime");
MODULE_AUTHOR("tsqlab");
MODULE_LICENSE("GPL");
