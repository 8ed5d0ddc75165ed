/* iperf.c: cookies, states, greetings, and JSON behind its length. */
#include <errno.h>
#include <string.h>

#include "capacity.h"
#include "net/iperf.h"
#include "net/socket.h"
#include "sys/call.h"

const char *iperf_error_word(unsigned number)
{
	static const struct { unsigned char number; const char *word; } words[] = {
		{ 5, "the test's time is over what iperf3 allows" },
		{ 6, "more parallel streams than the server allows" },
		{ 7, "the length of a block is out of bounds" },
		{ 8, "the window is over what iperf3 allows" },
		{ 10, "the MSS is over what iperf3 allows" },
		{ IPERF_E_RATE, "the rate is over the server's limit" },
		{ IPERF_E_DURATION, "the test's time is over the server's maximum" },
		{ 109, "the server lost the control connection" },
		{ IPERF_E_PARAMETERS, "the server could not use the parameters" },
		{ IPERF_E_RESULTS, "the server could not use the results" },
		{ 121, "the server is busy with a test" },
		{ 134, "the server has no such congestion control" },
		{ 142, "the server wants a user and a password, which are not spoken here" },
		{ IPERF_E_NO_DATA, "the server received no data" },
		{ IPERF_E_EXPIRED, "the test took longer than the server waits" },
		{ 208, "the server does not know one of the streams" },
	};

	for (unsigned i = 0; i < COUNT_OF(words); i++)
		if (words[i].number == number)
			return words[i].word;
	return NULL;
}

int iperf_cookie_make(char cookie[IPERF_COOKIE])
{
	int err = sys_entropy(cookie, IPERF_COOKIE - 1);

	for (unsigned i = 0; i < IPERF_COOKIE - 1; i++)
		cookie[i] = "abcdefghijklmnopqrstuvwxyz234567"[cookie[i] & 31];
	cookie[IPERF_COOKIE - 1] = '\0';
	return err;
}

/* 3.1 makes them of the host's name, the time and random digits. */
bool iperf_cookie_is_valid(const char cookie[IPERF_COOKIE])
{
	for (unsigned i = 0; i < IPERF_COOKIE - 1; i++)
		if (cookie[i] <= ' ' || cookie[i] > '~')
			return false;
	return !cookie[IPERF_COOKIE - 1];
}

int iperf_stream_id(unsigned index)
{
	return (int)index + 1 + (index > 0);
}

/* ---- UDP ---- */

const unsigned char iperf_udp_greeting[4] = { 0x39, 0x38, 0x37, 0x36 }, iperf_udp_answer[4] = { 0x36, 0x37, 0x38, 0x39 };

/* Is it number as a machine of either byte order sends it? */
static bool is_either_order(const unsigned char bytes[4], uint32_t number)
{
	uint32_t sent;

	memcpy(&sent, bytes, sizeof sent);
	return sent == number || sent == __builtin_bswap32(number);
}

bool iperf_is_udp_greeting(const unsigned char bytes[4])
{
	return is_either_order(bytes, 0x36373839) || is_either_order(bytes, 123456789);
}

bool iperf_is_udp_answer(const unsigned char bytes[4])
{
	return is_either_order(bytes, 0x36373839) || is_either_order(bytes, 987654321);
}

/* ---- the control connection ---- */

int iperf_send_state(int fd, enum iperf_state state, uint64_t until_ns)
{
	signed char byte = (signed char)state;

	return socket_send_all(fd, &byte, 1, until_ns);
}

int iperf_receive_state(int fd, int *state, uint64_t until_ns)
{
	signed char byte = 0;
	int err = socket_receive_all(fd, &byte, 1, until_ns);

	*state = byte;
	return err;
}

int iperf_send_json(int fd, const char *json, size_t size, uint64_t until_ns)
{
	uint32_t length = __builtin_bswap32((uint32_t)size);
	int err = socket_send_all(fd, &length, sizeof length, until_ns);

	return err ? err : socket_send_all(fd, json, size, until_ns);
}

int iperf_receive_json(int fd, char *json, size_t size, size_t *length, uint64_t until_ns)
{
	uint32_t told = 0;
	int err = socket_receive_all(fd, &told, sizeof told, until_ns);

	*length = __builtin_bswap32(told);
	if (err)
		return err;
	return *length > size ? -EMSGSIZE : socket_receive_all(fd, json, *length, until_ns);
}
