// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What wqm makes of netlink's answers: a file of datagrams is read as they are, which
 * prints what was found, or damaged, so many times.
 *
 *	answers FILE		each datagram as it is
 *	answers FILE CASES	as many damaged copies, of the datagrams by turns
 *
 * FILE has records of a number of bytes, as a uint32_t, and so many bytes. A copy is
 * allocated with its very size, so that the sanitizers see whatever is read beyond it.
 * The damage comes from a generator with a seed of its own: the same on every machine.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"

#define DATAGRAMS_MAX	64
#define BYTES_MAX	8192

struct datagram {
	uint32_t bytes;
	char data[BYTES_MAX];
};

static struct datagram datagrams[DATAGRAMS_MAX];
static struct wqm_stations last, now;
static struct wqm_survey survey;
static bool aloud;
static uint64_t found;

static void say_qdisc(const struct wqm_qdisc *qdisc)
{
	if (aloud)
		printf("qdisc %d root %d %s %x sizable %d limit %u backlog %u sent %" PRIu64 "\n",
		       qdisc->device_index, qdisc->root, qdisc->kind, qdisc->handle,
		       qdisc->sizable, qdisc->limit, qdisc->backlog_bytes, qdisc->sent_bytes);
}

static void say_station(const struct wqm_station *station)
{
	if (aloud)
		printf("station %02x rate %u expected %u sent %" PRIu64 " backlog %" PRIu64 "\n",
		       station->mac[5], station->rate_kbps, station->expected_kbps,
		       station->sent_bytes, station->backlog_bytes);
}

static void say_survey(const struct wqm_survey *one)
{
	if (aloud)
		printf("survey known %d time %" PRIu64 " busy %" PRIu64 " tx %" PRIu64 "\n",
		       one->known, one->time_ms, one->busy_ms, one->tx_ms);
}

/* Each message is taken for an answer of every kind: damaged, it may be any. */
static int read_message(const struct nlmsghdr *message, void *data)
{
	struct wqm_station station;
	struct wqm_survey heard;
	struct wqm_qdisc qdisc;
	struct wqm_phy phy = { 0 };
	uint16_t family = 0;

	(void)data;
	if (wqm_qdisc_parse(message, &qdisc)) {
		say_qdisc(&qdisc);
		found++;
		if (aloud)
			return MNL_CB_OK;
	}
	if (wqm_wifi_parse_survey(message, &heard)) {
		say_survey(&heard);
		found += wqm_survey_free(&survey, &heard, 1000) <= 1000;
		survey = heard;
	} else if (wqm_wifi_parse_station(message, &station)) {
		say_station(&station);
		found += wqm_stations_add(&station, &now);
	}
	if (wqm_wifi_parse_phy(message, &phy) && aloud && phy.has_txqs)
		printf("phy %u limit %u\n", phy.index, phy.txq_limit_packets);
	if (wqm_wifi_parse_family(message, &family) && aloud && family == 0x1c)
		printf("family %u\n", family);
	return MNL_CB_OK;
}

static void read_datagram(const char *bytes, size_t count)
{
	struct wqm_explanation explanation = { "" };
	struct wqm_traffic traffic;
	int more;

	now.count = 0;
	more = wqm_netlink_answers(bytes, count, 7, read_message, NULL, &explanation);
	if (aloud)
		printf("more %d '%s'\n", more, explanation.text);
	traffic = wqm_stations_compare(&last, &now, false);
	found += traffic.sent;
	last = now;
}

static uint32_t draw(uint32_t below)
{
	static uint64_t state = 15;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

/* Any bytes anywhere, a length that lies, bytes that are missing, or twice there. */
static size_t damage(char *bytes, size_t count)
{
	static const uint16_t lengths[] = { 0, 1, 3, 4, 5, 7, 8, 20, 0x7fff, 0x8000, 0xffff };
	size_t from, to, length;

	for (uint32_t times = 1 + draw(4); times && count > 8; times--) {
		switch (draw(4)) {
		case 0:
			bytes[draw(count)] = draw(256);
			break;
		case 1:
			memcpy(bytes + 4 * draw(count / 4), &lengths[draw(MNL_ARRAY_SIZE(lengths))],
			       sizeof(lengths[0]));
			break;
		case 2:
			count = draw(count);
			break;
		case 3:
			from = draw(count);
			to = draw(count);
			length = draw(count - (from > to ? from : to));
			memmove(bytes + to, bytes + from, length);
			break;
		}
	}
	return count;
}

/* From a copy that ends where the bytes do. */
static void read_copy(const char *bytes, size_t count)
{
	char *copy = malloc(count ? count : 1);

	if (!copy)
		err(1, "malloc");
	memcpy(copy, bytes, count);
	read_datagram(copy, count);
	free(copy);
}

static void read_damaged(const struct datagram *datagram)
{
	static char bytes[BYTES_MAX];

	memcpy(bytes, datagram->data, datagram->bytes);
	read_copy(bytes, damage(bytes, datagram->bytes));
}

static int read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct datagram *each = datagrams;
	int count = 0;

	if (!file)
		err(1, "%s", path);
	for (; count < DATAGRAMS_MAX; count++, each++) {
		if (fread(&each->bytes, sizeof(each->bytes), 1, file) != 1)
			break;
		if (each->bytes > BYTES_MAX || fread(each->data, each->bytes, 1, file) != 1)
			errx(1, "%s: record %d is not whole", path, count);
	}
	fclose(file);
	return count;
}

int main(int words, char *word[])
{
	int count = read_file(word[1]);
	long cases = words > 2 ? atol(word[2]) : 0;

	aloud = !cases;
	if (!count)
		errx(1, "%s: no records", word[1]);
	for (int i = 0; aloud && i < count; i++)
		read_copy(datagrams[i].data, datagrams[i].bytes);
	for (long i = 0; i < cases; i++)
		read_damaged(&datagrams[i % count]);
	if (cases)
		printf("%ld cases, %" PRIu64 " found\n", cases, found);
	return 0;
}
