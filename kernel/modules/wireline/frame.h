/* SPDX-License-Identifier: GPL-2.0 */
/* What an skb carries with it (in skb->cb) while it is in one of a lane's lists. */
#ifndef WIRELINE_FRAME_H
#define WIRELINE_FRAME_H

#include <linux/skbuff.h>
#include <linux/tcp.h>

#include "clock.h"

struct wireline_frame {
	u64 event_ns;		/* when it leaves the wire; on the way: arrives */
	u32 wire_bytes;
	u32 frames;		/* more than one if it is a super-frame */
};

static inline struct wireline_frame *wireline_frame(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct wireline_frame) > sizeof(skb->cb));
	return (struct wireline_frame *)skb->cb;
}

/* Sets the length on the wire: all segments of a super-frame count, each with its
 * own headers.
 */
static inline void wireline_frame_measure(struct sk_buff *skb)
{
	struct wireline_frame *frame = wireline_frame(skb);
	u32 header_len;

	if (!skb_is_gso(skb)) {
		frame->frames = 1;
		frame->wire_bytes = wireline_frame_wire_bytes(skb->len);
		return;
	}

	/* TCP is all that the device's features let through in one piece. */
	header_len = skb_tcp_all_headers(skb);
	frame->wire_bytes = wireline_burst_wire_bytes(header_len,
						      skb->len - header_len,
						      skb_shinfo(skb)->gso_size,
						      &frame->frames);
}

#endif /* WIRELINE_FRAME_H */
