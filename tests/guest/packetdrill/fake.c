// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stands in for packetdrill where there is none. Its "scripts" say in one word
 * what it is to do; it waits as packetdrill does, asking times(2) and sched_yield(2).
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static volatile int served;

/* The tick that times(2) counts has to come ten times. */
static void wait_for_ticks(void)
{
	clock_t last = times(NULL);
	int ticks = 0;

	while (ticks < 10) {
		clock_t now = times(NULL);

		ticks += now != last;
		last = now;
	}
}

static void *serve(void *nothing)
{
	usleep(2000);
	served = 1;
	return nothing;
}

/* Another thread has to get on. */
static void wait_for_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, serve, NULL);
	while (!served)
		sched_yield();
	pthread_join(thread, NULL);
}

static int tells_of_its_life(int arguments, char *argument[])
{
	struct { struct tcp_info known; char unknown[1000]; } info;
	socklen_t length = sizeof(info);
	struct timespec now;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	FILE *sysctl = fopen("/proc/sys/net/ipv4/tcp_retries2", "r");
	int value = 0;

	memset(&info, 1, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length))
		return 1;
	if (!sysctl || fscanf(sysctl, "%d", &value) != 1)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("at %lld.%09ld s; TCP_INFO of %zu bytes, the last is %d; tcp_retries2 %d; %s\n",
	       (long long)now.tv_sec, now.tv_nsec, (size_t)length, info.unknown[999], value,
	       access("/dev/net/tun", R_OK | W_OK) ? "no tun" : "tun");
	while (--arguments)
		printf("%s\n", *++argument);
	return 1;
}

int main(int arguments, char *argument[])
{
	char word[100] = "";
	FILE *script = fopen(argument[arguments - 1], "r");

	if (!script || !fgets(word, sizeof(word), script))
		return 2;
	wait_for_ticks();
	wait_for_thread();
	if (!strncmp(word, "tell", 4))
		return tells_of_its_life(arguments, argument);
	if (!strncmp(word, "flood", 5))
		for (long byte = 0; byte < 3 << 20; byte += 4)
			puts("...");
	if (!strncmp(word, "sleep", 5))
		sleep(100000);
	if (!strncmp(word, "abort", 5))
		abort();
	if (!strncmp(word, "spin", 4)) {
		puts("spinning");
		fflush(stdout);
		for (;;)
			;
	}
	if (!strncmp(word, "end-guest", 9))
		reboot(RB_POWER_OFF);
	return strncmp(word, "fail", 4) ? 0 : 1;
}
