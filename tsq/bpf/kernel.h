/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs see of the kernel: of each struct only the fields that they use. Where those are
 * in the running kernel is libbpf's to find (CO-RE), so no header of any one kernel is needed.
 */
#ifndef TSQ_KERNEL_H
#define TSQ_KERNEL_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define __kernel_struct __attribute__((preserve_access_index))

struct sock_common {
	unsigned short skc_family;
	struct {
		long long counter;
	} skc_cookie;
} __kernel_struct;

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate;	/* bytes per second */
	__u32 sk_pacing_status;		/* of enum sk_pacing */
	__u8 sk_pacing_shift;
	__u32 sk_gso_max_size;
	__u16 sk_gso_max_segs;
	unsigned long sk_tsq_flags;	/* bits of enum tsq_enum */
} __kernel_struct;

struct inet_sock {
	struct sock sk;
} __kernel_struct;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
} __kernel_struct;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 mss_cache;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 packets_out;
	__u32 srtt_us;			/* in eighths of a microsecond */
} __kernel_struct;

/* enum sk_pacing: the flow is not paced. */
#define SK_PACING_NONE 0
/* enum tsq_enum: TSQ has it wait. */
#define TSQ_THROTTLED 0

#endif
