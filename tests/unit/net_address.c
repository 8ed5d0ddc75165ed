#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/text.h"
#include "net/address.h"
#include "test.h"

static struct net_address address;
static char fault[200];

static const char *back(const char *host)
{
	static char text[ADDRESS_TEXT];

	if (address_resolve(host, 5201, NET_ANY, &address, fault, sizeof fault))
		return fault;
	address_text(&address, text);
	return text;
}

test(numeric_addresses_are_read_and_written_back)
{
	check_string(back("10.0.0.1"), "10.0.0.1");
	check_equal(address_port(&address), 5201);
	check_string(back("::1"), "::1");
	check_string(back("[2001:DB8::0:0:1]"), "2001:db8::1");
	check_string(back("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1"); /* one group of zeros is not left out */
	check_string(back("2001:0:0:1:0:0:0:1"), "2001:0:0:1::1"); /* the longest run is */
	check_string(back("1::"), "1::");
	check_string(back("::"), "::");
	check_string(back("::ffff:10.1.2.3"), "10.1.2.3");
	check_string(back("fe80::1%lo"), "fe80::1%lo");
}

test(a_link_local_address_needs_its_device)
{
	check(text_find(back("fe80::1"), "link-local") && text_find(fault, "fe80::1%eth0"));
	check(text_find(back("fe80::1%nothere0"), "no interface nothere0") != NULL);
}

test(an_address_of_the_other_family_is_told_apart_from_nonsense)
{
	check_equal(address_resolve("10.0.0.1", 1, NET_V6, &address, fault, sizeof fault), -EINVAL);
	check(text_find(fault, "leave out -6") != NULL);
	check_equal(address_resolve("300.1.1.1", 1, NET_ANY, &address, fault, sizeof fault), -EINVAL);
	check(text_find(fault, "300.1.1.1 is no address") != NULL);
	check_equal(address_resolve("", 1, NET_ANY, &address, fault, sizeof fault), -EINVAL);
}

test(hosts_are_compared_whatever_way_they_are_written)
{
	struct net_address mapped;

	back("10.1.2.3");
	address_resolve("::ffff:10.1.2.3", 9, NET_ANY, &mapped, fault, sizeof fault);
	check(address_same_host(&address, &mapped));
	back("10.1.2.4");
	check(!address_same_host(&address, &mapped));
	back("::1");
	check(!address_same_host(&address, &mapped));
}

test(prefixes_hold_what_is_inside_and_nothing_else)
{
	struct net_prefix prefix;

	check_equal(address_prefix("10.1.0.0/17", &prefix), 0);
	back("10.1.127.255");
	check(address_inside(&address, &prefix));
	back("10.1.128.0");
	check(!address_inside(&address, &prefix));
	check_equal(address_prefix("0.0.0.0/0", &prefix), 0);
	check(address_inside(&address, &prefix));
	back("::1");
	check(!address_inside(&address, &prefix));
	check_equal(address_prefix("::1", &prefix), 0);
	check(address_inside(&address, &prefix));
	check_equal(address_prefix("10.0.0.0/33", &prefix), -EINVAL);
	check_equal(address_prefix("10.0.0.0/", &prefix), -EINVAL);
	check_equal(address_prefix("host/8", &prefix), -EINVAL);
}

test(the_kernel_tells_which_interface_leads_there)
{
	char name[20] = "";

	back("127.0.0.1");
	check_equal(address_interface(&address, name), 0);
	check_string(name, "lo");
	back("::1");
	check_equal(address_interface(&address, name), 0);
	check_string(name, "lo");
	back("fe80::1%lo");
	check_equal(address_interface(&address, name), 0);
	check_string(name, "lo");
}
