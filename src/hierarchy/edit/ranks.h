/* ranks.h - several ranks (MPI) that open a store together. */
#ifndef VZ_EDIT_RANKS_H
#define VZ_EDIT_RANKS_H

#include "base/mpi/comm.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"

/* Ranks that opened a store together for writing hold it in memory each. One of them, the
 * leader, changes names and documents in the store; the others, which follow, repeat the same
 * changes in memory. Chunks are written by all. */

/* NULL: this process is alone, or can talk to nobody any more. */
struct vz_comm *vz_ranks_comm(const vz_hierarchy *hierarchy);
/* A change that all ranks make: followers first, while the store is as it was, then the leader.
 * Between the two calls, which each rank makes, it is made here; not where `begin` fails, and
 * then there is no `end`. `end` gets the result of this rank and returns whether all ranks
 * succeeded. A change that succeeded on some ranks only keeps the store from being changed any
 * further. A flush can be tried again (can_repeat), and is no such change. */
bool vz_ranks_begin(vz_hierarchy *hierarchy, bool can_repeat, vz_error *err);
bool vz_ranks_end(vz_hierarchy *hierarchy, bool ok, bool can_repeat, vz_error *err);
/* In a turn that closes the file: its objects are closed with it, and nobody will read what was
 * deleted. */
void vz_ranks_close_objects(vz_hierarchy *hierarchy);
/* A change in memory alone, which all ranks make without waiting for each other. Whether all
 * could is found out at the end of the next change of the other kind, a flush at the latest.
 * `end` after each `begin` that went well. */
bool vz_ranks_begin_memory(vz_hierarchy *hierarchy, vz_error *err);
void vz_ranks_end_memory(vz_hierarchy *hierarchy, bool ok);
/* After all ranks have opened the store; again is no harm. */
bool vz_ranks_joined(vz_hierarchy *hierarchy, vz_error *err);
/* Chunks of the array that wait are written, nothing else. */
bool vz_ranks_write_through(vz_node *node, vz_error *err);
/* A write that all ranks make together: begun before, ended after it by each of them (array.h,
 * vz_array_share_begin). */
bool vz_ranks_share_begin(vz_node *node, vz_error *err);
bool vz_ranks_share_end(vz_node *node, bool ok, vz_error *err);
/* Drops cached chunks, so that chunks of other ranks are read. */
void vz_ranks_drop_cached(vz_node *node);

/* The store is opened together with the other ranks: the leader first, then they. Borrowed:
 * vz_open_found takes it over if the store is opened for writing, and this is the first time in
 * this process. */
void vz_ranks_share_found(vz_path_result *found, struct vz_comm *comm);
bool vz_ranks_found_is_shared(const vz_path_result *found);

/* rank_turns.c */
/* May who opens a store that is open in this process, with those ranks (NULL: alone), have it,
 * too? VZ_BUSY. */
bool vz_ranks_may_join(const vz_hierarchy *hierarchy, const struct vz_comm *comm, bool writable, vz_error *err);
/* A hierarchy that was just opened for writing is those ranks' from now on, who all call this.
 * Takes `comm` over, unless it fails. */
bool vz_ranks_join(vz_hierarchy *hierarchy, struct vz_comm *comm, vz_error *err);

#endif
