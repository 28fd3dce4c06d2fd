/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two ways in which a radio meets the network stack:
 *
 *	fullmac/	an Ethernet-like device; the firmware does 802.11
 *	softmac/	a mac80211 device
 *
 * Both are made and taken away over netlink, with al_mutex held.
 */
#ifndef AIRLINK_FRONT_H
#define AIRLINK_FRONT_H

#include <linux/if.h>
#include <linux/if_ether.h>

#include "air/phy.h"
#include "radio/profile.h"

struct al_medium;
struct al_radio;
struct net;
struct netlink_ext_ack;

struct al_radio_config {
	struct al_medium *medium;
	struct net *net;		/* where the device is to be */
	char name[IFNAMSIZ];		/* of the device; "" chooses one */
	u8 address[ETH_ALEN];
	struct al_profile profile;
	struct al_rate rate;		/* fixed: of all data to all ... */
	bool rate_fixed;		/* ... or rate control's choice */
	struct al_rate best;		/* what the device is capable of */

	/* Fullmac: a station's frames all go to its access point, and an
	 * access point's to the station that they are for. Zeros: this is one.
	 */
	u8 access_point[ETH_ALEN];
};

struct al_radio *al_fullmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack);
struct al_radio *al_softmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack);

#endif /* AIRLINK_FRONT_H */
