/* ranks.h - stores that several ranks open together: H5Pset_fapl_mpio. */
#ifndef VZ_VOL_RANKS_H
#define VZ_VOL_RANKS_H

#include "hdf5/h5/object.h"
#include "base/mpi/comm.h"
#include "base/util/options.h"

/* The ranks of an access list; NULL: this process is the only one, or the list names another driver. A copy, to be
 * freed, which all ranks make together. False with err set where the MPI library is none that is known. */
bool vz_ranks_of(hid_t fapl, vz_comm **comm, vz_error *err);

typedef struct vz_ranks_call {
    bool creating;
    const char *name;
    unsigned flags;
    hid_t fcpl, fapl, dxpl;
    vz_options *options;
} vz_ranks_call;

/* H5Fcreate or H5Fopen, made by all ranks: the leader looks what is at the name, which is so for all, makes or opens
 * the store, and then the others open it. What is native's all of them hand to native. Takes `comm`. */
vz_object *vz_ranks_open(const vz_ranks_call *call, vz_comm *comm, vz_error *err);
/* H5Fdelete: the leader does it. *native: it is native's to do, on all ranks. Takes `comm`. */
bool vz_ranks_delete(const char *name, hid_t fapl, vz_options *options, vz_comm *comm, bool *native, vz_error *err);

#endif
