// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory of what a socket sends: the kernel's own numbers, by SO_MEMINFO. They
 * count skbs with all that they take, not payload.
 */
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "agent.h"

struct send_memory send_memory(int fd)
{
	uint32_t meminfo[SK_MEMINFO_VARS] = { 0 };
	socklen_t length = sizeof(meminfo);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, meminfo, &length))
		die_errno("SO_MEMINFO");
	return (struct send_memory){
		.alloc_bytes = meminfo[SK_MEMINFO_WMEM_ALLOC],
		.queued_bytes = meminfo[SK_MEMINFO_WMEM_QUEUED],
		.limit_bytes = meminfo[SK_MEMINFO_SNDBUF],
	};
}
