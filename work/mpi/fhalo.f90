! fhalo: the same as halo on a line, in Fortran, with persistent and nonblocking calls.
!
!   mpirun -n 4 fhalo
!
! 20 iterations, 1000 doubles each way: 2 * (ranks - 1) messages for each iteration.
program fhalo
	use mpi
	implicit none
	integer, parameter :: iters = 20, cells = 1000
	integer :: rank, ranks, left, right, i, k, ierr, n
	integer :: requests(4), persistent(2), status(MPI_STATUS_SIZE)
	double precision :: out(cells), from_left(cells), from_right(cells), x, total

	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
	left = rank - 1
	right = rank + 1
	if (left < 0) left = MPI_PROC_NULL
	if (right >= ranks) right = MPI_PROC_NULL
	out = rank
	x = 1
	call MPI_Send_init(out, cells, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, persistent(1), ierr)
	call MPI_Recv_init(from_left, cells, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, persistent(2), ierr)
	do i = 1, iters
		do k = 1, 200000 * (1 + mod(rank + i, ranks))
			x = x * 1.0000001d0 + 1d-9
		end do
		call MPI_Startall(2, persistent, ierr)
		call MPI_Irecv(from_right, cells, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(1), ierr)
		call MPI_Isend(out, cells, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(2), ierr)
		call MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE, ierr)
		call MPI_Waitany(2, requests, n, status, ierr)
		call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
	end do
	call MPI_Request_free(persistent(1), ierr)
	call MPI_Request_free(persistent(2), ierr)
	total = x
	call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
	call MPI_Finalize(ierr)
end program fhalo
