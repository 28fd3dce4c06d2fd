/* SPDX-License-Identifier: GPL-2.0 */
/* The attributes of a message; see attributes.c. */
#ifndef AIRLINK_ATTRIBUTES_H
#define AIRLINK_ATTRIBUTES_H

#include <linux/types.h>

#include "air/edca.h"

struct al_profile;
struct al_radio;
struct al_radio_config;
struct al_rate;
struct genl_info;
struct nla_policy;

/* New parameters of one access category. */
struct al_edca_change {
	int ac;				/* negative: none */
	struct al_edca_params params;
};

extern const struct nla_policy al_netlink_policy[];

int al_netlink_need(struct genl_info *info, int attribute);
int al_netlink_read_name(struct genl_info *info, char *name);
int al_netlink_read_address(struct genl_info *info, int attribute,
			    u8 *address);
int al_netlink_read_rate(struct genl_info *info, int attribute,
			 struct al_rate *rate);
int al_netlink_read_profile(struct genl_info *info,
			    struct al_profile *profile);
int al_netlink_read_edca(struct genl_info *info, const struct al_radio *radio,
			 struct al_edca_change *change);
int al_netlink_read_config(struct genl_info *info,
			   struct al_radio_config *config);

#endif /* AIRLINK_ATTRIBUTES_H */
