#include "mpi/calls.h"

#include <string.h>

const char *const mpi_call_names[MPI_CALL_N] = { [MPI_CALL_OUTSIDE] = "outside MPI",
	[MPI_CALL_COMPUTE] = "compute",
	[MPI_CALL_UNKNOWN] = "unknown",
	[MPI_CALL_OTHER] = "other MPI call",
#define X(name_, shape_) [MPI_CALL_##name_] = "MPI_" #name_,
	MPI_CALLS(X)
#undef X
};

enum mpi_shape mpi_call_shape(unsigned id)
{
	static const uint8_t shapes[MPI_CALL_N] = { [MPI_CALL_OTHER] = MPI_SHAPE_ELSE,
#define X(name_, shape_) [MPI_CALL_##name_] = MPI_SHAPE_##shape_,
		MPI_CALLS(X)
#undef X
	};
	return id < MPI_CALL_N ? (enum mpi_shape)shapes[id] : MPI_SHAPE_ELSE;
}

unsigned mpi_call_find(const char *name, size_t len)
{
	if (len > 5 && memcmp(name, "PMPI_", 5) == 0) {
		name++;
		len--;
	}
	if (len < 5 || memcmp(name, "MPI_", 4) != 0)
		return MPI_CALL_OUTSIDE;
	for (unsigned i = MPI_CALL_OTHER + 1; i < MPI_CALL_N; i++)
		if (strlen(mpi_call_names[i]) == len && memcmp(mpi_call_names[i], name, len) == 0)
			return i;
	return MPI_CALL_OTHER;
}

const char *const mpi_class_names[MPI_N_CLASSES] = { "compute", "outside", "setup",
	"point-to-point", "collective", "other", "unknown" };

enum mpi_class mpi_call_class(unsigned id, bool marked)
{
	switch (id) {
	case MPI_CALL_OUTSIDE: return marked ? MPI_OUTSIDE : MPI_COMPUTE;
	case MPI_CALL_COMPUTE: return MPI_COMPUTE;
	case MPI_CALL_UNKNOWN: return MPI_UNKNOWN;
	case MPI_CALL_Ibarrier:
	case MPI_CALL_Ibcast:
	case MPI_CALL_Iscatter:
	case MPI_CALL_Igather:
	case MPI_CALL_Ireduce:
	case MPI_CALL_Iallgather:
	case MPI_CALL_Ialltoall:
	case MPI_CALL_Iallreduce: return MPI_COLLECTIVE;
	default: break;
	}
	switch (mpi_call_shape(id)) {
	case MPI_SHAPE_SETUP: return MPI_SETUP;
	case MPI_SHAPE_SEND:
	case MPI_SHAPE_RECV:
	case MPI_SHAPE_WAIT:
	case MPI_SHAPE_START: return MPI_POINT;
	case MPI_SHAPE_BARRIER:
	case MPI_SHAPE_NXN:
	case MPI_SHAPE_ONE_TO_ALL:
	case MPI_SHAPE_ALL_TO_ONE:
	case MPI_SHAPE_PREFIX: return MPI_COLLECTIVE;
	default: return MPI_ELSE;
	}
}

bool mpi_call_blocks(unsigned id)
{
	enum mpi_shape s = mpi_call_shape(id);
	return s == MPI_SHAPE_SEND || s == MPI_SHAPE_RECV || s == MPI_SHAPE_WAIT ||
	       (s >= MPI_SHAPE_BARRIER && s <= MPI_SHAPE_PREFIX);
}

bool mpi_call_polls(unsigned id)
{
	return (id >= MPI_CALL_Test && id <= MPI_CALL_Testall) || id == MPI_CALL_Iprobe ||
	       id == MPI_CALL_Improbe;
}
