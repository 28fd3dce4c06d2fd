// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of an MPDU for a capture, with room around them for the radiotap
 * header and the FCS.
 */

#include <linux/etherdevice.h>
#include <linux/ieee80211.h>
#include <net/cfg80211.h>

#include "capture/mpdu.h"
#include "capture/radiotap.h"
#include "radio/radio.h"

/* Returns an empty skb for so many bytes of an MPDU, or NULL. */
struct sk_buff *al_capture_alloc(u32 bytes)
{
	struct sk_buff *skb = alloc_skb(AL_RADIOTAP_BYTES + bytes + FCS_LEN,
					GFP_ATOMIC);

	if (skb)
		skb_reserve(skb, AL_RADIOTAP_BYTES);
	return skb;
}

/* Copies the bytes and nothing else: @skb also has its sender's times and owner. */
static struct sk_buff *capture_copy(const struct sk_buff *skb)
{
	struct sk_buff *copy = al_capture_alloc(skb->len);

	if (copy)
		skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len);
	return copy;
}

/* Adds the MSDU that is in @skb, a whole MPDU, to the A-MSDU in @frame. */
static void capture_put_subframe(struct sk_buff *frame,
				 const struct sk_buff *skb)
{
	struct ieee80211_hdr *header = (struct ieee80211_hdr *)skb->data;
	u32 header_bytes = ieee80211_hdrlen(header->frame_control);
	u32 bytes = skb->len - header_bytes;
	struct ethhdr *subframe;

	skb_put_zero(frame, -(frame->len - header_bytes) & 3);
	subframe = skb_put(frame, sizeof(*subframe));
	ether_addr_copy(subframe->h_dest, ieee80211_get_DA(header));
	ether_addr_copy(subframe->h_source, ieee80211_get_SA(header));
	subframe->h_proto = htons(bytes);
	skb_copy_bits(skb, header_bytes, skb_put(frame, bytes), bytes);
}

/* Makes an A-MSDU of the frames that a softmac device has put into one MPDU. */
static struct sk_buff *capture_amsdu(const struct al_mpdu *mpdu)
{
	struct ieee80211_hdr *header =
		(struct ieee80211_hdr *)mpdu->skbs->data;
	u32 bytes = 0, header_bytes = ieee80211_hdrlen(header->frame_control);
	const struct sk_buff *skb;
	struct sk_buff *frame;

	for (skb = mpdu->skbs; skb; skb = skb->next)
		bytes += skb->len + sizeof(struct ethhdr) + 3;
	frame = al_capture_alloc(bytes);
	if (!frame)
		return NULL;
	header = skb_put_data(frame, header, header_bytes);
	*ieee80211_get_qos_ctl(header) |= IEEE80211_QOS_CTL_A_MSDU_PRESENT;
	ether_addr_copy(header->addr3,
			ieee80211_has_tods(header->frame_control) ?
			header->addr1 : header->addr2);
	for (skb = mpdu->skbs; skb; skb = skb->next)
		capture_put_subframe(frame, skb);
	return frame;
}

/* Returns an MPDU without its FCS, or NULL if there is no memory. */
struct sk_buff *al_capture_mpdu(const struct al_mpdu *mpdu)
{
	const struct al_front_ops *ops = mpdu->queue->link->from->ops;

	if (ops->capture)
		return ops->capture(mpdu, AL_RADIOTAP_BYTES, FCS_LEN);
	if (mpdu->msdus > 1)
		return capture_amsdu(mpdu);
	return capture_copy(mpdu->skbs);
}
