/* diagnose.c: see its header. */
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "net/diagnose.h"

enum { WHOLE = 1000000, FRAME_BYTES = 38 /* preamble, head, check, gap */, HEADERS_TCP = 52, HEADERS_UDP = 28 };

static const struct { const char *name, *unit; } named[NET_CAUSES] = {
	[CAUSE_LINK] = { "link", "ppm" }, [CAUSE_LINK_BELOW] = { "link_below", "ppm" }, [CAUSE_INTERRUPTS] = { "interrupts", "ppm" },
	[CAUSE_CPU] = { "cpu", "ppm" }, [CAUSE_RPS] = { "rps", "1" }, [CAUSE_SENDER] = { "sender", "ppm" }, [CAUSE_RECEIVER] = { "receiver", "ppm" },
	[CAUSE_PATH] = { "path", "ppm" }, [CAUSE_WINDOW] = { "window", "bit/s" }, [CAUSE_MTU] = { "mtu", "B" }, [CAUSE_LOSS] = { "loss", "ppm" },
	[CAUSE_EMC] = { "emc", "ppm" },
};

const char *cause_name(enum net_cause cause)
{
	return named[cause].name;
}

const char *cause_unit(enum net_cause cause)
{
	return named[cause].unit;
}

/* What the functions below look at, worked out once. */
struct look {
	const struct diagnosis_input *input;
	struct cause *causes;
	uint64_t rate_bit_per_s, elapsed_us;
	bool tcp;
	struct net_sum sum;
	/* sums over this end's sending streams */
	uint64_t busy_us, rwnd_us, sndbuf_us, retransmitted, sent;
	uint32_t rtt_us, path_mtu, buffer_bytes;
	unsigned streams;
};

__attribute__((format(printf, 5, 6)))
static void tell(struct look *look, enum net_cause which, int64_t value, bool binds, const char *format, ...)
{
	struct cause *cause = &look->causes[which];
	struct text why = TEXT(cause->why);
	va_list args;

	cause->told = true;
	cause->binds = binds;
	cause->value_milli = value * 1000;
	va_start(args, format);
	text_add_vformat(&why, format, args);
	va_end(args);
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

static void look_at_link(struct look *look)
{
	const struct nic *nic = &look->input->after->nic;
	uint64_t headers = look->tcp ? HEADERS_TCP : HEADERS_UDP, mtu = nic->mtu_bytes, wire;
	int64_t ppm;

	if (!nic->has_speed || nic->loopback || mtu <= headers)
		return;
	/* What the payload takes on the wire with all that stands around it. */
	wire = look->rate_bit_per_s / (mtu - headers) * (mtu + FRAME_BYTES);
	ppm = ppm_of(wire / 1000, nic->speed_mbit_per_s * 1000ull);
	tell(look, CAUSE_LINK, ppm, ppm >= 970000, "with its headers the data takes %u %% of the link's %u Mbit/s", percent(ppm), nic->speed_mbit_per_s);
	fact_number(&look->causes[CAUSE_LINK].facts, "mtu", (int64_t)mtu);
}

static int64_t speed_share(const struct net_state *state)
{
	const struct nic *nic = state ? &state->nic : NULL;

	return nic && nic->speed_mbit_per_s && nic->speed_max_mbit_per_s ? ppm_of(nic->speed_mbit_per_s, nic->speed_max_mbit_per_s) : WHOLE + 1;
}

static void look_at_speed(struct look *look)
{
	int64_t here = speed_share(look->input->after), there = speed_share(look->input->peer_after);
	const struct nic *worse = here <= there ? &look->input->after->nic : &look->input->peer_after->nic;
	int64_t ppm = here <= there ? here : there;

	if (ppm <= WHOLE)
		tell(look, CAUSE_LINK_BELOW, ppm, ppm < WHOLE, "%s %s negotiated %u of %u Mbit/s", here <= there ? "this end's" : "the peer's", worse->name,
		     worse->speed_mbit_per_s, worse->speed_max_mbit_per_s);
}

static void look_at_mtu(struct look *look)
{
	uint32_t here = look->input->after->nic.mtu_bytes, there = look->input->peer_after ? look->input->peer_after->nic.mtu_bytes : 0;

	if (!here)
		return;
	if (there && there != here)
		tell(look, CAUSE_MTU, look->path_mtu ? look->path_mtu : here < there ? here : there, true, "the ends' MTUs differ: %u here, %u at the peer", here, there);
	else if (look->path_mtu)
		tell(look, CAUSE_MTU, look->path_mtu, look->path_mtu < here && !look->input->after->nic.loopback, "the path takes %u of this port's %u bytes", look->path_mtu, here);
}

/* ---- the CPUs ---- */

struct busiest { int64_t ppm; unsigned cpu, cpus; const char *whose; };

static int64_t share_of(const struct account *before, const struct account *after, unsigned cpu, bool interrupts_only)
{
	int64_t sum = 0;

	for (enum cpu_kind kind = interrupts_only ? CPU_IRQ : CPU_USER; kind <= CPU_SOFTIRQ; kind++) {
		int64_t milli = cpu_use_ppm_milli(&before->cpu, &after->cpu, cpu, kind, NULL);

		sum += milli == VALUE_NONE ? 0 : milli / 1000;
	}
	return sum;
}

static void find_busiest(const struct net_state *before, const struct net_state *after, const char *whose, bool interrupts_only, struct busiest *busiest)
{
	if (!before || !after)
		return;
	for (unsigned i = 0; i < after->account.cpu.count; i++) {
		unsigned cpu = after->account.cpu.cpus[i];
		int64_t ppm = share_of(&before->account, &after->account, cpu, interrupts_only);

		if (ppm > busiest->ppm)
			*busiest = (struct busiest){ ppm, cpu, after->account.cpu.count, whose };
	}
}

static void look_at_cpus(struct look *look)
{
	const struct diagnosis_input *input = look->input;

	for (unsigned interrupts = 0; interrupts < 2; interrupts++) {
		struct busiest busiest = { .ppm = -1 };

		find_busiest(input->before, input->after, "this end's", interrupts, &busiest);
		find_busiest(input->peer_before, input->peer_after, "the peer's", interrupts, &busiest);
		if (busiest.ppm < 0)
			continue;
		if (interrupts)
			tell(look, CAUSE_INTERRUPTS, busiest.ppm, busiest.ppm >= 900000, "%s CPU%u, of %u, spent %u %% in interrupts and what they leave to do (softirq)",
			     busiest.whose, busiest.cpu, busiest.cpus, percent(busiest.ppm));
		else
			tell(look, CAUSE_CPU, busiest.ppm, busiest.ppm >= 950000, "%s CPU%u, of %u, was busy for %u %% of the time", busiest.whose, busiest.cpu, busiest.cpus,
			     percent(busiest.ppm));
	}
}

static void look_at_rps(struct look *look)
{
	const struct diagnosis_input *input = look->input;
	const struct net_state *before = input->sends ? input->peer_before : input->before, *after = input->sends ? input->peer_after : input->after;
	struct busiest busiest = { .ppm = 0 };

	if (!before || !after || !after->nic.queues_rx || after->nic.loopback)
		return;
	find_busiest(before, after, "", true, &busiest);
	tell(look, CAUSE_RPS, after->nic.rps_queues, !after->nic.rps_queues && after->cpus > 1 && busiest.ppm >= 900000,
	     "the receiver's %u queue%s, %u with CPUs to share packets out to (rps_cpus); its busiest CPU spent %u %% in softirq", after->nic.queues_rx,
	     after->nic.queues_rx == 1 ? "" : "s", after->nic.rps_queues, percent(busiest.ppm));
}

/* ---- what TCP itself says ---- */

static void look_at_tcp(struct look *look)
{
	uint64_t busy = look->busy_us, whole = look->elapsed_us * look->streams, held = look->rwnd_us + look->sndbuf_us, idle, bound;
	int64_t sender, receiver, path;

	if (!look->tcp || !look->input->sends || !whole)
		return;
	busy = busy < whole ? busy : whole;
	idle = whole - busy;
	sender = ppm_of(idle + look->sndbuf_us, whole);
	receiver = ppm_of(look->rwnd_us, whole);
	path = ppm_of(busy > held ? busy - held : 0, whole);
	tell(look, CAUSE_SENDER, sender, sender >= 500000, "for %u %% of the time the sender %s", percent(sender),
	     look->input->test->rate_bit_per_s ? "was held to the rate that was asked for, or had its buffer full" : "had nothing to send, or its buffer full");
	tell(look, CAUSE_RECEIVER, receiver, receiver >= 500000, "for %u %% of the time the receiver's window was full", percent(receiver));
	tell(look, CAUSE_PATH, path, path >= 500000, "for %u %% of the time the path (congestion window, queues) held the data back", percent(path));
	if (!look->rtt_us || !look->buffer_bytes)
		return;
	bound = (uint64_t)look->buffer_bytes * 8 * 1000000 / look->rtt_us * look->streams;
	tell(look, CAUSE_WINDOW, (int64_t)bound, look->input->test->window_bytes && (sender >= 500000 || receiver >= 500000) && look->rate_bit_per_s > bound / 4,
	     "a buffer of %u bytes over a round trip of %u us", look->buffer_bytes, look->rtt_us);
}

static void look_at_loss(struct look *look)
{
	uint64_t lost = look->tcp ? look->retransmitted : look->sum.datagrams_lost, of = look->tcp ? look->sent : look->sum.datagrams_sent;
	int64_t ppm;

	if (!of || (look->tcp && !look->input->sends))
		return;
	ppm = ppm_of(lost, of);
	tell(look, CAUSE_LOSS, ppm, ppm >= 1000, look->tcp ? "%llu of %llu bytes were sent again" : "%llu of %llu datagrams were lost", (unsigned long long)lost,
	     (unsigned long long)of);
}

static void look_at_emc(struct look *look)
{
	int64_t ppm;

	if (look->input->emc_hz <= 0 || look->input->emc_max_hz <= 0)
		return;
	ppm = ppm_of((uint64_t)look->input->emc_hz, (uint64_t)look->input->emc_max_hz);
	tell(look, CAUSE_EMC, ppm, ppm < 900000, "the memory clock was at %u %% of its maximum: does the rate rise when it is held there (assay study xfi)?", percent(ppm));
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
	look_at_loss(&look);
	look_at_emc(&look);
}

/* What explains most stands first: a cause that others only follow from. */
void diagnosis_sentence(const struct cause causes[NET_CAUSES], char *sentence, size_t size)
{
	static const enum net_cause order[] = { CAUSE_LINK, CAUSE_LINK_BELOW, CAUSE_MTU, CAUSE_RPS, CAUSE_INTERRUPTS, CAUSE_CPU, CAUSE_WINDOW, CAUSE_LOSS,
	                                        CAUSE_RECEIVER, CAUSE_SENDER, CAUSE_PATH, CAUSE_EMC };
	struct text text = text_in(sentence, size);

	for (unsigned i = 0; i < COUNT_OF(order); i++)
		if (causes[order[i]].binds) {
			text_add_format(&text, "limited by %s: %s", named[order[i]].name, causes[order[i]].why);
			return;
		}
	text_add(&text, "what limits it is not known: no CPU, link, window or loss explains it");
}
