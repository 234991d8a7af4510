! slabs.f90 - a Fortran program as they are written for clusters: every rank writes its columns of one dataset, then reads its neighbour's.
!
!     mpirun -n RANKS slabs STORE
program slabs
    use hdf5
    use mpi
    implicit none
    integer, parameter :: rows = 6, each = 5
    integer(hid_t) :: access, file, space, memory, properties, transfer, set
    integer(hsize_t) :: dims(2), chunk(2), start(2), counts(2)
    integer :: error, rank, ranks, i, values(rows, each), found(rows, each)
    character(len=1000) :: path

    call mpi_init(error)
    call mpi_comm_rank(mpi_comm_world, rank, error)
    call mpi_comm_size(mpi_comm_world, ranks, error)
    call get_command_argument(1, path)
    call h5open_f(error)
    call h5pcreate_f(h5p_file_access_f, access, error)
    call h5pset_fapl_mpio_f(access, mpi_comm_world, mpi_info_null, error)
    call h5fcreate_f(trim(path), h5f_acc_trunc_f, file, error, access_prp=access)
    call give_up_on(error, 'h5fcreate_f')

    dims = [rows, each*ranks]
    chunk = [4, 3] ! ranks share chunks
    call h5pcreate_f(h5p_dataset_create_f, properties, error)
    call h5pset_chunk_f(properties, 2, chunk, error)
    call h5screate_simple_f(2, dims, space, error)
    call h5dcreate_f(file, 'slabs', h5t_native_integer, space, set, error, properties)
    call give_up_on(error, 'h5dcreate_f')

    counts = [rows, each]
    start = [0, each*rank]
    values = reshape([(1000*rank + i, i=1, rows*each)], [rows, each])
    call h5screate_simple_f(2, counts, memory, error)
    call h5sselect_hyperslab_f(space, h5s_select_set_f, start, counts, error)
    call h5pcreate_f(h5p_dataset_xfer_f, transfer, error)
    call h5pset_dxpl_mpio_f(transfer, h5fd_mpio_collective_f, error)
    call h5dwrite_f(set, h5t_native_integer, values, counts, error, memory, space, transfer)
    call give_up_on(error, 'h5dwrite_f')

    start(2) = each*mod(rank + 1, ranks)
    values = reshape([(1000*mod(rank + 1, ranks) + i, i=1, rows*each)], [rows, each])
    call h5sselect_hyperslab_f(space, h5s_select_set_f, start, counts, error)
    call h5dread_f(set, h5t_native_integer, found, counts, error, memory, space, transfer)
    call give_up_on(error, 'h5dread_f')
    if (any(found /= values)) call give_up_on(-1, 'reading what the neighbour wrote')

    call h5dclose_f(set, error)
    call h5fclose_f(file, error)
    call give_up_on(error, 'h5fclose_f')
    call h5close_f(error)
    call mpi_finalize(error)
contains
    subroutine give_up_on(error, what)
        integer, intent(in) :: error
        character(len=*), intent(in) :: what
        integer :: ignored
        if (error >= 0) return
        print *, 'failed: ', what
        call mpi_abort(mpi_comm_world, 3, ignored)
    end subroutine
end program
