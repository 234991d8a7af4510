/* staging.c - which prefixes of a store are staged, and the operations that move things into it and out of it. */
#include "store/store/store.h"
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTIAL_SUFFIX ".partial"

/* ---- the table ---- */

/* Nodes without a name have a prefix in the root that is a partial name. *prefix: that part of the key. */
static bool parse_nameless(const char *key, char prefix[VZ_PARTIAL_SIZE])
{
    const size_t length = strcspn(key, "/"), suffix = sizeof PARTIAL_SUFFIX - 1;
    if (length <= suffix || length >= VZ_PARTIAL_SIZE || memcmp(key + length - suffix, PARTIAL_SUFFIX, suffix) != 0)
        return false;
    memcpy(prefix, key, length);
    prefix[length] = '\0';
    return vz_is_partial_name(prefix) && !vz_is_stage_name(prefix);
}

/* The whole key is such a prefix. */
static bool is_nameless(const char *key)
{
    char prefix[VZ_PARTIAL_SIZE];
    return !strchr(key, '/') && parse_nameless(key, prefix);
}

static struct staged *find(const vz_staging *stage, const char *prefix)
{
    return vz_stage_table_get(stage->entries, prefix);
}

struct staged *vz_stage_find_above(const vz_staging *stage, const char *key, bool own, const char **rest)
{
    char prefix[PATH_MAX];
    size_t length = strlen(key);
    if (length >= sizeof prefix)
        return NULL;
    memcpy(prefix, key, length + 1);
    for (bool counts = own;; counts = true) {
        struct staged *found = counts ? find(stage, prefix) : NULL;
        *rest = key + length;
        if (found)
            return found;
        while (length > 0 && prefix[length - 1] != '/')
            length--;
        if (length == 0)
            return NULL;
        prefix[--length] = '\0';
    }
}

static struct staged *add(vz_staging *stage, const char *prefix, vz_error *err)
{
    struct staged *entry = find(stage, prefix);
    if (entry)
        return entry;
    if (!vz_stage_store(stage, err))
        return NULL;
    entry = calloc(1, sizeof *entry);
    if (!entry) {
        vz_fail_memory(err);
        return NULL;
    }
    entry->number = ++stage->numbers;
    if (vz_stage_table_put(stage->entries, prefix, entry, err))
        return entry;
    free(entry);
    return NULL;
}

void vz_stage_key_of(const struct staged *entry, const char *rest, char text[PATH_MAX])
{
    const size_t digits = vz_decimal(entry->number, text), length = strlen(rest);
    const size_t room = PATH_MAX - 1 - digits; /* what is longer is too long for any file */
    memcpy(text + digits, rest, length < room ? length : room);
    text[digits + (length < room ? length : room)] = '\0';
}

/* With the lock held. own=false: where the prefix will be once it is published. What of the stage it lies in, or NULL.
 */
static struct staged *resolve(const vz_staging *stage, const char *key, bool own, vz_key_location *place)
{
    const char *rest;
    struct staged *entry = vz_stage_find_above(stage, key, own, &rest);
    place->store = entry ? stage->inner : stage->outer;
    place->key = entry ? place->text : key;
    if (entry)
        vz_stage_key_of(entry, rest, place->text);
    return entry;
}

bool vz_stage_place(vz_staging *stage, const char *key, vz_key_location *place, vz_error *err)
{
    char prefix[VZ_PARTIAL_SIZE];
    bool ok = true;
    place->store = stage->outer;
    place->key = key;
    pthread_rwlock_rdlock(&stage->lock);
    if (vz_stage_table_count(stage->entries)) {
        const struct staged *entry = resolve(stage, key, true, place);
        ok = !entry || vz_stage_drain(stage, entry->last, err);
    }
    pthread_rwlock_unlock(&stage->lock);
    if (!ok || place->store != stage->outer || !parse_nameless(key, prefix))
        return ok;
    pthread_rwlock_wrlock(&stage->lock);
    ok = add(stage, prefix, err) != NULL;
    if (ok)
        resolve(stage, key, true, place);
    pthread_rwlock_unlock(&stage->lock);
    return ok;
}

void vz_stage_wrote(vz_staging *stage, const char *key)
{
    const char *rest;
    pthread_rwlock_rdlock(&stage->lock);
    struct staged *entry = vz_stage_find_above(stage, key, true, &rest);
    if (entry)
        atomic_store_explicit(&entry->written, true, memory_order_relaxed);
    pthread_rwlock_unlock(&stage->lock);
}

static void drop(vz_staging *stage, const char *prefix)
{
    free(vz_stage_table_remove(stage->entries, prefix));
}

/* ---- moving between the store and the stage ---- */

static bool fail_gone(vz_error *err)
{
    return vz_fail(err, VZ_IO, "what was written of it is not there any more: somebody removed it");
}

/* Over what somebody else made there meanwhile: of two writers of a value the later wins, as ever. */
static bool merge(const vz_key_location *from, const vz_key_location *to, vz_error *err)
{
    return vz_store_copy_tree(from->store, from->key, to->store, to->key, err) &&
           from->store->class->del_tree(from->store, from->key, err);
}

/* What is there is called otherwise, and only the file system takes the one name for the other. */
static bool fail_clash(const vz_key_location *to, vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "the file system takes the name for that of something else there (\"%.100s\")",
                         vz_directory_last_part(to->key));
}

static bool move(const vz_key_location *from, const vz_key_location *to, bool may_merge, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (from->store == to->store && !may_merge)
        return from->store->class->rename_tree(from->store, from->key, to->key, err);
    if (vz_directory_rename_between(from->store, from->key, to->store, to->key, true, &failed))
        return true;
    if (failed.class == VZ_EXISTS && may_merge)
        return vz_directory_spells_otherwise(vz_directory_of(to->store), to->key) ? fail_clash(to, err)
                                                                                  : merge(from, to, err);
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_stage_begin(vz_staging *stage, const char *prefix, vz_error *err)
{
    pthread_rwlock_wrlock(&stage->lock);
    const bool ok = add(stage, prefix, err) != NULL;
    pthread_rwlock_unlock(&stage->lock);
    return ok;
}

/* *done: it goes into a group that waits, too, when there is time. */
static bool publish_later(vz_staging *stage, const struct staged *entry, const vz_key_location *from,
                          const vz_key_location *to, struct staged *above, bool *done, vz_error *err)
{
    const vz_later_call call = {.what = VZ_LATER_RENAME,
                                .inner = stage->inner,
                                .key = from->key,
                                .to = to->key,
                                .begins = above && !above->made,
                                .must_be_there = atomic_load(&entry->written)};
    *done = false;
    if (!above || entry->came || !vz_stage_may_move_later(stage) || strlen(vz_directory_last_part(to->key)) > NAME_MAX)
        return true;
    if (!vz_later_add(stage->later, &call, &above->last, done, err))
        return false;
    above->made = above->made || *done;
    return true;
}

static bool publish(vz_staging *stage, const char *prefix, struct staged *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_key_location from = {.store = stage->inner, .key = from.text}, to;
    vz_stage_key_of(entry, "", from.text);
    struct staged *above = resolve(stage, prefix, false, &to);
    bool waits;
    if (!publish_later(stage, entry, &from, &to, above, &waits, err) ||
        (!waits && !vz_stage_drain(stage, VZ_LATER_ANY, err)))
        return false;
    const bool at_once = !waits && !entry->came &&
                         (above ? vz_directory_rename_made(to.store, from.key, to.key)
                                : vz_directory_rename_out(from.store, from.key, to.store, to.key));
    if (!waits && !at_once && !move(&from, &to, true, &failed)) {
        if (failed.class == VZ_NOT_FOUND && atomic_load(&entry->written))
            return fail_gone(err);
        if (failed.class != VZ_NOT_FOUND) {
            if (err && err->class == VZ_OK)
                *err = failed;
            return false;
        }
    }
    drop(stage, prefix);
    if (above) /* the group above waits, too, and has it now */
        atomic_store(&above->written, true);
    return true;
}

bool vz_stage_publish(vz_staging *stage, const char *prefix, vz_error *err)
{
    pthread_rwlock_wrlock(&stage->lock);
    struct staged *entry = find(stage, prefix);
    const bool ok = !entry || is_nameless(prefix) || publish(stage, prefix, entry, err);
    pthread_rwlock_unlock(&stage->lock);
    return ok;
}

bool vz_stage_hides(vz_staging *stage, const char *key)
{
    const char *rest;
    pthread_rwlock_rdlock(&stage->lock);
    const bool hides = vz_stage_find_above(stage, key, true, &rest) != NULL;
    pthread_rwlock_unlock(&stage->lock);
    return hides;
}

bool vz_stage_spells_otherwise(vz_staging *stage, const char *key)
{
    vz_key_location to;
    pthread_rwlock_rdlock(&stage->lock);
    resolve(stage, key, false, &to);
    pthread_rwlock_unlock(&stage->lock);
    return vz_directory_spells_otherwise(vz_directory_of(to.store), to.key);
}

bool vz_stage_give_way(vz_staging *stage, const char *prefix, vz_error *err)
{
    pthread_rwlock_wrlock(&stage->lock);
    struct staged *entry = find(stage, prefix);
    bool ok = true;
    if (entry && !is_nameless(prefix)) {
        vz_key_location to;
        vz_store_thing thing;
        resolve(stage, prefix, false, &to);
        thing = VZ_STORE_NOTHING; /* in a group that waits, too, nobody else makes anything */
        ok = to.store == stage->inner || to.store->class->look(to.store, to.key, &thing, err);
        if (ok && thing != VZ_STORE_NOTHING)
            ok = publish(stage, prefix, entry, err);
    }
    pthread_rwlock_unlock(&stage->lock);
    return ok;
}

/* What was begun waits under another name: nothing moves on the disk. */
static bool rename_waiting(vz_staging *stage, const char *from, const char *to, vz_error *err)
{
    vz_key_location place;
    vz_store_thing thing;
    resolve(stage, to, false, &place);
    if (!place.store->class->look(place.store, place.key, &thing, err))
        return false;
    if (thing != VZ_STORE_NOTHING)
        return vz_fail_errno(err, EEXIST, "cannot rename to \"%.100s\"", to);
    vz_renaming renaming = {.stage = stage, .from = from, .to = to};
    if (!vz_rename_begin(&renaming, true, err))
        return false;
    vz_rename_done(&renaming);
    return true;
}

/* *nothing: there was nothing to move, which is well for what waits. */
static bool move_stored(const struct staged *source, const vz_key_location *from, const vz_key_location *to,
                        bool *nothing, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (move(from, to, false, &failed))
        return true;
    *nothing = failed.class == VZ_NOT_FOUND;
    if (*nothing && source && atomic_load(&source->written))
        return fail_gone(err);
    if (*nothing && source)
        return true;
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* All that needs memory is done before anything moves. */
static bool rename_stored(vz_staging *stage, const char *from, const char *to, vz_error *err)
{
    vz_renaming below = {.stage = stage, .from = from, .to = to};
    struct staged *source = find(stage, from);
    struct staged *target = is_nameless(to) ? add(stage, to, err) : find(stage, to);
    vz_key_location from_place, to_place;
    bool nothing = false;
    if (is_nameless(to) && !target)
        return false;
    resolve(stage, from, true, &from_place);
    resolve(stage, to, true, &to_place);
    if (!vz_rename_begin(&below, false, err))
        return false;
    const bool ok = move_stored(source, &from_place, &to_place, &nothing, err);
    if (!ok && (!nothing || source)) {
        vz_rename_undo(&below);
        return false;
    }
    if (ok && !nothing && target) {
        atomic_store(&target->written, true);
        target->came = true;
    }
    if (ok)
        drop(stage, from);
    vz_rename_done(&below); /* what waits below it goes along in any case */
    return ok;
}

/* With the lock held. */
static bool rename_locked(vz_staging *stage, const char *from, const char *to, vz_error *err)
{
    bool done = false;
    if (is_nameless(from) && !is_nameless(to) && !vz_rename_in_place(stage, from, to, &done, err))
        return false;
    if (done)
        return true;
    if (!vz_stage_drain(stage, VZ_LATER_ANY, err))
        return false;
    const bool waits = find(stage, from) && !find(stage, to) && !is_nameless(from);
    return waits ? rename_waiting(stage, from, to, err) : rename_stored(stage, from, to, err);
}

bool vz_stage_rename(vz_staging *stage, const char *from, const char *to, vz_error *err)
{
    if (!is_nameless(to) && !vz_stage_announce_shapes(stage, from, to, err))
        return false;
    pthread_rwlock_wrlock(&stage->lock);
    const bool ok = rename_locked(stage, from, to, err);
    pthread_rwlock_unlock(&stage->lock);
    if (ok)
        vz_stage_move_shapes(stage, from, is_nameless(to) ? NULL : to);
    return ok;
}

bool vz_stage_exchange(vz_staging *stage, const char *a, const char *b, bool *done, vz_error *err)
{
    vz_key_location first, second;
    if (!vz_stage_place(stage, a, &first, err) || !vz_stage_place(stage, b, &second, err))
        return false;
    if (first.store == second.store)
        return first.store->class->exchange_trees(first.store, first.key, second.key, done, err);
    return vz_directory_exchange_between(first.store, first.key, second.store, second.key, done, err);
}

/* What was begun at the prefix or below it; *own: something at the prefix itself. */
static void del_entries(vz_staging *stage, const char *prefix, bool *own)
{
    *own = false;
    for (const char *at; (at = vz_stage_table_first(stage->entries, prefix));) {
        char key[PATH_MAX];
        vz_stage_key_of(find(stage, at), "", key);
        stage->inner->class->del_tree(stage->inner, key, NULL); /* what stays of it goes with the stage */
        *own |= strcmp(at, prefix) == 0;
        drop(stage, at);
    }
}

/* What is deleted goes out of sight in one step, so that a writer that dies over it leaves no half of it to readers.
 * False: it cannot go there. */
static bool take_away(vz_staging *stage, const vz_key_location *from, vz_key_location *to)
{
    vz_store_thing thing;
    const bool is_tree = from->store == stage->outer && *from->key &&
                         from->store->class->look(from->store, from->key, &thing, NULL) && thing == VZ_STORE_PREFIX;
    to->store = is_tree ? vz_stage_store(stage, NULL) : NULL;
    if (!to->store)
        return false;
    pthread_rwlock_wrlock(&stage->lock);
    snprintf(to->text, sizeof to->text, "%u", ++stage->numbers);
    pthread_rwlock_unlock(&stage->lock);
    to->key = to->text;
    return vz_directory_rename_between(from->store, from->key, to->store, to->key, false, NULL);
}

bool vz_stage_del_tree(vz_staging *stage, const char *prefix, vz_error *err)
{
    vz_key_location away;
    bool own;
    vz_key_location place;
    pthread_rwlock_wrlock(&stage->lock);
    vz_stage_drain(stage, VZ_LATER_ANY, NULL); /* what does not become there need not be deleted */
    del_entries(stage, prefix, &own);
    resolve(stage, prefix, true, &place);
    pthread_rwlock_unlock(&stage->lock);
    vz_stage_move_shapes(stage, prefix, NULL);
    if (own || is_nameless(prefix))
        return true;
    if (!take_away(stage, &place, &away))
        return place.store->class->del_tree(place.store, place.key, err);
    away.store->class->del_tree(away.store, away.key, NULL); /* it is deleted: what stays here goes with the stage */
    return true;
}
