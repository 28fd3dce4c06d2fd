// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of a plan line, checked. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* A hexadecimal digit's value, or -1 if it is none. */
static int nibble(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

size_t word_bytes(const char *hex, unsigned char *bytes, size_t room)
{
	size_t count = strlen(hex) / 2, byte;

	if (strlen(hex) % 2 || count > room)
		die("plan: '%.40s' is half a byte too long, or longer than %zu bytes", hex, room);
	for (byte = 0; byte < count; byte++) {
		int high = nibble(hex[2 * byte]), low = nibble(hex[2 * byte + 1]);

		if (high < 0 || low < 0)
			die("plan: '%.40s' is not hexadecimal", hex);
		bytes[byte] = high << 4 | low;
	}
	return count;
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
