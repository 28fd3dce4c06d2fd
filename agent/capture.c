// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packets of one device, as a pcap file with nanoseconds.
 *
 *   capture NODE ID DEVICE
 *
 * A packet is in it as often as the device's taps see it: one that is sent when
 * the driver gets it, one that is received when the stack gets it. Its time stamp
 * is the kernel's, which is virtual and exact. Each packet costs system calls,
 * and with them real time, but the measurement does not notice.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

#define FRAME_BYTES	(1 << 18)	/* larger than any packet, merged ones too */
#define RECEIVE_BYTES	(64 << 20)	/* room for what comes while this writes */

#define LINKTYPE_ETHERNET		1
#define LINKTYPE_IEEE802_11_RADIOTAP	127

/* draft-ietf-opsawg-pcap, section 4 */
struct pcap_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t reserved[2];
	uint32_t snap_bytes;
	uint32_t link_type;
};

struct pcap_record {
	uint32_t seconds, nanoseconds;
	uint32_t captured_bytes, original_bytes;
};

static int capture_fd;
static volatile bool ended;

/* The signal also ends a blocked receive; a packet socket knows no shutdown(). */
static void stop_at_end(int64_t now)
{
	ended = now >= schedule.end;
}

static void open_socket(const char *device)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(device),
	};
	int on = 1, bytes = RECEIVE_BYTES;

	capture_fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (capture_fd < 0 || !address.sll_ifindex ||
	    setsockopt(capture_fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    setsockopt(capture_fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(capture_fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot capture on %s", device);
}

/* What a packet begins with: Ethernet's header, or radiotap's on the radio's sniffer. */
static uint32_t link_type_of(const char *device)
{
	struct ifreq request = { 0 };

	strncpy(request.ifr_name, device, IFNAMSIZ - 1);
	if (ioctl(capture_fd, SIOCGIFHWADDR, &request))
		die_errno("SIOCGIFHWADDR of %s", device);
	return request.ifr_hwaddr.sa_family == ARPHRD_IEEE80211_RADIOTAP ?
	       LINKTYPE_IEEE802_11_RADIOTAP : LINKTYPE_ETHERNET;
}

static FILE *open_file(const char *id, uint32_t link_type)
{
	const struct pcap_header header = {
		.magic = 0xa1b23c4d,	/* nanoseconds */
		.major = 2, .minor = 4,
		.snap_bytes = FRAME_BYTES,
		.link_type = link_type,
	};
	char path[sizeof(OUT_DIR) + ID_MAX + 8];
	FILE *file;

	snprintf(path, sizeof(path), OUT_DIR "/%s.pcap", id);
	file = fopen(path, "w");
	if (!file || fwrite(&header, sizeof(header), 1, file) != 1)
		die_errno("cannot create %s", path);
	return file;
}

/* Writes the next packet. Returns false when the measurement has ended. */
static bool capture_packet(FILE *file)
{
	static char frame[FRAME_BYTES];
	char control[CMSG_SPACE(sizeof(struct timespec))];
	struct iovec iov = { .iov_base = frame, .iov_len = sizeof(frame) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(capture_fd, &message, 0);
	struct pcap_record record = { .captured_bytes = got, .original_bytes = got };
	struct timespec stamp;

	if (got < 0 && errno == EINTR)
		return !ended;
	if (got < 0 || !CMSG_FIRSTHDR(&message))
		die_errno("cannot receive a packet");
	memcpy(&stamp, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(stamp));
	record.seconds = stamp.tv_sec;
	record.nanoseconds = stamp.tv_nsec;
	if (fwrite(&record, sizeof(record), 1, file) != 1 ||
	    fwrite(frame, got, 1, file) != 1)
		die_errno("cannot write a capture");
	return true;
}

void capture_endpoint(int words, char *word[])
{
	struct tpacket_stats stats;
	socklen_t length = sizeof(stats);
	FILE *file;

	(void)words;
	open_socket(word[3]);
	file = open_file(word[2], link_type_of(word[3]));
	sample_every_step(stop_at_end);
	while (capture_packet(file))
		;
	signal(SIGALRM, SIG_IGN);
	if (getsockopt(capture_fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length))
		die_errno("PACKET_STATISTICS");
	if (stats.tp_drops)
		die("the capture on %s lacks %u packets", word[3], stats.tp_drops);
	if (fflush(file) || fsync(fileno(file)) || fclose(file))
		die_errno("cannot write a capture");
}
