/* result.c: the intervals' cells, of which only those that are used take memory, and what a test's streams come to. */
#include "event.h"
#include "net/result.h"

static struct net_cell cells[2 * MAX_NET_STREAMS][MAX_NET_INTERVALS]; /* by stream: its cells stand on few pages */

struct net_cell *result_cell_at(unsigned interval, unsigned stream)
{
	return interval < MAX_NET_INTERVALS && stream < 2 * MAX_NET_STREAMS ? &cells[stream][interval] : NULL;
}

const struct net_cell *net_cell(unsigned interval, unsigned stream)
{
	return result_cell_at(interval, stream);
}

const char *net_phase_word(enum net_phase phase)
{
	static const char *const words[NET_PHASES] = {
		[NET_CONNECT] = "connecting", [NET_COOKIE] = "waiting to be taken", [NET_PARAMETERS] = "exchanging parameters",
		[NET_STREAMS] = "opening the streams", [NET_START] = "waiting for the start", [NET_RUNNING] = "moving data",
		[NET_STOP] = "waiting for the peer to stop", [NET_RESULTS] = "exchanging results", [NET_DONE] = "done",
	};

	return words[phase];
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * The ends' warm-ups do not end at one moment: a datagram may count as measured here and as warm-up there.  Over the whole test that cannot
 * be, but then the warm-up's losses are in; so the smaller of both, unless one end does not tell its warm-up apart.  Nor do their ends: what
 * a peer sent behind ours is not lost, if only something of it came; then the gaps are what was lost.
 */
static uint64_t lost_between(const struct net_end *sent, const struct net_end *received)
{
	uint64_t measured = less(sent->datagrams, received->datagrams);
	uint64_t whole = less(sent->datagrams + sent->omitted_datagrams, received->datagrams + received->omitted_datagrams);

	if (!sent->omitted_datagrams != !received->omitted_datagrams)
		return whole < sent->datagrams ? whole : sent->datagrams;
	return measured < whole ? measured : whole;
}

uint64_t net_stream_lost(const struct net_stream_result *stream)
{
	const struct net_end *from = stream->sends ? &stream->here : &stream->there, *to = stream->sends ? &stream->there : &stream->here;

	return stream->late ? to->errors : lost_between(from, to);
}

static void add_stream(const struct net_stream_result *stream, struct net_sum *sum)
{
	const struct net_end *from = stream->sends ? &stream->here : &stream->there, *to = stream->sends ? &stream->there : &stream->here;

	sum->streams++;
	sum->bytes_sent += from->bytes;
	sum->bytes_received += to->bytes;
	sum->datagrams_sent += from->datagrams;
	sum->datagrams_received += to->datagrams;
	sum->datagrams_lost += net_stream_lost(stream);
	sum->retransmits += from->has_retransmits ? from->retransmits : 0;
	sum->jitter_ns += to->jitter_ns;
	if (!stream->sends) {
		sum->reordered += stream->counts.reordered;
		sum->duplicates += stream->counts.duplicates;
	}
	sum->peer_told &= stream->there.told;
}

void net_sum(const struct net_result *result, bool sends, struct net_sum *sum)
{
	*sum = (struct net_sum){ .peer_told = true };
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends == sends)
			add_stream(&result->streams[i], sum);
	if (sum->streams)
		sum->jitter_ns /= sum->streams;
	else
		sum->peer_told = false;
}

int64_t net_loss_ppm_milli(const struct net_sum *sum)
{
	if (!sum->peer_told || !sum->datagrams_sent)
		return VALUE_NONE;
	/* Gaps may be more than the peer counts as sent in the measured time: a warm-up's end is each end's own. */
	return milli_ratio((sum->datagrams_lost < sum->datagrams_sent ? sum->datagrams_lost : sum->datagrams_sent) * 1000000, sum->datagrams_sent);
}
