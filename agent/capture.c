// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packets of one device, as a pcap file with nanoseconds.
 *
 *   capture NODE ID DEVICE SNAP_BYTES FILE_BYTES
 *
 * A packet is in it as often as the device's taps see it: one that is sent when
 * the driver gets it, one that is received when the stack gets it. Of each there
 * are SNAP_BYTES at most, and its length. Its time stamp is the kernel's, which is
 * virtual and exact. A file that would be longer than FILE_BYTES ends the guest,
 * and so does a packet that there was no room for.
 *
 * The measurement notices as little as can be. The kernel copies what is wanted into
 * a ring while it shows a packet to the taps, so nothing else ever has a part in a
 * packet: who writes to one that is shared has to copy it first, which changes what it
 * is charged. The process has no random numbers and reads no clock, which takes virtual
 * time, and runs only when nobody else wants to. But packets wake it, and where a process
 * is to run the kernel leaves a softirq early. Timers of its own would be no better: at
 * their interrupts the kernel lets all go off that may, within their slack.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "big_file.h"

/*
 * The ring: 30,000 packets of 192 bytes, and a block has room for the largest packet.
 * The kernel hands over a block when it is full, or after two of these times.
 */
#define BLOCK_BYTES	(256 << 10)
#define BLOCKS		32
#define HAND_OVER_MSEC	100
#define GRACE_NSEC	(3 * HAND_OVER_MSEC * 1000000LL)

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

static struct {
	const char *device;
	int fd;
	char *ring;
	struct big_file file;
	int64_t bytes_max;	/* of the file */
	int64_t boot_unix_ns;	/* the time stamp of the boot */
} capture;

static volatile bool ended;

/* The signal also ends a wait for packets. */
static void on_end(int signal)
{
	(void)signal;
	ended = true;
}

/* Set before the measurement: a timer that is set during it reads the clock. */
static void set_end(void)
{
	const int64_t end = schedule.end + GRACE_NSEC;
	const struct itimerspec when = {
		.it_value = { .tv_sec = end / NSEC_PER_SEC, .tv_nsec = end % NSEC_PER_SEC },
	};
	struct sigaction action = { .sa_handler = on_end };
	timer_t timer;

	if (schedule.end == INT64_MAX)
		die("plan: a capture needs a measurement that has an end");
	if (sigaction(SIGALRM, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
	    timer_settime(timer, TIMER_ABSTIME, &when, NULL))
		die_errno("cannot set a capture's end");
}

static void note_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	capture.boot_unix_ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec - now_ns();
}

static void map_ring(void)
{
	const struct tpacket_req3 request = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = BLOCKS,
		.tp_frame_size = BLOCK_BYTES,	/* of no use in this version, but checked */
		.tp_frame_nr = BLOCKS,
		.tp_retire_blk_tov = HAND_OVER_MSEC,
	};
	const int version = TPACKET_V3;

	if (setsockopt(capture.fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(capture.fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)))
		die_errno("no ring for a capture");
	capture.ring = mmap(NULL, BLOCKS * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    capture.fd, 0);
	if (capture.ring == MAP_FAILED)
		die_errno("cannot map a capture's ring");
}

static void open_socket(int64_t snap_bytes)
{
	struct sock_filter whole = BPF_STMT(BPF_RET | BPF_K, snap_bytes);
	const struct sock_fprog filter = { .len = 1, .filter = &whole };
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(capture.device),
	};

	/* Of protocol 0, it hears nothing until it is bound. */
	capture.fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (capture.fd < 0 || !address.sll_ifindex ||
	    setsockopt(capture.fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
		die_errno("cannot capture on %s", capture.device);
	map_ring();
	if (bind(capture.fd, (const struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot capture on %s", capture.device);
}

/* What a packet begins with: Ethernet's header, or radiotap's on the radio's sniffer. */
static uint32_t link_type(void)
{
	struct ifreq request = { 0 };

	strncpy(request.ifr_name, capture.device, IFNAMSIZ - 1);
	if (ioctl(capture.fd, SIOCGIFHWADDR, &request))
		die_errno("SIOCGIFHWADDR of %s", capture.device);
	return request.ifr_hwaddr.sa_family == ARPHRD_IEEE80211_RADIOTAP ?
	       LINKTYPE_IEEE802_11_RADIOTAP : LINKTYPE_ETHERNET;
}

static void open_file(const char *id, int64_t snap_bytes)
{
	const struct pcap_header header = {
		.magic = 0xa1b23c4d,	/* nanoseconds */
		.major = 2, .minor = 4,
		.snap_bytes = snap_bytes,
		.link_type = link_type(),
	};
	char name[ID_MAX + 8];

	snprintf(name, sizeof(name), "%s.pcap", id);
	capture.file = big_file_open(name, "a capture");
	big_file_put(&capture.file, &header, sizeof(header));
}

static void write_packet(const struct tpacket3_hdr *packet)
{
	const struct pcap_record record = {
		.seconds = packet->tp_sec, .nanoseconds = packet->tp_nsec,
		.captured_bytes = packet->tp_snaplen, .original_bytes = packet->tp_len,
	};
	int64_t when = packet->tp_sec * NSEC_PER_SEC + packet->tp_nsec - capture.boot_unix_ns;

	if (when > schedule.end)
		return;
	if (capture.file.bytes + (int64_t)(sizeof(record) + packet->tp_snaplen) > capture.bytes_max)
		die("the capture on %s is longer than %lld MiB at %.3f s; less of each packet "
		    "([lab] snap_length), fewer flows or less time would fit", capture.device,
		    (long long)(capture.bytes_max >> 20), (double)(when - schedule.t0) / 1e9);
	big_file_put(&capture.file, &record, sizeof(record));
	big_file_put(&capture.file, (const char *)packet + packet->tp_mac, packet->tp_snaplen);
}

/* Writes the packets of all blocks that the kernel has handed over. */
static void write_blocks(void)
{
	static int next;

	for (;; next = (next + 1) % BLOCKS) {
		char *start = capture.ring + next * BLOCK_BYTES;
		struct tpacket_hdr_v1 *block = &((struct tpacket_block_desc *)start)->hdr.bh1;
		char *packet = start + block->offset_to_first_pkt;
		uint32_t left;

		if (!(__atomic_load_n(&block->block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return;
		for (left = block->num_pkts; left; left--) {
			const struct tpacket3_hdr *header = (void *)packet;

			write_packet(header);
			packet += header->tp_next_offset;
		}
		__atomic_store_n(&block->block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		big_file_empty(&capture.file);
	}
}

static void check_whole(void)
{
	struct tpacket_stats_v3 stats;
	socklen_t length = sizeof(stats);

	if (getsockopt(capture.fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length))
		die_errno("PACKET_STATISTICS");
	if (stats.tp_drops)
		die("the capture on %s lacks %u packets", capture.device, stats.tp_drops);
}

void capture_endpoint(int words, char *word[])
{
	const int64_t snap_bytes = word_number(word[4], "SNAP_BYTES");
	const struct sched_param priority = { 0 };
	struct pollfd readable = { .events = POLLIN };

	(void)words;
	capture.device = word[3];
	capture.bytes_max = word_number(word[5], "FILE_BYTES");
	note_boot();
	open_socket(snap_bytes);
	open_file(word[2], snap_bytes);
	set_end();
	if (sched_setscheduler(0, SCHED_IDLE, &priority))
		die_errno("cannot run a capture behind all else");
	readable.fd = capture.fd;
	while (!ended) {
		if (poll(&readable, 1, -1) < 0 && errno != EINTR)
			die_errno("cannot wait for packets");
		write_blocks();
	}
	check_whole();
	big_file_close(&capture.file);
}
