// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What ethtool(8) does with a device, in its words and by its messages, without
 * the program: a testbed has a dozen of these lines.
 *
 *   ethtool NODE -s DEVICE speed MBPS duplex full autoneg off
 *   ethtool NODE -G DEVICE tx SKBS
 *   ethtool NODE -C DEVICE tx-usecs N tx-frames N rx-usecs N rx-frames N
 *   ethtool NODE -K DEVICE tso off gso off gro off
 *
 * A line has any of its option's words, in any order. What it leaves out stays.
 * -K asks feature by feature, as ethtool did before there were messages: an answer
 * by message does not tell a refused feature from one that was so already.
 */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "genl.h"

#define HEADER	1	/* ETHTOOL_A_LINKMODES_HEADER, and so in all requests */

/* A word of an option that has a message, and its attribute there. */
static const struct word {
	const char *option, *name;
	uint8_t message;
	uint16_t attribute;
	uint8_t bytes;
} words_of[] = {
	{ "-s", "speed", ETHTOOL_MSG_LINKMODES_SET, ETHTOOL_A_LINKMODES_SPEED, 4 },
	{ "-s", "duplex", ETHTOOL_MSG_LINKMODES_SET, ETHTOOL_A_LINKMODES_DUPLEX, 1 },
	{ "-s", "autoneg", ETHTOOL_MSG_LINKMODES_SET, ETHTOOL_A_LINKMODES_AUTONEG, 1 },
	{ "-G", "tx", ETHTOOL_MSG_RINGS_SET, ETHTOOL_A_RINGS_TX, 4 },
	{ "-C", "tx-usecs", ETHTOOL_MSG_COALESCE_SET, ETHTOOL_A_COALESCE_TX_USECS, 4 },
	{ "-C", "tx-frames", ETHTOOL_MSG_COALESCE_SET, ETHTOOL_A_COALESCE_TX_MAX_FRAMES, 4 },
	{ "-C", "rx-usecs", ETHTOOL_MSG_COALESCE_SET, ETHTOOL_A_COALESCE_RX_USECS, 4 },
	{ "-C", "rx-frames", ETHTOOL_MSG_COALESCE_SET, ETHTOOL_A_COALESCE_RX_MAX_FRAMES, 4 },
};

/* A feature of -K. */
static const struct feature {
	const char *name;
	uint32_t get, set;
} features[] = {
	{ "tso", ETHTOOL_GTSO, ETHTOOL_STSO },
	{ "gso", ETHTOOL_GGSO, ETHTOOL_SGSO },
	{ "gro", ETHTOOL_GGRO, ETHTOOL_SGRO },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static const struct word *word_of(const char *option, const char *name)
{
	size_t word;

	for (word = 0; word < COUNT(words_of); word++)
		if (!strcmp(words_of[word].option, option) && !strcmp(words_of[word].name, name))
			return &words_of[word];
	die("ethtool %s has no '%s' here", option, name);
}

static const struct feature *feature_of(const char *name)
{
	size_t feature;

	for (feature = 0; feature < COUNT(features); feature++)
		if (!strcmp(features[feature].name, name))
			return &features[feature];
	die("ethtool -K has no '%s' here", name);
}

static uint32_t value_of(const char *word, const char *name)
{
	int64_t value;

	if (!strcmp(word, "off") || !strcmp(word, "half"))
		return 0;
	if (!strcmp(word, "on") || !strcmp(word, "full"))
		return 1;
	value = word_number(word, name);
	if (value < 0 || value > UINT32_MAX)
		die("%s must be 0 to %u, not %s", name, UINT32_MAX, word);
	return value;
}

/* Adds an attribute; a request has room for all that a line can say. */
static void put(struct genl_request *request, int type, const void *data, size_t bytes)
{
	struct nlattr attribute = { .nla_len = NLA_HDRLEN + bytes, .nla_type = type };
	unsigned char *end = request->payload + request->bytes;

	memset(end, 0, NLA_ALIGN(attribute.nla_len));
	memcpy(end, &attribute, sizeof(attribute));
	memcpy(end + NLA_HDRLEN, data, bytes);
	request->bytes += NLA_ALIGN(attribute.nla_len);
}

static void begin(struct genl_request *request, int message, const char *device)
{
	struct genlmsghdr header = { .cmd = message, .version = ETHTOOL_GENL_VERSION };
	struct genl_request name = { .bytes = 0 };

	put(&name, ETHTOOL_A_HEADER_DEV_NAME, device, strlen(device) + 1);
	memcpy(request->payload, &header, sizeof(header));
	request->bytes = GENL_HDRLEN;
	put(request, HEADER | NLA_F_NESTED, name.payload, name.bytes);
}

static void set_by_message(const char *option, const char *device, int words, char *word[])
{
	struct genl_request request;
	int next;

	begin(&request, word_of(option, word[0])->message, device);
	for (next = 0; next < words; next += 2) {
		const struct word *found = word_of(option, word[next]);
		uint32_t value = value_of(word[next + 1], word[next]);
		uint8_t byte = value;

		if (found->bytes == 1 && value > 1)
			die("%s is on or off, not %s", word[next], word[next + 1]);
		put(&request, found->attribute,
		    found->bytes == 1 ? (void *)&byte : (void *)&value, found->bytes);
	}
	genl_tell(ETHTOOL_GENL_NAME, &request);
}

bool ethtool_value(int fd, const char *device, uint32_t command, uint32_t *data)
{
	struct ethtool_value value = { .cmd = command, .data = *data };
	struct ifreq request = { .ifr_data = (void *)&value };

	if (strlen(device) >= IFNAMSIZ)
		die("plan: no device has a name as long as '%s'", device);
	strcpy(request.ifr_name, device);
	if (ioctl(fd, SIOCETHTOOL, &request))
		return false;
	*data = value.data;
	return true;
}

static void set_features(const char *device, int words, char *word[])
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), next;

	if (fd < 0)
		die_errno("no socket to set features by");
	for (next = 0; next < words; next += 2) {
		const struct feature *feature = feature_of(word[next]);
		uint32_t value = value_of(word[next + 1], word[next]), became = value;

		if (!ethtool_value(fd, device, feature->set, &became) ||
		    !ethtool_value(fd, device, feature->get, &became))
			die_errno("%s refuses", device);
		if (became != value)
			die("%s keeps %s as it was", device, word[next]);
	}
	close(fd);
}

void ethtool_in_node(const char *node, int words, char *word[])
{
	const char *option = word[0], *device = word[1];

	if (words < 4 || words % 2)
		die("plan: ethtool takes names, with a value each");
	if (strlen(device) >= IFNAMSIZ)
		die("plan: no device has a name as long as '%s'", device);
	visit_node(node);
	if (!strcmp(option, "-K"))
		set_features(device, words - 2, word + 2);
	else
		set_by_message(option, device, words - 2, word + 2);
	leave_node();
}
