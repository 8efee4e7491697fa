! f08halo: the same as halo on a line, in Fortran 2008 (use mpi_f08), with blocking calls and requests.
!
!   mpirun -n 4 f08halo
!
! 10 iterations, 500 doubles each way: 2 * (ranks - 1) messages for each iteration; a barrier each.
program f08halo
	use mpi_f08
	implicit none
	integer, parameter :: iters = 10, cells = 500
	integer :: rank, ranks, left, right, i
	type(MPI_Request) :: requests(2)
	type(MPI_Status) :: status
	double precision :: out(cells), from_left(cells), from_right(cells), total

	call MPI_Init()
	call MPI_Comm_rank(MPI_COMM_WORLD, rank)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks)
	left = rank - 1
	right = rank + 1
	if (left < 0) left = MPI_PROC_NULL
	if (right >= ranks) right = MPI_PROC_NULL
	out = rank
	do i = 1, iters
		call MPI_Irecv(from_right, cells, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(1))
		call MPI_Isend(out, cells, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(2))
		call MPI_Sendrecv(out, cells, MPI_DOUBLE_PRECISION, right, 1, &
			from_left, cells, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, status)
		call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
		call MPI_Barrier(MPI_COMM_WORLD)
	end do
	total = rank
	call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
	call MPI_Finalize()
	if (total /= ranks * (ranks - 1) / 2) stop 1
end program f08halo
