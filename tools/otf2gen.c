/* otf2gen: writes small OTF2 archives with libotf2, for the tests.
 *
 *   otf2gen CASE FOLDER    one: a program of two ranks on one host
 *                          two: the same on two hosts, whose local numbers are mapped
 *                          unknown: one, with a record of a kind that no version has
 *                          long: one, then calls of a function until there are three chunks
 *                          odd: each kind of event and definition once, with values of its own;
 *                          hosts that are found in each way; early events; what is left out
 *                          bare: a location that is no thread, without a clock and a creator
 *                          none: no location
 *
 * Rank 1 waits in MPI_Recv from 1 ms on for what rank 0 sends at 2 ms, and answers with MPI_Isend,
 * which rank 0 receives with MPI_Irecv and MPI_Wait; then both meet in MPI_Barrier, rank 1 at
 * 6.5 ms. */
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPOCH = 1000, US = 1000, MS = 1000 * US, CHUNK = 256 << 10, FORKED = 0x5a5a5a };
enum { R_SEND, R_RECV, R_ISEND, R_IRECV, R_WAIT, R_BARRIER, R_MAIN, N_REGIONS };
enum { S_ALL = N_REGIONS, S_NODE, S_N1, S_N2, S_RANK, S_THREAD, S_WORLD, N_STRINGS };

static const char *const strings[N_STRINGS] = { "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv",
	"MPI_Wait", "MPI_Barrier", "main", "all hosts", "node", "n1", "n2", "MPI Rank",
	"Master thread", "MPI_COMM_WORLD" };

static OTF2_Archive *archive;

static void check(OTF2_ErrorCode code)
{
	if (code == OTF2_SUCCESS)
		return;
	fprintf(stderr, "otf2gen: %s\n", OTF2_Error_GetDescription(code));
	exit(1);
}

static OTF2_FlushType before_flush(
	void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final)
{
	(void)user;
	(void)type;
	(void)location;
	(void)caller;
	(void)is_final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
	(void)user;
	(void)type;
	(void)location;
	return EPOCH + 9 * MS;
}

static OTF2_EvtWriter *w;

static void enter(uint32_t region, uint64_t us)
{
	check(OTF2_EvtWriter_Enter(w, NULL, EPOCH + us * US, region));
}

static void leave(uint32_t region, uint64_t us)
{
	check(OTF2_EvtWriter_Leave(w, NULL, EPOCH + us * US, region));
}

static void barrier(uint32_t comm, uint64_t from, uint64_t to)
{
	enter(R_BARRIER, from);
	check(OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, EPOCH + from * US));
	check(OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, EPOCH + to * US, OTF2_COLLECTIVE_OP_BARRIER,
		comm, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
	leave(R_BARRIER, to);
}

static void rank_0(uint32_t comm)
{
	enter(R_IRECV, 500);
	check(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, EPOCH + 510 * US, 3));
	leave(R_IRECV, 520);
	enter(R_SEND, 2000);
	check(OTF2_EvtWriter_MpiSend(w, NULL, EPOCH + 2010 * US, 1, comm, 7, 4096));
	leave(R_SEND, 2050);
	enter(R_WAIT, 3000);
	check(OTF2_EvtWriter_MpiIrecv(w, NULL, EPOCH + 4100 * US, 1, comm, 8, 100, 3));
	leave(R_WAIT, 4100);
	barrier(comm, 5000, 6600);
}

static void rank_1(uint32_t comm)
{
	enter(R_RECV, 1000);
	check(OTF2_EvtWriter_MpiRecv(w, NULL, EPOCH + 2100 * US, 0, comm, 7, 4096));
	leave(R_RECV, 2100);
	enter(R_ISEND, 4000);
	check(OTF2_EvtWriter_MpiIsend(w, NULL, EPOCH + 4010 * US, 0, comm, 8, 100, 5));
	leave(R_ISEND, 4020);
	enter(R_WAIT, 4200);
	check(OTF2_EvtWriter_MpiIsendComplete(w, NULL, EPOCH + 4300 * US, 5));
	leave(R_WAIT, 4300);
	barrier(comm, 6500, 6600);
}

static void write_location(uint64_t rank, uint32_t comm, uint32_t n_calls)
{
	w = OTF2_Archive_GetEvtWriter(archive, rank);
	if (!w)
		exit(1);
	check(OTF2_EvtWriter_ProgramBegin(w, NULL, EPOCH, S_RANK, 0, NULL));
	enter(R_MAIN, 0);
	if (rank)
		rank_1(comm);
	else
		rank_0(comm);
	/* What meridian does not read. */
	check(OTF2_EvtWriter_ThreadFork(w, NULL, EPOCH + 6700 * US, OTF2_PARADIGM_OPENMP, FORKED));
	for (uint32_t i = 0; i < n_calls; i++) {
		check(OTF2_EvtWriter_Enter(w, NULL, EPOCH + 6800 * US + 20 * i, R_MAIN));
		check(OTF2_EvtWriter_Leave(w, NULL, EPOCH + 6800 * US + 20 * i + 10, R_MAIN));
	}
	leave(R_MAIN, 9000);
	check(OTF2_EvtWriter_ProgramEnd(w, NULL, EPOCH + 9000 * US, 0));
	check(OTF2_Archive_CloseEvtWriter(archive, w));
}

/* Of each location: its communicator 5 is the archive's communicator 0, where that is so. */
static void write_local_definitions(uint64_t rank, bool is_mapped)
{
	OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(archive, rank);
	if (is_mapped) {
		const uint64_t global[] = { 9, 9, 9, 9, 9, 0 };
		OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(
			sizeof(global) / sizeof(*global), global, false);
		check(OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_COMM, map));
		OTF2_IdMap_Free(map);
	}
	check(OTF2_Archive_CloseDefWriter(archive, d));
}

static void write_definitions(uint32_t n_hosts, uint64_t n_events)
{
	const uint64_t ranks[] = { 0, 1 };
	OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(archive);
	check(OTF2_GlobalDefWriter_WriteClockProperties(
		g, 1000000000, EPOCH, 9 * MS, 1700000000000000000));
	for (uint32_t i = 0; i < N_STRINGS; i++)
		check(OTF2_GlobalDefWriter_WriteString(g, i, strings[i]));
	for (uint32_t i = 0; i < N_REGIONS; i++)
		check(OTF2_GlobalDefWriter_WriteRegion(g, i, i, i, i, OTF2_REGION_ROLE_FUNCTION,
			i == R_MAIN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
			OTF2_UNDEFINED_STRING, 0, 0));
	check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
		g, 0, S_ALL, S_ALL, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < n_hosts; i++) {
		check(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 1 + i, S_N1 + i, S_NODE, 0));
		check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
			g, 1 + i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
	}
	for (uint32_t i = 0; i < 2; i++) {
		check(OTF2_GlobalDefWriter_WriteLocationGroup(g, i, S_RANK,
			OTF2_LOCATION_GROUP_TYPE_PROCESS, 1 + (n_hosts == 2 ? i : 0),
			OTF2_UNDEFINED_LOCATION_GROUP));
		check(OTF2_GlobalDefWriter_WriteLocation(
			g, i, S_THREAD, OTF2_LOCATION_TYPE_CPU_THREAD, n_events, i));
	}
	check(OTF2_GlobalDefWriter_WriteGroup(g, 0, S_WORLD, OTF2_GROUP_TYPE_COMM_LOCATIONS,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks));
	check(OTF2_GlobalDefWriter_WriteGroup(g, 1, S_WORLD, OTF2_GROUP_TYPE_COMM_GROUP,
		OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks));
	check(OTF2_GlobalDefWriter_WriteComm(
		g, 0, S_WORLD, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

/* ---- odd, bare, none ---- */

static const char *const odd_strings[] = { "work", "node", "all", "rack", "n 1/a\xc3\xa4", "numa",
	"board", "alone", "first", "second", "third" };
enum { O_WORK, O_NODE, O_ALL, O_RACK, O_N1, O_NUMA, O_BOARD, O_ALONE, O_FIRST, O_SECOND, O_THIRD };
enum { N_ODD = sizeof(odd_strings) / sizeof(*odd_strings), NOBODY = 77 };

static void odd_node(
	OTF2_GlobalDefWriter *g, uint32_t n, uint32_t name, uint32_t class, uint32_t up)
{
	check(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, n, name, class, up));
}

static void odd_location(OTF2_GlobalDefWriter *g, uint64_t id, uint32_t name, uint32_t node,
	OTF2_LocationType type, uint64_t n_events)
{
	check(OTF2_GlobalDefWriter_WriteLocationGroup(g, (uint32_t)id, O_ALL,
		OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP));
	check(OTF2_GlobalDefWriter_WriteLocation(g, id, name, type, n_events, (uint32_t)id));
}

/* Hosts: 10: a node of the class "node"; 11: one that shares memory; 12: its own; 13: none. 14 is
 * no thread; 12 and 15 lack files, and so does 16, which needs none. */
static void odd_definitions(bool is_odd, bool has_locations)
{
	const uint64_t members[] = { 12, 10 };
	OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(archive);
	if (is_odd)
		check(OTF2_GlobalDefWriter_WriteClockProperties(
			g, 500000000, EPOCH, 1000, 1700000000500000000));
	for (uint32_t i = 0; i < N_ODD; i++)
		check(OTF2_GlobalDefWriter_WriteString(g, i, odd_strings[i]));
	if (!is_odd) {
		odd_node(g, 0, O_ALL, O_ALL, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		if (has_locations)
			odd_location(g, 14, O_FIRST, 0, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 1);
		return;
	}
	check(OTF2_GlobalDefWriter_WriteRegion(g, 4, O_WORK, O_ALL, O_ALL,
		OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, O_ALL, 3, 9));
	odd_node(g, 0, O_ALL, O_ALL, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	odd_node(g, 1, O_RACK, O_RACK, 0);
	odd_node(g, 2, O_N1, O_NODE, 1);
	odd_node(g, 3, O_NUMA, O_NUMA, 2);
	odd_node(g, 4, O_BOARD, O_RACK, 0);
	odd_node(g, 5, O_NUMA, O_NUMA, 4);
	odd_node(g, 6, O_ALONE, O_RACK, 0);
	check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(g, 3, OTF2_SYSTEM_TREE_DOMAIN_NUMA));
	check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
		g, 4, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
	odd_location(g, 10, O_FIRST, 3, OTF2_LOCATION_TYPE_CPU_THREAD, 1);
	odd_location(g, 11, O_SECOND, 5, OTF2_LOCATION_TYPE_CPU_THREAD, 1);
	odd_location(g, 12, O_SECOND, 6, OTF2_LOCATION_TYPE_CPU_THREAD, 1);
	odd_location(g, 13, O_THIRD, NOBODY, OTF2_LOCATION_TYPE_CPU_THREAD, 1);
	odd_location(g, 14, O_THIRD, 3, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 1);
	odd_location(g, 15, O_THIRD, 2, OTF2_LOCATION_TYPE_CPU_THREAD, 1);
	odd_location(g, 16, O_THIRD, 2, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	for (uint32_t i = 0; i < 6; i++)
		check(OTF2_GlobalDefWriter_WriteGroup(g, 20 + i, O_ALL,
			i == 1	 ? OTF2_GROUP_TYPE_LOCATIONS
			: i == 2 ? OTF2_GROUP_TYPE_COMM_LOCATIONS
			: i == 5 ? OTF2_GROUP_TYPE_COMM_SELF
				 : OTF2_GROUP_TYPE_COMM_GROUP,
			i == 0 ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_MPI,
			i == 2 || i == 3 ? OTF2_GROUP_FLAG_GLOBAL_MEMBERS : OTF2_GROUP_FLAG_NONE,
			i == 5 ? 0 : 2, members));
	check(OTF2_GlobalDefWriter_WriteComm(
		g, 30, O_WORK, 23, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void odd_events(uint64_t location)
{
	w = OTF2_Archive_GetEvtWriter(archive, location);
	if (!w)
		exit(1);
	uint64_t t = EPOCH - 10;
	check(OTF2_EvtWriter_Enter(w, NULL, t, 4));
	if (location == 10) {
		check(OTF2_EvtWriter_Leave(w, NULL, EPOCH - 1, 4));
		t = EPOCH;
		check(OTF2_EvtWriter_ProgramBegin(w, NULL, t++, O_ALL, 0, NULL));
		check(OTF2_EvtWriter_MpiSend(w, NULL, t++, 1, 30, 2, 3));
		check(OTF2_EvtWriter_MpiIsend(w, NULL, t++, 4, 30, 5, 6, 7));
		check(OTF2_EvtWriter_MpiIsendComplete(w, NULL, t++, 8));
		check(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t++, 9));
		check(OTF2_EvtWriter_MpiRecv(w, NULL, t++, 10, 30, 11, 12));
		check(OTF2_EvtWriter_MpiIrecv(w, NULL, t++, 13, 30, 14, 15, 16));
		check(OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, t++));
		check(OTF2_EvtWriter_MpiCollectiveEnd(
			w, NULL, t++, OTF2_COLLECTIVE_OP_BCAST, 30, 17, 18, 19));
		check(OTF2_EvtWriter_MeasurementOnOff(w, NULL, t++, OTF2_MEASUREMENT_OFF));
		check(OTF2_EvtWriter_MeasurementOnOff(w, NULL, t++, OTF2_MEASUREMENT_ON));
		check(OTF2_EvtWriter_ThreadFork(w, NULL, t++, OTF2_PARADIGM_OPENMP, 2));
		check(OTF2_EvtWriter_Leave(w, NULL, t++, 4));
		check(OTF2_EvtWriter_ProgramEnd(w, NULL, t, 0));
	}
	check(OTF2_Archive_CloseEvtWriter(archive, w));
}

static int write_odd(const char *kind)
{
	bool is_odd = strcmp(kind, "odd") == 0;
	if (is_odd)
		check(OTF2_Archive_SetCreator(archive, "odd one"));
	check(OTF2_Archive_OpenEvtFiles(archive));
	for (uint64_t i = 10; is_odd && i <= 13; i++)
		odd_events(i);
	check(OTF2_Archive_CloseEvtFiles(archive));
	check(OTF2_Archive_OpenDefFiles(archive));
	for (uint64_t i = 10; is_odd && i <= 13; i++)
		if (i != 12)
			write_local_definitions(i, false);
	check(OTF2_Archive_CloseDefFiles(archive));
	odd_definitions(is_odd, strcmp(kind, "none") != 0);
	check(OTF2_Archive_Close(archive));
	return 0;
}

/* The record of the fork (kind, length, paradigm, number) gets a kind that there is not. */
static void make_unknown(const char *folder)
{
	static const unsigned char fork[] = { 3, 0x5a, 0x5a, 0x5a };
	unsigned char bytes[4096];
	char path[4096];
	snprintf(path, sizeof(path), "%s/traces/0.evt", folder);
	FILE *f = fopen(path, "r+b");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	for (size_t i = 3; i + sizeof(fork) <= n; i++)
		if (memcmp(bytes + i, fork, sizeof(fork)) == 0) {
			fseek(f, (long)i - 3, SEEK_SET);
			fputc(200, f);
			fclose(f);
			return;
		}
	fprintf(stderr, "otf2gen: the record was not found\n");
	exit(1);
}

int main(int argc, char **argv)
{
	static const OTF2_FlushCallbacks flush = { before_flush, after_flush };
	if (argc != 3) {
		fprintf(stderr, "usage: otf2gen one|two|unknown|long|odd|bare|none FOLDER\n");
		return 2;
	}
	bool is_two = strcmp(argv[1], "two") == 0;
	uint32_t n_calls = strcmp(argv[1], "long") == 0 ? 30000 : 0, comm = is_two ? 5 : 0;
	archive = OTF2_Archive_Open(argv[2], "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!archive)
		return 1;
	check(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
	check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
	if (strcmp(argv[1], "odd") == 0 || strcmp(argv[1], "bare") == 0 ||
		strcmp(argv[1], "none") == 0)
		return write_odd(argv[1]);
	check(OTF2_Archive_SetCreator(archive, "otf2gen"));
	check(OTF2_Archive_OpenEvtFiles(archive));
	for (uint64_t rank = 0; rank < 2; rank++)
		write_location(rank, comm, n_calls);
	check(OTF2_Archive_CloseEvtFiles(archive));
	check(OTF2_Archive_OpenDefFiles(archive));
	for (uint64_t rank = 0; rank < 2; rank++)
		write_local_definitions(rank, is_two);
	check(OTF2_Archive_CloseDefFiles(archive));
	write_definitions(is_two ? 2 : 1, 20 + 2 * n_calls);
	check(OTF2_Archive_Close(archive));
	if (strcmp(argv[1], "unknown") == 0)
		make_unknown(argv[2]);
	return 0;
}
