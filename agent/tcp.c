// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One end of a TCP flow.
 *
 *   tcp NODE ID connect|listen send|recv ADDRESS PORT CC TOS START STOP [BYTES|- [TX_DELAY]]
 *
 * Either side may be the one that sends: a download is a client that connects
 * and receives. CC "-" is the namespace's default. The client connects at START;
 * the sender stops at STOP, though what it has queued by then still goes out.
 *
 * The sender keeps its socket full by large blocking sends. The receiver throws
 * the data away where it lies (MSG_TRUNC) and stays in the kernel until its
 * quota is there (MSG_WAITALL); the kernel treats that as a reader that always
 * reads at once. SO_RCVLOWAT would save the same calls, but it changes the
 * receive window, and with that the result.
 *
 * With BYTES the client connects exactly at START. The sender sends so many, as far
 * as it can until STOP, and 0 is any number. The receiver has a row more, of the
 * instant at which its last step ends, and ID-done.tsv has one of when the last of
 * BYTES was there, if it came.
 *
 * TX_DELAY is the socket option TCP_TX_DELAY, in microseconds.
 *
 * What the application has received is the kernel's count of received bytes less
 * those still unread. At the end it must equal the sum of what recv() returned.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"

#define SEND_BYTES	(256 << 10)	/* small enough for a CPU's cache; 5 calls send 10 Mbit */
#define RECV_BYTES	(64 << 20)

/*
 * CoTSQ's socket option, TCP_TSQ_INFO in its linux/tcp.h. The host's headers do
 * not know it.
 */
#define TSQ_INFO	0x545351

struct tsq_info {
	uint32_t limit_bytes;		/* all ones: no limit */
	uint32_t throttled;		/* how often new data was held back */
	uint64_t throttled_us;		/* how long it was held back, in all */
};

#define TSQ_SYSCTL "/proc/sys/net/ipv4/tcp_tsq_us"	/* there with CoTSQ only */

#define ECN_SYSCTL "/proc/sys/net/ipv4/tcp_ecn"

#define SEND_COLUMNS "t_ns\trtt_us\trttvar_us\tmin_rtt_us\tcwnd_packets\t"	\
	"ssthresh_packets\tpacing_rate_bytes_per_s\tdelivery_rate_bytes_per_s\t" \
	"retransmits\tlost_packets\tunacked_packets\tnotsent_bytes\t"		\
	"acked_bytes\twmem_alloc_bytes\tsend_queue_bytes\tin_flight_packets\t"	\
	"mss_bytes\treceive_window_bytes\twmem_queued_bytes\tsend_buffer_bytes\t"	\
	"busy_us\trwnd_limited_us\tsndbuf_limited_us"
#define SEND_VALUES	23	/* the columns above, and with those below */
#define SEND_VALUES_MAX	(SEND_VALUES + 3 + 2)
#define TSQ_COLUMNS "\ttsq_limit_bytes\ttsq_throttled\ttsq_throttled_us"
#define ECN_COLUMNS "\tdelivered_packets\tdelivered_ce_packets"
#define DONE_COLUMNS "t_ns\tapp_bytes"
#define RECV_COLUMNS "t_ns\tapp_bytes\tunread_bytes\trcv_rtt_us\trcv_space_bytes"

static struct {
	int fd;
	int64_t stop;
	int64_t bytes;		/* how many are sent; 0: any number until 'stop' */
	bool last_step;		/* the receiver counts what comes in its last step */
	bool has_tsq;		/* the kernel has CoTSQ's counters */
	bool has_ecn;		/* the node's connections ask for ECN */
	struct series *series;
	struct series *done;	/* when the last of 'bytes' came */
} flow;

static struct tcp_info tcp_info(void)
{
	struct tcp_info info = { 0 };
	socklen_t length = sizeof(info);

	if (getsockopt(flow.fd, IPPROTO_TCP, TCP_INFO, &info, &length))
		die_errno("TCP_INFO");
	return info;
}

/* The kernel counts from the first question on, by whomever and for any socket. */
static struct tsq_info tsq_info(int fd)
{
	struct tsq_info tsq = { 0 };
	socklen_t length = sizeof(tsq);

	if (getsockopt(fd, IPPROTO_TCP, TSQ_INFO, &tsq, &length))
		die_errno("TCP_TSQ_INFO");
	return tsq;
}

static int64_t queue_bytes(unsigned long request)
{
	int bytes = 0;

	if (ioctl(flow.fd, request, &bytes))
		die_errno("cannot read a socket's queue");
	return bytes;
}

/* tcp_packets_in_flight() of the kernel: what it holds against the congestion window. */
static int64_t packets_in_flight(const struct tcp_info *info)
{
	return (int64_t)info->tcpi_unacked - info->tcpi_sacked - info->tcpi_lost +
	       info->tcpi_retrans;
}

static void sample_sender(int64_t now)
{
	struct tcp_info info = tcp_info();
	struct send_memory memory = send_memory(flow.fd);
	int64_t values[SEND_VALUES_MAX] = {
		now - schedule.t0, info.tcpi_rtt, info.tcpi_rttvar, info.tcpi_min_rtt,
		info.tcpi_snd_cwnd, info.tcpi_snd_ssthresh,
		info.tcpi_pacing_rate, info.tcpi_delivery_rate,
		info.tcpi_total_retrans, info.tcpi_lost, info.tcpi_unacked,
		info.tcpi_notsent_bytes, info.tcpi_bytes_acked,
		memory.alloc_bytes, queue_bytes(SIOCOUTQ), packets_in_flight(&info),
		info.tcpi_snd_mss, info.tcpi_snd_wnd, memory.queued_bytes, memory.limit_bytes,
		info.tcpi_busy_time, info.tcpi_rwnd_limited, info.tcpi_sndbuf_limited,
	}, *further = values + SEND_VALUES;

	if (flow.has_tsq) {
		struct tsq_info tsq = tsq_info(flow.fd);

		*further++ = tsq.limit_bytes;
		*further++ = tsq.throttled;
		*further++ = tsq.throttled_us;
	}
	if (flow.has_ecn) {
		*further++ = info.tcpi_delivered;
		*further++ = info.tcpi_delivered_ce;
	}
	series_row(flow.series, values);
	/* This ends a blocked send at this very instant. What is queued still goes out. */
	if (now >= flow.stop)
		shutdown(flow.fd, now >= schedule.end ? SHUT_RDWR : SHUT_WR);
}

static void sample_receiver(int64_t now)
{
	struct tcp_info info = tcp_info();
	int64_t unread = queue_bytes(SIOCINQ);

	series_row(flow.series, (int64_t[]){
		now - schedule.t0, info.tcpi_bytes_received - unread, unread,
		info.tcpi_rcv_rtt, info.tcpi_rcv_space,
	});
	if (now >= schedule.end)
		shutdown(flow.fd, SHUT_RDWR);
}

static void configure(int fd, const char *cc, int tos)
{
	if (strcmp(cc, "-") &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc, strlen(cc)))
		die_errno("no congestion control '%s' in this kernel", cc);
	if (setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		die_errno("IP_TOS %d", tos);
}

/* For as long as fq or ETF hold a packet back by it; with any other qdisc it only adds to TSQ. */
static void delay_sending(int fd, int delay_us)
{
	if (setsockopt(fd, IPPROTO_TCP, TCP_TX_DELAY, &delay_us, sizeof(delay_us)))
		die_errno("TCP_TX_DELAY %d", delay_us);
}

/* A listener passes its congestion control, TOS and delay on to what it accepts. */
static int accept_flow(int fd, struct sockaddr_in address)
{
	int on = 1, accepted;

	address.sin_addr.s_addr = htonl(INADDR_ANY);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		die_errno("cannot listen");
	accepted = accept(fd, NULL, NULL);
	if (accepted < 0)
		die_errno("cannot accept");
	close(fd);
	return accepted;
}

static int connect_flow(int fd, struct sockaddr_in address, int64_t start)
{
	sleep_until(start);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		die_errno("cannot connect to %s", inet_ntoa(address.sin_addr));
	return fd;
}

/* At most BYTES, until STOP shuts the socket down. */
static void send_data(void)
{
	static char data[SEND_BYTES];
	int64_t left = flow.bytes ? flow.bytes : INT64_MAX;
	ssize_t sent;

	while (left) {
		sent = send(flow.fd, data, left < SEND_BYTES ? left : SEND_BYTES, MSG_NOSIGNAL);
		if (sent > 0)
			left -= flow.bytes ? sent : 0;
		else if (errno == EPIPE)
			return;
		else if (errno != EINTR)
			die_errno("send");
	}
	shutdown(flow.fd, SHUT_WR);
}

static void send_all(void)
{
	char reply;

	send_data();
	/* The receiver closes when it has everything. */
	while (recv(flow.fd, &reply, 1, 0) < 0 && errno == EINTR)
		;
}

/* How much is asked for at once, so that a call returns when the last of BYTES is there. */
static int64_t quota(int64_t total)
{
	int64_t left = flow.bytes - total;

	return left > 0 && left < RECV_BYTES ? left : RECV_BYTES;
}

static void note_last_step(int64_t total)
{
	int64_t instant = next_instant();

	if (flow.last_step && instant <= schedule.end)
		series_row(flow.series, (int64_t[]){ instant - schedule.t0, total, 0, 0, 0 });
}

static void receive_all(void)
{
	int64_t total = 0, app;
	ssize_t got;

	while ((got = recv(flow.fd, NULL, quota(total), MSG_TRUNC | MSG_WAITALL))) {
		if (got > 0)
			total += got;
		else if (errno != EINTR)
			die_errno("recv");
		if (got > 0 && flow.done && total == flow.bytes)
			series_row(flow.done, (int64_t[]){ now_ns() - schedule.t0, total });
	}
	/* No sample is taken from here on. */
	signal(SIGALRM, SIG_IGN);
	/* The kernel counts the peer's FIN as a byte received. */
	app = tcp_info().tcpi_bytes_received - queue_bytes(SIOCINQ);
	if (total != app && total + 1 != app)
		die("%lld bytes read, but the socket counts %lld",
		    (long long)total, (long long)app);
	note_last_step(total);
}

/* The file of a flow's end: ID-done, where its receiver's is ID-recv. */
static struct series *done_series(const char *id)
{
	char name[ID_MAX];

	snprintf(name, sizeof(name), "%.*s-done", (int)(strrchr(id, '-') - id), id);
	return series_open(name, DONE_COLUMNS);
}

/* What BYTES says, for flows that have it. */
static void limit(const char *word, const char *id, bool sends)
{
	sleep_exactly();
	flow.bytes = word_number(word, "BYTES");
	flow.last_step = !sends;
	if (flow.bytes && !sends)
		flow.done = done_series(id);
}

/* What a node's connections do that are its own: 1 and 3 ask, 2 answers who asks. */
static bool asks_for_ecn(void)
{
	char *text = text_of_file(ECN_SYSCTL);
	bool asks = *text == '1' || *text == '3';

	free(text);
	return asks;
}

static const char *send_columns(void)
{
	if (flow.has_tsq)
		return flow.has_ecn ? SEND_COLUMNS TSQ_COLUMNS ECN_COLUMNS :
				      SEND_COLUMNS TSQ_COLUMNS;
	return flow.has_ecn ? SEND_COLUMNS ECN_COLUMNS : SEND_COLUMNS;
}

void tcp_endpoint(int words, char *word[])
{
	struct sockaddr_in address = word_address(word[5], word[6]);
	bool sends = !strcmp(word[4], "send");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		die_errno("cannot open a socket");
	if (words > 11 && strcmp(word[11], "-"))
		limit(word[11], word[2], sends);
	flow.stop = word_number(word[10], "STOP");
	flow.has_tsq = !access(TSQ_SYSCTL, F_OK);
	if (flow.has_tsq)
		tsq_info(fd);
	flow.has_ecn = asks_for_ecn();
	flow.series = series_open(word[2], sends ? send_columns() : RECV_COLUMNS);
	configure(fd, word[7], word_number(word[8], "TOS"));
	if (words > 12)
		delay_sending(fd, word_number(word[12], "TX_DELAY"));
	if (!strcmp(word[3], "listen"))
		flow.fd = accept_flow(fd, address);
	else
		flow.fd = connect_flow(fd, address, word_number(word[9], "START"));
	if (now_ns() >= schedule.end)
		die("the flow %s is connected only after the end of the measurement", word[2]);
	sample_every_step(sends ? sample_sender : sample_receiver);
	if (sends)
		send_all();
	else
		receive_all();
	signal(SIGALRM, SIG_IGN);
	close(flow.fd);
	series_write(flow.series);
	if (flow.done)
		series_write(flow.done);
}
