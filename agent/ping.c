// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Latency beside the flows.
 *
 *   ping NODE ID icmp|udp|udp-echo ADDRESS PORT TOS INTERVAL [START STOP]
 *
 * "icmp" sends echo requests and "udp" datagrams that a "udp-echo" returns, one
 * every INTERVAL ns from the start of the measurement to its end, or from START on
 * and before STOP. Each row is an answer, and t_ns is when it came. A sequence
 * number without a row was lost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip_icmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"

#define SEQUENCES	65536
#define PAYLOAD_BYTES	56		/* as ping(8) */
#define IP_HEADER_MAX	60
#define COLUMNS		"t_ns\tsequence\trtt_ns"

static struct {
	int fd;
	int64_t start, stop;		/* probes are sent from the one on, and before the other */
	uint16_t sequence;		/* of the next probe */
	int64_t sent[SEQUENCES];	/* when, by sequence number */
	struct series *series;
} probe;

/* RFC 1071's sum in ones' complement, of an even number of bytes. */
static uint16_t checksum(const void *data, size_t bytes)
{
	const uint16_t *word = data;
	uint32_t sum = 0;

	for (; bytes; bytes -= 2)
		sum += *word++;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void send_probe(int64_t now)
{
	struct {
		struct icmphdr header;
		char payload[PAYLOAD_BYTES];
	} packet = { .header = { .type = ICMP_ECHO } };

	if (now >= schedule.end) {
		shutdown(probe.fd, SHUT_RDWR);
		return;
	}
	if (now < probe.start || now >= probe.stop)
		return;
	packet.header.un.echo.sequence = htons(probe.sequence);
	packet.header.checksum = checksum(&packet, sizeof(packet));
	probe.sent[probe.sequence++] = now_ns();
	/*
	 * A full queue loses the probe, as it would any packet, and so does a socket whose
	 * probes all wait: to wait as well would leave out those that meet the longest queue.
	 */
	if (send(probe.fd, &packet, sizeof(packet), MSG_DONTWAIT) < 0 && errno != ENOBUFS &&
	    errno != EAGAIN)
		die_errno("cannot send a probe");
}

static void note_answer(const struct icmphdr *header)
{
	uint16_t sequence = ntohs(header->un.echo.sequence);
	int64_t now = now_ns();

	series_row(probe.series, (int64_t[]){
		now - schedule.t0, sequence, now - probe.sent[sequence],
	});
}

static void receive_answers(bool icmp)
{
	char packet[IP_HEADER_MAX + sizeof(struct icmphdr) + PAYLOAD_BYTES];
	const struct icmphdr *header;
	ssize_t got;

	for (;;) {
		got = recv(probe.fd, packet, sizeof(packet), 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		/* A raw socket hands over the IP header too; its length is in its first byte. */
		header = (void *)(packet + (icmp ? (packet[0] & 0xf) * 4 : 0));
		if (!icmp || header->type == ICMP_ECHOREPLY)
			note_answer(header);
	}
}

static void echo(const char *port)
{
	struct sockaddr_in address = word_address("0.0.0.0", port), from;
	char packet[sizeof(struct icmphdr) + PAYLOAD_BYTES];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot echo on port %s", port);
	while (now_ns() < schedule.end) {
		socklen_t length = sizeof(from);
		ssize_t got = recvfrom(fd, packet, sizeof(packet), 0,
				       (struct sockaddr *)&from, &length);

		if (got > 0 &&
		    sendto(fd, packet, got, 0, (struct sockaddr *)&from, length) < 0 &&
		    errno != ENOBUFS)
			die_errno("cannot echo");
	}
}

/* Does nothing, but its signal wakes an echo that is still blocked at the end. */
static void nothing(int64_t now)
{
	(void)now;
}

void ping_endpoint(int words, char *word[])
{
	struct sockaddr_in address = word_address(word[4], word[5]);
	bool icmp = !strcmp(word[3], "icmp");
	int tos = word_number(word[6], "TOS");

	probe.start = words == 10 ? word_number(word[8], "START") : 0;
	probe.stop = words == 10 ? word_number(word[9], "STOP") : INT64_MAX;
	if (!strcmp(word[3], "udp-echo")) {
		sample_every_step(nothing);
		echo(word[5]);
		return;
	}
	schedule.step = word_number(word[7], "INTERVAL");
	probe.series = series_open(word[2], COLUMNS);
	probe.fd = icmp ? socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) : socket(AF_INET, SOCK_DGRAM, 0);
	if (probe.fd < 0 ||
	    setsockopt(probe.fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) ||
	    connect(probe.fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot open a socket for probes");
	sample_every_step(send_probe);
	receive_answers(icmp);
	signal(SIGALRM, SIG_IGN);
	series_write(probe.series);
}
