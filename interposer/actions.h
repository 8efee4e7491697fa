/* What wrappers tell besides that a call was entered and left: before the real call (PRE) and after
 * it (POST). Arguments have the names of calls.list. */
#ifndef MER_INTERPOSER_ACTIONS_H
#define MER_INTERPOSER_ACTIONS_H

#include "interposer/interposer.h"

#define OK (rc == MPI_SUCCESS)
/* A status of our own where the program wants none. */
#define OWN_STATUS                                                                                 \
	MPI_Status mm_status;                                                                      \
	if (status == MPI_STATUS_IGNORE)                                                           \
		status = &mm_status;                                                               \
	(void)status;
#define OWN_STATUSES(n_)                                                                           \
	MPI_Status *mm_statuses = NULL;                                                            \
	if (statuses == MPI_STATUSES_IGNORE && (n_) > 0) {                                         \
		mm_statuses = malloc((size_t)(n_) * sizeof(MPI_Status));                           \
		statuses = mm_statuses ? mm_statuses : MPI_STATUSES_IGNORE;                        \
	}

#define PRE_plain
#define POST_plain (void)rc;

#define PRE_send mm_send(comm, dest, tag, mm_bytes(count, datatype), 0);
#define POST_send (void)rc;

#define PRE_recv                                                                                   \
	OWN_STATUS                                                                                 \
	mm_posted(comm, source, tag, mm_bytes(count, datatype), 0);
#define POST_recv                                                                                  \
	if (OK)                                                                                    \
		mm_received(mm_comm_of(comm), status, 0);

#define PRE_sendrecv                                                                               \
	OWN_STATUS                                                                                 \
	mm_send(comm, dest, sendtag, mm_bytes(sendcount, sendtype), 0);                            \
	mm_posted(comm, source, recvtag, mm_bytes(recvcount, recvtype), 0);
#define POST_sendrecv POST_recv
#define PRE_sendrecv_replace                                                                       \
	OWN_STATUS                                                                                 \
	mm_send(comm, dest, sendtag, mm_bytes(count, datatype), 0);                                \
	mm_posted(comm, source, recvtag, mm_bytes(count, datatype), 0);
#define POST_sendrecv_replace POST_recv

#define PRE_mprobe OWN_STATUS
#define POST_mprobe                                                                                \
	if (OK)                                                                                    \
		mm_found(*message, comm, status);
#define PRE_improbe OWN_STATUS
#define POST_improbe                                                                               \
	if (OK && *flag)                                                                           \
		mm_found(*message, comm, status);
#define PRE_mrecv                                                                                  \
	OWN_STATUS                                                                                 \
	MPI_Message mm_was = *message;
#define POST_mrecv                                                                                 \
	if (OK)                                                                                    \
		mm_taken(mm_was, status);
#define PRE_imrecv MPI_Message mm_was = *message;
#define POST_imrecv                                                                                \
	if (OK)                                                                                    \
		mm_taking(mm_was, *request);

#define PRE_isend                                                                                  \
	uint64_t mm_number = mm_next_request();                                                    \
	mm_send(comm, dest, tag, mm_bytes(count, datatype), mm_number);
#define POST_isend                                                                                 \
	if (OK && dest != MPI_PROC_NULL)                                                           \
		mm_begun(*request, MM_SEND, comm, mm_number);
#define PRE_irecv                                                                                  \
	uint64_t mm_number = mm_next_request();                                                    \
	mm_posted(comm, source, tag, mm_bytes(count, datatype), mm_number);
#define POST_irecv                                                                                 \
	if (OK && source != MPI_PROC_NULL)                                                         \
		mm_begun(*request, MM_RECV, comm, mm_number);

#define PRE_send_init
#define POST_send_init                                                                             \
	if (OK)                                                                                    \
		mm_persistent(*request, MM_SEND, comm, dest, tag, mm_bytes(count, datatype));
#define PRE_recv_init
#define POST_recv_init                                                                             \
	if (OK)                                                                                    \
		mm_persistent(*request, MM_RECV, comm, source, tag, mm_bytes(count, datatype));
#define PRE_start mm_started(*request);
#define POST_start (void)rc;
#define PRE_startall                                                                               \
	for (int i = 0; i < count; i++)                                                            \
		mm_started(requests[i]);
#define POST_startall (void)rc;
#define PRE_request_free mm_freed(*request);
#define POST_request_free (void)rc;
#define PRE_cancel mm_cancels = true;
#define POST_cancel (void)rc;

#define PRE_wait                                                                                   \
	OWN_STATUS                                                                                 \
	struct mm_request mm_was;                                                                  \
	mm_take(request, 1, &mm_was);
#define POST_wait                                                                                  \
	if (OK)                                                                                    \
		mm_completed(&mm_was, status);                                                     \
	mm_put_back(&mm_was, 1);
/* Of several requests. */
#define PRE_POLL(n_)                                                                               \
	const MPI_Request *mm_handles = mm_is_multiple ? NULL : mm_copy(requests, n_);             \
	struct mm_request *mm_was = mm_is_multiple ? mm_take_all(requests, n_) : NULL;
#define GOT_POLL(n_, done_)                                                                        \
	if (mm_handles && OK && (done_))                                                           \
		mm_was = mm_take_all(mm_handles, n_);
/* A poll that finds nothing done looks up nothing. What the handles were is kept; only where other
 * threads may begin requests meanwhile it is looked up before (requests.c). */
#define PRE_test                                                                                   \
	OWN_STATUS                                                                                 \
	MPI_Request mm_handle = *request;                                                          \
	struct mm_request mm_was = { 0 };                                                          \
	if (mm_is_multiple)                                                                        \
		mm_take(request, 1, &mm_was);
#define POST_test                                                                                  \
	if (OK && *flag && !mm_is_multiple)                                                        \
		mm_take(&mm_handle, 1, &mm_was);                                                   \
	if (OK && *flag)                                                                           \
		mm_completed(&mm_was, status);                                                     \
	if (mm_was.key)                                                                            \
		mm_put_back(&mm_was, 1);
#define PRE_waitany                                                                                \
	OWN_STATUS                                                                                 \
	struct mm_request *mm_was = mm_take_all(requests, count);
#define POST_waitany                                                                               \
	if (OK && mm_was && *index != MPI_UNDEFINED && *index >= 0 && *index < count)              \
		mm_completed(&mm_was[*index], status);                                             \
	if (mm_was)                                                                                \
		mm_put_back(mm_was, count);                                                        \
	free(mm_was);
#define PRE_testany                                                                                \
	OWN_STATUS                                                                                 \
	PRE_POLL(count)
#define POST_testany                                                                               \
	GOT_POLL(count, *flag)                                                                     \
	if (OK && mm_was && *flag && *index != MPI_UNDEFINED && *index >= 0 && *index < count)     \
		mm_completed(&mm_was[*index], status);                                             \
	if (mm_was)                                                                                \
		mm_put_back(mm_was, count);                                                        \
	free(mm_was);
#define PRE_waitsome                                                                               \
	OWN_STATUSES(incount)                                                                      \
	struct mm_request *mm_was = mm_take_all(requests, incount);
#define POST_waitsome                                                                              \
	for (int i = 0; OK && mm_was && statuses != MPI_STATUSES_IGNORE &&                         \
			*outcount != MPI_UNDEFINED && i < *outcount;                               \
		i++)                                                                               \
		if (indices[i] - MM_BASE >= 0 && indices[i] - MM_BASE < incount)                   \
			mm_completed(&mm_was[indices[i] - MM_BASE], &statuses[i]);                 \
	free(mm_statuses);                                                                         \
	if (mm_was)                                                                                \
		mm_put_back(mm_was, incount);                                                      \
	free(mm_was);
#define PRE_testsome                                                                               \
	OWN_STATUSES(incount)                                                                      \
	PRE_POLL(incount)
#define POST_testsome                                                                              \
	GOT_POLL(incount, *outcount != 0)                                                          \
	POST_waitsome
#define PRE_waitall                                                                                \
	OWN_STATUSES(count)                                                                        \
	struct mm_request *mm_was = mm_take_all(requests, count);
#define POST_waitall                                                                               \
	for (int i = 0; OK && mm_was && statuses != MPI_STATUSES_IGNORE && i < count; i++)         \
		mm_completed(&mm_was[i], &statuses[i]);                                            \
	free(mm_statuses);                                                                         \
	if (mm_was)                                                                                \
		mm_put_back(mm_was, count);                                                        \
	free(mm_was);
#define PRE_testall                                                                                \
	OWN_STATUSES(count)                                                                        \
	PRE_POLL(count)
#define POST_testall                                                                               \
	GOT_POLL(count, *flag)                                                                     \
	for (int i = 0; OK && *flag && mm_was && statuses != MPI_STATUSES_IGNORE && i < count;     \
		i++)                                                                               \
		mm_completed(&mm_was[i], &statuses[i]);                                            \
	free(mm_statuses);                                                                         \
	if (mm_was)                                                                                \
		mm_put_back(mm_was, count);                                                        \
	free(mm_was);

#define PRE_barrier mm_collective(comm, -1, 0);
#define POST_barrier (void)rc;
#define PRE_all mm_collective(comm, -1, mm_bytes(count, datatype));
#define POST_all (void)rc;
#define PRE_alltype mm_collective(comm, -1, mm_bytes(recvcount, recvtype));
#define POST_alltype (void)rc;
#define PRE_unsized mm_collective(comm, -1, 0);
#define POST_unsized (void)rc;
#define PRE_rooted mm_collective(comm, root, mm_bytes(count, datatype));
#define POST_rooted (void)rc;
/* What counts on the other side than the root's is not to be looked at there. */
#define PRE_scatter mm_collective(comm, root, 0);
#define POST_scatter (void)rc;
#define PRE_scatterv mm_collective(comm, root, 0);
#define POST_scatterv (void)rc;
#define PRE_gather mm_collective(comm, root, 0);
#define POST_gather (void)rc;
#define PRE_new_comm
#define POST_new_comm                                                                              \
	if (OK && *newcomm != MPI_COMM_NULL)                                                       \
		mm_new_comm(*newcomm);

/* How many statuses a call in Fortran has filled. */
#define MM_DONE_waitall count
#define MM_DONE_testall (own_flag ? count : 0)
#define MM_DONE_waitsome (own_outcount == MPI_UNDEFINED ? 0 : own_outcount)
#define MM_DONE_testsome MM_DONE_waitsome

#endif
