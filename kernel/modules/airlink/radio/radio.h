/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A radio: one transceiver on a medium, with a front end that gives it to the
 * network stack. The medium's lock guards everything that is not marked.
 */
#ifndef AIRLINK_RADIO_H
#define AIRLINK_RADIO_H

#include <linux/etherdevice.h>
#include <linux/list.h>

#include "air/edca.h"
#include "air/exchange.h"
#include "air/medium.h"
#include "radio/host.h"
#include "radio/link.h"
#include "radio/profile.h"
#include "radio/stats.h"

struct al_radio;
struct al_radio_config;
struct netlink_ext_ack;

/* What the core asks of a front end. A callback that is called optional may be
 * NULL.
 */
struct al_front_ops {
	/* These are called with the medium's lock held. */

	/* Returns the length of the MPDU for @skb, with header and FCS. */
	u32 (*mpdu_bytes)(const struct al_queue *queue,
			  const struct sk_buff *skb);
	/* Takes the next frame of @queue that waits above the device. Returns
	 * NULL if there is none. Optional.
	 */
	struct sk_buff *(*pull)(struct al_queue *queue);
	/* Forms PPDUs as long as there is room for them. Optional: without it
	 * al_aggregate_fill_in_turn() does.
	 */
	void (*form_ppdus)(struct al_edcaf *edcaf);
	/* Returns whether the device can go on with @profile: 0, or an error
	 * whose reason is in @extack. Optional: without it any will do.
	 */
	int (*check_profile)(const struct al_radio *radio,
			     const struct al_profile *profile,
			     struct netlink_ext_ack *extack);
	/* Called when @queue gets back frames that have to be sent again.
	 * Optional.
	 */
	void (*requeue)(struct al_queue *queue);
	/* Frees a frame of the host that will not be sent, and not be reported.
	 * Optional: without it dev_kfree_skb_any() does.
	 */
	void (*drop)(struct al_radio *radio, struct sk_buff *skb);
	/* Returns whether @to takes the frames of @from, whose front end is of
	 * the same kind. Optional: without it the host sorts that out.
	 */
	bool (*accepts)(const struct al_radio *to, const struct al_radio *from);
	/* Returns a copy of @skb for a receiver, NULL if there is no memory. */
	struct sk_buff *(*copy)(struct al_queue *queue, struct sk_buff *skb);
	/* Returns whether @skb must be sent without others, neither in an
	 * A-MPDU nor in an A-MSDU. Optional: without it any may be aggregated.
	 */
	bool (*sends_alone)(struct al_queue *queue, struct sk_buff *skb);
	/* Chooses the rates of a PPDU that begins with @skb. Returns how many
	 * stages it has set. Optional; not called if the link's rate is fixed.
	 */
	int (*choose_rates)(struct al_queue *queue, struct sk_buff *skb,
			    struct al_rate_stage *stages);
	/* Makes an MPDU for a capture: with 802.11 header, without FCS, with
	 * this room around it. Returns NULL if there is no memory. Optional: a
	 * front end without it has skbs that are MPDUs.
	 */
	struct sk_buff *(*capture)(const struct al_mpdu *mpdu, u32 headroom,
				   u32 tailroom);

	/* These are called in NAPI context, without the medium's lock. */

	/* Takes a received frame up to the stack. */
	void (*receive)(struct al_radio *radio, struct sk_buff *skb);
	/* Reports what has become of an MPDU; frees it and its skbs. */
	void (*report)(struct al_radio *radio, struct al_mpdu *mpdu,
		       int budget);
	/* Called after a batch of reports. Optional. */
	void (*reports_done)(struct al_radio *radio);
	/* Called when the host may send again, after it had to stop. */
	void (*resume)(struct al_radio *radio);

	/* Called in process context: takes the device from the stack and frees
	 * it and the radio.
	 */
	void (*remove)(struct al_radio *radio);
};

struct al_radio {
	/* These are set once and need no lock. */
	u32 id;				/* no other radio ever had it */
	u16 index;			/* its place in the medium's bitmaps */
	u8 address[ETH_ALEN];
	struct al_medium *medium;
	const struct al_front_ops *ops;
	void *front;			/* the front end's own struct */
	struct list_head node;		/* in medium->radios */
	struct hlist_node hashed;	/* in medium->by_address */

	bool up;			/* the host has brought it up */
	bool listens;			/* its host wants others' frames, too */
	u16 mhz;			/* the channel that its host has set */
	bool running;			/* its timer may start; false at the end */
	struct al_profile profile;
	struct al_rate rate;		/* what new links begin with */
	bool rate_fixed;		/* likewise; see struct al_link */
	struct al_edcaf edcaf[AL_ACS];
	struct al_exchange exchange;	/* the exchange that it has begun */
	struct al_host host;
	struct al_link *link_to[AL_RADIOS_MAX];	/* by the receiver's index */
	struct al_link *link_to_all;
	struct al_link *link_to_nobody;

	/* Carrier sense, physical and virtual. The medium is busy for the radio
	 * until the latest of the four instants.
	 */
	DECLARE_BITMAP(hearers, AL_RADIOS_MAX);	/* who senses it; itself, too */
	u64 heard_until_ns;		/* frames that it hears are on the air */
	u64 nav_until_ns;		/* a Duration field reserves the medium */
	u64 eifs_until_ns;		/* it waits for an ACK it may not decode */
	u64 own_until_ns;		/* its own exchange; or AL_NEVER_NS */

	struct al_stats stats;
};

/* What a radio has sensed of its channel since it was made. */
struct al_channel_time {
	u64 busy_ns;		/* frames that it heard or sent were on the air */
	u64 tx_ns;		/* those that it sent */
};

struct al_radio *al_radio_create(const struct al_radio_config *config,
				 const struct al_front_ops *ops, void *front,
				 struct netlink_ext_ack *extack);
void al_radio_destroy(struct al_radio *radio);
void al_radio_up(struct al_radio *radio);
void al_radio_listen(struct al_radio *radio, bool listens);
void al_radio_down(struct al_radio *radio);
int al_radio_set_profile(struct al_radio *radio,
			 const struct al_profile *profile,
			 struct netlink_ext_ack *extack);
struct al_radio *al_radio_by_address(struct al_medium *medium,
				     const u8 *address);
u64 al_radio_idle_from_ns(const struct al_radio *radio);
struct al_channel_time al_radio_channel_time(const struct al_radio *radio,
					     u64 now_ns);

#endif /* AIRLINK_RADIO_H */
