/*
 * iperf.h: iperf3's wire, 3.1 to 3.21: cookie, states, JSON with a length before it.  Pure but for the four that read and write.
 */
#ifndef NET_IPERF_H
#define NET_IPERF_H

#include "lib/json.h"
#include "net/result.h"

enum { IPERF_COOKIE = 37, IPERF_PARAMETERS_MAX = 8 << 10, IPERF_RESULTS_MAX = 256 << 10 };

enum iperf_state {
	IPERF_TEST_START = 1, IPERF_TEST_RUNNING = 2, IPERF_TEST_END = 4, IPERF_PARAM_EXCHANGE = 9, IPERF_CREATE_STREAMS = 10,
	IPERF_SERVER_TERMINATE = 11, IPERF_CLIENT_TERMINATE = 12, IPERF_EXCHANGE_RESULTS = 13, IPERF_DISPLAY_RESULTS = 14,
	IPERF_ASSAY = 100, /* ours: behind the parameters, to a client whose version begins with "assay", so that it knows whom it may ask on the next port */
	IPERF_DONE = 16, IPERF_ACCESS_DENIED = -1, IPERF_SERVER_ERROR = -2,
};

/* iperf3's numbers of errors that a server tells. */
enum { IPERF_E_RATE = 27, IPERF_E_DURATION = 37, IPERF_E_PARAMETERS = 114, IPERF_E_RESULTS = 117, IPERF_E_NO_DATA = 144, IPERF_E_EXPIRED = 160 };
const char *iperf_error_word(unsigned number); /* "the test's time is over the server's maximum"; NULL: not known here */

int iperf_cookie_make(char cookie[IPERF_COOKIE]);          /* 0 or -errno of the entropy */
bool iperf_cookie_is_valid(const char cookie[IPERF_COOKIE]);
int iperf_stream_id(unsigned index);                        /* 0, 1, 2 -> 1, 3, 4 */

/* Parameters: what goes over the wire.  parse: 0; or -EINVAL with one line in fault (what is out of which bounds, or is no JSON). */
void iperf_parameters_write(const struct net_test *test, const char *version, const char *title, struct text *json);
int iperf_parameters_parse(struct json *scratch, const char *json, size_t size, struct net_test *test, char *fault, size_t fault_size);

/* Results.  `sender_has_retransmits` and the rest are made of the `here` halves of the streams; parse fills the `there` halves by id and the peer's part of
 * result.  An unknown id, a missing number: -EINVAL with fault. */
void iperf_results_write(const struct net_result *result, uint64_t wall_ns, const char *server_output, struct text *json);
int iperf_results_parse(struct json *scratch, const char *json, size_t size, struct net_result *result, char *fault, size_t fault_size);

/* The greeting of a UDP stream; both byte orders and generations. */
extern const unsigned char iperf_udp_greeting[4], iperf_udp_answer[4];
bool iperf_is_udp_greeting(const unsigned char bytes[4]);
bool iperf_is_udp_answer(const unsigned char bytes[4]);

/* On the control connection, until a moment of clock_now_ns(): 0 or -errno as socket_receive_all; -EMSGSIZE: longer than size. */
int iperf_send_state(int fd, enum iperf_state state, uint64_t until_ns);
int iperf_receive_state(int fd, int *state, uint64_t until_ns);
int iperf_send_json(int fd, const char *json, size_t size, uint64_t until_ns);
int iperf_receive_json(int fd, char *json, size_t size, size_t *length, uint64_t until_ns);

#endif
