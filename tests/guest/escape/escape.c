// SPDX-License-Identifier: GPL-2.0
/*
 * A module that tries to get out of the guest's sandbox.
 *
 * In User-Mode Linux a module is native code of a process of the host, so it
 * can ask the host's kernel for anything. Each attempt is a line of the log:
 * "escape: NAME RESULT", the result being the system call's.
 *
 * What needs namespaces of its own is tried in a child, which shares all memory
 * and runs while its parent waits, as after vfork().
 */
#include <linux/module.h>

#define CLONE_VM		0x00000100
#define CLONE_VFORK		0x00004000
#define CLONE_NEWNS		0x00020000
#define CLONE_NEWUSER		0x10000000
#define MS_REMOUNT		32
#define MS_BIND			4096
#define O_WRONLY_O_CREAT	0101
#define PTRACE_ATTACH		16
#define AF_UNIX			1
#define AF_INET			2
#define AF_PACKET		17
#define SOCK_STREAM		1
#define SOCK_RAW		3
#define S_IFBLK			0060000
#define __WCLONE		0x80000000

/* The host's numbers, for x86_64. */
enum {
	HOST_OPEN = 2, HOST_CLOSE = 3, HOST_SOCKET = 41, HOST_CONNECT = 42,
	HOST_CLONE = 56, HOST_EXIT = 60, HOST_WAIT4 = 61, HOST_KILL = 62,
	HOST_CHMOD = 90, HOST_PTRACE = 101, HOST_SETUID = 105, HOST_MKNOD = 133, HOST_CHROOT = 161,
	HOST_MOUNT = 165, HOST_UMOUNT2 = 166, HOST_INIT_MODULE = 175,
	HOST_UNSHARE = 272, HOST_OPEN_BY_HANDLE_AT = 304, HOST_SETNS = 308,
	HOST_BPF = 321, HOST_IO_URING_SETUP = 425,
};

static int host_pid;
module_param(host_pid, int, 0);
MODULE_PARM_DESC(host_pid, "a process outside");

static ushort host_port;
module_param(host_port, ushort, 0);
MODULE_PARM_DESC(host_port, "a TCP port that somebody outside listens on");

static char *host_file = "";
module_param(host_file, charp, 0);
MODULE_PARM_DESC(host_file, "a file outside of who runs the guest");

static char *host_socket = "";
module_param(host_socket, charp, 0);
MODULE_PARM_DESC(host_socket, "an abstract Unix socket outside");

static __always_inline long host(long nr, long a, long b, long c, long d, long e)
{
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
		     : "rcx", "r11", "memory");
	return result;
}

#define HOST(nr, a, b, c, d) \
	host(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0)

static void tell(const char *name, long result)
{
	pr_info("escape: %s %ld\n", name, result);
}

static long write_to(const char *path)
{
	long fd = HOST(HOST_OPEN, path, O_WRONLY_O_CREAT, 0644, 0);

	if (fd >= 0)
		HOST(HOST_CLOSE, fd, 0, 0, 0);
	return fd;
}

static long connect_inet(void)
{
	struct {
		u16 family;
		__be16 port;
		__be32 address;
		u8 zero[8];
	} to = { AF_INET, htons(host_port), htonl(0x7f000001) };
	long fd = HOST(HOST_SOCKET, AF_INET, SOCK_STREAM, 0, 0);
	long result = fd < 0 ? fd : HOST(HOST_CONNECT, fd, &to, sizeof(to), 0);

	if (fd >= 0)
		HOST(HOST_CLOSE, fd, 0, 0, 0);
	return result;
}

static long connect_unix(void)
{
	struct {
		u16 family;
		char path[108];
	} to = { AF_UNIX };
	size_t length = strnlen(host_socket, sizeof(to.path) - 1);
	long fd = HOST(HOST_SOCKET, AF_UNIX, SOCK_STREAM, 0, 0);
	long result;

	memcpy(to.path + 1, host_socket, length);
	result = fd < 0 ? fd : HOST(HOST_CONNECT, fd, &to, 3 + length, 0);
	if (fd >= 0)
		HOST(HOST_CLOSE, fd, 0, 0, 0);
	return result;
}

static long in_child[3];

/* The child must not return: it is on its parent's stack. */
static noinline long try_in_namespaces(void)
{
	long child = HOST(HOST_CLONE, CLONE_VM | CLONE_VFORK, 0, 0, 0);

	if (child == 0) {
		in_child[0] = HOST(HOST_UNSHARE, CLONE_NEWUSER | CLONE_NEWNS,
				   0, 0, 0);
		in_child[1] = host(HOST_MOUNT, 0, (long)"/usr", 0,
				   MS_REMOUNT | MS_BIND, 0);
		in_child[2] = HOST(HOST_OPEN, "/usr/escaped", O_WRONLY_O_CREAT,
				   0644, 0);
		HOST(HOST_EXIT, 0, 0, 0, 0);
	}
	if (child > 0)
		HOST(HOST_WAIT4, child, 0, __WCLONE, 0);
	return child;
}

static int __init escape_init(void)
{
	static char ring[120];	/* struct io_uring_params */

	tell("remount", host(HOST_MOUNT, 0, (long)"/usr", 0,
			     MS_REMOUNT | MS_BIND, 0));
	tell("mount", host(HOST_MOUNT, (long)"none", (long)"/tmp",
			   (long)"tmpfs", 0, 0));
	tell("umount", HOST(HOST_UMOUNT2, "/usr", 2, 0, 0));
	tell("write-usr", write_to("/usr/escaped"));
	tell("write-kernel", write_to("/tsqlab/linux"));
	tell("write-plan", write_to("/tsqlab/plan/escaped"));
	tell("write-dev", write_to("/dev/escaped"));
	tell("write-root", write_to("/escaped"));
	tell("read-passwd", HOST(HOST_OPEN, "/etc/passwd", 0, 0, 0));
	tell("read-home", HOST(HOST_OPEN, "/root", 0, 0, 0));
	tell("read-proc", HOST(HOST_OPEN, "/proc/1/root", 0, 0, 0));
	tell("read-file", HOST(HOST_OPEN, host_file, 0, 0, 0));
	tell("write-file", write_to(host_file));
	tell("chmod-file", HOST(HOST_CHMOD, host_file, 0777, 0, 0));
	tell("io-uring", HOST(HOST_IO_URING_SETUP, 1, ring, 0, 0));
	tell("ptrace", HOST(HOST_PTRACE, PTRACE_ATTACH, host_pid, 0, 0));
	tell("signal", HOST(HOST_KILL, host_pid, 0, 0, 0));
	tell("inet", connect_inet());
	tell("unix", connect_unix());
	tell("raw", HOST(HOST_SOCKET, AF_INET, SOCK_RAW, 1, 0));
	tell("packet", HOST(HOST_SOCKET, AF_PACKET, SOCK_RAW, 0, 0));
	tell("setuid", HOST(HOST_SETUID, 0, 0, 0, 0));
	tell("chroot", HOST(HOST_CHROOT, "/tmp", 0, 0, 0));
	tell("mknod", HOST(HOST_MKNOD, "/tmp/disk", S_IFBLK | 0600, 0x0800, 0));
	tell("init-module", HOST(HOST_INIT_MODULE, "", 0, "", 0));
	tell("by-handle", HOST(HOST_OPEN_BY_HANDLE_AT, 0, "\0\0\0\0\0\0\0\0",
			       0, 0));
	tell("child", min(try_in_namespaces(), 0L));
	tell("child-remount", in_child[1]);
	tell("child-write", in_child[2]);
	pr_info("escape: tried\n");
	return 0;
}

static void __exit escape_exit(void)
{
}

module_init(escape_init);
module_exit(escape_exit);
MODULE_DESCRIPTION("Tries to get out of the guest's sandbox");
MODULE_LICENSE("GPL");
