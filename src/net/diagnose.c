/* diagnose.c: see its header. */
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "net/diagnose.h"

enum { WHOLE = 1000000, FRAME_BYTES = 38 /* preamble, head, check, gap */, HEADERS_TCP = 52, HEADERS_UDP = 28 };
enum { WIRE_FULL_PPM = 970000, WIRE_UNREAL_PPM = 1030000, INTERRUPTS_FULL_PPM = 900000, CPU_FULL_PPM = 950000, MOST_PPM = 500000, LOSS_PPM = 1000 };
enum { OWN_LEAST_PPM = 250000 }; /* whoever takes less of a CPU, and is not seen to starve, is not slowed by one that others fill */

/* What the functions below look at, worked out once. */
struct look {
	const struct diagnosis_input *input;
	struct cause *causes;
	uint64_t rate_bit_per_s, elapsed_us;
	bool tcp, paced;     /* paced: it went at the rate that was asked for */
	int64_t own_ppm;     /* of one CPU: what the test itself took at the end with the busiest one */
	struct net_sum sum;
	/* sums over this end's sending streams */
	uint64_t busy_us, rwnd_us, sndbuf_us, retransmitted, sent;
	uint32_t rtt_us, rtt_min_us, path_mtu, buffer_bytes;
	unsigned streams;
};

__attribute__((format(printf, 5, 6)))
static struct facts *tell(struct look *look, enum net_cause which, int64_t value, bool binds, const char *format, ...)
{
	struct cause *cause = &look->causes[which];
	struct text why = TEXT(cause->why);
	va_list args;

	cause->told = true;
	cause->binds = binds;
	cause->value_milli = value < INT64_MAX / 1000 ? value * 1000 : INT64_MAX / 1000 * 1000;
	va_start(args, format);
	text_add_vformat(&why, format, args);
	va_end(args);
	return &cause->facts;
}

static int64_t ppm_of(uint64_t part, uint64_t whole)
{
	int64_t milli = milli_ratio(part * (uint64_t)1000, whole);

	return milli == VALUE_NONE ? 0 : milli; /* thousandths of thousandths */
}

static unsigned percent(int64_t ppm)
{
	return (unsigned)((ppm + 5000) / 10000);
}

/* ---- the wire ---- */

/* The end with the slower link.  A veth has a speed, but no wire. */
static const struct nic *slower_link(const struct diagnosis_input *input)
{
	const struct nic *ends[] = { &input->after->nic, input->peer_after ? &input->peer_after->nic : NULL }, *slower = NULL;

	for (unsigned i = 0; i < COUNT_OF(ends); i++)
		if (ends[i] && ends[i]->has_speed && !ends[i]->loopback && strcmp(ends[i]->driver, "veth") &&
		    (!slower || ends[i]->speed_mbit_per_s < slower->speed_mbit_per_s))
			slower = ends[i];
	return slower;
}

static void look_at_link(struct look *look)
{
	const struct nic *nic = slower_link(look->input);
	uint64_t headers = look->tcp ? HEADERS_TCP : HEADERS_UDP, mtu = look->input->after->nic.mtu_bytes, payload;
	struct facts *facts;
	int64_t ppm;

	if (look->path_mtu && look->path_mtu < mtu)
		mtu = look->path_mtu;
	if (!nic || mtu <= headers)
		return;
	payload = mtu - headers;
	if (!look->tcp && look->input->test->length_bytes && look->input->test->length_bytes < payload)
		payload = look->input->test->length_bytes;
	/* What the payload takes on the wire with all that stands around it. */
	ppm = ppm_of(look->rate_bit_per_s / 1000 * (payload + headers + FRAME_BYTES) / payload, nic->speed_mbit_per_s * 1000ull);
	if (ppm <= WIRE_UNREAL_PPM)
		facts = tell(look, CAUSE_LINK, ppm, ppm >= WIRE_FULL_PPM, "with its headers the data takes %u %% of the link's %u Mbit/s", percent(ppm), nic->speed_mbit_per_s);
	else
		facts = tell(look, CAUSE_LINK, ppm, false, "the data takes %u %% of the %u Mbit/s that %s tells: that is not its speed", percent(ppm), nic->speed_mbit_per_s, nic->name);
	fact_number(facts, "mtu", (int64_t)mtu);
	fact_number(facts, "speed_mbit", nic->speed_mbit_per_s);
}

/* The most that both ends can do: a peer that could do more than this port is not slow. */
static uint32_t most_of_both(const struct diagnosis_input *input)
{
	uint32_t here = input->after->nic.speed_max_mbit_per_s, there = input->peer_after ? input->peer_after->nic.speed_max_mbit_per_s : 0;

	return !here || (there && there < here) ? there : here;
}

static void look_at_speed(struct look *look)
{
	const struct nic *slower = slower_link(look->input);
	uint32_t most = most_of_both(look->input);
	int64_t ppm;

	if (!slower || !most) /* neither end tells */
		return;
	ppm = ppm_of(slower->speed_mbit_per_s, most);
	if (ppm <= WHOLE)
		tell(look, CAUSE_LINK_BELOW, ppm, ppm < WHOLE, "%s %s negotiated %u of %u Mbit/s", slower == &look->input->after->nic ? "this end's" : "the peer's",
		     slower->name, slower->speed_mbit_per_s, most);
}

static void look_at_mtu(struct look *look)
{
	uint32_t here = look->input->after->nic.mtu_bytes, there = look->input->peer_after ? look->input->peer_after->nic.mtu_bytes : 0;

	if (!here)
		return;
	if (there && there != here)
		tell(look, CAUSE_MTU, look->path_mtu ? look->path_mtu : here < there ? here : there, true, "the ends' MTUs differ: %u here, %u at the peer", here, there);
	else if (look->path_mtu)
		tell(look, CAUSE_MTU, look->path_mtu, look->path_mtu < here && !look->input->after->nic.loopback, "the path takes %u of this port's %u bytes",
		     look->path_mtu, here);
	if (look->causes[CAUSE_MTU].told) {
		fact_number(&look->causes[CAUSE_MTU].facts, "here", here);
		fact_number(&look->causes[CAUSE_MTU].facts, "peer", there);
	}
}

/* ---- the CPUs ---- */

struct busiest { int64_t ppm; unsigned cpu, cpus; bool is_peer; };

static const char *whose(const struct busiest *busiest)
{
	return busiest->is_peer ? "the peer's" : "this end's";
}

static int64_t share_of(const struct account *before, const struct account *after, unsigned cpu, bool interrupts_only)
{
	int64_t sum = 0;

	for (enum cpu_kind kind = interrupts_only ? CPU_IRQ : CPU_USER; kind <= CPU_SOFTIRQ; kind++) {
		int64_t milli = cpu_use_ppm_milli(&before->cpu, &after->cpu, cpu, kind, NULL);

		sum += milli == VALUE_NONE ? 0 : milli / 1000;
	}
	return sum;
}

static void find_busiest(const struct net_state *before, const struct net_state *after, bool is_peer, bool interrupts_only, struct busiest *busiest)
{
	if (!before || !after)
		return;
	for (unsigned i = 0; i < after->account.cpu.count; i++) {
		unsigned cpu = after->account.cpu.cpus[i];
		int64_t ppm = share_of(&before->account, &after->account, cpu, interrupts_only);

		if (ppm > busiest->ppm)
			*busiest = (struct busiest){ ppm, cpu, after->account.cpu.count, is_peer };
	}
}

/* What the test's own process took; as much as there is where it does not tell. */
static int64_t own_part(const struct look *look, bool of_peer)
{
	const struct net_result *result = look->input->result;

	if (of_peer)
		return result->peer_cpu_total_ppm ? result->peer_cpu_total_ppm : WHOLE;
	return ppm_of((result->user_ns + result->system_ns) / 1000, look->elapsed_us);
}

static void look_at_cpus(struct look *look)
{
	const struct diagnosis_input *input = look->input;

	for (int interrupts = 1; interrupts >= 0; interrupts--) {
		struct busiest busiest = { .ppm = -1 };
		struct facts *facts;

		find_busiest(input->before, input->after, false, interrupts, &busiest);
		find_busiest(input->peer_before, input->peer_after, true, interrupts, &busiest);
		if (busiest.ppm < 0)
			continue;
		look->own_ppm = own_part(look, busiest.is_peer);
		if (interrupts)
			facts = tell(look, CAUSE_INTERRUPTS, busiest.ppm, busiest.ppm >= INTERRUPTS_FULL_PPM,
			             "%s CPU%u, of %u, spent %u %% in interrupts and what they leave to do (softirq)", whose(&busiest), busiest.cpu, busiest.cpus,
			             percent(busiest.ppm));
		else
			facts = tell(look, CAUSE_CPU, busiest.ppm, busiest.ppm >= CPU_FULL_PPM, "%s CPU%u, of %u, was busy for %u %% of the time (the test itself took %u %% of one)",
			             whose(&busiest), busiest.cpu, busiest.cpus, percent(busiest.ppm), percent(look->own_ppm));
		fact_number(facts, "cpu", busiest.cpu);
		fact_number(facts, "cpus", busiest.cpus);
		fact_number(facts, "own_ppm", look->own_ppm);
		fact_text(facts, "end", whose(&busiest));
	}
}

static void look_at_rps(struct look *look)
{
	const struct diagnosis_input *input = look->input;
	const struct net_state *before = input->sends ? input->peer_before : input->before, *after = input->sends ? input->peer_after : input->after;
	struct busiest busiest = { .ppm = 0 };
	struct facts *facts;

	if (!before || !after || !after->nic.queues_rx || after->nic.loopback)
		return;
	find_busiest(before, after, input->sends, true, &busiest);
	facts = tell(look, CAUSE_RPS, after->nic.rps_queues, !after->nic.rps_queues && after->cpus > 1 && busiest.ppm >= INTERRUPTS_FULL_PPM,
	             "the receiver's %s has %u queue%s, %u with CPUs to share packets out to (rps_cpus); its busiest CPU spent %u %% in softirq",
	             after->nic.name, after->nic.queues_rx, after->nic.queues_rx == 1 ? "" : "s", after->nic.rps_queues, percent(busiest.ppm));
	fact_number(facts, "queues", after->nic.queues_rx);
	fact_number(facts, "softirq_ppm", busiest.ppm);
}

/* ---- what TCP itself says ---- */

/* The most that the buffers let through.  Where nobody asked for their size, only over the shortest round trip: a longer one may be a full queue's, and then
 * the path is the limit. */
static void look_at_window(struct look *look, uint64_t held_us, uint64_t whole_us)
{
	uint32_t rtt_us = look->input->test->window_bytes || !look->rtt_min_us ? look->rtt_us : look->rtt_min_us;
	struct facts *facts;
	uint64_t bound;

	if (!rtt_us || !look->buffer_bytes)
		return;
	bound = (uint64_t)look->buffer_bytes * 8 * 1000000 / rtt_us * look->streams;
	facts = tell(look, CAUSE_WINDOW, (int64_t)bound, held_us * 2 >= whole_us && look->rate_bit_per_s > bound / 4, "a buffer of %u bytes over a round trip of %u us",
	             look->buffer_bytes, rtt_us);
	fact_number(facts, "buffer", look->buffer_bytes);
	fact_number(facts, "rtt_us", look->rtt_us);
	fact_number(facts, "rtt_min_us", look->rtt_min_us);
}

static void look_at_tcp(struct look *look)
{
	uint64_t whole = look->elapsed_us * look->streams, busy = look->busy_us < whole ? look->busy_us : whole, idle = whole - busy;
	uint64_t held = look->rwnd_us + look->sndbuf_us < busy ? look->rwnd_us + look->sndbuf_us : busy;
	int64_t sender, receiver, path;
	struct facts *facts;

	if (!look->tcp || !look->input->sends || !busy) /* not told, or shorter than the kernel's clock of it can see */
		return;
	sender = ppm_of(idle + look->sndbuf_us, whole);
	receiver = ppm_of(look->rwnd_us < busy ? look->rwnd_us : busy, whole);
	path = ppm_of(busy - held, whole);
	facts = tell(look, CAUSE_SENDER, sender, sender >= MOST_PPM, "for %u %% of the time the sender had nothing to send, or its buffer full", percent(sender));
	fact_number(facts, "idle_us", (int64_t)idle);
	fact_number(facts, "sndbuf_limited_us", (int64_t)look->sndbuf_us);
	tell(look, CAUSE_RECEIVER, receiver, receiver >= MOST_PPM, "for %u %% of the time the receiver's window was full", percent(receiver));
	tell(look, CAUSE_PATH, path, path >= MOST_PPM, "for %u %% of the time the path (congestion window, queues) held the data back", percent(path));
	look_at_window(look, look->input->test->window_bytes ? held + idle : held, whole);
}

/* Of datagrams there is nothing else to tell of a sender: a cause without a figure. */
static void look_at_pace(struct look *look)
{
	const struct net_test *test = look->input->test;
	uint64_t asked = (test->rate_bit_per_s ? test->rate_bit_per_s : test->fq_rate_bit_per_s) * look->streams;
	struct cause *cause = &look->causes[CAUSE_SENDER];
	const struct cause of_tcp = *cause;

	look->paced = asked && look->rate_bit_per_s >= asked / 100 * 95;
	if (!look->paced)
		return;
	tell(look, CAUSE_SENDER, 0, true, "the rate that was asked for, %llu bit/s, was reached", (unsigned long long)asked);
	cause->told = of_tcp.told;
	cause->value_milli = of_tcp.value_milli;
}

/* ---- what was lost ---- */

static uint64_t softnet_drops(const struct account *account)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < account->softnet.count; i++)
		sum += account->softnet.dropped[i];
	return sum;
}

static void add_risen(struct facts *facts, const char *key, uint64_t before, uint64_t after)
{
	fact_number(facts, key, after > before ? (int64_t)(after - before) : 0);
}

/* Where the receiver's machine lost some: on the wire, in its port, on the way to the socket, for want of its buffer. */
static void add_drops(const struct look *look, struct facts *facts)
{
	const struct diagnosis_input *input = look->input;
	const struct net_state *before = input->sends ? input->peer_before : input->before, *after = input->sends ? input->peer_after : input->after;

	if (!before || !after)
		return;
	add_risen(facts, "rx_errors", before->account.counters.rx_errors, after->account.counters.rx_errors);
	add_risen(facts, "rx_dropped", before->account.counters.rx_dropped, after->account.counters.rx_dropped);
	add_risen(facts, "rx_missed", before->account.counters.rx_missed, after->account.counters.rx_missed);
	add_risen(facts, "softnet_dropped", softnet_drops(&before->account), softnet_drops(&after->account));
	add_risen(facts, "receive_buffer", before->account.udp_receive_errors, after->account.udp_receive_errors);
}

static void look_at_loss(struct look *look)
{
	uint64_t lost = look->tcp ? look->retransmitted : look->sum.datagrams_lost, of = look->tcp ? look->sent : look->sum.datagrams_sent;
	int64_t ppm;

	if (!of || (look->tcp ? !look->input->sends : !look->sum.peer_told))
		return;
	ppm = ppm_of(lost, of);
	add_drops(look, tell(look, CAUSE_LOSS, ppm, ppm >= LOSS_PPM, look->tcp ? "%llu of %llu bytes were sent again" : "%llu of %llu datagrams were lost",
	                     (unsigned long long)lost, (unsigned long long)of));
}

static void look_at_emc(struct look *look)
{
	int64_t ppm;

	if (look->input->emc_hz <= 0 || look->input->emc_max_hz <= 0)
		return;
	ppm = ppm_of((uint64_t)look->input->emc_hz, (uint64_t)look->input->emc_max_hz);
	tell(look, CAUSE_EMC, ppm, ppm < 900000, "the memory clock was at %u %% of its maximum: does the rate rise when it is held there (assay study xfi)?", percent(ppm));
}

/* A wire that is full holds back whoever sends, fills queues and windows, and loses some; a rate that was asked for and reached is the limit whatever is busy
 * beside it; a CPU full of packets is where the path ends.  What only follows is no cause. */
static void drop_consequences(struct look *look)
{
	static const enum net_cause of_any[] = { CAUSE_RECEIVER, CAUSE_PATH, CAUSE_WINDOW, CAUSE_EMC }, of_pace[] = { CAUSE_CPU, CAUSE_INTERRUPTS, CAUSE_RPS };
	struct cause *causes = look->causes;
	bool full = causes[CAUSE_LINK].binds;

	for (unsigned i = 0; (full || look->paced) && i < COUNT_OF(of_any); i++)
		causes[of_any[i]].binds = false;
	for (unsigned i = 0; look->paced && i < COUNT_OF(of_pace); i++)
		causes[of_pace[i]].binds = false;
	if (full)
		causes[CAUSE_SENDER].binds = false;
	if (full && look->tcp)
		causes[CAUSE_LOSS].binds = false;
	if (causes[CAUSE_INTERRUPTS].binds)
		causes[CAUSE_PATH].binds = false;
	if ((causes[CAUSE_PATH].binds && look->own_ppm < MOST_PPM) ||
	    (!causes[CAUSE_SENDER].binds && look->own_ppm < OWN_LEAST_PPM && causes[CAUSE_INTERRUPTS].value_milli < OWN_LEAST_PPM * 1000))
		causes[CAUSE_CPU].binds = false; /* others' work: the data were there, and waited for the path */
}

static void prepare(struct look *look)
{
	const struct net_result *result = look->input->result;
	uint64_t bytes;

	net_sum(result, look->input->sends, &look->sum);
	bytes = look->input->sends && !look->sum.peer_told ? look->sum.bytes_sent : look->sum.bytes_received;
	look->tcp = look->input->test->protocol == NET_TCP;
	look->elapsed_us = (result->elapsed_ns + result->omitted_ns) / 1000;
	look->rate_bit_per_s = result->elapsed_ns ? (uint64_t)(milli_per_second(bytes * 8, result->elapsed_ns) / 1000) : 0;
	for (unsigned i = 0; i < result->stream_count; i++) {
		const struct net_stream_result *stream = &result->streams[i];

		if (stream->sends != look->input->sends)
			continue;
		look->streams++;
		look->busy_us += stream->state.busy_us;
		look->rwnd_us += stream->state.rwnd_limited_us;
		look->sndbuf_us += stream->state.sndbuf_limited_us;
		look->retransmitted += stream->state.bytes_retransmitted;
		look->sent += stream->here.bytes + stream->here.omitted_bytes;
		look->rtt_us = stream->state.rtt_us;
		look->rtt_min_us = stream->state.rtt_min_us;
		look->path_mtu = stream->state.path_mtu;
		look->buffer_bytes = stream->state.send_buffer_bytes;
	}
}

void diagnose(const struct diagnosis_input *input, struct cause causes[NET_CAUSES])
{
	struct look look = { .input = input, .causes = causes };

	memset(causes, 0, NET_CAUSES * sizeof causes[0]);
	prepare(&look);
	look_at_link(&look);
	look_at_speed(&look);
	look_at_mtu(&look);
	look_at_cpus(&look);
	look_at_rps(&look);
	look_at_tcp(&look);
	look_at_pace(&look);
	look_at_loss(&look);
	look_at_emc(&look);
	drop_consequences(&look);
}
