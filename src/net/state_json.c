/*
 * state_json.c: a machine's state as JSON.  One table says what there is; written and read by it.
 *
 * Of each CPU one string of numbers: "cpu user system irq softirq rest", in ticks; "cpu packets drops squeezes"; "cpu interrupts".
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/number.h"
#include "net/state.h"

enum { CPUS_TOLD = 256 };

enum kind { TEXT_FIELD, NUMBER_32, NUMBER_64, FLAG };

struct field { const char *key; enum kind kind; uint32_t offset, size; };

#define FIELD(key, kind, member) { key, kind, offsetof(struct net_state, member), sizeof ((struct net_state *)0)->member }

static const struct field fields[] = {
	FIELD("assay", TEXT_FIELD, version), FIELD("build", TEXT_FIELD, build), FIELD("arch", TEXT_FIELD, arch), FIELD("kernel", TEXT_FIELD, kernel),
	FIELD("model", TEXT_FIELD, model), FIELD("serial", TEXT_FIELD, serial), FIELD("governor", TEXT_FIELD, governor), FIELD("cpus", NUMBER_32, cpus),
	FIELD("cpu_hz_min", NUMBER_64, cpu_hz_min), FIELD("cpu_hz_max", NUMBER_64, cpu_hz_max), FIELD("throttles", NUMBER_64, throttles),
	FIELD("nic", TEXT_FIELD, nic.name), FIELD("driver", TEXT_FIELD, nic.driver), FIELD("driver_version", TEXT_FIELD, nic.version),
	FIELD("bus", TEXT_FIELD, nic.bus), FIELD("address", TEXT_FIELD, nic.address), FIELD("duplex", TEXT_FIELD, nic.duplex),
	FIELD("port", TEXT_FIELD, nic.port_kind), FIELD("offloads", TEXT_FIELD, nic.offloads), FIELD("irq_cpus", TEXT_FIELD, nic.irq_cpus),
	FIELD("up", FLAG, nic.is_up), FIELD("carrier", FLAG, nic.carrier), FIELD("loopback", FLAG, nic.loopback), FIELD("has_speed", FLAG, nic.has_speed),
	FIELD("autonegotiation", FLAG, nic.autonegotiation), FIELD("adaptive", FLAG, nic.coalesce_adaptive),
	FIELD("pause_rx", FLAG, nic.pause_rx), FIELD("pause_tx", FLAG, nic.pause_tx),
	FIELD("speed_mbit", NUMBER_32, nic.speed_mbit_per_s), FIELD("speed_max_mbit", NUMBER_32, nic.speed_max_mbit_per_s),
	FIELD("mtu", NUMBER_32, nic.mtu_bytes), FIELD("carrier_changes", NUMBER_64, nic.carrier_changes),
	FIELD("ring_rx", NUMBER_32, nic.ring_rx), FIELD("ring_tx", NUMBER_32, nic.ring_tx), FIELD("channels", NUMBER_32, nic.channels),
	FIELD("coalesce_rx_us", NUMBER_32, nic.coalesce_rx_us), FIELD("coalesce_rx_frames", NUMBER_32, nic.coalesce_rx_frames),
	FIELD("queues_rx", NUMBER_32, nic.queues_rx), FIELD("queues_tx", NUMBER_32, nic.queues_tx),
	FIELD("rps_queues", NUMBER_32, nic.rps_queues), FIELD("xps_queues", NUMBER_32, nic.xps_queues), FIELD("irqs", NUMBER_32, nic.irqs),
	FIELD("at_ns", NUMBER_64, account.at_ns), FIELD("udp_receive_errors", NUMBER_64, account.udp_receive_errors),
	FIELD("rx_bytes", NUMBER_64, account.counters.rx_bytes), FIELD("tx_bytes", NUMBER_64, account.counters.tx_bytes),
	FIELD("rx_packets", NUMBER_64, account.counters.rx_packets), FIELD("tx_packets", NUMBER_64, account.counters.tx_packets),
	FIELD("rx_errors", NUMBER_64, account.counters.rx_errors), FIELD("tx_errors", NUMBER_64, account.counters.tx_errors),
	FIELD("rx_dropped", NUMBER_64, account.counters.rx_dropped), FIELD("tx_dropped", NUMBER_64, account.counters.tx_dropped),
	FIELD("rx_missed", NUMBER_64, account.counters.rx_missed), FIELD("rx_crc_errors", NUMBER_64, account.counters.rx_crc_errors),
	FIELD("pause_frames_rx", NUMBER_64, account.counters.pause_rx), FIELD("pause_frames_tx", NUMBER_64, account.counters.pause_tx),
	FIELD("has_pause_frames", FLAG, account.counters.has_pause),
};

static void add_field(struct text *json, const struct field *field, const char *at)
{
	json_add_key(json, field->key);
	switch (field->kind) {
	case TEXT_FIELD:
		json_add_string(json, at);
		break;
	case NUMBER_32:
		text_add_format(json, "%u", *(const uint32_t *)(const void *)at);
		break;
	case NUMBER_64:
		text_add_format(json, "%llu", (unsigned long long)*(const uint64_t *)(const void *)at);
		break;
	case FLAG:
		text_add(json, *(const bool *)(const void *)at ? "true" : "false");
		break;
	}
}

static void open_list(struct text *json, const char *key)
{
	json_add_key(json, key);
	text_add(json, "[");
}

/* The numbers of one CPU as a string. */
static void add_numbers(struct text *json, unsigned first, const uint64_t *numbers, unsigned count)
{
	json_add_separator(json);
	text_add_format(json, "\"%u", first);
	for (unsigned i = 0; i < count; i++)
		text_add_format(json, " %llu", (unsigned long long)numbers[i]);
	text_add(json, "\"");
}

static void add_cpus(struct text *json, const struct account *account)
{
	const struct softnet *softnet = &account->softnet;

	open_list(json, "cpu");
	for (unsigned i = 0; i < account->cpu.count && i < CPUS_TOLD; i++)
		add_numbers(json, account->cpu.cpus[i], account->cpu.ticks[i], CPU_KINDS);
	text_add(json, "]");
	open_list(json, "softnet");
	for (unsigned i = 0; i < softnet->count && i < CPUS_TOLD; i++) {
		const uint64_t numbers[] = { softnet->processed[i], softnet->dropped[i], softnet->squeezed[i] };

		add_numbers(json, softnet->cpus[i], numbers, 3);
	}
	text_add(json, "]");
	open_list(json, "interrupts");
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++)
		if (account->interrupts.by_cpu[cpu])
			add_numbers(json, cpu, &account->interrupts.by_cpu[cpu], 1);
	text_add(json, "]");
}

void state_write_brief(const struct net_state *state, struct text *json)
{
	text_add(json, "{");
	for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
		add_field(json, &fields[i], (const char *)state + fields[i].offset);
	text_add(json, "}");
}

void state_write(const struct net_state *state, struct text *json)
{
	state_write_brief(state, json);
	if (!json->cut && json->length)
		json->length--; /* the brace */
	add_cpus(json, &state->account);
	text_add(json, "}");
}

/* ---- reading ---- */

static int read_field(const struct json *json, int token, const struct field *field, char *at)
{
	uint64_t number = 0;
	int err = 0;

	if (field->kind == TEXT_FIELD)
		return json_string(json, token, at, field->size);
	if (field->kind == FLAG) {
		*(bool *)(void *)at = json_type(json, token) == JSON_TRUE;
		return json_type(json, token) == JSON_TRUE || json_type(json, token) == JSON_FALSE ? 0 : -EINVAL;
	}
	err = json_unsigned(json, token, &number);
	if (!err && field->kind == NUMBER_32 && number > UINT32_MAX)
		err = -ERANGE;
	if (!err && field->kind == NUMBER_32)
		*(uint32_t *)(void *)at = (uint32_t)number;
	else if (!err)
		*(uint64_t *)(void *)at = number;
	return err;
}

/* A CPU's number and count more: false when there is anything else. */
static bool take_numbers(const struct json *json, int token, uint64_t *numbers, unsigned count)
{
	char text[160];
	const char *at = text;

	if (json_string(json, token, text, sizeof text))
		return false;
	for (unsigned i = 0; i < count + 1; i++)
		if (!number_take(&at, &numbers[i]))
			return false;
	return !*at && numbers[0] < MAX_CPUS;
}

static bool take_cpu(const struct json *json, int token, struct account *account)
{
	uint64_t numbers[1 + CPU_KINDS];
	struct cpu_use *use = &account->cpu;

	if (use->count == MAX_CPUS || !take_numbers(json, token, numbers, CPU_KINDS))
		return false;
	use->cpus[use->count] = (uint16_t)numbers[0];
	memcpy(use->ticks[use->count++], numbers + 1, sizeof use->ticks[0]);
	return true;
}

static bool take_softnet(const struct json *json, int token, struct account *account)
{
	uint64_t numbers[4];
	struct softnet *softnet = &account->softnet;

	if (softnet->count == MAX_CPUS || !take_numbers(json, token, numbers, 3))
		return false;
	softnet->cpus[softnet->count] = (uint16_t)numbers[0];
	softnet->processed[softnet->count] = numbers[1];
	softnet->dropped[softnet->count] = numbers[2];
	softnet->squeezed[softnet->count++] = numbers[3];
	return true;
}

static bool take_interrupts(const struct json *json, int token, struct account *account)
{
	uint64_t numbers[2];

	if (!take_numbers(json, token, numbers, 1))
		return false;
	account->interrupts.by_cpu[numbers[0]] = numbers[1];
	return true;
}

static int read_lists(const struct json *json, struct account *account, char *fault, size_t size)
{
	static const struct { const char *key; bool (*take)(const struct json *json, int token, struct account *account); } lists[] = {
		{ "cpu", take_cpu }, { "softnet", take_softnet }, { "interrupts", take_interrupts },
	};

	for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		int list = json_member(json, 0, lists[i].key);

		if (list >= 0 && json_type(json, list) != JSON_ARRAY)
			return json_fault(json, list, fault, size, "%s is no list", lists[i].key);
		for (int at = list < 0 ? -1 : json_first(json, list); at >= 0; at = json_next(json, at))
			if (!lists[i].take(json, at, account))
				return json_fault(json, at, fault, size, "not what is due in %s", lists[i].key);
	}
	return 0;
}

int state_parse(struct json *scratch, const char *json, size_t length, struct net_state *state, char *fault, size_t size)
{
	memset(state, 0, sizeof *state);
	if (json_parse(scratch, "peer", json, length, fault, size))
		return -EINVAL;
	if (json_type(scratch, 0) != JSON_OBJECT || json_member(scratch, 0, "assay") < 0)
		return json_fault(scratch, 0, fault, size, "not the state of an assay");
	for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		int token = json_member(scratch, 0, fields[i].key);

		if (token >= 0 && read_field(scratch, token, &fields[i], (char *)state + fields[i].offset))
			return json_fault(scratch, token, fault, size, "%s is not what it must be", fields[i].key);
	}
	return read_lists(scratch, &state->account, fault, size);
}
