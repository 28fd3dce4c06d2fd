// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fixed piece of work, by whose CPU time record.py divides that of a cell: it
 * says how fast the machine is just then. It does in small what a guest does, so
 * that what slows the one down slows the other down: it takes the earliest event
 * from a heap, copies a packet, and follows links through 2 MB of memory.
 *
 * Whoever changes anything here begins the record anew (bench/record.csv).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define EVENTS		4096
#define PACKETS		16384
#define PAYLOAD		112
#define HOPS		4
#define TURNS		1500000
#define NSEC_PER_SEC	1000000000ULL

struct packet {
	uint64_t time;
	uint32_t next;			/* the packet before it of the same bucket */
	uint32_t bytes;
	unsigned char payload[PAYLOAD];
};

static uint64_t heap[EVENTS + 1];	/* the earliest is heap[1] */
static struct packet packets[PACKETS];
static uint32_t buckets[PACKETS];

static uint64_t draw(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Give the earliest event another time. */
static void postpone(uint64_t time)
{
	unsigned int place = 1, child;

	while ((child = 2 * place) <= EVENTS) {
		if (child < EVENTS && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= time)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = time;
}

static uint64_t receive(uint64_t now)
{
	uint32_t number = draw() % PACKETS, bucket = now % PACKETS, hop;
	struct packet *packet = &packets[number];
	uint64_t sum = 0;

	memcpy(packet->payload, packets[(number * 7) % PACKETS].payload,
	       packet->bytes % PAYLOAD);
	packet->time = now;
	packet->bytes = now & 127;
	packet->next = buckets[bucket];
	buckets[bucket] = number;
	for (hop = 0; hop < HOPS; hop++) {
		sum += packet->time;
		packet = &packets[packet->next];
	}
	return sum;
}

int main(void)
{
	uint64_t sum = 0, now;
	struct timespec took;
	unsigned int turn;

	for (turn = 0; turn < TURNS; turn++) {
		now = heap[1];
		postpone(now + (draw() >> 48));
		sum += receive(now);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &took);
	/* The sum is there to be printed, so that no compiler leaves the work out. */
	printf("%llu %llu\n", (unsigned long long)took.tv_sec * NSEC_PER_SEC + took.tv_nsec,
	       (unsigned long long)sum);
	return 0;
}
