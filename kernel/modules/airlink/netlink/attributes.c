// SPDX-License-Identifier: GPL-2.0
/*
 * What the attributes of a message say: their bounds, and structs of the core made
 * of them. Nothing here changes a radio. What fails says why in info->extack.
 */

#include <linux/etherdevice.h>
#include <net/genetlink.h>

#include "netlink/attributes.h"
#include "netlink/kernel_shift.h"
#include "netlink/uapi.h"
#include "radio/front.h"
#include "radio/radio.h"

static const struct nla_policy netlink_rate_policy[AIRLINK_RATE_MAX + 1] = {
	[AIRLINK_RATE_PHY] = NLA_POLICY_MAX(NLA_U8, AL_PHY_COUNT - 1),
	[AIRLINK_RATE_MCS] = { .type = NLA_U8 },
	[AIRLINK_RATE_STREAMS] = { .type = NLA_U8 },
	[AIRLINK_RATE_WIDTH] = { .type = NLA_U8 },
	[AIRLINK_RATE_GI] = { .type = NLA_U16 },
};

static const struct nla_policy
netlink_profile_policy[AIRLINK_PROFILE_MAX + 1] = {
	[1 ... AIRLINK_PROFILE_MAX] = { .type = NLA_U32 },
};

/* These are not const because struct nla_policy of 6.1 does not take that. */
static struct netlink_range_validation netlink_txop_range = {
	.max = 65535 * 32,	/* a beacon has 16 bits, in 32 us */
};

static struct netlink_range_validation netlink_loss_range = {
	.max = AL_LOSS_SCALE,
};

static const struct nla_policy netlink_edca_policy[AIRLINK_EDCA_MAX + 1] = {
	[AIRLINK_EDCA_AC] = NLA_POLICY_MAX(NLA_U8, AL_ACS - 1),
	[AIRLINK_EDCA_AIFSN] = NLA_POLICY_RANGE(NLA_U8, 1, 15),
	[AIRLINK_EDCA_CW_MIN] = NLA_POLICY_MAX(NLA_U16, 32767),
	[AIRLINK_EDCA_CW_MAX] = NLA_POLICY_MAX(NLA_U16, 32767),
	[AIRLINK_EDCA_TXOP] = NLA_POLICY_FULL_RANGE(NLA_U32,
						    &netlink_txop_range),
};

const struct nla_policy al_netlink_policy[AIRLINK_ATTR_MAX + 1] = {
	[AIRLINK_ATTR_MEDIUM] = { .type = NLA_U32 },
	[AIRLINK_ATTR_BAND] = { .type = NLA_U8 },
	[AIRLINK_ATTR_SEED] = { .type = NLA_U64 },
	[AIRLINK_ATTR_ADDRESS] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_NAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[AIRLINK_ATTR_FRONT] = NLA_POLICY_MAX(NLA_U8, AIRLINK_SOFTMAC),
	[AIRLINK_ATTR_ACCESS_POINT] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_RATE] = NLA_POLICY_NESTED(netlink_rate_policy),
	[AIRLINK_ATTR_RATE_CONTROL] = { .type = NLA_FLAG },
	[AIRLINK_ATTR_BEST_RATE] = NLA_POLICY_NESTED(netlink_rate_policy),
	[AIRLINK_ATTR_PROFILE] = NLA_POLICY_NESTED(netlink_profile_policy),
	[AIRLINK_ATTR_EDCA] = NLA_POLICY_NESTED(netlink_edca_policy),
	[AIRLINK_ATTR_PEER] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_LOSS] = NLA_POLICY_FULL_RANGE(NLA_U32,
						    &netlink_loss_range),
	[AIRLINK_ATTR_SNR] = NLA_POLICY_RANGE(NLA_S32, -10000, 10000),
	[AIRLINK_ATTR_HEARS] = NLA_POLICY_MAX(NLA_U8, 1),
	[AIRLINK_ATTR_ROLE] = NLA_POLICY_MAX(NLA_U8, AL_ROLE_COUNT - 1),
};

/* Errors: -EINVAL if the message does not have @attribute. */
int al_netlink_need(struct genl_info *info, int attribute)
{
	if (!GENL_REQ_ATTR_CHECK(info, attribute))
		return 0;
	NL_SET_ERR_MSG(info->extack, "an attribute is missing");
	return -EINVAL;
}

int al_netlink_read_rate(struct genl_info *info, int attribute,
			 struct al_rate *rate)
{
	struct nlattr *tb[AIRLINK_RATE_MAX + 1];
	int err = nla_parse_nested(tb, AIRLINK_RATE_MAX,
				   info->attrs[attribute], netlink_rate_policy,
				   info->extack);

	if (err)
		return err;
	*rate = al_rate_lowest;
	if (tb[AIRLINK_RATE_PHY])
		rate->phy = nla_get_u8(tb[AIRLINK_RATE_PHY]);
	if (tb[AIRLINK_RATE_MCS])
		rate->mcs = nla_get_u8(tb[AIRLINK_RATE_MCS]);
	if (tb[AIRLINK_RATE_STREAMS])
		rate->streams = nla_get_u8(tb[AIRLINK_RATE_STREAMS]);
	if (tb[AIRLINK_RATE_WIDTH])
		rate->width_mhz = nla_get_u8(tb[AIRLINK_RATE_WIDTH]);
	if (tb[AIRLINK_RATE_GI])
		rate->gi_ns = nla_get_u16(tb[AIRLINK_RATE_GI]);
	if (al_rate_valid(rate))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attribute],
			    "802.11 has no such rate");
	return -EINVAL;
}

/* Sets what the message says of a profile. What it does not say keeps the value that
 * is in @profile.
 */
int al_netlink_read_profile(struct genl_info *info, struct al_profile *profile)
{
	struct nlattr *tb[AIRLINK_PROFILE_MAX + 1];
	u32 *values = (u32 *)profile;
	int attribute, err;

	/* Field order = attribute order; see profile.h. */
	static_assert(sizeof(*profile) == AIRLINK_PROFILE_MAX * sizeof(u32));
	if (!info->attrs[AIRLINK_ATTR_PROFILE])
		return 0;
	err = nla_parse_nested(tb, AIRLINK_PROFILE_MAX,
			       info->attrs[AIRLINK_ATTR_PROFILE],
			       netlink_profile_policy, info->extack);
	if (err)
		return err;
	for (attribute = 1; attribute <= AIRLINK_PROFILE_MAX; attribute++)
		if (tb[attribute])
			values[attribute - 1] = nla_get_u32(tb[attribute]);
	if (profile->pacing_shift == AIRLINK_KERNEL_SHIFT) {
		err = al_kernel_shift(genl_info_net(info),
				      &profile->pacing_shift);
		if (err)
			return err;
	}
	return al_profile_check(profile, info->extack);
}

/* Reads the parameters of one access category. What the message does not say stays
 * as @radio has it.
 */
int al_netlink_read_edca(struct genl_info *info, const struct al_radio *radio,
			 struct al_edca_change *change)
{
	struct nlattr *tb[AIRLINK_EDCA_MAX + 1];
	struct al_edca_params *params = &change->params;
	int err;

	change->ac = -1;
	if (!info->attrs[AIRLINK_ATTR_EDCA])
		return 0;
	err = nla_parse_nested(tb, AIRLINK_EDCA_MAX,
			       info->attrs[AIRLINK_ATTR_EDCA],
			       netlink_edca_policy, info->extack);
	if (err)
		return err;
	if (!tb[AIRLINK_EDCA_AC]) {
		NL_SET_ERR_MSG(info->extack, "which access category?");
		return -EINVAL;
	}
	change->ac = nla_get_u8(tb[AIRLINK_EDCA_AC]);
	*params = radio->edcaf[change->ac].params;
	if (tb[AIRLINK_EDCA_AIFSN])
		params->aifsn = nla_get_u8(tb[AIRLINK_EDCA_AIFSN]);
	if (tb[AIRLINK_EDCA_CW_MIN])
		params->cw_min = nla_get_u16(tb[AIRLINK_EDCA_CW_MIN]);
	if (tb[AIRLINK_EDCA_CW_MAX])
		params->cw_max = nla_get_u16(tb[AIRLINK_EDCA_CW_MAX]);
	if (tb[AIRLINK_EDCA_TXOP])
		params->txop_us = nla_get_u32(tb[AIRLINK_EDCA_TXOP]);
	if (params->cw_min <= params->cw_max)
		return 0;
	NL_SET_ERR_MSG(info->extack, "CWmin is above CWmax");
	return -EINVAL;
}

int al_netlink_read_address(struct genl_info *info, int attribute, u8 *address)
{
	int err = al_netlink_need(info, attribute);

	if (err)
		return err;
	ether_addr_copy(address, nla_data(info->attrs[attribute]));
	if (is_valid_ether_addr(address))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attribute],
			    "not a unicast Ethernet address");
	return -EADDRNOTAVAIL;
}

/* Sets @name, which has IFNAMSIZ bytes, if the message has a name. It becomes a folder
 * in sysfs, also of a softmac device, whose wiphy has it.
 */
int al_netlink_read_name(struct genl_info *info, char *name)
{
	struct nlattr *attr = info->attrs[AIRLINK_ATTR_NAME];

	if (!attr)
		return 0;
	nla_strscpy(name, attr, IFNAMSIZ);
	if (dev_valid_name(name))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "not a name that a device can have");
	return -EINVAL;
}

/* Reads what a fullmac radio is, and the access point of a station. */
static int netlink_read_role(struct genl_info *info,
			     struct al_radio_config *config)
{
	struct nlattr *role = info->attrs[AIRLINK_ATTR_ROLE];
	struct nlattr *access_point = info->attrs[AIRLINK_ATTR_ACCESS_POINT];

	config->role = access_point ? AL_ROLE_STATION : AL_ROLE_ACCESS_POINT;
	if (role)
		config->role = nla_get_u8(role);
	if (config->role == AL_ROLE_STATION)
		return al_netlink_read_address(info, AIRLINK_ATTR_ACCESS_POINT,
					       config->access_point);
	if (!access_point)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, access_point,
			    "only a station has an access point");
	return -EINVAL;
}

/* The best rate of a softmac device if the message names none: HT40, two streams. */
static const struct al_rate netlink_best_rate = {
	.phy = AL_PHY_HT, .mcs = 7, .streams = 2, .width_mhz = 40, .gi_ns = 400,
};

int al_netlink_read_config(struct genl_info *info,
			   struct al_radio_config *config)
{
	struct nlattr **attrs = info->attrs;
	int err = al_netlink_read_address(info, AIRLINK_ATTR_ADDRESS,
					  config->address);

	config->net = genl_info_net(info);
	config->profile = al_profile_neutral;
	config->best = netlink_best_rate;
	if (!err)
		err = al_netlink_read_name(info, config->name);
	if (!err)
		err = al_netlink_read_profile(info, &config->profile);
	if (!err && attrs[AIRLINK_ATTR_RATE]) {
		config->rate_fixed = true;
		err = al_netlink_read_rate(info, AIRLINK_ATTR_RATE,
					   &config->rate);
		config->best = config->rate;
	}
	if (!err && attrs[AIRLINK_ATTR_BEST_RATE])
		err = al_netlink_read_rate(info, AIRLINK_ATTR_BEST_RATE,
					   &config->best);
	if (!err)
		err = netlink_read_role(info, config);
	return err;
}
