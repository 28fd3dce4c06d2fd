// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets as they stand, well-formed or not, while the measurement runs.
 *
 *   packet-try NODE ID DEVICE FILE PAUSE
 *
 * Each line of FILE is a packet in hexadecimal, from the device's own header on (on a
 * monitor of mac80211 that is radiotap's). The first is sent at T0, each other PAUSE ns
 * after the one before it. ID.sent has a line for each: the number of the error that
 * the device has refused it with, 0 if it has not. A packet for which the socket has
 * no room is not waited for: its error is EAGAIN.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "places.h"

#define PACKET_MAX	4096
#define LINE_BYTES	(2 * PACKET_MAX + 2)

static int open_socket(const char *device)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(device),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || !address.sll_ifindex ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot send packets on %s", device);
	return fd;
}

void packet_try_endpoint(int words, char *word[])
{
	static unsigned char packet[PACKET_MAX];
	int64_t pause = word_number(word[5], "PAUSE"), when = schedule.t0;
	char path[sizeof(OUT_DIR) + ID_MAX + 16], line[LINE_BYTES];
	FILE *file = fopen(word[4], "re"), *results;
	int fd = open_socket(word[3]);
	size_t bytes;

	(void)words;
	snprintf(path, sizeof(path), OUT_DIR "/%s.sent", word[2]);
	results = fopen(path, "we");
	if (!file || !results)
		die_errno("cannot open %s or %s", word[4], path);
	for (; fgets(line, sizeof(line), file); when += pause) {
		line[strcspn(line, "\n")] = 0;
		bytes = word_bytes(line, packet, sizeof(packet));
		sleep_until(when);
		fprintf(results, "%d\n",
			send(fd, packet, bytes, MSG_DONTWAIT) < 0 ? errno : 0);
	}
	if (fclose(results))
		die_errno("cannot write %s", path);
}
