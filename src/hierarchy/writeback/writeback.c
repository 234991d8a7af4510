/* writeback.c - dirty state goes to the store: chunks, then arrays, then groups. A writer that dies
 * at any point leaves a store that every reader opens. A part that cannot be written stays dirty,
 * and does not stop the rest. */
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/writeback/writeback_internal.h"
#include "hierarchy/nodes/root_move_log.h"
#include "hierarchy/nodes/alias.h"
#include "hierarchy/nodes/node_state.h"
#include "hierarchy/consolidated/prefetch.h"
#include "store/store/prefetch.h"

/* ---- steps: what is dirty ---- */

static void prepare(vz_flush *flush)
{
    vz_flush_note(flush, vz_flush_prepare(flush->hierarchy, flush->node, &flush->now));
}

static void reconcile_names(vz_flush *flush)
{
    vz_flush_note(flush, vz_aliases_reconcile(flush->hierarchy, &flush->now));
}

/* In a remote store chunks of new arrays are on their way while documents are read. */
static void begin_remote(vz_flush *flush)
{
    if (!flush->hierarchy->dirty.nodes || !vz_hierarchy_is_remote(flush->hierarchy))
        return;
    vz_flush_new_chunks(flush);
    vz_flush_note(flush, vz_flush_documents_prefetch(flush->hierarchy, &flush->now));
}

static void write_chunks(vz_flush *flush)
{
    if (flush->node)
        vz_flush_note(flush, vz_flush_chunks(flush->node, &flush->now));
    else
        vz_flush_all_chunks(flush, false);
}

/* Writes chunks, as far as the remote store takes them. */
static void drain_chunks(vz_flush *flush)
{
    const bool ok = vz_flush_note(flush, vz_store_drain(flush->hierarchy->store, &flush->now));
    flush->hold_incomplete = !ok && !flush->discard_failed;
}

static void announce_moves(vz_flush *flush)
{
    vz_flush_note(flush, vz_flush_move_log_announce(flush->hierarchy, &flush->now));
}

static void forget_prefetched(vz_flush *flush)
{
    vz_hierarchy *hierarchy = flush->hierarchy;
    if (!vz_hierarchy_is_remote(hierarchy))
        return;
    if (!hierarchy->root->unwritten)
        vz_tree_prefetch_keep_root(hierarchy, NULL);
    vz_store_forget_prefetched(hierarchy->store, NULL);
}

static void note_written(vz_flush *flush)
{
    flush->hierarchy->creation.just_made = false;
    if (!flush->failed)
        vz_root_move_log_recovered(flush->hierarchy);
}

/* ---- steps: the store ---- */

static void delete_unlinked(vz_flush *flush)
{
    vz_hierarchy_delete_unlinked(flush->hierarchy);
}

/* A store that holds back its changes publishes all of them. If a part is missing the store stays
 * as it was, unless that part is given up. */
static bool may_complete(const vz_flush *flush)
{
    return !flush->failed || flush->discard_failed;
}

/* It is of all documents: a flush takes as long as what changed. */
static void consolidate(vz_flush *flush)
{
    if (may_complete(flush))
        vz_flush_note(flush, vz_consolidated_write(flush->hierarchy, &flush->now));
}

static void publish(vz_flush *flush)
{
    vz_store *store = flush->hierarchy->store;
    if (may_complete(flush))
        vz_flush_note(flush, flush->scope == VZ_FLUSH_CLOSE ? vz_store_commit(store, &flush->now)
                                                            : vz_store_flush(store, &flush->now));
}

static void sync_store(vz_flush *flush)
{
    if (flush->sync)
        vz_flush_note(flush, vz_store_sync(flush->hierarchy->store, &flush->now));
}

static void touch(vz_flush *flush)
{
    vz_store_touch(flush->hierarchy->store);
}

/* ---- the order of the steps ---- */

#define ALL   (VZ_FLUSH_ALL | VZ_FLUSH_STORE | VZ_FLUSH_CLOSE)
#define EVERY (VZ_FLUSH_NODE | ALL)

typedef struct flush_step {
    void (*run)(vz_flush *flush);
    unsigned scopes;
} flush_step;

static const flush_step dirty_steps[] = {
    {prepare, EVERY},
    {reconcile_names, EVERY},
    {begin_remote, ALL},
    {write_chunks, EVERY},
    {drain_chunks, EVERY},
    {vz_flush_moved_names, ALL},
    {vz_flush_all_documents, ALL},
    {vz_flush_one_node, VZ_FLUSH_NODE},
    {announce_moves, VZ_FLUSH_NODE},
    {forget_prefetched, ALL},
    {note_written, ALL},
};

static const flush_step store_steps[] = {
    {delete_unlinked, VZ_FLUSH_STORE | VZ_FLUSH_CLOSE}, {consolidate, VZ_FLUSH_CLOSE},
    {publish, VZ_FLUSH_STORE | VZ_FLUSH_CLOSE},         {sync_store, VZ_FLUSH_STORE | VZ_FLUSH_CLOSE},
    {touch, VZ_FLUSH_STORE | VZ_FLUSH_CLOSE},
};

/* Of a single node, the first failure ends the flush. */
static void run(vz_flush *flush, const flush_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (flush->scope == VZ_FLUSH_NODE && flush->failed)
            return;
        if (steps[i].scopes & flush->scope)
            steps[i].run(flush);
    }
}

static void write_dirty(vz_flush *flush)
{
    vz_consolidated_look_again(flush->hierarchy);
    run(flush, dirty_steps, sizeof dirty_steps / sizeof *dirty_steps);
}

/* Writes nothing if another process owns the changes. */
static void write_owned(vz_flush *flush)
{
    const vz_hierarchy_owner ownership =
        flush->hierarchy->writable ? vz_hierarchy_ownership(flush->hierarchy, &flush->now) : VZ_OWNED_BY_PARENT;
    if (ownership == VZ_OWNED)
        write_dirty(flush);
    else
        vz_flush_note(flush, ownership == VZ_OWNED_BY_PARENT);
}

static bool is_writer(const vz_hierarchy *hierarchy)
{
    return hierarchy->writable && !vz_hierarchy_inherited(hierarchy);
}

/* Chunks of a rank that follows are its own to write; documents are the leader's. */
static void write_all(vz_flush *flush)
{
    vz_store *store = flush->hierarchy->store;
    const bool follows = vz_hierarchy_follows(flush->hierarchy) && !store->repeats;
    if (follows && is_writer(flush->hierarchy) && vz_flush_all_chunks(flush, true))
        vz_flush_note(flush, vz_store_drain(store, &flush->now));
    store->repeats |= follows;
    write_owned(flush);
    store->repeats &= !follows;
}

/* ---- flushes ---- */

bool vz_flush_write(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_flush flush;
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_ALL);
    write_all(&flush);
    return vz_flush_result(&flush, err);
}

/* Dirty nodes first, then the steps of the store, which only the leader takes. */
static void complete(vz_flush *flush)
{
    write_all(flush);
    if (is_writer(flush->hierarchy) && !vz_hierarchy_follows(flush->hierarchy))
        run(flush, store_steps, sizeof store_steps / sizeof *store_steps);
}

bool vz_flush_store(vz_hierarchy *hierarchy, bool sync, vz_error *err)
{
    vz_flush flush;
    if (vz_store_keeps_back(hierarchy->store)) {
        vz_flush_init(&flush, hierarchy, VZ_FLUSH_STORE);
        flush.sync = hierarchy->options.sync;
        complete(&flush);
        return vz_flush_result(&flush, err);
    }
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_ALL);
    flush.sync = sync && is_writer(hierarchy);
    write_all(&flush);
    sync_store(&flush);
    touch(&flush);
    return vz_flush_result(&flush, err);
}

/* Documents that others may have changed since are read again for the consolidated metadata. Of
 * texts that are kept at the beginning nobody knows yet: they went early, into groups that wait. */
bool vz_flush_finish(vz_hierarchy *hierarchy, bool give_up, vz_error *err)
{
    vz_flush flush;
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_CLOSE);
    flush.sync = hierarchy->options.sync;
    flush.discard_failed = give_up;
    complete(&flush);
    vz_doc_cache_drop_listings(hierarchy->documents);
    vz_doc_cache_forget_written(hierarchy->documents);
    hierarchy->dirty.given_up = flush.failed && give_up;
    return vz_flush_result(&flush, err);
}

bool vz_flush_node(vz_node *node, vz_error *err)
{
    vz_hierarchy *hierarchy = node->hierarchy;
    if (!vz_hierarchy_check_flush(hierarchy, err))
        return false;
    if (!hierarchy->writable || vz_hierarchy_ownership(hierarchy, NULL) != VZ_OWNED || !vz_node_is_linked(node))
        return true;
    if (vz_store_keeps_back(hierarchy->store))
        return vz_flush_store(hierarchy, false, err);
    vz_flush flush;
    vz_flush_init(&flush, hierarchy, VZ_FLUSH_NODE);
    flush.node = node;
    write_dirty(&flush);
    touch(&flush);
    return vz_flush_result(&flush, err);
}
