// SPDX-License-Identifier: GPL-2.0
/*
 * Between a radio and its host, in both directions.
 *
 *	front end -> [ waiting ] -> bus -> device: queues, PPDUs, air
 *	front end <- report <- [ done ]     <-'
 *	front end <- [ received ] <- air
 *
 * A frame belongs to its host, and is charged to its socket, until it is reported.
 *
 * Bus. Devices behind one (USB, SDIO) get their frames in transfers. A transfer
 * starts when there is a frame and fewer than bus_transfers are under way, with
 * what waits at that instant; transfers take the bus one after the other. A frame
 * enters the device when its transfer has come to its end and there is room for
 * it; until then the transfer is not over, and nothing behind it moves.
 *
 * Reports. The device says that a frame is done report_ns after the end of its
 * last exchange. The host takes this up when report_frames of them have come
 * together, or when the first has waited for report_wait_ns: all that are there.
 *
 * Reception. Received frames go up when none has come for receive_wait_ns, or the
 * first has waited for receive_wait_max_ns, or receive_frames are there: interrupt
 * mitigation. With receive_with_reports the interrupt of a report takes them up as
 * well.
 *
 * All of it is NAPI: the timer of the next instant at which something is due does
 * no more than schedule it.
 */

#include "compat.h"
#include "radio/aggregate.h"
#include "radio/radio.h"
#include "radio/received.h"

/* When it is tried again to form a PPDU that there was no memory for. */
#define FORM_AGAIN_NS	(1 * NSEC_PER_MSEC)

static void host_enter_device(struct al_radio *radio, struct al_mpdu *mpdu)
{
	struct al_queue *queue = mpdu->queue;

	radio->host.device_frames += mpdu->msdus;
	al_queue_put(queue, mpdu);
	/* If a refill is to come, it will find the frame. */
	if (radio->host.refill_ns == AL_NEVER_NS)
		al_aggregate_fill(queue->edcaf);
}

static bool host_device_has_room(const struct al_radio *radio)
{
	u32 room = radio->profile.device_frames;

	return !room || radio->host.device_frames < room;
}

/* Returns whether frames are on the bus, or wait for it. Caller holds the lock. */
bool al_host_bus_busy(const struct al_radio *radio)
{
	return !list_empty(&radio->host.waiting) ||
	       !list_empty(&radio->host.bus);
}

/* Starts a transfer with what waits at this instant. */
static void host_start_transfer(struct al_radio *radio, u64 now_ns)
{
	const struct al_profile *profile = &radio->profile;
	struct al_host *host = &radio->host;
	struct al_mpdu *mpdu, *next, *last = NULL;
	u32 frames = 0, bytes = 0;
	LIST_HEAD(transfer);
	u64 end_ns;

	list_for_each_entry_safe(mpdu, next, &host->waiting, node) {
		if (frames == profile->bus_frames ||
		    (frames && bytes + mpdu->bytes > profile->bus_bytes))
			break;
		frames++;
		bytes += mpdu->bytes;
		list_move_tail(&mpdu->node, &transfer);
		last = mpdu;
	}

	end_ns = max(now_ns, host->bus_free_ns) + profile->bus_ns +
		 div_u64((u64)bytes * 8000, profile->bus_mbps);
	host->bus_free_ns = end_ns;
	host->transfers++;
	list_for_each_entry(mpdu, &transfer, node)
		mpdu->at_ns = end_ns;
	last->ends_transfer = true;
	list_splice_tail(&transfer, &host->bus);
}

static bool host_may_start_transfer(const struct al_radio *radio)
{
	return !list_empty(&radio->host.waiting) &&
	       radio->host.transfers < radio->profile.bus_transfers;
}

static void host_start_transfers(struct al_radio *radio, u64 now_ns)
{
	while (host_may_start_transfer(radio))
		host_start_transfer(radio, now_ns);
}

/* Frames that have come over the bus enter the device as far as it has room. */
static void host_run_bus(struct al_radio *radio, u64 now_ns)
{
	struct al_host *host = &radio->host;
	struct al_mpdu *mpdu;

	host_start_transfers(radio, now_ns);
	while ((mpdu = list_first_entry_or_null(&host->bus, struct al_mpdu,
						node)) &&
	       mpdu->at_ns <= now_ns && host_device_has_room(radio)) {
		list_del_init(&mpdu->node);
		if (mpdu->ends_transfer)
			host->transfers--;
		mpdu->ends_transfer = false;
		host_enter_device(radio, mpdu);
		host_start_transfers(radio, now_ns);
	}
}

/* There is no memory for what @skb needs beside it. Caller holds the lock. */
void al_host_drop(struct al_radio *radio, struct sk_buff *skb)
{
	radio->stats.frames_dropped++;
	if (radio->ops->drop)
		radio->ops->drop(radio, skb);
	else
		dev_kfree_skb_any(skb);
}

/*
 * Takes @skb in any case; it is dropped if there is no memory. Returns whether the
 * host has to stop its queue. Caller holds the lock.
 */
bool al_host_send(struct al_queue *queue, struct sk_buff *skb, u64 now_ns)
{
	struct al_radio *radio = queue->link->from;
	struct al_host *host = &radio->host;
	struct al_mpdu *mpdu = al_mpdu_create(queue, skb);

	if (unlikely(!mpdu)) {
		al_host_drop(radio, skb);
		return false;
	}
	host->frames++;
	if (radio->profile.bus_frames) {
		list_add_tail(&mpdu->node, &host->waiting);
		host_start_transfers(radio, now_ns);
		al_host_arm(radio);
	} else {
		host_enter_device(radio, mpdu);
	}
	if (host->frames >= radio->profile.host_frames)
		host->stopped = true;
	return host->stopped;
}

/* @mpdu is done, acknowledged or not, and will be reported. Caller holds the lock, and
 * calls al_host_arm() after the last one.
 */
void al_host_done(struct al_radio *radio, struct al_mpdu *mpdu, u64 now_ns)
{
	struct al_host *host = &radio->host;

	mpdu->queue = NULL;
	mpdu->at_ns = now_ns + radio->profile.report_ns;
	/* Reports keep their order when report_ns becomes shorter. */
	if (!list_empty(&host->done))
		mpdu->at_ns = max(mpdu->at_ns,
				  list_last_entry(&host->done, struct al_mpdu,
						  node)->at_ns);
	list_move_tail(&mpdu->node, &host->done);
	host->done_frames++;
}

/* @skb was received, and will go up to the host. Caller holds the lock, and calls
 * al_host_arm() after the last one.
 */
void al_host_received(struct al_radio *radio, struct sk_buff *skb)
{
	struct al_host *host = &radio->host;

	if (!radio->up) {
		kfree_skb(skb);
		return;
	}
	host->last_received_ns = al_received(skb)->at_ns;
	if (skb_queue_empty(&host->received))
		host->first_received_ns = host->last_received_ns;
	__skb_queue_tail(&host->received, skb);
	radio->stats.frames_received++;
}

static void host_fill_all(struct al_radio *radio)
{
	int ac;

	for (ac = 0; ac < AL_ACS; ac++)
		al_aggregate_fill(&radio->edcaf[ac]);
}

/* An exchange is over, so there is room for another PPDU. Caller holds the lock. */
void al_host_exchange_over(struct al_radio *radio, u64 now_ns)
{
	struct al_host *host = &radio->host;

	if (!radio->profile.refill_ns) {
		host_run_bus(radio, now_ns);
		host_fill_all(radio);
		return;
	}
	/* Before the bus runs: what enters the device waits for the refill. */
	host->refill_ns = min(host->refill_ns,
			      now_ns + radio->profile.refill_ns);
	host_run_bus(radio, now_ns);
	al_host_arm(radio);
}

/* PPDUs have gone in another way than over the air, so there is room for others, which
 * form when the lock is free again. Caller holds the lock.
 */
void al_host_ppdus_gone(struct al_radio *radio)
{
	struct al_host *host = &radio->host;

	if (!radio->up)
		return;
	host->refill_ns = min(host->refill_ns, ktime_get_ns() +
					       radio->profile.refill_ns);
	al_host_arm(radio);
}

/* There was no memory for a PPDU. No other event may come that would let it form: the
 * host may have stopped, and nothing may be on the air. Caller holds the lock.
 */
void al_host_form_later(struct al_radio *radio)
{
	struct al_host *host = &radio->host;

	host->refill_ns = min(host->refill_ns,
			      ktime_get_ns() + FORM_AGAIN_NS);
	al_host_arm(radio);
}

/* Returns when the frames in host->done are to be reported, or AL_NEVER_NS. */
static u64 host_report_due_ns(struct al_radio *radio)
{
	const struct al_profile *profile = &radio->profile;
	struct al_host *host = &radio->host;
	const struct al_mpdu *first, *mpdu;
	u32 frames = 0;
	u64 due_ns;

	first = list_first_entry_or_null(&host->done, struct al_mpdu, node);
	if (!first)
		return AL_NEVER_NS;
	due_ns = first->at_ns + profile->report_wait_ns;
	if (!profile->report_wait_ns || !profile->report_frames ||
	    host->done_frames < profile->report_frames)
		return due_ns;
	list_for_each_entry(mpdu, &host->done, node)
		if (++frames == profile->report_frames)
			return min(due_ns, mpdu->at_ns);
	return due_ns;
}

static u64 host_receive_due_ns(const struct al_radio *radio)
{
	const struct al_host *host = &radio->host;
	u32 frames = radio->profile.receive_frames;

	if (skb_queue_empty(&host->received))
		return AL_NEVER_NS;
	if (frames && skb_queue_len(&host->received) >= frames)
		return host->last_received_ns;
	return min(host->last_received_ns + radio->profile.receive_wait_ns,
		   host->first_received_ns +
		   radio->profile.receive_wait_max_ns);
}

static u64 host_bus_due_ns(struct al_radio *radio)
{
	const struct al_mpdu *mpdu =
		list_first_entry_or_null(&radio->host.bus, struct al_mpdu,
					 node);

	/* A peer that goes away leaves room for transfers of others' frames,
	 * and so does a profile that has more of them.
	 */
	if (host_may_start_transfer(radio))
		return ktime_get_ns();
	/* If there is no room, the end of an exchange lets the bus go on. */
	return mpdu && host_device_has_room(radio) ? mpdu->at_ns : AL_NEVER_NS;
}

/* Caller holds the lock. */
void al_host_arm(struct al_radio *radio)
{
	struct al_host *host = &radio->host;
	u64 at_ns = min3(host_report_due_ns(radio), host_receive_due_ns(radio),
			 min(host_bus_due_ns(radio), host->refill_ns));

	if (at_ns == host->armed_ns || !radio->running)
		return;
	host->armed_ns = at_ns;
	if (at_ns == AL_NEVER_NS)
		hrtimer_try_to_cancel(&host->timer);
	else if (at_ns <= ktime_get_ns())
		napi_schedule(&host->napi);
	else
		hrtimer_start(&host->timer, ns_to_ktime(at_ns),
			      HRTIMER_MODE_ABS);
}

static enum hrtimer_restart host_due(struct hrtimer *timer)
{
	struct al_host *host = container_of(timer, struct al_host, timer);

	napi_schedule(&host->napi);
	return HRTIMER_NORESTART;
}

/* Takes all reports that are there, not just those that were due: the host looks at
 * the whole of its ring.
 */
static void host_take_reports(struct al_radio *radio, u64 now_ns,
			      struct list_head *reports)
{
	struct al_host *host = &radio->host;
	struct al_mpdu *mpdu, *next;

	if (host_report_due_ns(radio) > now_ns)
		return;
	list_for_each_entry_safe(mpdu, next, &host->done, node) {
		if (mpdu->at_ns > now_ns)
			break;
		list_move_tail(&mpdu->node, reports);
		host->done_frames--;
		host->frames -= mpdu->msdus;
	}
}

static bool host_take_received(struct al_radio *radio, u64 now_ns, int budget,
			       struct sk_buff_head *received)
{
	struct al_host *host = &radio->host;

	if (host_receive_due_ns(radio) > now_ns)
		return false;
	while (!skb_queue_empty(&host->received) && budget--)
		__skb_queue_tail(received, __skb_dequeue(&host->received));
	return !skb_queue_empty(&host->received);
}

static void host_refill_if_due(struct al_radio *radio, u64 now_ns)
{
	if (radio->host.refill_ns > now_ns)
		return;
	radio->host.refill_ns = AL_NEVER_NS;
	host_fill_all(radio);
}

static int host_poll(struct napi_struct *napi, int budget)
{
	struct al_radio *radio = container_of(napi, struct al_radio,
					      host.napi);
	struct al_host *host = &radio->host;
	struct al_medium *medium = radio->medium;
	struct al_mpdu *mpdu, *next;
	struct sk_buff_head received;
	bool more, resumed = false, reported;
	LIST_HEAD(reports);
	struct sk_buff *skb;
	u64 now_ns;
	int work;

	if (!budget)	/* netpoll wants to send, and that is not done here */
		return 0;
	__skb_queue_head_init(&received);

	spin_lock(&medium->lock);
	now_ns = ktime_get_ns();
	host_run_bus(radio, now_ns);
	host_refill_if_due(radio, now_ns);
	host_take_reports(radio, now_ns, &reports);
	reported = !list_empty(&reports);
	if (reported && radio->profile.receive_with_reports)
		host->first_received_ns = 0;	/* they are overdue */
	more = host_take_received(radio, now_ns, budget, &received);
	work = skb_queue_len(&received);
	if (host->stopped && host->frames < radio->profile.resume_frames) {
		host->stopped = false;
		resumed = true;
	}
	spin_unlock(&medium->lock);

	list_for_each_entry_safe(mpdu, next, &reports, node)
		radio->ops->report(radio, mpdu, budget);
	while ((skb = __skb_dequeue(&received)))
		radio->ops->receive(radio, skb);
	if (reported && radio->ops->reports_done)
		radio->ops->reports_done(radio);
	if (resumed)
		radio->ops->resume(radio);

	if (more)
		return budget;
	/* Returning the whole budget would mean that there is more. */
	napi_complete_done(napi, min(work, budget - 1));
	spin_lock(&medium->lock);
	host->armed_ns = 0;	/* so that al_host_arm() sets the timer */
	al_host_arm(radio);
	spin_unlock(&medium->lock);
	return min(work, budget - 1);
}

int al_host_init(struct al_radio *radio)
{
	struct al_host *host = &radio->host;

	host->armed_ns = AL_NEVER_NS;
	host->refill_ns = AL_NEVER_NS;
	INIT_LIST_HEAD(&host->waiting);
	INIT_LIST_HEAD(&host->bus);
	INIT_LIST_HEAD(&host->done);
	__skb_queue_head_init(&host->received);
	al_hrtimer_setup(&host->timer, host_due, CLOCK_MONOTONIC,
			 HRTIMER_MODE_ABS);
	host->dummy = al_dummy_netdev_alloc();
	if (!host->dummy)
		return -ENOMEM;
	netif_napi_add(host->dummy, &host->napi, host_poll);
	napi_enable(&host->napi);
	return 0;
}

/* Nothing new can come any more. What is left is reported as lost. */
void al_host_destroy(struct al_radio *radio)
{
	struct al_host *host = &radio->host;
	struct al_mpdu *mpdu, *next;

	hrtimer_cancel(&host->timer);
	napi_disable(&host->napi);
	netif_napi_del(&host->napi);
	local_bh_disable();
	list_for_each_entry_safe(mpdu, next, &host->done, node)
		radio->ops->report(radio, mpdu, 0);
	local_bh_enable();
	__skb_queue_purge(&host->received);
	al_dummy_netdev_free(host->dummy);
}
