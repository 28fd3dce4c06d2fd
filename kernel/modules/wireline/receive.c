// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver: what comes off the peer's lane enters this end's stack.
 *
 * Nothing but the bytes crosses a wire. The skb is the sender's own, so all that
 * its stack wrote beside the bytes (route, mark, priority, hash, conntrack,
 * departure time, ...) is taken off, whether or not the ends share a namespace.
 *
 * Checksums. With transmit checksum offload the skb comes as CHECKSUM_PARTIAL:
 * the sender's NIC would have filled the sum in, and it is right by definition.
 *  - rx-checksumming on: the NIC would say that it is right. CHECKSUM_PARTIAL
 *    says just that to a receiving stack, and lets a router's next NIC fill it
 *    in; so the skb stays as it is (and a capture shows an unfinished sum).
 *  - rx-checksumming off: the stack wants to see for itself, so it is filled in.
 * Any other skb carries its sum. It goes up as CHECKSUM_NONE, to be verified in
 * software: what netem has corrupted must be found out.
 *
 * GRO. To merge skbs it takes the fragments out of one and puts them into the
 * other, which is fine for what a NIC has received and no one else has seen. Here
 * the sender's TCP still has its copy in the retransmit queue, and fragments are
 * what clones share: a frame must have its own before it goes there. (Segments of
 * software GSO do have them, so this rarely costs anything.) The rest of the
 * receive path knows about clones.
 *
 * TSO super-frames have had the wire for the time of all their segments and
 * arrive when the last one does. If this end does GRO, they go up whole, as GRO
 * would have made them; else they are segmented here. In both cases the first
 * segments are later than they would be on a wire, by up to the super-frame's
 * own time; who wants each segment at its instant turns TSO off.
 */

#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include "compat.h"
#include "end.h"
#include "receive.h"

static void count_drop(struct wireline_end *end, u64_stats_t *counter,
		       struct sk_buff *skb)
{
	u64_stats_update_begin(&end->rx.sync);
	u64_stats_inc(counter);
	u64_stats_update_end(&end->rx.sync);
	kfree_skb(skb);
}

static void scrub(struct sk_buff *skb)
{
	skb_scrub_packet(skb, true);
	skb_reset_redirect(skb);
	skb_clear_hash(skb);
	skb->priority = 0;
	skb->encapsulation = 0;
}

/* Passes one skb to the stack. Runs in softirq, like all below. */
static void receive_one(struct wireline_end *end, struct sk_buff *skb)
{
	struct net_device *dev = end->dev;
	bool gro = dev->features & NETIF_F_GRO;

	skb->dev = dev;
	if (unlikely(!is_skb_forwardable(dev, skb))) {
		count_drop(end, &end->rx.dropped_length, skb);
		return;
	}

	if (skb->ip_summed != CHECKSUM_PARTIAL) {
		skb->ip_summed = CHECKSUM_NONE;
		skb->csum_valid = 0;
	}
	if (unlikely(skb_orphan_frags(skb, GFP_ATOMIC)) ||
	    (skb->ip_summed == CHECKSUM_PARTIAL &&
	     !(dev->features & NETIF_F_RXCSUM) && skb_checksum_help(skb)) ||
	    (gro && skb_unclone(skb, GFP_ATOMIC))) {
		count_drop(end, &end->rx.dropped_error, skb);
		return;
	}

	scrub(skb);

	u64_stats_update_begin(&end->rx.sync);
	u64_stats_inc(&end->rx.skbs);
	u64_stats_add(&end->rx.bytes, skb->len);
	u64_stats_update_end(&end->rx.sync);

	skb->protocol = eth_type_trans(skb, dev);
	if (gro)
		napi_gro_receive(&end->napi, skb);
	else
		netif_receive_skb(skb);
}

static void receive_segments(struct wireline_end *end, struct sk_buff *skb)
{
	struct sk_buff *segment, *next;

	segment = skb_gso_segment(skb, NETIF_F_SG | NETIF_F_HW_CSUM);
	if (IS_ERR_OR_NULL(segment)) {
		count_drop(end, &end->rx.dropped_error, skb);
		return;
	}
	consume_skb(skb);

	skb_list_walk_safe(segment, segment, next) {
		skb_mark_not_on_list(segment);
		receive_one(end, segment);
	}
}

static void receive(struct wireline_end *end, struct sk_buff *skb)
{
	/*
	 * Without rx-checksumming a super-frame cannot go up whole: the sums
	 * of its segments would have to be there.
	 */
	netdev_features_t whole = NETIF_F_GRO | NETIF_F_RXCSUM;

	if (skb_is_gso(skb) && (end->dev->features & whole) != whole)
		receive_segments(end, skb);
	else
		receive_one(end, skb);
}

int wireline_receive_poll(struct napi_struct *napi, int budget)
{
	struct wireline_end *end = container_of(napi, struct wireline_end,
						napi);
	struct sk_buff_head arrived;
	struct wireline_end *peer;
	struct sk_buff *skb;
	bool more = false;
	int work = 0;

	if (!budget)	/* netpoll wants to send, and that is not done here */
		return 0;
	__skb_queue_head_init(&arrived);

	rcu_read_lock();
	peer = rcu_dereference(end->peer);
	if (likely(peer))
		more = wireline_lane_collect(&peer->tx, budget, &arrived);
	while ((skb = __skb_dequeue(&arrived))) {
		receive(end, skb);
		work++;
	}
	rcu_read_unlock();

	if (more)
		return budget;
	/* Returning the whole budget would mean that there is more. */
	work = min(work, budget - 1);
	napi_complete_done(napi, work);
	return work;
}
