/* ranks.h - several ranks (MPI) that open a store together. */
#ifndef VZ_HIERARCHY_RANKS_H
#define VZ_HIERARCHY_RANKS_H

#include "hierarchy/path.h"

/* Who opens it does so together with the other ranks: the leader first, then they. Borrowed: vz_found_open takes it
 * over if the store is opened for writing, and this is the first time in this process. */
struct vz_comm;
void vz_found_share(vz_found *found, struct vz_comm *comm);
bool vz_found_is_shared(const vz_found *found);

#endif
