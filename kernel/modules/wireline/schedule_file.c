// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/class/net/DEV/wireline/schedule: what DEV's wire carries over time
 * (schedule.h). It is written only, as words of 64 bits in the machine's order:
 *
 *	kind		0: rates, 1: deliveries, 2: delays
 *	start_ns	what instants count from; CLOCK_MONOTONIC
 *	period_ns	of a round; 0: there is one only
 *	count		of the entries; 0: none, the wire is as without
 *	at_ns, value	of each entry
 *
 * A write takes up to a page, so a long schedule comes in pieces, each where the
 * one before has ended. The last makes it whole, and in force for frames that are
 * sent from then on, in the place of rates, deliveries, or delays that were there.
 * Closing the file before that leaves all as it was.
 */

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/overflow.h>
#include <linux/rtnetlink.h>

#include "end.h"
#include "netdev.h"
#include "schedule_file.h"

struct wireline_schedule_head {
	u64 kind;
	u64 start_ns;
	u64 period_ns;
	u64 count;
};

/* Room for what a file's beginning announces, or an ERR_PTR(). */
static struct wireline_schedule *
schedule_begun(const struct wireline_schedule_head *head)
{
	struct wireline_schedule *schedule;

	if (head->kind > WIRELINE_DELAYS ||
	    head->count > WIRELINE_SCHEDULE_MAX_ENTRIES)
		return ERR_PTR(-EINVAL);
	schedule = kvzalloc(struct_size(schedule, entry, head->count),
			    GFP_KERNEL);
	if (!schedule)
		return ERR_PTR(-ENOMEM);
	schedule->kind = head->kind;
	schedule->start_ns = head->start_ns;
	schedule->period_ns = head->period_ns;
	schedule->count = head->count;
	return schedule;
}

/* Caller holds RTNL. */
void wireline_schedule_file_forget(struct wireline_end *end)
{
	kvfree(end->written.schedule);
	end->written.schedule = NULL;
	end->written.bytes = 0;
}

/* Caller holds RTNL. */
static int take_over(struct wireline_end *end)
{
	struct wireline_schedule *schedule = end->written.schedule;
	enum wireline_schedule_kind kind = schedule->kind;

	if (schedule->count && !wireline_schedule_is_valid(schedule)) {
		wireline_schedule_file_forget(end);
		return -EINVAL;
	}
	end->written.schedule = NULL;
	if (!schedule->count) {
		kvfree(schedule);
		schedule = NULL;
	}
	wireline_lane_schedule(&end->tx, kind, schedule);
	wireline_schedule_file_forget(end);
	return 0;
}

/* The next piece, of which *@buf is what follows the head. Caller holds RTNL. */
static int add(struct wireline_end *end, const char *buf, size_t count)
{
	struct wireline_schedule *schedule = end->written.schedule;
	size_t whole = array_size(schedule->count, sizeof(*schedule->entry));

	if (count > whole - end->written.bytes) {
		wireline_schedule_file_forget(end);
		return -EFBIG;
	}
	memcpy((char *)schedule->entry + end->written.bytes, buf, count);
	end->written.bytes += count;
	return end->written.bytes == whole ? take_over(end) : 0;
}

/* Caller holds RTNL. */
static int schedule_piece(struct wireline_end *end, const char *buf, loff_t at,
			  size_t count)
{
	struct wireline_schedule_head head;
	struct wireline_schedule *schedule;

	if (at) {
		if (!end->written.schedule ||
		    at != (loff_t)(sizeof(head) + end->written.bytes))
			return -EINVAL;
		return add(end, buf, count);
	}

	wireline_schedule_file_forget(end);
	if (count < sizeof(head))
		return -EINVAL;
	memcpy(&head, buf, sizeof(head));
	schedule = schedule_begun(&head);
	if (IS_ERR(schedule))
		return PTR_ERR(schedule);
	end->written.schedule = schedule;
	return add(end, buf + sizeof(head), count - sizeof(head));
}

static ssize_t schedule_write(struct file *file, struct kobject *kobj,
			      WIRELINE_CONST_BIN struct bin_attribute *attr,
			      char *buf, loff_t at, size_t count)
{
	struct net_device *dev = to_net_dev(kobj_to_dev(kobj));
	int err;

	if (!ns_capable(dev_net(dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	/* Whoever deletes @dev holds RTNL and waits for us to leave. */
	if (!rtnl_trylock())
		return restart_syscall();
	err = schedule_piece(netdev_priv(dev), buf, at, count);
	rtnl_unlock();
	return err ?: count;
}

static WIRELINE_CONST_BIN BIN_ATTR_WO(schedule, 0);

WIRELINE_CONST_BIN struct bin_attribute *WIRELINE_CONST_BIN
wireline_schedule_attrs[] = {
	&bin_attr_schedule,
	NULL
};
