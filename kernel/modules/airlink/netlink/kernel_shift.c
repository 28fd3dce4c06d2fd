// SPDX-License-Identifier: GPL-2.0
/*
 * What a TCP socket of this kernel has for sk_pacing_shift before a driver writes
 * anything there. mac80211 writes a value with each packet, 7 of its own, so a device
 * that is to leave the kernel's default alone has to know it. It is asked for, and
 * not known, because it may be the very value that somebody has patched.
 */

#include <linux/in.h>
#include <linux/net.h>
#include <net/sock.h>

#include "netlink/kernel_shift.h"

/* Sets @shift. Errors: those of a socket that cannot be made. */
int al_kernel_shift(struct net *net, u32 *shift)
{
	struct socket *sock;
	int err = sock_create_kern(net, PF_INET, SOCK_STREAM, IPPROTO_TCP,
				   &sock);

	if (err)
		return err;
	*shift = READ_ONCE(sock->sk->sk_pacing_shift);
	sock_release(sock);
	return 0;
}
