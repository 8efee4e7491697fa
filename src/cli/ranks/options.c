/* meridian-mpi: its options and its text. The program is main.c, which needs MPI; this does not. */
#include "cli/ranks/ranks.h"

#define OPTION(member) offsetof(struct ranks_options, member)
static const struct ask_option options[] = {
	{ .name = "rate",
		.kind = ASK_AMOUNT,
		.arg = "N",
		.help = "for clocks: N messages a second of each peer (all)",
		.offset = OPTION(rate) },
	{ .name = "stats",
		.kind = ASK_FLAG,
		.help = "say what each rank read, sent, and took of CPU time",
		.offset = OPTION(stats) },
	{ 0 },
};

const struct ask_verb cli_verb_mpi = {
	.name = "mpi",
	.help = "a question to many hosts by the ranks of an MPI job",
	.synopsis = "[OPTION...] QUESTION [TRACE...]",
	.description =
		"Answers a question (top, log, stats, freq, summary --peers) about the traces of many hosts, and prints what 'meridian QUESTION TRACE...' would print in one process. It is started by mpirun or srun: each rank reads some of the hosts, and sends what clocks need and then its part of the answer; the first rank prints. Options of this program are in front of the question.\n\n"
		"Ranks read the traces that their node has. Where all nodes share a file system, hosts are dealt to ranks by size; where traces are on each node's own disk, under the same name on all nodes or not, each is read there.",
	.more = "All traces of a host have to be on one node. Each rank uses the node's CPUs divided by the ranks that are there; -j of the question sets another number.\n\n"
		"With --rate messages are sampled, which is less to send, and limits of clocks are up to twice as wide; without it clocks are those from the traces, but for what virtual CPUs, MPI and --pairs show of them. --sync FILE of the question takes clocks that were saved, which only the first rank has to have; with --sync none there are none.\n\n"
		"A host that cannot be read is left out and named; exit status 3. If a rank is killed the whole job ends: with srun, add --kill-on-bad-exit.",
	.options = options,
	.is_program = true,
	.values_size = sizeof(struct ranks_options),
	.max_args = -1,
	.examples = {
		{ "mpirun -n 2 meridian-mpi top cpu client/ server/", "Two ranks on this host." },
		{ "srun -N 100 --kill-on-bad-exit meridian-mpi top sched -n 20 /local/trace", "Each of 100 nodes has its own recording in that folder." },
	},
};
