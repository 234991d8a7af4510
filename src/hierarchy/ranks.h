/* ranks.h - several ranks (MPI) that open a store together. */
#ifndef VZ_HIERARCHY_RANKS_H
#define VZ_HIERARCHY_RANKS_H

#include "hierarchy/node.h"
#include "hierarchy/path.h"
#include "mpi/comm.h"

/* Who opens it does so together with the other ranks: the leader first, then they. Borrowed: vz_found_open takes it
 * over if the store is opened for writing, and this is the first time in this process. */
void vz_found_share(vz_found *found, struct vz_comm *comm);
bool vz_found_is_shared(const vz_found *found);

/* ranks.c */
/* May who opens a store that is open in this process, with those ranks (NULL: alone), have it, too? VZ_BUSY. */
bool vz_ranks_may_join(const vz_hierarchy *hierarchy, const struct vz_comm *comm, bool writable, vz_error *err);
/* A hierarchy that was just opened for writing is those ranks' from now on, who all call this. Takes `comm` over,
 * unless it fails. */
bool vz_ranks_join(vz_hierarchy *hierarchy, struct vz_comm *comm, vz_error *err);

#endif
