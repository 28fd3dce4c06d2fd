/* SPDX-License-Identifier: GPL-2.0 */
/* Between a radio and its host: the bus, reports, interrupts; see host.c. */
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
	struct net_device *dummy;	/* what NAPI belongs to */
	struct napi_struct napi;
	struct hrtimer timer;		/* the next of all that follows */
	u64 armed_ns;

	u32 frames;			/* of the host, not reported yet */
	bool stopped;			/* the front end's queues */

	/* To the device. */
	struct list_head waiting;	/* al_mpdu, for the bus */
	struct list_head bus;		/* al_mpdu, under way */
	u32 transfers;			/* of these */
	u64 bus_free_ns;
	u32 device_frames;		/* in the device */

	/* From the device. */
	struct list_head done;		/* al_mpdu, to be reported */
	u32 done_frames;
	struct sk_buff_head received;
	u64 first_received_ns, last_received_ns;

	u64 refill_ns;			/* when PPDUs are to be formed, or never */
};

int al_host_init(struct al_radio *radio);
void al_host_destroy(struct al_radio *radio);

bool al_host_send(struct al_queue *queue, struct sk_buff *skb, u64 now_ns);
void al_host_done(struct al_radio *radio, struct al_mpdu *mpdu, u64 now_ns);
void al_host_received(struct al_radio *radio, struct sk_buff *skb);
void al_host_exchange_over(struct al_radio *radio, u64 now_ns);
void al_host_arm(struct al_radio *radio);

#endif /* AIRLINK_HOST_H */
