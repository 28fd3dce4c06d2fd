// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of a plan line, checked. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "agent.h"

int64_t word_number(const char *word, const char *what)
{
	char *end;
	long long number;

	errno = 0;
	number = strtoll(word, &end, 10);
	if (errno || end == word || *end)
		die("plan: %s must be a whole number, not '%s'", what, word);
	return number;
}

struct sockaddr_in word_address(const char *address, const char *port)
{
	struct sockaddr_in socket_address = {
		.sin_family = AF_INET,
		.sin_port = htons(word_number(port, "port")),
	};

	if (inet_pton(AF_INET, address, &socket_address.sin_addr) != 1)
		die("plan: '%s' is no IPv4 address", address);
	return socket_address;
}
