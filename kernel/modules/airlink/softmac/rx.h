/* SPDX-License-Identifier: GPL-2.0 */
/* Received frames, from the core to mac80211; see rx.c. */
#ifndef AIRLINK_SOFTMAC_RX_H
#define AIRLINK_SOFTMAC_RX_H

struct al_queue;
struct al_radio;
struct sk_buff;

struct sk_buff *al_softmac_copy(struct al_queue *queue, struct sk_buff *skb);
void al_softmac_receive(struct al_radio *radio, struct sk_buff *skb);

#endif /* AIRLINK_SOFTMAC_RX_H */
