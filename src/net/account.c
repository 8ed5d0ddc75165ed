/* account.c: see its header. */
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "net/account.h"
#include "sys/clock.h"
#include "sys/file.h"

/* /proc/net/snmp has two lines of a protocol: names, then numbers in their order. */
struct udp { unsigned column; uint64_t errors; };

static int each_snmp_line(char *line, void *context)
{
	struct udp *udp = context;
	char *word, *rest = line;

	if (!text_starts(line, "Udp: "))
		return 0;
	for (unsigned i = 0; *(word = text_word(&rest)); i++) {
		if (!udp->column && !strcmp(word, "RcvbufErrors"))
			return udp->column = i, 0;
		if (udp->column && i == udp->column)
			return number_parse(word, &udp->errors), 1;
	}
	return 0;
}

static int each_snmp6_line(char *line, void *context)
{
	struct udp *udp = context;
	uint64_t errors;
	char *rest = line;

	if (strcmp(text_word(&rest), "Udp6RcvbufErrors"))
		return 0;
	if (!number_parse(text_word(&rest), &errors))
		udp->errors += errors;
	return 1;
}

static uint64_t receive_errors(void)
{
	struct udp udp = { .column = 0 };

	file_each_line_here("/proc/net/snmp", each_snmp_line, &udp);
	file_each_line_here("/proc/net/snmp6", each_snmp6_line, &udp);
	return udp.errors;
}

void account_read_quick(const char *nic, struct account *account)
{
	account->at_ns = clock_now_ns();
	account->cpu_error = cpu_use_read(&account->cpu);
	softnet_read(&account->softnet);
	nic_interrupts(nic, &account->interrupts);
}

void account_read(const char *nic, struct account *account)
{
	account_read_quick(nic, account);
	nic_counters(nic, &account->counters);
	account->udp_receive_errors = receive_errors();
}
