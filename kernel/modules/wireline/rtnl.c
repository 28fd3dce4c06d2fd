// SPDX-License-Identifier: GPL-2.0
/*
 * Making and deleting ends, with what stock iproute2 can say:
 *
 *	ip link add NAME type wireline			one end
 *	ip link add link PEER name NAME type wireline	the other, joined to PEER
 *	ip link del NAME				PEER stays, unplugged
 *
 * PEER is looked up in the namespace in which the command runs (or in the one
 * that link-netnsid names), NAME is made where `netns` says. Both can be moved
 * afterwards. An end goes with its namespace; its peer, if that lives elsewhere,
 * is then unplugged.
 */

#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/rtnetlink.h>

#include "end.h"
#include "netdev.h"
#include "rtnl.h"

static int wireline_validate(struct nlattr *tb[], struct nlattr *data[],
			     struct netlink_ext_ack *extack)
{
	if (tb[IFLA_ADDRESS] &&
	    (nla_len(tb[IFLA_ADDRESS]) != ETH_ALEN ||
	     !is_valid_ether_addr(nla_data(tb[IFLA_ADDRESS])))) {
		NL_SET_ERR_MSG_ATTR(extack, tb[IFLA_ADDRESS],
				    "not a unicast Ethernet address");
		return -EADDRNOTAVAIL;
	}
	if ((tb[IFLA_NUM_TX_QUEUES] &&
	     nla_get_u32(tb[IFLA_NUM_TX_QUEUES]) > 1) ||
	    (tb[IFLA_NUM_RX_QUEUES] &&
	     nla_get_u32(tb[IFLA_NUM_RX_QUEUES]) > 1)) {
		NL_SET_ERR_MSG(extack, "a wireline device has one queue");
		return -EINVAL;
	}
	return 0;
}

/* The end that IFLA_LINK names, if it can be joined; else an ERR_PTR(). */
static struct wireline_end *find_peer(struct net *net, struct nlattr *link,
				      struct netlink_ext_ack *extack)
{
	struct net_device *dev = __dev_get_by_index(net, nla_get_u32(link));
	struct wireline_end *peer;

	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, link, "no such peer device");
		return ERR_PTR(-ENODEV);
	}
	if (!wireline_netdev_is(dev)) {
		NL_SET_ERR_MSG_ATTR(extack, link,
				    "the peer is not a wireline device");
		return ERR_PTR(-EINVAL);
	}
	peer = netdev_priv(dev);
	if (wireline_peer_rtnl(peer)) {
		NL_SET_ERR_MSG_ATTR(extack, link,
				    "the peer is joined to another device");
		return ERR_PTR(-EBUSY);
	}
	return peer;
}

static int wireline_make_end(struct net *net, struct net_device *dev,
			     struct nlattr *tb[],
			     struct netlink_ext_ack *extack)
{
	struct wireline_end *peer = NULL;
	int err;

	if (tb[IFLA_LINK]) {
		peer = find_peer(net, tb[IFLA_LINK], extack);
		if (IS_ERR(peer))
			return PTR_ERR(peer);
	}

	if (!tb[IFLA_ADDRESS])
		eth_hw_addr_random(dev);
	netif_carrier_off(dev);

	err = register_netdevice(dev);
	if (err)
		return err;
	if (peer)
		wireline_netdev_join(netdev_priv(dev), peer);
	return 0;
}

/* The parameters came into a struct with commit 69c7be1b903f ("rtnetlink: Pack
 * newlink() params into struct") (in v6.15).
 */
#ifdef WIRELINE_HAVE_NEWLINK_PARAMS
static int wireline_newlink(struct net_device *dev,
			    struct rtnl_newlink_params *params,
			    struct netlink_ext_ack *extack)
{
	return wireline_make_end(rtnl_newlink_link_net(params), dev, params->tb,
				 extack);
}
#else
static int wireline_newlink(struct net *link_net, struct net_device *dev,
			    struct nlattr *tb[], struct nlattr *data[],
			    struct netlink_ext_ack *extack)
{
	return wireline_make_end(link_net, dev, tb, extack);
}
#endif

static struct net *wireline_get_link_net(const struct net_device *dev)
{
	const struct wireline_end *end = netdev_priv(dev);
	const struct wireline_end *peer;
	struct net *net;

	rcu_read_lock();
	peer = rcu_dereference(end->peer);
	net = dev_net(peer ? peer->dev : dev);
	rcu_read_unlock();
	return net;
}

static struct rtnl_link_ops wireline_link_ops = {
	.kind		= "wireline",
	.priv_size	= sizeof(struct wireline_end),
	.setup		= wireline_netdev_setup,
	.validate	= wireline_validate,
	.newlink	= wireline_newlink,
	.get_link_net	= wireline_get_link_net,
};

int __init wireline_rtnl_register(void)
{
	return rtnl_link_register(&wireline_link_ops);
}

/* Deletes all devices and waits until they are gone. */
void wireline_rtnl_unregister(void)
{
	rtnl_link_unregister(&wireline_link_ops);
}

MODULE_ALIAS_RTNL_LINK("wireline");
