/*
 * session.h: a run: a list of steps, judged, told to every sink, with one verdict and one last line.
 */
#ifndef SESSION_H
#define SESSION_H

#include "report/ocp.h"
#include "run/judge.h"
#include "run/options.h"
#include "scratch.h"
#include "sink.h"
#include "step.h"

enum { MAX_SINKS = 4 };

struct session {
	/* what the caller fills in */
	const struct options *options;
	const struct board *board;
	const struct identity *identity;
	const struct scratch *scratch;       /* NULL: none */
	const char *peer;                    /* numeric; "" or NULL: none */
	int kernel_log;                      /* of kernel_log_open, a descriptor or -errno */
	struct ocp_sink *record;             /* one of sinks; NULL: none */
	bool record_is_kept;                 /* it goes to a file or standard output: its hash stands in the last line */
	struct sink *sinks[MAX_SINKS];
	unsigned sink_count;
	const struct step *steps[MAX_STEPS]; /* in order */
	unsigned step_count;
	struct run_info info;
	bool partial;

	/* kept while it runs */
	struct tally tally;
	unsigned number;                     /* of the last step that was begun */
	const struct step *measured[MAX_STEPS]; /* the steps that brought a figure */
	unsigned measured_count;
	bool limits_step;                    /* the step that tells of unmet limits was begun */
	struct step_sum sum;
	uint64_t planned_write_bytes;        /* of the steps so far */
	struct put_aside put_aside;
	char reason[MAX_MESSAGE];            /* of the step that runs: its first FAIL, ERROR or SKIP */
	bool seen[MAX_LIMITS];               /* limits whose figure came */
	int64_t noise_milli;
	struct counters counters;
	int sink_error;                      /* the first -errno of a sink */
	bool sink_error_told;
	uint64_t start_throttles;
};

/* Fills ctx for a step of this session: 0; or -EINVAL with the faulty parameter named. */
int session_prepare(const struct session *session, const struct step *step, struct ctx *ctx, char *fault, unsigned fault_size);

/* Selects the steps of --only or --skip: 0; or -EINVAL with one line that names the unknown step and the nearest right one. */
int session_select(struct session *session, char *fault, unsigned fault_size);

/* Are all parameters, of --set and of the board file, ones that exist and can be parsed?  0 or -EINVAL with fault. */
int session_check_params(const struct session *session, char *fault, unsigned fault_size);

/* Runs all steps, ends the sinks and writes the last line (without newline) to line.  The verdict. */
enum verdict session_run(struct session *session, char *line, unsigned line_size);

/* For one step of the selection: its plan, by a dry run in a child.  Nothing is touched. */
struct step_plan { uint64_t time_ns, write_bytes; char devices[160], skipped[160]; };
void session_plan(struct session *session, const struct step *step, struct step_plan *plan);

#endif
