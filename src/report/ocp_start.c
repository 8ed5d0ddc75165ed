/* ocp_start.c: what a record says first: the run's words, the machine, its drives, the board file. */
#include "lib/json.h"
#include "report/line.h"
#include "report/ocp_start.h"

static void add_hardware(struct text *line, const struct identity *identity)
{
	json_add_key(line, "hardwareInfos");
	text_add(line, "[");
	for (unsigned i = 0; i < identity->disk_count; i++) {
		const struct disk *disk = &identity->disks[i];

		json_add_separator(line);
		text_add(line, "{");
		line_add_string(line, "hardwareInfoId", disk->name);
		line_add_string(line, "name", disk->model[0] ? disk->model : disk->name);
		if (disk->serial[0])
			line_add_string(line, "serialNumber", disk->serial);
		line_add_string(line, "location", disk->bus_path[0] ? disk->bus_path : disk->bus);
		line_close(line, 1);
	}
	text_add(line, "]");
}

static void add_software(struct text *line, const struct run_info *info)
{
	json_add_key(line, "softwareInfos");
	text_add(line, "[{");
	line_add_string(line, "softwareInfoId", "kernel");
	line_add_string(line, "name", "Linux");
	line_add_string(line, "version", info->identity->kernel);
	line_add_string(line, "softwareType", "SYSTEM");
	text_add(line, "},{");
	line_add_string(line, "softwareInfoId", "assay");
	line_add_string(line, "name", "assay");
	line_add_string(line, "version", info->version);
	line_add_string(line, "revision", info->build_id);
	line_add_string(line, "softwareType", "APPLICATION");
	text_add(line, "}]");
}

static void add_dut(struct text *line, const struct run_info *info)
{
	line_open(line, "dutInfo");
	line_add_string(line, "dutInfoId", info->serial[0] ? info->serial : "dut");
	line_add_string(line, "name", info->identity->product[0] ? info->identity->product : info->board->title);
	json_add_key(line, "platformInfos");
	text_add(line, "[{");
	line_add_string(line, "info", info->board->name);
	text_add(line, "}]");
	add_software(line, info);
	add_hardware(line, info->identity);
	line_close(line, 1);
}

static void add_metadata(struct text *line, const struct run_info *info)
{
	line_open(line, "metadata");
	line_add_string(line, "kernel", info->identity->kernel);
	line_add_string(line, "arch", info->identity->arch);
	line_add_string(line, "build_id", info->build_id);
	line_add_string(line, "board", info->board->name);
	line_add_string(line, "board_file", info->board->source);
	line_add_string(line, "board_sha256", info->board->sha256);
	line_add_string(line, "clock", info->clock);
	line_add_milli(line, "clock_resolution_ns", (int64_t)info->clock_resolution_ps);
	line_add_milli(line, "clock_overhead_ns", (int64_t)info->clock_overhead_ps);
	line_add_number(line, "seed", info->seed);
	if (info->station[0])
		line_add_string(line, "station", info->station);
	if (info->operator[0])
		line_add_string(line, "operator", info->operator);
	line_add_bool(line, "partial", info->partial);
	line_add_bool(line, "simulated", info->simulated);
	line_add_string(line, "peer", info->peer[0] ? info->peer : "none");
	if (info->peer_state[0]) {
		json_add_key(line, "peerState");
		text_add(line, info->peer_state);
	}
	line_close(line, 1);
}

void ocp_start_add(struct text *line, const struct run_info *info)
{
	line_open(line, "testRunStart");
	line_add_string(line, "name", "assay");
	line_add_string(line, "version", info->version);
	line_add_string(line, "commandLine", info->command_line);
	line_open(line, "parameters");
	line_add_string(line, "level", info->level);
	if (info->only[0])
		line_add_string(line, "only", info->only);
	if (info->skip[0])
		line_add_string(line, "skip", info->skip);
	if (info->scratch[0])
		line_add_string(line, "scratch", info->scratch);
	line_close(line, 1);
	add_dut(line, info);
	add_metadata(line, info);
	line_close(line, 1);
}
