/* staging.c - which prefixes of a store are staged, and the operations that move values and trees
 * into it and out of it. */
#include "store/store/store.h"
#include "store/directory/directory_internal.h"
#include "store/directory/staging_internal.h"
#include "base/util/bytes.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTIAL_SUFFIX ".partial"

/* ---- the table ---- */

/* Nodes without a name have a prefix in the root that is a partial name. *prefix: that part of
 * the key. */
static bool parse_nameless(const char *key, char prefix[VZ_PARTIAL_SIZE])
{
    const size_t length = strcspn(key, "/"), suffix = sizeof PARTIAL_SUFFIX - 1;
    if (length <= suffix || length >= VZ_PARTIAL_SIZE || memcmp(key + length - suffix, PARTIAL_SUFFIX, suffix) != 0)
        return false;
    memcpy(prefix, key, length);
    prefix[length] = '\0';
    return vz_partial_is_name(prefix) && !vz_partial_is_staging(prefix);
}

/* The whole key is such a prefix. */
static bool is_nameless(const char *key)
{
    char prefix[VZ_PARTIAL_SIZE];
    return !strchr(key, '/') && parse_nameless(key, prefix);
}

static struct staged *find(const vz_staging *staging, const char *prefix)
{
    return vz_staging_table_get(staging->entries, prefix);
}

struct staged *vz_staging_find_above(const vz_staging *staging, const char *key, bool own, const char **rest)
{
    char prefix[PATH_MAX];
    size_t length = strlen(key);
    if (length >= sizeof prefix)
        return NULL;
    memcpy(prefix, key, length + 1);
    for (bool counts = own;; counts = true) {
        struct staged *found = counts ? find(staging, prefix) : NULL;
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

static struct staged *add(vz_staging *staging, const char *prefix, vz_error *err)
{
    struct staged *entry = find(staging, prefix);
    if (entry)
        return entry;
    if (!vz_staging_store(staging, err))
        return NULL;
    entry = calloc(1, sizeof *entry);
    if (!entry) {
        vz_fail_memory(err);
        return NULL;
    }
    entry->number = ++staging->numbers;
    if (vz_staging_table_put(staging->entries, prefix, entry, err))
        return entry;
    free(entry);
    return NULL;
}

void vz_staging_key_of(const struct staged *entry, const char *rest, char text[PATH_MAX])
{
    const size_t digits = vz_decimal(entry->number, text), length = strlen(rest);
    const size_t room = PATH_MAX - 1 - digits; /* what is longer is too long for any file */
    memcpy(text + digits, rest, length < room ? length : room);
    text[digits + (length < room ? length : room)] = '\0';
}

/* With the lock held. own=false: where the prefix will be once it is published. Returns the staged
 * entry that the key lies in, or NULL. */
static struct staged *resolve(const vz_staging *staging, const char *key, bool own, vz_store_key_location *place)
{
    const char *rest;
    struct staged *entry = vz_staging_find_above(staging, key, own, &rest);
    place->store = entry ? staging->inner : staging->outer;
    place->key = entry ? place->text : key;
    if (entry)
        vz_staging_key_of(entry, rest, place->text);
    return entry;
}

bool vz_staging_place(vz_staging *staging, const char *key, vz_store_key_location *place, vz_error *err)
{
    char prefix[VZ_PARTIAL_SIZE];
    bool ok = true;
    place->store = staging->outer;
    place->key = key;
    vz_os_rwlock_read(&staging->lock);
    if (vz_staging_table_count(staging->entries)) {
        const struct staged *entry = resolve(staging, key, true, place);
        ok = !entry || vz_staging_drain(staging, entry->last, err);
    }
    vz_os_rwlock_unlock(&staging->lock);
    if (!ok || place->store != staging->outer || !parse_nameless(key, prefix))
        return ok;
    vz_os_rwlock_write(&staging->lock);
    ok = add(staging, prefix, err) != NULL;
    if (ok)
        resolve(staging, key, true, place);
    vz_os_rwlock_unlock(&staging->lock);
    return ok;
}

void vz_staging_wrote(vz_staging *staging, const char *key)
{
    const char *rest;
    vz_os_rwlock_read(&staging->lock);
    struct staged *entry = vz_staging_find_above(staging, key, true, &rest);
    if (entry)
        atomic_store_explicit(&entry->written, true, memory_order_relaxed);
    vz_os_rwlock_unlock(&staging->lock);
}

static void drop(vz_staging *staging, const char *prefix)
{
    free(vz_staging_table_remove(staging->entries, prefix));
}

/* ---- moving between the store and the staging area ---- */

static bool fail_gone(vz_error *err)
{
    return vz_fail(err, VZ_IO, "what was written of it is not there any more: somebody removed it");
}

/* Over what somebody else made there meanwhile: of two writers of a value the later wins, as
 * ever. */
static bool merge(const vz_store_key_location *from, const vz_store_key_location *to, vz_error *err)
{
    return vz_store_copy_tree(from->store, from->key, to->store, to->key, err) &&
           from->store->class->del_tree(from->store, from->key, err);
}

/* Another name is there, which only the file system takes for this one. */
static bool fail_clash(const vz_store_key_location *to, vz_error *err)
{
    return vz_fail_errno(err, EEXIST, "the file system takes the name for that of something else there (\"%.100s\")",
                         vz_directory_last_part(to->key));
}

static bool move(const vz_store_key_location *from, const vz_store_key_location *to, bool may_merge, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (from->store == to->store && !may_merge)
        return from->store->class->rename_tree(from->store, from->key, to->key, err);
    if (vz_directory_rename_between(from->store, from->key, to->store, to->key, true, &failed))
        return true;
    if (failed.class == VZ_EXISTS && may_merge)
        return vz_directory_names_collide(vz_directory_of(to->store), to->key) ? fail_clash(to, err)
                                                                               : merge(from, to, err);
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

bool vz_staging_begin(vz_staging *staging, const char *prefix, vz_error *err)
{
    vz_os_rwlock_write(&staging->lock);
    const bool ok = add(staging, prefix, err) != NULL;
    vz_os_rwlock_unlock(&staging->lock);
    return ok;
}

/* *done: it goes into a group that waits, too, when there is time. */
static bool publish_later(vz_staging *staging, const struct staged *entry, const vz_store_key_location *from,
                          const vz_store_key_location *to, struct staged *above, bool *done, vz_error *err)
{
    const vz_staging_call call = {.what = VZ_STAGED_RENAME,
                                  .inner = staging->inner,
                                  .key = from->key,
                                  .to = to->key,
                                  .begins = above && !above->made,
                                  .must_be_there = atomic_load(&entry->written)};
    *done = false;
    if (!above || entry->came || !vz_staging_may_move_later(staging) ||
        strlen(vz_directory_last_part(to->key)) > NAME_MAX)
        return true;
    if (!vz_staging_queue_add(staging->later, &call, &above->last, done, err))
        return false;
    above->made = above->made || *done;
    return true;
}

static bool publish(vz_staging *staging, const char *prefix, struct staged *entry, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_store_key_location from = {.store = staging->inner, .key = from.text}, to;
    vz_staging_key_of(entry, "", from.text);
    struct staged *above = resolve(staging, prefix, false, &to);
    bool waits;
    if (!publish_later(staging, entry, &from, &to, above, &waits, err) ||
        (!waits && !vz_staging_drain(staging, VZ_STAGED_ANY, err)))
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
    drop(staging, prefix);
    if (above) /* the group above waits, too, and has it now */
        atomic_store(&above->written, true);
    return true;
}

bool vz_staging_publish(vz_staging *staging, const char *prefix, vz_error *err)
{
    vz_os_rwlock_write(&staging->lock);
    struct staged *entry = find(staging, prefix);
    const bool ok = !entry || is_nameless(prefix) || publish(staging, prefix, entry, err);
    vz_os_rwlock_unlock(&staging->lock);
    return ok;
}

bool vz_staging_hides(vz_staging *staging, const char *key)
{
    const char *rest;
    vz_os_rwlock_read(&staging->lock);
    const bool hides = vz_staging_find_above(staging, key, true, &rest) != NULL;
    vz_os_rwlock_unlock(&staging->lock);
    return hides;
}

bool vz_staging_names_collide(vz_staging *staging, const char *key)
{
    vz_store_key_location to;
    vz_os_rwlock_read(&staging->lock);
    resolve(staging, key, false, &to);
    vz_os_rwlock_unlock(&staging->lock);
    return vz_directory_names_collide(vz_directory_of(to.store), to.key);
}

bool vz_staging_give_way(vz_staging *staging, const char *prefix, vz_error *err)
{
    vz_os_rwlock_write(&staging->lock);
    struct staged *entry = find(staging, prefix);
    bool ok = true;
    if (entry && !is_nameless(prefix)) {
        vz_store_key_location to;
        vz_store_key_kind kind;
        resolve(staging, prefix, false, &to);
        kind = VZ_STORE_NOTHING; /* in a group that waits, too, nobody else makes anything */
        ok = to.store == staging->inner || to.store->class->look(to.store, to.key, &kind, err);
        if (ok && kind != VZ_STORE_NOTHING)
            ok = publish(staging, prefix, entry, err);
    }
    vz_os_rwlock_unlock(&staging->lock);
    return ok;
}

/* A prefix that waits gets another name: nothing moves on the disk. */
static bool rename_waiting(vz_staging *staging, const char *from, const char *to, vz_error *err)
{
    vz_store_key_location place;
    vz_store_key_kind kind;
    resolve(staging, to, false, &place);
    if (!place.store->class->look(place.store, place.key, &kind, err))
        return false;
    if (kind != VZ_STORE_NOTHING)
        return vz_fail_errno(err, EEXIST, "cannot rename to \"%.100s\"", to);
    vz_directory_renaming renaming = {.staging = staging, .from = from, .to = to};
    if (!vz_directory_rename_begin(&renaming, true, err))
        return false;
    vz_directory_rename_done(&renaming);
    return true;
}

/* *nothing: there was nothing to move, which is well for what waits. */
static bool move_stored(const struct staged *source, const vz_store_key_location *from, const vz_store_key_location *to,
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
static bool rename_stored(vz_staging *staging, const char *from, const char *to, vz_error *err)
{
    vz_directory_renaming below = {.staging = staging, .from = from, .to = to};
    struct staged *source = find(staging, from);
    struct staged *target = is_nameless(to) ? add(staging, to, err) : find(staging, to);
    vz_store_key_location from_place, to_place;
    bool nothing = false;
    if (is_nameless(to) && !target)
        return false;
    resolve(staging, from, true, &from_place);
    resolve(staging, to, true, &to_place);
    if (!vz_directory_rename_begin(&below, false, err))
        return false;
    const bool ok = move_stored(source, &from_place, &to_place, &nothing, err);
    if (!ok && (!nothing || source)) {
        vz_directory_rename_undo(&below);
        return false;
    }
    if (ok && !nothing && target) {
        atomic_store(&target->written, true);
        target->came = true;
    }
    if (ok)
        drop(staging, from);
    vz_directory_rename_done(&below); /* what waits below it goes along in any case */
    return ok;
}

/* With the lock held. */
static bool rename_locked(vz_staging *staging, const char *from, const char *to, vz_error *err)
{
    bool done = false;
    if (is_nameless(from) && !is_nameless(to) && !vz_directory_rename_in_place(staging, from, to, &done, err))
        return false;
    if (done)
        return true;
    if (!vz_staging_drain(staging, VZ_STAGED_ANY, err))
        return false;
    const bool waits = find(staging, from) && !find(staging, to) && !is_nameless(from);
    return waits ? rename_waiting(staging, from, to, err) : rename_stored(staging, from, to, err);
}

bool vz_staging_rename(vz_staging *staging, const char *from, const char *to, vz_error *err)
{
    if (!is_nameless(to) && !vz_staging_announce_shapes(staging, from, to, err))
        return false;
    vz_os_rwlock_write(&staging->lock);
    const bool ok = rename_locked(staging, from, to, err);
    vz_os_rwlock_unlock(&staging->lock);
    if (ok)
        vz_staging_move_shapes(staging, from, is_nameless(to) ? NULL : to);
    return ok;
}

bool vz_staging_exchange(vz_staging *staging, const char *a, const char *b, bool *done, vz_error *err)
{
    vz_store_key_location first, second;
    if (!vz_staging_place(staging, a, &first, err) || !vz_staging_place(staging, b, &second, err))
        return false;
    if (!vz_directory_exchange_between(first.store, first.key, second.store, second.key, done, err))
        return false;
    const bool by_steps = !*done && second.store == staging->inner;
    return !by_steps || vz_staging_swap(staging, &first, second.key, done, err);
}

/* Deletes entries at the prefix or below it; *own: there was one at the prefix itself. */
static void del_entries(vz_staging *staging, const char *prefix, bool *own)
{
    *own = false;
    for (const char *at; (at = vz_staging_table_first(staging->entries, prefix));) {
        char key[PATH_MAX];
        vz_staging_key_of(find(staging, at), "", key);
        /* what stays of it goes with the staging area */
        staging->inner->class->del_tree(staging->inner, key, NULL);
        *own |= strcmp(at, prefix) == 0;
        drop(staging, at);
    }
}

/* Hides a deleted tree in one step, so that a writer that dies meanwhile leaves no half of it to
 * readers. False: it cannot be moved there. */
static bool take_away(vz_staging *staging, const vz_store_key_location *from, vz_store_key_location *to)
{
    vz_store_key_kind kind;
    const bool is_tree =
        from->store == staging->outer && *from->key &&
        (staging->inner || (from->store->class->look(from->store, from->key, &kind, NULL) && kind == VZ_STORE_PREFIX));
    to->store = is_tree ? vz_staging_store(staging, NULL) : NULL;
    if (!to->store)
        return false;
    vz_os_rwlock_write(&staging->lock);
    snprintf(to->text, sizeof to->text, "%u", ++staging->numbers);
    vz_os_rwlock_unlock(&staging->lock);
    to->key = to->text;
    return vz_directory_rename_away(from->store, from->key, to->store, to->key);
}

bool vz_staging_del_tree(vz_staging *staging, const char *prefix, vz_error *err)
{
    vz_store_key_location away;
    bool own;
    vz_store_key_location place;
    vz_os_rwlock_write(&staging->lock);
    vz_staging_drain(staging, VZ_STAGED_ANY, NULL); /* what does not become there need not be
                                                     * deleted */
    del_entries(staging, prefix, &own);
    resolve(staging, prefix, true, &place);
    vz_os_rwlock_unlock(&staging->lock);
    vz_staging_move_shapes(staging, prefix, NULL);
    if (own || is_nameless(prefix))
        return true;
    if (!take_away(staging, &place, &away))
        return place.store->class->del_tree(place.store, place.key, err);
    away.store->class->del_tree(away.store, away.key, NULL); /* it is deleted: what stays here goes
                                                              * with the staging area */
    return true;
}
