// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What sock_diag does not tell of a flow, a line for each: its cookie, sk_pacing_shift, whether it is
 * paced, and whether TSQ has it wait now. Whoever reads it gets the flows of their own network namespace.
 */
#include "kernel.h"

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} __kernel_struct;

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
} __kernel_struct;

SEC("iter/tcp")
int tsq_flows(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct tcp_sock *tp;
	struct sock *sk;

	if (!common)
		return 0;
	/* Neither a listener's request nor a socket in TIME-WAIT. */
	tp = bpf_skc_to_tcp_sock(common);
	if (!tp)
		return 0;
	sk = (struct sock *)tp;
	BPF_SEQ_PRINTF(ctx->meta->seq, "%llu %u %u %u\n", sk->__sk_common.skc_cookie.counter,
		       sk->sk_pacing_shift, sk->sk_pacing_status != SK_PACING_NONE,
		       (__u32)(sk->sk_tsq_flags >> TSQ_THROTTLED & 1));
	return 0;
}

char _license[] SEC("license") = "GPL";
