/* rank_turns.c - several ranks that write a store together: who changes what is in it, and what
 * all of them agree on. */
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/resolve/path.h"
#include "hierarchy/edit/edit_internal.h"
#include "hierarchy/edit/ranks.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/store.h"
#include <limits.h>

/* A forked child has nobody to talk to. */
vz_comm *vz_ranks_comm(const vz_hierarchy *hierarchy)
{
    return vz_hierarchy_inherited(hierarchy) ? NULL : hierarchy->ranks.comm;
}

/* ---- opening ---- */

void vz_ranks_share_found(vz_path_result *found, vz_comm *comm)
{
    found->comm = comm;
}

bool vz_ranks_found_is_shared(const vz_path_result *found)
{
    return found->comm != NULL;
}

bool vz_ranks_may_join(const vz_hierarchy *hierarchy, const vz_comm *comm, bool writable, vz_error *err)
{
    const vz_comm *own = hierarchy->ranks.comm;
    if (own ? (comm ? own->class->is_same(own, comm) : !writable) : !comm || (!writable && !hierarchy->writable))
        return true;
    return vz_fail(
        err, VZ_BUSY,
        own ? "the store is open in this process for several ranks: only the same ranks can open it for writing"
            : "the store is open in this process for itself: several ranks cannot open it");
}

bool vz_ranks_join(vz_hierarchy *hierarchy, vz_comm *comm, vz_error *err)
{
    const vz_store *store = hierarchy->store;
    if (vz_store_keeps_back(store))
        return vz_fail(err, VZ_UNSUPPORTED,
                       "a store in one file written by several ranks: a directory (container=directory) can be");
    hierarchy->ranks.comm = comm;
    vz_store_share_names(hierarchy->store, vz_comm_leads(comm));
    return true;
}

/* The names of what has none begin with the leader's. */
static bool share_names(vz_hierarchy *hierarchy, vz_comm *comm, vz_error *err)
{
    char name[VZ_PARTIAL_SIZE] = "";
    const bool ok = !vz_comm_leads(comm) || vz_partial_name(name, sizeof name, err);
    if (!vz_comm_agree(comm, ok, err) || !vz_comm_tell(comm, name, sizeof name, err))
        return false;
    memcpy(hierarchy->ranks.names, name, VZ_LEFTOVER_ID_SIZE - 1);
    return true;
}

/* A file system may have locks that hold on one machine only, or none: while the leader has one,
 * nobody else may get it. */
static bool try_locks(vz_hierarchy *hierarchy, vz_comm *comm, vz_error *err)
{
    const vz_zarr_format *zarr_format = hierarchy->zarr_format;
    const char *key = hierarchy->array_root ? zarr_format->array : zarr_format->group;
    int own = -1, wrong;
    if (!vz_store_replaces_in_place(hierarchy->store))
        return true;
    wrong = vz_comm_leads(comm) && vz_store_try_lock(hierarchy->store, key, &own) == VZ_TRIED_NO_LOCKS;
    bool ok = vz_comm_agree_on(comm, true, &wrong, 1, err);
    if (ok && !wrong) {
        wrong = !vz_comm_leads(comm) && vz_store_try_lock(hierarchy->store, key, &own) != VZ_TRIED_HELD;
        ok = vz_comm_agree_on(comm, true, &wrong, 1, err);
    }
    vz_store_end_try(own);
    hierarchy->ranks.without_locks = wrong;
    return ok;
}

bool vz_ranks_joined(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_comm *comm = hierarchy->ranks.comm;
    if (!comm || *hierarchy->ranks.names)
        return true;
    return share_names(hierarchy, comm, err) && try_locks(hierarchy, comm, err);
}

/* ---- changes ---- */

static bool fail_apart(vz_error *err)
{
    return vz_fail(err, VZ_BUSY,
                   "a change of this store failed on some ranks only: it can be written and closed, but not changed");
}

/* Some rank failed. All learn whether others did not. */
static bool tell_failure(vz_hierarchy *hierarchy, vz_comm *comm, bool did, bool failed, bool can_repeat)
{
    int numbers[] = {did, failed};
    if (!comm->class->most(comm, numbers, 2, NULL))
        return false;
    hierarchy->ranks.apart |= numbers[0] && numbers[1] && !can_repeat;
    return false;
}

/* Numbers that a rank sends to the leader when it has done its part, and the leader then to all. */
enum { NAMES, CHANGES, CHANGES_NEGATED, HOLDS_DELETED, HOLDS_UNLINKED, WROTE_DIMENSION, TURN_NUMBERS };
_Static_assert(TURN_NUMBERS <= VZ_AGREE_NUMBERS, "numbers that ranks tell");

static void own_numbers(const vz_hierarchy *hierarchy, int *numbers)
{
    const int changes = (int)(hierarchy->ranks.changes & INT_MAX);
    numbers[NAMES] = hierarchy->ranks.name_count;
    numbers[CHANGES] = changes;
    numbers[CHANGES_NEGATED] = -changes;
    numbers[HOLDS_DELETED] = hierarchy->ranks.holds_deleted;
    numbers[HOLDS_UNLINKED] = hierarchy->unlinked != NULL;
    numbers[WROTE_DIMENSION] = hierarchy->ranks.wrote_dimension;
}

/* Which arrays there are is the leader's to write. Another rank may have made one alone, as it
 * wrote elements. */
static bool find_written(vz_hierarchy *hierarchy, const int *numbers, bool flushes, vz_error *err)
{
    return !flushes || !numbers[WROTE_DIMENSION] || vz_edit_store_dimensions(hierarchy, err);
}

/* The others have done theirs. */
static bool begin_leading(vz_hierarchy *hierarchy, vz_comm *comm, bool can_repeat, vz_error *err)
{
    int *numbers = hierarchy->ranks.turn;
    own_numbers(hierarchy, numbers);
    numbers[HOLDS_UNLINKED] = false; /* its own it knows */
    if (!vz_comm_report(comm, true, numbers, TURN_NUMBERS, err) || !find_written(hierarchy, numbers, can_repeat, err)) {
        vz_comm_report_end(comm, false, numbers, TURN_NUMBERS, err);
        return tell_failure(hierarchy, comm, false, false, can_repeat);
    }
    hierarchy->ranks.holds_deleted = numbers[HOLDS_DELETED];
    hierarchy->ranks.others_hold_unlinked = numbers[HOLDS_UNLINKED];
    return true;
}

bool vz_ranks_begin(vz_hierarchy *hierarchy, bool can_repeat, vz_error *err)
{
    vz_comm *comm = vz_ranks_comm(hierarchy);
    if (!comm)
        return true;
    if (hierarchy->ranks.apart && !can_repeat)
        return fail_apart(err);
    if (vz_comm_leads(comm))
        return begin_leading(hierarchy, comm, can_repeat, err);
    hierarchy->store->repeats = true;
    return true;
}

void vz_ranks_close_objects(vz_hierarchy *hierarchy)
{
    hierarchy->ranks.others_hold_unlinked &= hierarchy->registry.opens > 1;
}

/* Chunks that the change touched, as those at the edge of another shape, wait nowhere: other
 * ranks write them next. Of one that follows they are in the store already, or will be: in
 * memory they are clean. */
static bool write_chunks(vz_hierarchy *hierarchy, bool ok, vz_error *err)
{
    for (struct vz_unwritten *unwritten = hierarchy->dirty.nodes, *next; unwritten; unwritten = next) {
        next = unwritten->next;
        if (unwritten->node->io)
            ok = vz_ranks_write_through(unwritten->node, ok ? err : NULL) && ok;
    }
    return (hierarchy->store->repeats || vz_store_drain(hierarchy->store, ok ? err : NULL)) && ok;
}

/* The end of a turn: all went well, also changes that ranks made in memory since the last one. */
static bool conclude(vz_hierarchy *hierarchy, vz_comm *comm, bool ok, int *numbers, vz_error *err)
{
    hierarchy->ranks.holds_deleted = false;
    if (!vz_comm_report_end(comm, ok, numbers, TURN_NUMBERS, err))
        return false;
    hierarchy->ranks.name_count = numbers[NAMES]; /* who held what was deleted took one more */
    if (numbers[CHANGES] == -numbers[CHANGES_NEGATED])
        return true;
    hierarchy->ranks.changes = 0;
    hierarchy->ranks.apart = true;
    return vz_fail(err, VZ_IO, "an attribute was changed on some ranks only");
}

bool vz_ranks_end(vz_hierarchy *hierarchy, bool ok, bool can_repeat, vz_error *err)
{
    vz_comm *comm = vz_ranks_comm(hierarchy);
    if (!comm)
        return ok;
    ok = write_chunks(hierarchy, ok, err);
    int *numbers = hierarchy->ranks.turn;
    if (!vz_comm_leads(comm)) {
        hierarchy->store->repeats = false;
        own_numbers(hierarchy, numbers);
        /* the leader does its part only if all could */
        ok = vz_comm_report(comm, ok, numbers, TURN_NUMBERS, err);
    } else if (numbers[NAMES] < hierarchy->ranks.name_count) {
        numbers[NAMES] = hierarchy->ranks.name_count;
    }
    const bool all = conclude(hierarchy, comm, ok, numbers, err);
    if (can_repeat) {
        hierarchy->ranks.leader_owes = !all && !vz_comm_leads(comm);
        hierarchy->ranks.wrote_dimension &= !all;
    }
    return all || tell_failure(hierarchy, comm, ok, !ok, can_repeat);
}

bool vz_ranks_begin_memory(vz_hierarchy *hierarchy, vz_error *err)
{
    if (!vz_ranks_comm(hierarchy))
        return true;
    if (hierarchy->ranks.apart)
        return fail_apart(err);
    hierarchy->store->repeats = vz_hierarchy_follows(hierarchy);
    return true;
}

void vz_ranks_end_memory(vz_hierarchy *hierarchy, bool ok)
{
    if (!vz_ranks_comm(hierarchy))
        return;
    hierarchy->store->repeats = false;
    hierarchy->ranks.changes += ok;
}

/* ---- chunks ---- */

bool vz_ranks_write_through(vz_node *node, vz_error *err)
{
    if (!node->io)
        return true;
    const bool ok = vz_array_flush(node->io, err) && vz_store_drain(node->hierarchy->store, err);
    if (!ok)
        vz_array_drop_refused(node->io);
    if (node->unwritten)
        vz_unwritten_chunks(node);
    return ok;
}

bool vz_ranks_share_begin(vz_node *node, vz_error *err)
{
    vz_array *io = vz_node_io(node, err);
    return io && vz_array_share_begin(io, node->hierarchy->ranks.comm, err);
}

/* Without an array that could be opened this rank takes part in the first agreement, where it
 * says so. */
bool vz_ranks_share_end(vz_node *node, bool ok, vz_error *err)
{
    vz_comm *comm = node->hierarchy->ranks.comm;
    if (!node->io) {
        int rest = 0;
        return vz_comm_agree_on(comm, false, &rest, 1, err);
    }
    ok = vz_array_share_end(node->io, comm, ok, err);
    if (node->unwritten)
        vz_unwritten_chunks(node);
    return ok;
}

void vz_ranks_drop_cached(vz_node *node)
{
    if (node->io)
        vz_array_drop_clean(node->io);
}
