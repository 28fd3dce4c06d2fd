/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two front ends, by which a radio meets the network stack:
 *
 *	fullmac/	an Ethernet-like device; the firmware does 802.11
 *	softmac/	a mac80211 device
 *
 * Radios come and go over netlink, with al_mutex held.
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

/* What a fullmac radio is. A softmac radio is what its host makes of it. */
enum al_role {
	AL_ROLE_ACCESS_POINT, AL_ROLE_STATION, AL_ROLE_PEER, AL_ROLE_COUNT
};

struct al_radio_config {
	struct al_medium *medium;
	struct net *net;		/* the namespace of the device */
	char name[IFNAMSIZ];		/* the device's name; "" chooses one */
	u8 address[ETH_ALEN];
	struct al_profile profile;
	struct al_rate rate;		/* the rate of all data, if it is fixed */
	bool rate_fixed;		/* false: rate control chooses */
	struct al_rate best;		/* the highest rate of a softmac device */

	u8 role;			/* enum al_role, of a fullmac radio */
	/* The access point of a fullmac station, which all of its frames go
	 * to.
	 */
	u8 access_point[ETH_ALEN];
};

struct al_radio *al_fullmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack);
struct al_radio *al_softmac_create(const struct al_radio_config *config,
				   struct netlink_ext_ack *extack);

#endif /* AIRLINK_FRONT_H */
