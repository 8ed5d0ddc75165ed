/*
 * server_chat.c: conversations on the next port, few at once, each on a thread of its own: none keeps the test's thread waiting.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "capacity.h"
#include "net/server_inside.h"
#include "net/socket.h"
#include "net/state.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"

#define ECHO_BYTES GIB
#define ECHO_NS SECONDS(600)

static struct chat {
	bool used;
	bool echo;
	int fd;
	atomic_bool ended;
	struct net_address peer;
	pthread_t thread;
} chats[MAX_CHATS];

static void tell_state(const struct chat *chat)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct net_state state;
	static char bytes[STATE_BYTES];
	struct text json = TEXT(bytes);

	pthread_mutex_lock(&lock);
	state_read(&chat->peer, NULL, &state);
	state_write(&state, &json);
	if (!json.cut)
		socket_send_all(chat->fd, bytes, json.length, clock_now_ns() + SECONDS(5));
	pthread_mutex_unlock(&lock);
}

static void echo(const struct chat *chat)
{
	uint64_t until_ns = clock_now_ns() + ECHO_NS, left = ECHO_BYTES;
	char bytes[16 << 10];
	ssize_t got = 1;
	int err = socket_send_all(chat->fd, "ok\n", 3, until_ns);

	while (!err && got > 0 && left && clock_now_ns() < until_ns) {
		got = socket_receive(chat->fd, bytes, left < sizeof bytes ? left : sizeof bytes);
		if (got > 0)
			err = socket_send_all(chat->fd, bytes, (size_t)got, until_ns);
		left -= got > 0 ? (uint64_t)got : 0;
	}
}

static void *talk(void *argument)
{
	struct chat *chat = argument;

	if (chat->echo)
		echo(chat);
	else
		tell_state(chat);
	socket_shutdown(chat->fd);
	atomic_store(&chat->ended, true);
	return NULL;
}

static void close_chat(struct chat *chat)
{
	pthread_join(chat->thread, NULL);
	sys_close(chat->fd);
	chat->used = false;
}

void chats_reap(void)
{
	for (unsigned i = 0; i < MAX_CHATS; i++)
		if (chats[i].used && atomic_load(&chats[i].ended))
			close_chat(&chats[i]);
}

bool chat_begin(int fd, bool is_echo, const struct net_address *peer)
{
	struct chat *chat = chats;

	chats_reap();
	while (chat < chats + MAX_CHATS && chat->used)
		chat++;
	if (chat == chats + MAX_CHATS)
		return false;
	chat->fd = fd;
	chat->echo = is_echo;
	chat->peer = *peer;
	atomic_store(&chat->ended, false);
	socket_timeout(fd, SECONDS(60));
	chat->used = !thread_start(&chat->thread, talk, chat);
	return chat->used;
}

void chats_end(void)
{
	for (unsigned i = 0; i < MAX_CHATS; i++)
		if (chats[i].used) {
			socket_shutdown(chats[i].fd);
			close_chat(&chats[i]);
		}
}
