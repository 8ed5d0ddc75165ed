/* Unit tests of src/net/result.c. */
#include "event.h"
#include "net/result.h"
#include "test.h"

static struct net_result result;
static struct net_sum sum;

/* One stream of datagrams that this end sends. */
static void one(struct net_end here, struct net_end there)
{
	here.told = there.told = true;
	result = (struct net_result){ .stream_count = 1, .streams = { { .id = 1, .sends = true, .here = here, .there = there } } };
	net_sum(&result, true, &sum);
}

test(loss_is_sent_less_received)
{
	one((struct net_end){ .datagrams = 1000 }, (struct net_end){ .datagrams = 990 });
	check_equal(sum.datagrams_lost, 10);
	check_equal(net_loss_ppm_milli(&sum), 10000000);
}

test(loss_is_everything_when_nothing_came)
{
	one((struct net_end){ .datagrams = 1000, .omitted_datagrams = 500 }, (struct net_end){ .datagrams = 0 });
	check_equal(net_loss_ppm_milli(&sum), 1000000000);
}

test(loss_is_never_negative)
{
	one((struct net_end){ .datagrams = 1000 }, (struct net_end){ .datagrams = 1003 });
	check_equal(net_loss_ppm_milli(&sum), 0);
}

test(loss_is_not_known_without_the_peer_or_without_a_datagram)
{
	one((struct net_end){ .datagrams = 0 }, (struct net_end){ .datagrams = 0 });
	check(net_loss_ppm_milli(&sum) == VALUE_NONE);
	one((struct net_end){ .datagrams = 10 }, (struct net_end){ .datagrams = 5 });
	result.streams[0].there.told = false;
	net_sum(&result, true, &sum);
	check(net_loss_ppm_milli(&sum) == VALUE_NONE);
}

test(what_is_measured_here_and_warm_up_there_is_not_lost)
{
	one((struct net_end){ .datagrams = 1000, .omitted_datagrams = 500 }, (struct net_end){ .datagrams = 995, .omitted_datagrams = 505 });
	check_equal(sum.datagrams_lost, 0);
}

test(what_the_warm_up_lost_is_not_counted)
{
	one((struct net_end){ .datagrams = 1000, .omitted_datagrams = 500 }, (struct net_end){ .datagrams = 998, .omitted_datagrams = 400 });
	check_equal(sum.datagrams_lost, 2);
}

test(a_peer_that_tells_no_warm_up_apart_is_compared_over_all)
{
	one((struct net_end){ .datagrams = 1000, .omitted_datagrams = 500 }, (struct net_end){ .datagrams = 1490 });
	check_equal(sum.datagrams_lost, 10);
}

test(what_the_peer_sent_behind_the_end_is_not_lost_if_it_still_came)
{
	result = (struct net_result){ .stream_count = 1, .streams = {
		{ .id = 1, .here = { .datagrams = 90, .errors = 3 }, .there = { .told = true, .datagrams = 100 } } } };
	net_sum(&result, false, &sum);
	check_equal(sum.datagrams_lost, 10);
	result.streams[0].late = true;
	net_sum(&result, false, &sum);
	check_equal(sum.datagrams_lost, 3);
}

test(one_streams_gain_does_not_hide_anothers_loss)
{
	result = (struct net_result){ .stream_count = 2, .streams = {
		{ .id = 1, .here = { .datagrams = 110, .jitter_ns = 100 }, .there = { .told = true, .datagrams = 100 }, .counts = { .reordered = 3, .duplicates = 10 } },
		{ .id = 3, .here = { .datagrams = 90, .jitter_ns = 300 }, .there = { .told = true, .datagrams = 100 } } } };
	net_sum(&result, false, &sum);
	check_equal(sum.datagrams_lost, 10);
	check_equal(sum.datagrams_sent, 200);
	check_equal(sum.jitter_ns, 200);
	check_equal(sum.reordered, 3);
	check_equal(sum.duplicates, 10);
	check_equal(net_loss_ppm_milli(&sum), 50000000);
}

test(directions_are_summed_apart)
{
	result = (struct net_result){ .stream_count = 2, .streams = {
		{ .id = 1, .sends = true, .here = { .bytes = 100, .retransmits = 2, .has_retransmits = true }, .there = { .told = true, .bytes = 99 } },
		{ .id = 3, .here = { .bytes = 50 }, .there = { .bytes = 0, .retransmits = 7 } } } };
	net_sum(&result, true, &sum);
	check_equal(sum.bytes_sent, 100);
	check_equal(sum.bytes_received, 99);
	check_equal(sum.retransmits, 2);
	check(sum.peer_told);
	net_sum(&result, false, &sum);
	check_equal(sum.bytes_received, 50);
	check_equal(sum.retransmits, 0);
	check(!sum.peer_told);
	check_equal(sum.streams, 1);
	result.stream_count = 0;
	net_sum(&result, true, &sum);
	check(!sum.peer_told);
}

test(cells_are_kept_apart_and_bounded)
{
	*result_cell_at(0, 1) = (struct net_cell){ .bytes = 7 };
	*result_cell_at(MAX_NET_INTERVALS - 1, 2 * MAX_NET_STREAMS - 1) = (struct net_cell){ .bytes = 9 };
	check_equal(net_cell(0, 1)->bytes, 7);
	check_equal(net_cell(1, 0)->bytes, 0);
	check_equal(net_cell(MAX_NET_INTERVALS - 1, 2 * MAX_NET_STREAMS - 1)->bytes, 9);
	check(!net_cell(MAX_NET_INTERVALS, 0));
	check(!net_cell(0, 2 * MAX_NET_STREAMS));
}
