// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a radio. A front end makes it, brings it up and down as the host does
 * with the interface, and destroys it. A radio that is down hears nothing and sends
 * nothing; what it had to send is reported as lost.
 */

#include <linux/netlink.h>
#include <linux/slab.h>

#include "radio/front.h"
#include "radio/ppdu.h"
#include "radio/radio.h"

static u32 radio_last_id;	/* guarded by al_mutex */

/* Returns since when the radio senses an idle medium, or from when on it will, or
 * AL_NEVER_NS while it is in an exchange of its own. Caller holds the lock.
 */
u64 al_radio_idle_from_ns(const struct al_radio *radio)
{
	return max3(max(radio->heard_until_ns, radio->nav_until_ns),
		    radio->eifs_until_ns, radio->own_until_ns);
}

/* Statistics count a frame as a whole when it begins; what is left of it at @now_ns is
 * yet to come. Caller holds the lock.
 */
struct al_channel_time al_radio_channel_time(const struct al_radio *radio,
					     u64 now_ns)
{
	struct al_channel_time time = {
		.busy_ns = radio->stats.busy_ns,
		.tx_ns = radio->stats.tx_ns,
	};
	const struct al_exchange *exchange;

	if (radio->heard_until_ns > now_ns)
		time.busy_ns -= radio->heard_until_ns - now_ns;
	list_for_each_entry(exchange, &radio->medium->exchanges, node)
		if (exchange->on_air && exchange->from == radio &&
		    exchange->at_ns > now_ns)
			time.tx_ns -= exchange->at_ns - now_ns;
	return time;
}

/* Returns the radio that has @address on this medium, or NULL. Caller holds the
 * lock.
 */
struct al_radio *al_radio_by_address(struct al_medium *medium,
				     const u8 *address)
{
	u32 bucket = al_address_hash(address);
	struct al_radio *radio;

	hlist_for_each_entry(radio, &medium->by_address[bucket], hashed)
		if (ether_addr_equal(radio->address, address))
			return radio;
	return NULL;
}

/* The new radio and all others hear each other, until somebody sets that they do
 * not. Caller holds the lock.
 */
static void radio_join_medium(struct al_radio *radio, unsigned int index)
{
	struct al_medium *medium = radio->medium;
	struct al_radio *other;

	radio->index = index;
	__set_bit(index, medium->indices);
	medium->radio_at[index] = radio;
	list_add_tail(&radio->node, &medium->radios);
	hlist_add_head(&radio->hashed,
		       &medium->by_address[al_address_hash(radio->address)]);
	list_for_each_entry(other, &medium->radios, node) {
		__set_bit(index, other->hearers);
		__set_bit(other->index, radio->hearers);
	}
	al_exchange_missed(radio, NULL);
}

/* Errors: -ENOSPC, -EEXIST. Caller holds the lock. */
static int radio_try_to_join(struct al_radio *radio,
			     struct netlink_ext_ack *extack)
{
	struct al_medium *medium = radio->medium;
	unsigned int index = find_first_zero_bit(medium->indices,
						 AL_RADIOS_MAX);

	if (index == AL_RADIOS_MAX) {
		NL_SET_ERR_MSG(extack, "the medium has 256 radios already");
		return -ENOSPC;
	}
	if (al_radio_by_address(medium, radio->address)) {
		NL_SET_ERR_MSG(extack,
			       "a radio of this medium has that address");
		return -EEXIST;
	}
	radio_join_medium(radio, index);
	return 0;
}

/* Returns an ERR_PTR() if it fails. al_mutex is held. */
struct al_radio *al_radio_create(const struct al_radio_config *config,
				 const struct al_front_ops *ops, void *front,
				 struct netlink_ext_ack *extack)
{
	struct al_medium *medium = config->medium;
	struct al_radio *radio = kzalloc(sizeof(*radio), GFP_KERNEL);
	int ac, err;

	if (!radio)
		return ERR_PTR(-ENOMEM);
	radio->medium = medium;
	radio->profile = config->profile;
	radio->rate = config->rate;
	radio->rate_fixed = config->rate_fixed;
	radio->ops = ops;
	radio->front = front;
	radio->running = true;
	ether_addr_copy(radio->address, config->address);
	INIT_LIST_HEAD(&radio->exchange.node);
	for (ac = 0; ac < AL_ACS; ac++)
		al_edcaf_init(&radio->edcaf[ac], radio, ac);
	err = al_host_init(radio);
	if (err)
		goto free;

	spin_lock_bh(&medium->lock);
	err = radio_try_to_join(radio, extack);
	spin_unlock_bh(&medium->lock);
	if (err)
		goto destroy;
	radio->id = ++radio_last_id;
	return radio;

destroy:
	al_host_destroy(radio);
free:
	kfree(radio);
	return ERR_PTR(err);
}

/* Returns whether @exchange is about a PPDU for @link. */
static bool radio_concerns(const struct al_exchange *exchange,
			   const struct al_link *link)
{
	return exchange->step != AL_STEP_NONE && exchange->ppdu &&
	       exchange->ppdu->queue->link == link;
}

/* Whatever @link had to carry is lost. */
static void radio_drop_frames(struct al_link *link)
{
	struct al_radio *from = link->from;
	struct al_ppdu *ppdu, *next;
	int ac, tid;

	if (radio_concerns(&from->exchange, link))
		al_exchange_abort(from);
	for (ac = 0; ac < AL_ACS; ac++) {
		list_for_each_entry_safe(ppdu, next, &from->edcaf[ac].ready,
					 node)
			if (ppdu->queue->link == link)
				al_ppdu_close(ppdu, false, ktime_get_ns());
		if (list_empty(&from->edcaf[ac].ready))
			list_del_init(&from->edcaf[ac].node);
		else if (from->up)
			al_edcaf_go_on(&from->edcaf[ac]);
	}
	for (tid = 0; tid < AL_TIDS; tid++)
		if (link->queues[tid])
			al_queue_flush(link->queues[tid]);
	al_host_ppdus_gone(from);
}

static void radio_cut_link(struct al_link *link)
{
	radio_drop_frames(link);
	al_link_destroy(link);
}

/* Calls @action for each link of @radio; it may free the link. */
static void radio_visit_links(struct al_radio *radio,
			      void (*action)(struct al_link *link))
{
	unsigned int index;

	for_each_set_bit(index, radio->medium->indices, AL_RADIOS_MAX)
		if (radio->link_to[index])
			action(radio->link_to[index]);
	if (radio->link_to_all)
		action(radio->link_to_all);
	if (radio->link_to_nobody)
		action(radio->link_to_nobody);
}

static void radio_leave_medium(struct al_radio *radio)
{
	struct al_medium *medium = radio->medium;
	struct al_radio *other;

	list_for_each_entry(other, &medium->radios, node) {
		if (other->link_to[radio->index])
			radio_cut_link(other->link_to[radio->index]);
		__clear_bit(radio->index, other->hearers);
	}
	radio_visit_links(radio, radio_cut_link);
	list_del(&radio->node);
	hlist_del(&radio->hashed);
	__clear_bit(radio->index, medium->indices);
	medium->radio_at[radio->index] = NULL;
}

/* The front end must not send anything any more. al_mutex is held. */
void al_radio_destroy(struct al_radio *radio)
{
	al_radio_listen(radio, false);
	spin_lock_bh(&radio->medium->lock);
	radio->up = false;
	radio->running = false;
	radio_leave_medium(radio);
	spin_unlock_bh(&radio->medium->lock);
	al_host_destroy(radio);
	kfree(radio);
}

void al_radio_up(struct al_radio *radio)
{
	spin_lock_bh(&radio->medium->lock);
	radio->up = true;
	al_exchange_missed(radio, NULL);
	spin_unlock_bh(&radio->medium->lock);
}

/* Sets whether the host gets others' frames, too (monitor mode). */
void al_radio_listen(struct al_radio *radio, bool listens)
{
	spin_lock_bh(&radio->medium->lock);
	radio->medium->listeners += listens - radio->listens;
	radio->listens = listens;
	spin_unlock_bh(&radio->medium->lock);
}

/* What the radio had to send is lost; the reports follow soon. */
void al_radio_down(struct al_radio *radio)
{
	spin_lock_bh(&radio->medium->lock);
	radio->up = false;
	radio_visit_links(radio, radio_drop_frames);
	__skb_queue_purge(&radio->host.received);
	spin_unlock_bh(&radio->medium->lock);
}

/*
 * Changes the profile of a radio, also under traffic: what is under way goes on as it
 * has begun, and what comes after it follows the new profile. Refused is what the
 * device was made with; and to take the bus away while frames are on it or wait for
 * it. Errors: -EOPNOTSUPP, -EBUSY. Caller holds the lock.
 */
int al_radio_set_profile(struct al_radio *radio,
			 const struct al_profile *profile,
			 struct netlink_ext_ack *extack)
{
	int err = 0;

	if (radio->ops->check_profile)
		err = radio->ops->check_profile(radio, profile, extack);
	if (err)
		return err;
	if (!profile->bus_frames && al_host_bus_busy(radio)) {
		NL_SET_ERR_MSG(extack,
			       "bus_frames: not 0 while frames are on the bus");
		return -EBUSY;
	}
	radio->profile = *profile;
	al_host_arm(radio);
	return 0;
}
