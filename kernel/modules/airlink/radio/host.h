/* SPDX-License-Identifier: GPL-2.0 */
/* What is between a radio and its host: bus, reports, interrupts; see host.c. */
#ifndef AIRLINK_HOST_H
#define AIRLINK_HOST_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

struct al_mpdu;
struct al_queue;
struct al_radio;

struct al_host {
	struct net_device *dummy;	/* the device that owns the NAPI context */
	struct napi_struct napi;
	struct hrtimer timer;		/* expires when the next thing is due */
	u64 armed_ns;			/* when that is */

	u32 frames;			/* taken from the host, not reported */
	bool stopped;			/* the host has to stop its queues */

	/* To the device. */
	struct list_head waiting;	/* al_mpdu that wait for the bus */
	struct list_head bus;		/* al_mpdu in a transfer */
	u32 transfers;			/* how many transfers are in bus */
	u64 bus_free_ns;		/* the end of the last transfer */
	u32 device_frames;		/* frames in the device */

	/* From the device. */
	struct list_head done;		/* al_mpdu that wait for their report */
	u32 done_frames;		/* how many are in done */
	struct sk_buff_head received;	/* skbs that wait for the interrupt */
	u64 first_received_ns;		/* when the first of them came */
	u64 last_received_ns;		/* when the last of them came */

	u64 refill_ns;			/* the next PPDUs form then; or never */
};

int al_host_init(struct al_radio *radio);
void al_host_destroy(struct al_radio *radio);

bool al_host_send(struct al_queue *queue, struct sk_buff *skb, u64 now_ns);
void al_host_drop(struct al_radio *radio, struct sk_buff *skb);
void al_host_done(struct al_radio *radio, struct al_mpdu *mpdu, u64 now_ns);
void al_host_received(struct al_radio *radio, struct sk_buff *skb);
void al_host_exchange_over(struct al_radio *radio, u64 now_ns);
void al_host_ppdus_gone(struct al_radio *radio);
void al_host_form_later(struct al_radio *radio);
void al_host_arm(struct al_radio *radio);
bool al_host_bus_busy(const struct al_radio *radio);

#endif /* AIRLINK_HOST_H */
