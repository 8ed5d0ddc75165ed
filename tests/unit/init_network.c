/* The words assay.ip and assay.gateway. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>

#include "init/network.h"

static struct network n;
static char fault[200];

static int parse(const char *ip)
{
	fault[0] = '\0';
	return network_parse(ip, "", &n, fault, sizeof(fault));
}

static bool is_refused(const char *ip)
{
	return parse(ip) == -EINVAL && strstr(fault, "assay.ip=") && strstr(fault, "ADDRESS/PREFIX@INTERFACE is meant");
}

test(nothing_asked_for_is_nothing)
{
	check_equal(parse(""), 0);
	check_equal(n.count, 0);
	check_string(n.gateway.text, "");
}

test(an_address_with_its_prefix_and_interface)
{
	static const uint8_t bytes[] = { 192, 168, 1, 2 };

	check_equal(parse("192.168.1.2/24@eth0"), 0);
	check_equal(n.count, 1);
	check(!n.addresses[0].v6);
	check(!memcmp(n.addresses[0].bytes, bytes, 4));
	check_equal(n.addresses[0].bits, 24);
	check_string(n.addresses[0].interface, "eth0");
	check_string(n.addresses[0].text, "192.168.1.2/24");
}

test(an_address_of_ipv6)
{
	uint8_t bytes[16];

	inet_pton(AF_INET6, "fd00::1:2", bytes);
	check_equal(parse("fd00::1:2/128@enP4p1s0f0"), 0);
	check(n.addresses[0].v6);
	check(!memcmp(n.addresses[0].bytes, bytes, 16));
	check_equal(n.addresses[0].bits, 128);
	check_string(n.addresses[0].interface, "enP4p1s0f0");
}

test(several_for_one_interface_and_for_others)
{
	check_equal(parse("10.0.0.1/8@eth0,fd00::1/64@eth0,10.1.0.1/16@eth1"), 0);
	check_equal(n.count, 3);
	check(!n.addresses[0].v6 && n.addresses[1].v6 && !n.addresses[2].v6);
	check_string(n.addresses[1].interface, "eth0");
	check_string(n.addresses[2].interface, "eth1");
}

test(malformed_words_are_refused_by_name)
{
	static const char *const words[] = {
		"10.0.0.1", "10.0.0.1/24", "10.0.0.1@eth0", "10.0.0.1/24@", "/24@eth0", "10.0.0/24@eth0", "10.0.0.256/24@eth0", "10.0.0.1/33@eth0",
		"10.0.0.1/0@eth0", "10.0.0.1/@eth0", "10.0.0.1/-1@eth0", "10.0.0.1/4294967320@eth0", "10.0.0.1/18446744073709551640@eth0", "10.0.0.1@eth0/24",
		"10.0.0.1/24/8@eth0", "fd00::1/129@eth0", "fd00:::1/64@eth0", "host/24@eth0", "10.0.0.1/24@an-interface-name", "10.0.0.1/24 @eth0",
		"@/", "/@", ",", "10.0.0.1/24@eth0,,10.0.0.2/24@eth0",
		"fd00:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001/64@eth0",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!is_refused(words[i]))
			check_string(words[i], "refused");
}

test(the_fault_names_the_one_that_is_wrong)
{
	parse("10.0.0.1/24@eth0,10.0.0.2/99@eth1");
	check_string(fault, "assay.ip=10.0.0.2/99@eth1: ADDRESS/PREFIX@INTERFACE is meant, such as 192.168.1.2/24@eth0");
}

test(eight_addresses_and_no_more)
{
	char list[400] = "10.0.0.1/24@eth0";

	for (unsigned i = 1; i < 8; i++)
		strcat(list, ",10.0.0.1/24@eth0");
	check_equal(parse(list), 0);
	check_equal(n.count, 8);
	strcat(list, ",10.0.0.1/24@eth0");
	check_equal(parse(list), -EINVAL);
	check(strstr(fault, "more than eight"));
}

test(a_gateway)
{
	check_equal(network_parse("10.0.0.1/24@eth0", "10.0.0.254", &n, fault, sizeof(fault)), 0);
	check_string(n.gateway.text, "10.0.0.254");
	check_equal(n.gateway.bytes[3], 254);
	check_equal(network_parse("", "fe80::1", &n, fault, sizeof(fault)), 0);
	check(n.gateway.v6);
}

test(a_gateway_that_is_no_address_is_refused_by_name)
{
	check_equal(network_parse("", "router", &n, fault, sizeof(fault)), -EINVAL);
	check_string(fault, "assay.gateway=router: an address is meant, such as 192.168.1.1");
	check_equal(network_parse("", "10.0.0.1/24", &n, fault, sizeof(fault)), -EINVAL);
}

test(an_interface_that_never_comes_is_named_in_time)
{
	check_equal(parse("10.0.0.1/24@assay-none"), 0);
	check_equal(network_set_up(&n, 100000000, fault, sizeof(fault)), -ENODEV);
	check(strstr(fault, "assay.ip: there is no interface assay-none; there are:"));
	check(strstr(fault, " lo"));
}
