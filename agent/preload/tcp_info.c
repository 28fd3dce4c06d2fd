// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TCP_INFO of a newer kernel, as a library to be preloaded.
 *
 * struct tcp_info grows at its end, and a kernel fills what it knows. A program
 * that insists on the struct of its own day gets one of that length here: what
 * the kernel does not know is 0.
 */
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

int getsockopt(int fd, int level, int name, void *value, socklen_t *length)
{
	int (*libc_getsockopt)(int, int, int, void *, socklen_t *) =
		dlsym(RTLD_NEXT, "getsockopt");
	socklen_t room = length ? *length : 0;
	int result = libc_getsockopt(fd, level, name, value, length);

	if (!result && level == IPPROTO_TCP && name == TCP_INFO && *length < room) {
		memset((char *)value + *length, 0, room - *length);
		*length = room;
	}
	return result;
}
