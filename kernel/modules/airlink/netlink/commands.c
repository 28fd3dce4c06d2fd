// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of uapi.h. A message is read as a whole, with attributes.c, before
 * it changes anything.
 */

#include <linux/etherdevice.h>
#include <net/genetlink.h>

#include "capture/sniffer.h"
#include "netlink/attributes.h"
#include "netlink/commands.h"
#include "netlink/registry.h"
#include "netlink/stats.h"
#include "netlink/uapi.h"
#include "radio/front.h"
#include "radio/radio.h"

static struct al_medium *netlink_find_medium(struct genl_info *info)
{
	struct al_medium *medium;
	int err = al_netlink_need(info, AIRLINK_ATTR_MEDIUM);

	if (err)
		return ERR_PTR(err);
	medium = al_registry_find(nla_get_u32(info->attrs[AIRLINK_ATTR_MEDIUM]));
	if (medium)
		return medium;
	NL_SET_ERR_MSG(info->extack, "no such medium");
	return ERR_PTR(-ENODEV);
}

/* Returns the radio of @medium whose address is in @attribute, or an ERR_PTR(). */
static struct al_radio *netlink_find_radio_of(struct genl_info *info,
					      struct al_medium *medium,
					      int attribute)
{
	struct al_radio *radio;
	u8 address[ETH_ALEN];
	int err = al_netlink_read_address(info, attribute, address);

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

static struct al_radio *netlink_find_radio(struct genl_info *info)
{
	struct al_medium *medium = netlink_find_medium(info);

	if (IS_ERR(medium))
		return ERR_CAST(medium);
	return netlink_find_radio_of(info, medium, AIRLINK_ATTR_ADDRESS);
}

static int netlink_new_medium(struct genl_info *info)
{
	const struct al_band *band = &al_band_5ghz;
	u64 seed = 0;
	int err = al_netlink_need(info, AIRLINK_ATTR_MEDIUM);

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

static int netlink_del_medium(struct genl_info *info)
{
	struct al_medium *medium = netlink_find_medium(info);

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	al_registry_remove(medium);
	return 0;
}

static int netlink_new_radio(struct genl_info *info)
{
	struct al_medium *medium = netlink_find_medium(info);
	struct al_radio_config config = { .medium = medium };
	u8 front = AIRLINK_FULLMAC;
	struct al_radio *radio;
	int err;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	err = al_netlink_read_config(info, &config);
	if (err)
		return err;
	if (info->attrs[AIRLINK_ATTR_FRONT])
		front = nla_get_u8(info->attrs[AIRLINK_ATTR_FRONT]);
	if (front == AIRLINK_SOFTMAC && info->attrs[AIRLINK_ATTR_ROLE]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[AIRLINK_ATTR_ROLE],
				    "the host chooses what a softmac radio is");
		return -EINVAL;
	}
	radio = front == AIRLINK_FULLMAC ?
		al_fullmac_create(&config, info->extack) :
		al_softmac_create(&config, info->extack);
	return PTR_ERR_OR_ZERO(radio);
}

static int netlink_del_radio(struct genl_info *info)
{
	struct al_radio *radio = netlink_find_radio(info);

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	radio->ops->remove(radio);
	return 0;
}

static void netlink_set_link_rate(const struct al_radio *radio,
				  struct al_link *link)
{
	if (!link)
		return;
	link->rate = radio->rate;
	link->rate_fixed = radio->rate_fixed;
}

static void netlink_set_link_rates(struct al_radio *radio)
{
	unsigned int index;

	for_each_set_bit(index, radio->medium->indices, AL_RADIOS_MAX)
		netlink_set_link_rate(radio, radio->link_to[index]);
	netlink_set_link_rate(radio, radio->link_to_all);
	netlink_set_link_rate(radio, radio->link_to_nobody);
}

static int netlink_set_radio(struct genl_info *info)
{
	struct al_radio *radio = netlink_find_radio(info);
	struct al_edca_change edca;
	struct al_profile profile;
	struct al_rate rate;
	bool fixed = info->attrs[AIRLINK_ATTR_RATE];
	int err;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	profile = radio->profile;
	err = al_netlink_read_profile(info, &profile);
	if (!err && fixed)
		err = al_netlink_read_rate(info, AIRLINK_ATTR_RATE, &rate);
	if (!err)
		err = al_netlink_read_edca(info, radio, &edca);
	if (err)
		return err;

	spin_lock_bh(&radio->medium->lock);
	if (info->attrs[AIRLINK_ATTR_PROFILE])
		err = al_radio_set_profile(radio, &profile, info->extack);
	if (err)
		goto unlock;
	if (edca.ac >= 0)
		al_edcaf_configure(&radio->edcaf[edca.ac], &edca.params);
	if (fixed)
		radio->rate = rate;
	if (fixed || info->attrs[AIRLINK_ATTR_RATE_CONTROL]) {
		radio->rate_fixed = fixed;
		netlink_set_link_rates(radio);
	}
unlock:
	spin_unlock_bh(&radio->medium->lock);
	return err;
}

static void netlink_set_hears(struct al_radio *from, struct al_radio *to,
			      bool hears)
{
	bool heard = test_bit(to->index, from->hearers);

	__assign_bit(to->index, from->hearers, hears);
	if (hears && !heard)
		al_exchange_missed(to, from);
}

/* Caller holds the medium's lock. */
static int netlink_change_link(struct genl_info *info, struct al_radio *from,
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
		netlink_set_hears(from, to,
				  nla_get_u8(attrs[AIRLINK_ATTR_HEARS]));
	return 0;
}

static int netlink_set_link(struct genl_info *info)
{
	struct al_radio *from = netlink_find_radio(info), *to;
	struct al_rate rate;
	int err;

	if (IS_ERR(from))
		return PTR_ERR(from);
	to = netlink_find_radio_of(info, from->medium, AIRLINK_ATTR_PEER);
	if (IS_ERR(to))
		return PTR_ERR(to);
	if (from == to) {
		NL_SET_ERR_MSG(info->extack, "a link has two ends");
		return -EINVAL;
	}
	if (info->attrs[AIRLINK_ATTR_RATE]) {
		err = al_netlink_read_rate(info, AIRLINK_ATTR_RATE, &rate);
		if (err)
			return err;
	}
	spin_lock_bh(&from->medium->lock);
	err = netlink_change_link(info, from, to, &rate);
	spin_unlock_bh(&from->medium->lock);
	return err;
}

static int netlink_new_sniffer(struct genl_info *info)
{
	struct al_medium *medium = netlink_find_medium(info);
	char name[IFNAMSIZ] = "air%d";
	int err;

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	err = al_netlink_read_name(info, name);
	if (err)
		return err;
	return al_sniffer_create(medium, genl_info_net(info), name,
				 info->extack);
}

static int netlink_del_sniffer(struct genl_info *info)
{
	struct al_medium *medium = netlink_find_medium(info);

	if (IS_ERR(medium))
		return PTR_ERR(medium);
	al_sniffer_destroy(medium);
	return 0;
}

static struct genl_family netlink_family;

static int netlink_get_radio(struct genl_info *info)
{
	struct al_radio *radio = netlink_find_radio(info);
	struct sk_buff *reply;
	int err;

	if (IS_ERR(radio))
		return PTR_ERR(radio);
	reply = genlmsg_new(AL_RADIO_MESSAGE_BYTES, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	err = al_stats_put(reply, &netlink_family, info->snd_portid,
			   info->snd_seq, 0, radio);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int (* const netlink_commands[])(struct genl_info *info) = {
	[AIRLINK_CMD_NEW_MEDIUM]	= netlink_new_medium,
	[AIRLINK_CMD_DEL_MEDIUM]	= netlink_del_medium,
	[AIRLINK_CMD_NEW_RADIO]		= netlink_new_radio,
	[AIRLINK_CMD_DEL_RADIO]		= netlink_del_radio,
	[AIRLINK_CMD_SET_RADIO]		= netlink_set_radio,
	[AIRLINK_CMD_GET_RADIO]		= netlink_get_radio,
	[AIRLINK_CMD_SET_LINK]		= netlink_set_link,
	[AIRLINK_CMD_NEW_SNIFFER]	= netlink_new_sniffer,
	[AIRLINK_CMD_DEL_SNIFFER]	= netlink_del_sniffer,
};

static int netlink_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	mutex_lock(&al_mutex);
	err = netlink_commands[info->genlhdr->cmd](info);
	mutex_unlock(&al_mutex);
	return err;
}

/* Dumps all radios of all media. cb->args[0] says how many it has dumped so far.
 * Errors: -EMSGSIZE if not even one fits in; no bytes would mean that all are dumped.
 */
static int netlink_dump_radios(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct al_medium *medium;
	struct al_radio *radio;
	long seen = 0;
	int err = 0;

	mutex_lock(&al_mutex);
	list_for_each_entry(medium, &al_media, all) {
		list_for_each_entry(radio, &medium->radios, node) {
			if (seen++ < cb->args[0])
				continue;
			err = al_stats_put(skb, &netlink_family,
					   NETLINK_CB(cb->skb).portid,
					   cb->nlh->nlmsg_seq, NLM_F_MULTI,
					   radio);
			if (err)
				goto full;
			cb->args[0] = seen;
		}
	}
full:
	mutex_unlock(&al_mutex);
	return skb->len ? skb->len : err;
}

#define CHANGES(command_) {						\
	.cmd	= (command_),						\
	.flags	= GENL_ADMIN_PERM,					\
	.doit	= netlink_doit,						\
}

static const struct genl_ops netlink_ops[] = {
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
		.doit	= netlink_doit,
		.dumpit	= netlink_dump_radios,
	},
};

static struct genl_family netlink_family = {
	.name		= AIRLINK_GENL_NAME,
	.version	= AIRLINK_GENL_VERSION,
	.maxattr	= AIRLINK_ATTR_MAX,
	.policy		= al_netlink_policy,
	.netnsok	= true,
	.module		= THIS_MODULE,
	.ops		= netlink_ops,
	.n_ops		= ARRAY_SIZE(netlink_ops),
	.resv_start_op	= AIRLINK_CMD_UNSPEC + 1,
};

int __init al_netlink_register(void)
{
	return genl_register_family(&netlink_family);
}

void al_netlink_unregister(void)
{
	genl_unregister_family(&netlink_family);
}
