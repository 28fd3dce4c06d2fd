// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: what uapi.h has, into calls of the rest. A message is read as
 * a whole before it changes anything.
 */

#include <linux/etherdevice.h>
#include <net/genetlink.h>

#include "capture/sniffer.h"
#include "netlink/commands.h"
#include "netlink/registry.h"
#include "netlink/stats.h"
#include "netlink/uapi.h"
#include "radio/front.h"
#include "radio/radio.h"

static const struct nla_policy rate_policy[AIRLINK_RATE_MAX + 1] = {
	[AIRLINK_RATE_PHY] = NLA_POLICY_MAX(NLA_U8, AL_PHY_COUNT - 1),
	[AIRLINK_RATE_MCS] = { .type = NLA_U8 },
	[AIRLINK_RATE_STREAMS] = { .type = NLA_U8 },
	[AIRLINK_RATE_WIDTH] = { .type = NLA_U8 },
	[AIRLINK_RATE_GI] = { .type = NLA_U16 },
};

static const struct nla_policy profile_policy[AIRLINK_PROFILE_MAX + 1] = {
	[1 ... AIRLINK_PROFILE_MAX] = { .type = NLA_U32 },
};

/* Not const: 6.1's struct nla_policy would not take it. */
static struct netlink_range_validation txop_range = {
	.max = 65535 * 32,	/* the field of the EDCA parameter set */
};

static struct netlink_range_validation loss_range = {
	.max = AL_LOSS_SCALE,
};

static const struct nla_policy edca_policy[AIRLINK_EDCA_MAX + 1] = {
	[AIRLINK_EDCA_AC] = NLA_POLICY_MAX(NLA_U8, AL_ACS - 1),
	[AIRLINK_EDCA_AIFSN] = NLA_POLICY_RANGE(NLA_U8, 1, 15),
	[AIRLINK_EDCA_CW_MIN] = NLA_POLICY_MAX(NLA_U16, 32767),
	[AIRLINK_EDCA_CW_MAX] = NLA_POLICY_MAX(NLA_U16, 32767),
	[AIRLINK_EDCA_TXOP] = NLA_POLICY_FULL_RANGE(NLA_U32, &txop_range),
};

static const struct nla_policy policy[AIRLINK_ATTR_MAX + 1] = {
	[AIRLINK_ATTR_MEDIUM] = { .type = NLA_U32 },
	[AIRLINK_ATTR_BAND] = { .type = NLA_U8 },
	[AIRLINK_ATTR_SEED] = { .type = NLA_U64 },
	[AIRLINK_ATTR_ADDRESS] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_NAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[AIRLINK_ATTR_FRONT] = NLA_POLICY_MAX(NLA_U8, AIRLINK_SOFTMAC),
	[AIRLINK_ATTR_ACCESS_POINT] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_RATE] = NLA_POLICY_NESTED(rate_policy),
	[AIRLINK_ATTR_RATE_CONTROL] = { .type = NLA_FLAG },
	[AIRLINK_ATTR_BEST_RATE] = NLA_POLICY_NESTED(rate_policy),
	[AIRLINK_ATTR_PROFILE] = NLA_POLICY_NESTED(profile_policy),
	[AIRLINK_ATTR_EDCA] = NLA_POLICY_NESTED(edca_policy),
	[AIRLINK_ATTR_PEER] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[AIRLINK_ATTR_LOSS] = NLA_POLICY_FULL_RANGE(NLA_U32, &loss_range),
	[AIRLINK_ATTR_SNR] = NLA_POLICY_RANGE(NLA_S32, -10000, 10000),
	[AIRLINK_ATTR_HEARS] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* What a message must have. */
static int need(struct genl_info *info, int attribute)
{
	if (!GENL_REQ_ATTR_CHECK(info, attribute))
		return 0;
	NL_SET_ERR_MSG(info->extack, "an attribute is missing");
	return -EINVAL;
}

static int read_rate(struct genl_info *info, int attribute,
		     struct al_rate *rate)
{
	struct nlattr *tb[AIRLINK_RATE_MAX + 1];
	int err = nla_parse_nested(tb, AIRLINK_RATE_MAX,
				   info->attrs[attribute], rate_policy,
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

/* Into @profile, which has the values of what is not said. */
static int read_profile(struct genl_info *info, struct al_profile *profile)
{
	struct nlattr *tb[AIRLINK_PROFILE_MAX + 1];
	u32 *values = (u32 *)profile;
	int at, err;

	static_assert(sizeof(*profile) == AIRLINK_PROFILE_MAX * sizeof(u32));
	if (!info->attrs[AIRLINK_ATTR_PROFILE])
		return 0;
	err = nla_parse_nested(tb, AIRLINK_PROFILE_MAX,
			       info->attrs[AIRLINK_ATTR_PROFILE],
			       profile_policy, info->extack);
	if (err)
		return err;
	for (at = 1; at <= AIRLINK_PROFILE_MAX; at++)
		if (tb[at])
			values[at - 1] = nla_get_u32(tb[at]);
	return al_profile_check(profile, info->extack);
}

struct edca_change {
	int ac;				/* negative: none */
	struct al_edca_params params;
};

/* Of one access category, over what @radio has. */
static int read_edca(struct genl_info *info, const struct al_radio *radio,
		     struct edca_change *change)
{
	struct nlattr *tb[AIRLINK_EDCA_MAX + 1];
	struct al_edca_params *params = &change->params;
	int err;

	change->ac = -1;
	if (!info->attrs[AIRLINK_ATTR_EDCA])
		return 0;
	err = nla_parse_nested(tb, AIRLINK_EDCA_MAX,
			       info->attrs[AIRLINK_ATTR_EDCA], edca_policy,
			       info->extack);
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

static int read_address(struct genl_info *info, int attribute, u8 *address)
{
	int err = need(info, attribute);

	if (err)
		return err;
	ether_addr_copy(address, nla_data(info->attrs[attribute]));
	if (is_valid_ether_addr(address))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attribute],
			    "not a unicast Ethernet address");
	return -EADDRNOTAVAIL;
}

static struct al_medium *find_medium(struct genl_info *info)
{
	struct al_medium *medium;
	int err = need(info, AIRLINK_ATTR_MEDIUM);

	if (err)
		return ERR_PTR(err);
	medium = al_registry_find(nla_get_u32(info->attrs[AIRLINK_ATTR_MEDIUM]));
	if (medium)
		return medium;
	NL_SET_ERR_MSG(info->extack, "no such medium");
	return ERR_PTR(-ENODEV);
}

/* The radio of @medium whose address @attribute has. */
static struct al_radio *find_radio_of(struct genl_info *info,
				      struct al_medium *medium, int attribute)
{
	struct al_radio *radio;
	u8 address[ETH_ALEN];
	int err = read_address(info, attribute, address);

	if (err)
		return ERR_PTR(err);
	spin_lock_bh(&medium->lock);
	radio = al_radio_by_address(medium, address);
	spin_unlock_bh(&medium->lock);
	if (radio)
		return radio;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attribute],
			    "no radio of this medium has that address");
	return ERR_PTR(-ENODEV);
}

static struct al_radio *find_radio(struct genl_info *info)
{
	struct al_medium *medium = find_medium(info);

	if (IS_ERR(medium))
		return ERR_CAST(medium);
	return find_radio_of(info, medium, AIRLINK_ATTR_ADDRESS);
}

static int new_medium(struct genl_info *info)
{
	const struct al_band *band = &al_band_5ghz;
	u64 seed = 0;
	int err = need(info, AIRLINK_ATTR_MEDIUM);

	if (err)
		return err;
	if (info->attrs[AIRLINK_ATTR_BAND]) {
		switch (nla_get_u8(info->attrs[AIRLINK_ATTR_BAND])) {
		case 2:
			band = &al_band_2ghz;
			break;
		case 5:
			break;
		default:
			NL_SET_ERR_MSG(info->extack, "a band is 2 or 5 (GHz)");
			return -EINVAL;
		}
	}
	if (info->attrs[AIRLINK_ATTR_SEED])
		seed = nla_get_u64(info->attrs[AIRLINK_ATTR_SEED]);
	err = al_registry_add(nla_get_u32(info->attrs[AIRLINK_ATTR_MEDIUM]),
			      band, seed);
	if (err == -EEXIST)
		NL_SET_ERR_MSG(info->extack, "there is such a medium");
	return err;
}

static int del_medium(struct genl_info *info)
{
	struct al_medium *medium = find_medium(info);

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	al_registry_remove(medium);
	return 0;
}

/* HT40 with two streams: what a softmac device can do if nothing is said. */
static const struct al_rate common_best = {
	.phy = AL_PHY_HT, .mcs = 7, .streams = 2, .width_mhz = 40, .gi_ns = 400,
};

static int read_config(struct genl_info *info, struct al_radio_config *config)
{
	struct nlattr **attrs = info->attrs;
	int err = read_address(info, AIRLINK_ATTR_ADDRESS, config->address);

	config->net = genl_info_net(info);
	config->profile = al_profile_neutral;
	config->best = common_best;
	if (attrs[AIRLINK_ATTR_NAME])
		nla_strscpy(config->name, attrs[AIRLINK_ATTR_NAME], IFNAMSIZ);
	if (!err)
		err = read_profile(info, &config->profile);
	if (!err && attrs[AIRLINK_ATTR_RATE]) {
		config->rate_fixed = true;
		err = read_rate(info, AIRLINK_ATTR_RATE, &config->rate);
		config->best = config->rate;
	}
	if (!err && attrs[AIRLINK_ATTR_BEST_RATE])
		err = read_rate(info, AIRLINK_ATTR_BEST_RATE, &config->best);
	if (!err && attrs[AIRLINK_ATTR_ACCESS_POINT])
		err = read_address(info, AIRLINK_ATTR_ACCESS_POINT,
				   config->access_point);
	return err;
}

static int new_radio(struct genl_info *info)
{
	struct al_medium *medium = find_medium(info);
	struct al_radio_config config = { .medium = medium };
	u8 front = AIRLINK_FULLMAC;
	struct al_radio *radio;
	int err;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	err = read_config(info, &config);
	if (err)
		return err;
	if (info->attrs[AIRLINK_ATTR_FRONT])
		front = nla_get_u8(info->attrs[AIRLINK_ATTR_FRONT]);
	radio = front == AIRLINK_FULLMAC ?
		al_fullmac_create(&config, info->extack) :
		al_softmac_create(&config, info->extack);
	return PTR_ERR_OR_ZERO(radio);
}

static int del_radio(struct genl_info *info)
{
	struct al_radio *radio = find_radio(info);

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	radio->ops->remove(radio);
	return 0;
}

static void set_rate_of_links(struct al_radio *radio)
{
	unsigned int index;

	for_each_set_bit(index, radio->medium->indices, AL_RADIOS_MAX) {
		struct al_link *link = radio->link_to[index];

		if (!link)
			continue;
		link->rate = radio->rate;
		link->rate_fixed = radio->rate_fixed;
	}
}

static int set_radio(struct genl_info *info)
{
	struct al_radio *radio = find_radio(info);
	struct edca_change edca;
	struct al_profile profile;
	struct al_rate rate;
	bool fixed = info->attrs[AIRLINK_ATTR_RATE];
	int err;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	profile = radio->profile;
	err = read_profile(info, &profile);
	if (!err && fixed)
		err = read_rate(info, AIRLINK_ATTR_RATE, &rate);
	if (!err)
		err = read_edca(info, radio, &edca);
	if (err)
		return err;

	spin_lock_bh(&radio->medium->lock);
	radio->profile = profile;
	if (edca.ac >= 0)
		al_edcaf_configure(&radio->edcaf[edca.ac], &edca.params);
	if (fixed)
		radio->rate = rate;
	if (fixed || info->attrs[AIRLINK_ATTR_RATE_CONTROL]) {
		radio->rate_fixed = fixed;
		set_rate_of_links(radio);
	}
	spin_unlock_bh(&radio->medium->lock);
	return 0;
}

/* Caller holds the medium's lock. */
static int change_link(struct genl_info *info, struct al_radio *from,
		       struct al_radio *to, const struct al_rate *rate)
{
	struct nlattr **attrs = info->attrs;
	struct al_link *link = al_link_get(from, to);

	if (!link)
		return -ENOMEM;
	if (attrs[AIRLINK_ATTR_LOSS])
		link->loss = nla_get_u32(attrs[AIRLINK_ATTR_LOSS]);
	if (attrs[AIRLINK_ATTR_SNR])
		link->snr_cdb = nla_get_s32(attrs[AIRLINK_ATTR_SNR]);
	if (attrs[AIRLINK_ATTR_RATE])
		link->rate = *rate;
	if (attrs[AIRLINK_ATTR_RATE] || attrs[AIRLINK_ATTR_RATE_CONTROL])
		link->rate_fixed = attrs[AIRLINK_ATTR_RATE];
	if (attrs[AIRLINK_ATTR_HEARS])
		__assign_bit(to->index, from->hearers,
			     nla_get_u8(attrs[AIRLINK_ATTR_HEARS]));
	return 0;
}

static int set_link(struct genl_info *info)
{
	struct al_radio *from = find_radio(info), *to;
	struct al_rate rate;
	int err;

	if (IS_ERR(from))
		return PTR_ERR(from);
	to = find_radio_of(info, from->medium, AIRLINK_ATTR_PEER);
	if (IS_ERR(to))
		return PTR_ERR(to);
	if (from == to) {
		NL_SET_ERR_MSG(info->extack, "a link has two ends");
		return -EINVAL;
	}
	if (info->attrs[AIRLINK_ATTR_RATE]) {
		err = read_rate(info, AIRLINK_ATTR_RATE, &rate);
		if (err)
			return err;
	}
	spin_lock_bh(&from->medium->lock);
	err = change_link(info, from, to, &rate);
	spin_unlock_bh(&from->medium->lock);
	return err;
}

static int new_sniffer(struct genl_info *info)
{
	struct al_medium *medium = find_medium(info);
	char name[IFNAMSIZ] = "air%d";

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	if (info->attrs[AIRLINK_ATTR_NAME])
		nla_strscpy(name, info->attrs[AIRLINK_ATTR_NAME], IFNAMSIZ);
	return al_sniffer_create(medium, genl_info_net(info), name,
				 info->extack);
}

static int del_sniffer(struct genl_info *info)
{
	struct al_medium *medium = find_medium(info);

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	al_sniffer_destroy(medium);
	return 0;
}

static struct genl_family family;

static int get_radio(struct genl_info *info)
{
	struct al_radio *radio = find_radio(info);
	struct sk_buff *reply;
	int err;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	reply = genlmsg_new(AL_RADIO_MESSAGE_BYTES, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	err = al_stats_put(reply, &family, info->snd_portid, info->snd_seq,
			   0, radio);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int (* const commands[])(struct genl_info *info) = {
	[AIRLINK_CMD_NEW_MEDIUM]	= new_medium,
	[AIRLINK_CMD_DEL_MEDIUM]	= del_medium,
	[AIRLINK_CMD_NEW_RADIO]		= new_radio,
	[AIRLINK_CMD_DEL_RADIO]		= del_radio,
	[AIRLINK_CMD_SET_RADIO]		= set_radio,
	[AIRLINK_CMD_GET_RADIO]		= get_radio,
	[AIRLINK_CMD_SET_LINK]		= set_link,
	[AIRLINK_CMD_NEW_SNIFFER]	= new_sniffer,
	[AIRLINK_CMD_DEL_SNIFFER]	= del_sniffer,
};

static int doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	mutex_lock(&al_mutex);
	err = commands[info->genlhdr->cmd](info);
	mutex_unlock(&al_mutex);
	return err;
}

/* All radios of all media; cb->args[0] says how many were told of. */
static int dump_radios(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct al_medium *medium;
	struct al_radio *radio;
	long at = 0;

	mutex_lock(&al_mutex);
	list_for_each_entry(medium, &al_media, all) {
		list_for_each_entry(radio, &medium->radios, node) {
			if (at++ < cb->args[0])
				continue;
			if (al_stats_put(skb, &family,
					 NETLINK_CB(cb->skb).portid,
					 cb->nlh->nlmsg_seq, NLM_F_MULTI,
					 radio))
				goto full;
			cb->args[0] = at;
		}
	}
full:
	mutex_unlock(&al_mutex);
	return skb->len;
}

#define CHANGES(command_) {						\
	.cmd	= (command_),						\
	.flags	= GENL_ADMIN_PERM,					\
	.doit	= doit,							\
}

static const struct genl_ops ops[] = {
	CHANGES(AIRLINK_CMD_NEW_MEDIUM),
	CHANGES(AIRLINK_CMD_DEL_MEDIUM),
	CHANGES(AIRLINK_CMD_NEW_RADIO),
	CHANGES(AIRLINK_CMD_DEL_RADIO),
	CHANGES(AIRLINK_CMD_SET_RADIO),
	CHANGES(AIRLINK_CMD_SET_LINK),
	CHANGES(AIRLINK_CMD_NEW_SNIFFER),
	CHANGES(AIRLINK_CMD_DEL_SNIFFER),
	{
		.cmd	= AIRLINK_CMD_GET_RADIO,
		.doit	= doit,
		.dumpit	= dump_radios,
	},
};

static struct genl_family family = {
	.name		= AIRLINK_GENL_NAME,
	.version	= AIRLINK_GENL_VERSION,
	.maxattr	= AIRLINK_ATTR_MAX,
	.policy		= policy,
	.netnsok	= true,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.resv_start_op	= AIRLINK_CMD_UNSPEC + 1,
};

int __init al_netlink_register(void)
{
	return genl_register_family(&family);
}

void al_netlink_unregister(void)
{
	genl_unregister_family(&family);
}
