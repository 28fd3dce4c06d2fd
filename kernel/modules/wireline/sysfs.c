// SPDX-License-Identifier: GPL-2.0
/*
 * What has no knob in ethtool, in /sys/class/net/DEV/wireline/. Each file is read
 * and written as a decimal number, but for the schedule (schedule_file.c).
 *
 * propagation_ns: a property of the cable. The time between the instant a frame
 * has left the wire at DEV and its arrival at the peer: 0 (the default) to 10 s.
 * Applies to the frames that DEV sends and that leave from then on. Never
 * reorders: a frame does not overtake those that left with a longer delay.
 *
 * receive_interval_ns: a property of the card, its receive interrupt's throttle:
 * from one interrupt to the next, 0 (the default) to 10 s at least. The first frame
 * after a longer silence interrupts at once. Cards by Intel have it in the place of
 * a delay, and call it by the delay's name in ethtool.
 *
 * pacing_shift: a choice of the driver. What it writes to the sk_pacing_shift of
 * the sockets whose packets it sends, as mac80211 does: TCP Small Queues' stock
 * limit is the pacing rate, shifted right by that many bits. 0, the default,
 * leaves the socket's own value alone, as Ethernet drivers do.
 */

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "end.h"
#include "netdev.h"
#include "schedule_file.h"
#include "sysfs.h"

static ssize_t propagation_ns_show(struct device *device,
				   struct device_attribute *attr, char *buf)
{
	struct wireline_end *end = netdev_priv(to_net_dev(device));
	struct wireline_lane_config config;

	wireline_lane_get_config(&end->tx, &config);
	return sysfs_emit(buf, "%llu\n", config.propagation_ns);
}

static ssize_t propagation_ns_store(struct device *device,
				    struct device_attribute *attr,
				    const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_lane_config config;
	u64 propagation_ns;
	int err;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	err = kstrtou64(buf, 10, &propagation_ns);
	if (err)
		return err;
	if (propagation_ns > WIRELINE_PROPAGATION_MAX_NS)
		return -ERANGE;

	/* Whoever deletes @dev holds RTNL and waits for us to leave. */
	if (!rtnl_trylock())
		return restart_syscall();
	wireline_lane_get_config(&end->tx, &config);
	config.propagation_ns = propagation_ns;
	wireline_lane_configure(&end->tx, &config);
	rtnl_unlock();
	return count;
}
static DEVICE_ATTR_RW(propagation_ns);

static ssize_t receive_interval_ns_show(struct device *device,
					struct device_attribute *attr, char *buf)
{
	const struct wireline_end *end = netdev_priv(to_net_dev(device));

	return sysfs_emit(buf, "%llu\n", READ_ONCE(end->moderation.interval_ns));
}

static ssize_t receive_interval_ns_store(struct device *device,
					 struct device_attribute *attr,
					 const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct wireline_end *end = netdev_priv(dev);
	struct wireline_moderation moderation;
	u64 interval_ns;
	int err;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	err = kstrtou64(buf, 10, &interval_ns);
	if (err)
		return err;
	if (interval_ns > WIRELINE_INTERVAL_MAX_NS)
		return -ERANGE;

	if (!rtnl_trylock())
		return restart_syscall();
	moderation = end->moderation;
	moderation.interval_ns = interval_ns;
	wireline_netdev_moderate(end, &moderation);
	rtnl_unlock();
	return count;
}
static DEVICE_ATTR_RW(receive_interval_ns);

static ssize_t pacing_shift_show(struct device *device,
				 struct device_attribute *attr, char *buf)
{
	const struct wireline_end *end = netdev_priv(to_net_dev(device));

	return sysfs_emit(buf, "%u\n", READ_ONCE(end->pacing_shift));
}

static ssize_t pacing_shift_store(struct device *device,
				  struct device_attribute *attr,
				  const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct wireline_end *end = netdev_priv(dev);
	u8 shift;
	int err;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	err = kstrtou8(buf, 10, &shift);
	if (err)
		return err;
	if (shift > WIRELINE_PACING_SHIFT_MAX)
		return -ERANGE;

	WRITE_ONCE(end->pacing_shift, shift);
	return count;
}
static DEVICE_ATTR_RW(pacing_shift);

static struct attribute *wireline_sysfs_attrs[] = {
	&dev_attr_propagation_ns.attr,
	&dev_attr_receive_interval_ns.attr,
	&dev_attr_pacing_shift.attr,
	NULL
};

const struct attribute_group wireline_sysfs_group = {
	.name = "wireline",
	.attrs = wireline_sysfs_attrs,
	.bin_attrs = wireline_schedule_attrs,
};
