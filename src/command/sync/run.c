/* run.c - a run: rounds until the source is what was copied. README.md has the order. */
#include "command/sync/sync_internal.h"
#include "base/os/process.h"
#include <stdlib.h>

/* microseconds until files that were young have another time than the next version would */
#define YOUNG_US     UINT64_C(100000)
#define YOUNG_FAR_US UINT64_C(3200000)

/* ---- one key ---- */

static vz_sync_item item_of(const vz_sync_value *value, vz_sync_way way, const vz_sync_value *in_target)
{
    vz_sync_item item = {.key = (char *)(uintptr_t)value->key,
                         .size = value->size,
                         .version = value->version,
                         .demanded = value->demanded,
                         .modified = value->modified,
                         .has_time = value->has_time,
                         .way = way};
    if (in_target && in_target->has_md5)
        memcpy(item.md5, in_target->md5, sizeof item.md5);
    return item;
}

/* Documents wait until all other values are there. */
static bool take_value(vz_sync *run, const vz_sync_value *source, const vz_sync_value *target, vz_error *err)
{
    const bool compares = run->compares || vz_sync_sums_again(run->sums, source->key);
    vz_sync_sums_add(run->sums, source->key, source->version);
    if (run->counts.rounds == 1) {
        run->counts.values++;
        run->counts.bytes += source->size;
    }
    if (vz_sync_root_index(source->key) >= 0)
        return true;
    const vz_sync_way way = target ? vz_sync_decide(source, target, &run->target, compares) : VZ_SYNC_NEW;
    const vz_sync_item item = item_of(source, way, target);
    if (way == VZ_SYNC_SAME) {
        vz_sync_tell_done(run, &item);
        return true;
    }
    if (vz_sync_is_document(source->key) && !run->request->dry_run)
        return vz_sync_list_add(&run->documents, &item, err);
    return vz_sync_add(run, &item, err);
}

static bool take_extra(vz_sync *run, const vz_sync_value *target, vz_error *err)
{
    const vz_sync_item item = item_of(target, VZ_SYNC_SAME, NULL);
    const bool goes = run->request->deletes || run->is_new;
    if (vz_sync_root_index(target->key) >= 0)
        return true;
    if (!goes)
        run->counts.only_in_target += run->counts.rounds == 1;
    if (run->request->dry_run) {
        vz_sync_print_change(run, goes ? "delete" : "keep", target->key, "only in the target");
        run->counts.deleted += goes;
        return true;
    }
    return !goes ||
           vz_sync_list_add(vz_sync_is_document(target->key) ? &run->extra_documents : &run->extra_values, &item, err);
}

/* ---- both sides in step ---- */

typedef struct walks {
    vz_sync_walk *source, *target; /* target NULL: nothing is there */
    const vz_sync_value *from, *to;
} walks;

static bool step(walks *w, bool in_source, bool in_target, vz_error *err)
{
    return (!in_source || vz_sync_walk_next(w->source, &w->from, err)) &&
           (!in_target || !w->target || vz_sync_walk_next(w->target, &w->to, err));
}

static bool take_both(vz_sync *run, walks *w, vz_error *err)
{
    bool ok = step(w, true, true, err);
    while (ok && (w->from || w->to)) {
        const int order = !w->from ? 1 : !w->to ? -1 : strcmp(w->from->key, w->to->key);
        ok = order > 0 ? take_extra(run, w->to, err) : take_value(run, w->from, order == 0 ? w->to : NULL, err);
        ok = ok && step(w, order <= 0, order >= 0, err);
    }
    return ok;
}

/* A target that was just made holds nothing; one that is changed while it is walked shows new keys
 * that the source has, too. */
static bool walk_both(vz_sync *run, vz_error *err)
{
    const bool has_target = run->target.store && (!run->is_new || run->is_unfinished || run->counts.rounds > 1);
    walks w = {.source = vz_sync_walk_open(&run->source, &run->target, err)};
    w.target = w.source && has_target ? vz_sync_walk_open(&run->target, NULL, err) : NULL;
    const bool ok = w.source && (!has_target || w.target) && take_both(run, &w, err);
    vz_sync_walk_close(w.source);
    vz_sync_walk_close(w.target);
    return ok && vz_sync_flush(run, err);
}

/* ---- rounds ---- */

static bool do_round(vz_sync *run, vz_error *err)
{
    run->counts.rounds++;
    bool ok = vz_sync_roots_read(&run->roots, &run->source, err);
    if (ok && run->is_unfinished && !run->request->dry_run)
        ok = vz_sync_begin(run, err);
    ok = ok && walk_both(run, err) && vz_sync_work_off(run, err);
    vz_sync_clear_lists(run);
    return ok && vz_sync_roots_read(&run->roots, &run->source, err);
}

/* Walks over the source as it is now; *name: a key of a group that changed, from malloc. */
static bool meet_source(vz_sync *run, char **name, vz_error *err)
{
    const vz_sync_value *value = NULL;
    vz_sync_walk *walk = vz_sync_walk_open(&run->source, NULL, err);
    bool ok = walk != NULL;
    do {
        ok = ok && vz_sync_walk_next(walk, &value, err);
        if (ok && value && !name)
            vz_sync_sums_met(run->sums, value->key, value->version);
        else if (ok && value && !*name && vz_sync_sums_again(run->sums, value->key))
            *name = strdup(value->key);
    } while (ok && value);
    vz_sync_walk_close(walk);
    return ok;
}

static bool fail_changing(vz_sync *run, vz_error *err)
{
    char *name = NULL;
    if (!meet_source(run, &name, err))
        return false;
    vz_fail(err, VZ_CHANGED,
            "it changes while it is copied, %d times over: copy it when no program writes there, and run this again",
            VZ_SYNC_ROUNDS);
    vz_error_where(err, run->source.name, name);
    free(name);
    return false;
}

static bool is_over(vz_sync *run, bool *over, vz_error *err)
{
    bool reopened = false;
    if (!vz_sync_reopen(&run->source, &reopened, err) || !meet_source(run, NULL, err))
        return false;
    *over = vz_sync_sums_end(run->sums);
    return true;
}

static bool do_rounds(vz_sync *run, vz_error *err)
{
    for (bool over = false; !over;) {
        if (run->counts.rounds == VZ_SYNC_ROUNDS)
            return fail_changing(run, err);
        if (run->counts.rounds > 0)
            vz_os_sleep_us(run->counts.rounds == 1 ? YOUNG_US : YOUNG_FAR_US);
        if (!do_round(run, err))
            return false;
        if (!run->has_begun)
            return true;
        if (!is_over(run, &over, err))
            return false;
    }
    return true;
}

static bool tell_roots(vz_sync *run)
{
    for (int i = 0; i < VZ_SYNC_ROOTS; i++) {
        const vz_buffer *a = &run->roots.text[i], *b = &run->old.text[i];
        const char *key = vz_sync_root_names[i];
        if (run->roots.found[i] && !run->old.found[i])
            vz_sync_print_change(run, "copy", key, "new");
        else if (!run->roots.found[i] && run->old.found[i])
            vz_sync_print_change(run, "delete", key, "only in the target");
        else if (run->roots.found[i] && (a->size != b->size || memcmp(a->data, b->data, a->size) != 0))
            vz_sync_print_change(run, "copy", key, a->size != b->size ? "size" : "bytes");
    }
    return true;
}

static bool finish(vz_sync *run, vz_error *err)
{
    if (run->request->dry_run)
        return tell_roots(run);
    if (!run->has_begun && !run->is_new && vz_sync_roots_equal(&run->roots, &run->old))
        return true;
    if (!run->has_begun && !vz_sync_begin(run, err))
        return false;
    if (!vz_sync_check_names(run, err))
        return false;
    for (int i = 0; i < VZ_SYNC_ROOTS; i++)
        if (run->roots.found[i]) {
            run->counts.copied++;
            run->counts.copied_size += run->roots.text[i].size;
        }
    return vz_sync_finish(run, err);
}

/* Bytes of all the source, for a bar that tells how much is left. */
static bool begin_bar(vz_sync *run, vz_error *err)
{
    uint64_t total = 0;
    const vz_sync_value *value = NULL;
    if (run->request->quiet || run->request->json || !vz_progress_wanted())
        return true;
    vz_sync_walk *walk = vz_sync_walk_open(&run->source, &run->target, err);
    bool ok = walk != NULL;
    do {
        ok = ok && vz_sync_walk_next(walk, &value, err);
        total += ok && value ? value->size : 0;
    } while (ok && value);
    vz_sync_walk_close(walk);
    run->progress = ok ? vz_progress_begin("copying", total) : NULL;
    return ok;
}

bool vz_sync_run(vz_sync *run, vz_error *err)
{
    run->documents = run->extra_documents = run->extra_values = VZ_SYNC_LIST;
    run->lock = (vz_store_lock){.descriptor = -1};
    run->compares = run->request->compares;
    run->source.name = run->request->source;
    run->target.name = run->request->target;
    if (!(run->sums = calloc(1, sizeof *run->sums)))
        return vz_fail_memory(err);
    bool ok = vz_sync_open_source(&run->source, err) && vz_sync_find_target(&run->target, err) &&
              vz_sync_check_apart(&run->source, &run->target, err) && vz_sync_open_target(run, err);
    ok = ok && begin_bar(run, err) && do_rounds(run, err) && finish(run, err);
    vz_progress_end(run->progress);
    if (run->target.raw)
        run->target.raw->lock = NULL;
    vz_sync_clear_lists(run);
    vz_sync_close_side(&run->source);
    vz_sync_close_side(&run->target);
    vz_store_lock_leave(&run->lock);
    if (run->has_made && !vz_made_abandon(&run->made, false, ok ? err : NULL))
        ok = false;
    if (run->has_made)
        vz_made_clear(&run->made);
    vz_sync_roots_clear(&run->roots);
    vz_sync_roots_clear(&run->old);
    vz_buffer_clear(&run->marker);
    free(run->sums);
    return ok;
}
