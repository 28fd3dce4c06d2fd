// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/module/wireline/parameters/kernel_shift: what a TCP socket of this kernel has
 * for sk_pacing_shift before a driver writes anything there. TCP Small Queues' stock
 * limit is the pacing rate, shifted right by it, and no other file says what it is.
 */

#include <linux/in.h>
#include <linux/moduleparam.h>
#include <linux/net.h>
#include <net/net_namespace.h>
#include <net/sock.h>

static int kernel_shift_get(char *buffer, const struct kernel_param *param)
{
	struct socket *sock;
	u8 shift;
	int err = sock_create_kern(&init_net, PF_INET, SOCK_STREAM, IPPROTO_TCP,
				   &sock);

	if (err)
		return err;
	shift = READ_ONCE(sock->sk->sk_pacing_shift);
	sock_release(sock);
	return sysfs_emit(buffer, "%u\n", shift);
}

static const struct kernel_param_ops kernel_shift_ops = {
	.get = kernel_shift_get,
};

module_param_cb(kernel_shift, &kernel_shift_ops, NULL, 0444);
