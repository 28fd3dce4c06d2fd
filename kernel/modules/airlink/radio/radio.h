/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A radio: one transceiver on a medium, with a front end that gives it to the
 * network stack. Everything is guarded by the medium's lock but what is marked.
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

/* What the core asks of a front end. */
struct al_front_ops {
	/* With the medium's lock: */

	/* The bytes of the MPDU that carries @skb, with header and FCS. */
	u32 (*mpdu_bytes)(const struct al_queue *queue,
			  const struct sk_buff *skb);
	/* A further frame of a queue that waits above the device, or NULL. */
	struct sk_buff *(*pull)(struct al_queue *queue);
	/* Form PPDUs as long as there is room; NULL: al_aggregate_fill_in_turn()'s way. */
	void (*form_ppdus)(struct al_edcaf *edcaf);
	/* @queue has something to send again, which was sent before. */
	void (*requeue)(struct al_queue *queue);
	/* A frame for each receiver, in its own skb; NULL: no memory. */
	struct sk_buff *(*copy)(struct al_queue *queue, struct sk_buff *skb);
	/* Whether @skb must not be in an A-MPDU or A-MSDU with others; NULL:
	 * no.
	 */
	bool (*sends_alone)(struct al_queue *queue, struct sk_buff *skb);
	/* The rates of a PPDU that begins with @skb, where the link has none
	 * that is fixed, and how many they are.
	 */
	int (*choose_rates)(struct al_queue *queue, struct sk_buff *skb,
			    struct al_rate_stage *stages);
	/* An MPDU for a capture, with 802.11 header but without FCS, and so much
	 * room around it; NULL: the skbs are MPDUs themselves. Returns NULL if
	 * there is no memory.
	 */
	struct sk_buff *(*capture)(const struct al_mpdu *mpdu, u32 headroom,
				   u32 tailroom);

	/* In NAPI context, without it: */

	void (*receive)(struct al_radio *radio, struct sk_buff *skb);
	/* The end of an MPDU: report its skbs, and free them. */
	void (*report)(struct al_radio *radio, struct al_mpdu *mpdu,
		       int budget);
	/* All that could be reported by now has been; NULL: so what. */
	void (*reports_done)(struct al_radio *radio);
	/* The host's queue has room again. */
	void (*resume)(struct al_radio *radio);

	/* In process context: take the device from the stack, free it. */
	void (*remove)(struct al_radio *radio);
};

struct al_radio {
	/* Set once. */
	u32 id;				/* all over the module */
	u16 index;			/* in the medium's bitmaps */
	u8 address[ETH_ALEN];
	struct al_medium *medium;
	const struct al_front_ops *ops;
	void *front;			/* the front end's */
	struct list_head node;		/* in medium->radios */
	struct hlist_node hashed;	/* in medium->by_address */

	bool up;			/* its host has it running */
	bool listens;			/* hands up all that it hears */
	u16 mhz;			/* what its host takes the channel for */
	bool running;			/* its timers may: cleared at the end */
	struct al_profile profile;
	struct al_rate rate;		/* of data on links without their own, */
	bool rate_fixed;		/* if this is set */
	struct al_edcaf edcaf[AL_ACS];
	struct al_exchange exchange;	/* the one that it has started */
	struct al_host host;
	struct al_link *link_to[AL_RADIOS_MAX];	/* by the receiver's index */
	struct al_link *link_to_all;
	struct al_link *link_to_nobody;

	/* Carrier sense, physical and virtual. */
	DECLARE_BITMAP(hearers, AL_RADIOS_MAX);	/* that sense it, itself too */
	u64 heard_until_ns;		/* the end of all that is on the air */
	u64 nav_until_ns;
	u64 eifs_until_ns;
	u64 own_until_ns;		/* its exchange; AL_NEVER_NS: under way */

	struct al_stats stats;
};

struct al_radio *al_radio_create(const struct al_radio_config *config,
				 const struct al_front_ops *ops, void *front,
				 struct netlink_ext_ack *extack);
void al_radio_destroy(struct al_radio *radio);
void al_radio_up(struct al_radio *radio);
void al_radio_listen(struct al_radio *radio, bool listens);
void al_radio_down(struct al_radio *radio);
struct al_radio *al_radio_by_address(struct al_medium *medium,
				     const u8 *address);
u64 al_radio_idle_from_ns(const struct al_radio *radio);

#endif /* AIRLINK_RADIO_H */
