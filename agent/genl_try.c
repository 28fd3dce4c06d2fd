// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generic netlink: messages that may be refused, while the measurement runs.
 *
 *   genl-try NODE ID FAMILY FILE UID PAUSE
 *
 * Each line of FILE is a message: the flags of its netlink header and what follows
 * the header, both hexadecimal, with a space between. The first is sent at T0, each
 * other PAUSE ns after the one before it, by a process of the user UID. ID.answers
 * has a line for each: the error's number, which is 0 if there is none and -1 if
 * nothing was answered, a tab, and the kernel's explanation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent.h"
#include "genl.h"
#include "places.h"

#define LINE_BYTES	(2 * GENL_REQUEST_MAX + 16)

/*
 * The kernel has carried a request out when send() returns, and its answers wait.
 * Those of a dump come one by one, the error at the end.
 */
static void write_answer(const struct genl *genl, FILE *answers)
{
	static char answer[GENL_ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *message;
	const char *text = "";
	int error = -1;
	ssize_t length;
	size_t left;

	while ((length = recv(genl->fd, answer, sizeof(answer), MSG_DONTWAIT)) >= 0) {
		left = length;
		for (message = (void *)answer; NLMSG_OK(message, left);
		     message = NLMSG_NEXT(message, left)) {
			const int *number = NLMSG_DATA(message);

			if (message->nlmsg_type != NLMSG_ERROR &&
			    message->nlmsg_type != NLMSG_DONE)
				continue;
			error = -*number;
			text = message->nlmsg_type == NLMSG_ERROR ?
			       genl_explanation(message) : "";
		}
	}
	if (errno != EAGAIN)
		die_errno("cannot read an answer of %s", genl->name);
	fprintf(answers, "%d\t%s\n", error, text);
}

static void try_line(const struct genl *genl, char *line, FILE *answers)
{
	struct genl_request request;
	char *end;
	int flags = strtol(line, &end, 16);

	if (*end != ' ')
		die("genl-try: '%.40s' has no flags", line);
	end[1 + strcspn(end + 1, "\n")] = 0;
	request = genl_bytes(end + 1);
	genl_send(genl, flags, request.payload, request.bytes);
	write_answer(genl, answers);
}

void genl_try_endpoint(int words, char *word[])
{
	int64_t pause = word_number(word[6], "PAUSE"), when = schedule.t0;
	uid_t uid = word_number(word[5], "UID");
	char path[sizeof(OUT_DIR) + ID_MAX + 16], line[LINE_BYTES];
	FILE *file = fopen(word[4], "re"), *answers;
	struct genl genl;

	(void)words;
	snprintf(path, sizeof(path), OUT_DIR "/%s.answers", word[2]);
	answers = fopen(path, "we");
	if (!file || !answers)
		die_errno("cannot open %s or %s", word[4], path);
	if (setresuid(uid, uid, uid))
		die_errno("cannot become the user %s", word[5]);
	genl = genl_open(word[3]);
	for (; fgets(line, sizeof(line), file); when += pause) {
		sleep_until(when);
		try_line(&genl, line, answers);
	}
	if (fclose(answers))
		die_errno("cannot write %s", path);
}
