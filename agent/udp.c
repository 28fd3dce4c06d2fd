// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One end of a UDP flow.
 *
 *   udp NODE ID send|recv ADDRESS PORT TOS BYTES BITS_PER_S START STOP [exact]
 *
 * BYTES is the payload of a datagram. BITS_PER_S counts payload and sets each
 * datagram's own instant; 0 sends as fast as the socket's buffer takes them,
 * which the driver's completions govern. Without "exact" a datagram goes up to
 * 50 us after its instant, as the kernel has it of any process that sleeps. The
 * first eight bytes are a sequence number, from which the receiver knows what was
 * lost. A sender's rows say as well whether it waits for room, and what it has
 * below it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"

#define BATCH		64		/* datagrams that one system call takes */
#define BYTES_MAX	65507		/* an IPv4 datagram's largest payload */
#define COLUMNS		"t_ns\tapp_bytes\tdatagrams\tlost_datagrams"
#define SEND_COLUMNS	COLUMNS "\tblocked\twmem_alloc_bytes\tsend_buffer_bytes"

static struct {
	int fd;
	volatile bool stopped;		/* STOP has passed */
	volatile bool in_send;		/* a send that may wait for room has not returned */
	int64_t stop, bytes, datagrams, lost;
	struct series *series;
} flow;

/*
 * A handler runs at the instant that it samples, and a send that does not wait
 * takes no time. So a send that has not returned waits for room in its buffer.
 */
static void sample(int64_t now)
{
	struct send_memory memory = send_memory(flow.fd);

	series_row(flow.series, (int64_t[]){
		now - schedule.t0, flow.bytes, flow.datagrams, flow.lost,
		/* A receiver's row ends before these. */
		flow.in_send, memory.alloc_bytes, memory.limit_bytes,
	});
	flow.stopped = now >= flow.stop;	/* the signal also ends a blocked send */
	if (now >= schedule.end)
		shutdown(flow.fd, SHUT_RDWR);
}

static void count_sent(int datagrams, int64_t size)
{
	flow.datagrams += datagrams;
	flow.bytes += datagrams * size;
}

/* Sends as many as the socket's buffer takes at this instant, but at most BATCH. */
static int send_at_once(int64_t size)
{
	static char rest[BYTES_MAX];
	static int64_t sequence[BATCH];
	static struct iovec part[BATCH][2];
	static struct mmsghdr message[BATCH];

	for (int i = 0; i < BATCH; i++) {
		sequence[i] = flow.datagrams + i;
		part[i][0] = (struct iovec){ &sequence[i], sizeof(sequence[i]) };
		part[i][1] = (struct iovec){ rest, size - sizeof(sequence[i]) };
		message[i].msg_hdr.msg_iov = part[i];
		message[i].msg_hdr.msg_iovlen = 2;
	}
	return sendmmsg(flow.fd, message, BATCH, MSG_DONTWAIT);
}

/*
 * This never reads the clock, because each reading would take virtual time. A
 * system call costs the host much more than a datagram does, so without a rate
 * one call sends many. But only a call for a single datagram waits for room:
 * while it waits samples are taken, and all that was sent before is counted.
 */
static void send_all(int64_t size, int64_t bits_per_s, int64_t start)
{
	static char datagram[BYTES_MAX];
	ssize_t one;
	int sent;

	for (;;) {
		if (bits_per_s)
			sleep_until(start + (int64_t)((__int128)flow.datagrams * size *
						      8 * NSEC_PER_SEC / bits_per_s));
		if (flow.stopped)
			return;
		memcpy(datagram, &flow.datagrams, sizeof(flow.datagrams));
		flow.in_send = true;
		one = send(flow.fd, datagram, size, 0);
		flow.in_send = false;
		if (one == size) {
			count_sent(1, size);
		} else if (errno != EINTR && errno != ENOBUFS && errno != ECONNREFUSED) {
			die_errno("send");
		}
		while (!bits_per_s && !flow.stopped && (sent = send_at_once(size)) > 0)
			count_sent(sent, size);
	}
}

static void count_received(int64_t sequence, int64_t size)
{
	static int64_t expected;

	flow.datagrams++;
	flow.bytes += size;
	if (sequence >= expected) {
		flow.lost += sequence - expected;
		expected = sequence + 1;
	} else {
		flow.lost--;	/* counted as lost before, and only late */
	}
}

/* Receives until the socket is shut down, as many datagrams at a time as there are. */
static void receive_all(void)
{
	static int64_t sequence[BATCH];
	static struct iovec part[BATCH];
	static struct mmsghdr message[BATCH];
	int got;

	for (int i = 0; i < BATCH; i++) {
		part[i] = (struct iovec){ &sequence[i], sizeof(sequence[i]) };
		message[i].msg_hdr.msg_iov = &part[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	for (;;) {
		got = recvmmsg(flow.fd, message, BATCH, MSG_TRUNC | MSG_WAITFORONE, NULL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return;
		for (int i = 0; i < got; i++) {
			if (!message[i].msg_len)	/* the socket is shut down */
				return;
			count_received(sequence[i], message[i].msg_len);
		}
	}
}

void udp_endpoint(int words, char *word[])
{
	struct sockaddr_in address = word_address(word[4], word[5]);
	int64_t size = word_number(word[7], "BYTES"), start = word_number(word[9], "START");
	bool sends = !strcmp(word[3], "send");
	int tos = word_number(word[6], "TOS");

	if (words == 12)
		sleep_exactly();
	if (size < (int64_t)sizeof(int64_t) || size > BYTES_MAX)
		die("plan: a datagram holds 8 to %d bytes, not %lld", BYTES_MAX, (long long)size);
	flow.stop = word_number(word[10], "STOP");
	flow.series = series_open(word[2], sends ? SEND_COLUMNS : COLUMNS);
	flow.fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (flow.fd < 0 || setsockopt(flow.fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		die_errno("cannot open a socket");
	if (!sends)
		address.sin_addr.s_addr = INADDR_ANY;
	if ((sends ? connect : bind)(flow.fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot %s", sends ? "connect" : "bind");
	if (sends)
		sleep_until(start);
	sample_every_step(sample);
	if (sends)
		send_all(size, word_number(word[8], "BITS_PER_S"), start);
	else
		receive_all();
	signal(SIGALRM, SIG_IGN);
	series_write(flow.series);
}
