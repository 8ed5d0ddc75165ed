/*
 * message.h: one message: a header, then a payload of which every page is stamped and every word is known.
 *
 * Reading it all means loading every word; what was read is right when each page's first word is the stamp of this
 * message and page, and the sum of the page's other words is what was laid there.  Pages are 4096 bytes of the message,
 * whatever the machine's.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdint.h>

enum { MESSAGE_PAGE = 4096, MESSAGE_MIN = 64 };

struct message {
	uint64_t sequence;     /* from 1 */
	uint64_t size_bytes;   /* with this header */
	uint64_t intended_ns;  /* when it was to be sent, clock_now_ns() */
	uint64_t sent_ns;      /* when it was sent */
	uint64_t words[];      /* size / 8 - 4 of them; the bytes of a last part of a word are not looked at */
};

_Static_assert(sizeof(struct message) == 32, "the words begin behind four of the header");

/* Lays the words that do not change from message to message; once for each buffer. */
void message_lay(struct message *message, uint64_t size_bytes);
/* Makes it message number sequence: stamps every page. */
void message_stamp(struct message *message, uint64_t sequence);
/* Loads and checks every word: 0, or 1 + the number of the first page that is wrong. */
uint64_t message_check(const struct message *message);

#endif
