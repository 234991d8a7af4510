/* probe_directory.c - what is that directory? An array, a group, a group without a document, or
 * no node at all. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* directories looked into for nodes below a directory without documents */
#define SEARCH_MAX_LISTS 256
#define SEARCH_MAX_DEPTH 32

/* ---- looking below a directory without documents ---- */

typedef struct search {
    vz_store *store;
    unsigned lists; /* directories looked into */
    bool has_node;  /* a document of a node */
    bool has_other; /* something that no array leaves behind, or too much to say */
} search;

/* Digits and dots, in format 3 with a "c" in front: what a chunk is called. */
static bool is_chunk_name(const char *name)
{
    return *name != '\0' && name[(*name == 'c') + strspn(name + (*name == 'c'), "0123456789.")] == '\0';
}

static bool search_below(search *s, const char *prefix, unsigned depth, vz_error *err);

static bool search_entry(search *s, const char *prefix, const vz_entry *entry, unsigned depth, vz_error *err)
{
    if (!entry->is_prefix) {
        s->has_node = s->has_node || vz_zarr_is_node_document(entry->name);
        s->has_other = s->has_other || (!is_chunk_name(entry->name) && !vz_zarr_is_attributes_document(entry->name));
        return true;
    }
    char *below = vz_document_key_join(prefix, entry->name, err);
    const bool ok = below && search_below(s, below, depth + 1, err);
    free(below);
    return ok;
}

static bool search_below(search *s, const char *prefix, unsigned depth, vz_error *err)
{
    vz_entry *entries = NULL;
    size_t count = 0;
    if (depth > SEARCH_MAX_DEPTH || s->lists++ >= SEARCH_MAX_LISTS) {
        s->has_other = true;
        return true;
    }
    bool ok = vz_store_list(s->store, prefix, &entries, &count, err);
    for (size_t i = 0; ok && i < count && !s->has_node; i++)
        ok = search_entry(s, prefix, &entries[i], depth, err);
    vz_entries_free(entries, count);
    return ok;
}

bool vz_node_clear_leftover(vz_store *store, const char *prefix, bool is_group, vz_error *err)
{
    search s = {.store = store};
    /* In a remote store chunks are seen before their documents: these may be of what another
     * process makes below the same group just now. In a group they are in nobody's way. */
    if (is_group && !(store->capabilities & VZ_STORE_CHEAP))
        return true;
    if (!search_below(&s, prefix, 0, err))
        return false;
    if (!s.has_node && !s.has_other)
        return vz_store_del_tree(store, prefix, err);
    if (is_group)
        return true;
    return vz_fail(err, VZ_EXISTS, "the store holds something else at \"%.200s\"", prefix);
}

/* ---- probing a member ---- */

/* One document for arrays and groups, which says what it is of. */
static bool probe_said(vz_store *store, const char *prefix, vz_member *member, vz_error *err)
{
    const vz_zarr_format *zarr_format = member->zarr_format;
    vz_buffer text = {0};
    vz_version version;
    bool found = false;
    if (!vz_document_get_first(store, prefix, zarr_format->array, &text, &found, &version, err))
        return false;
    if (!found)
        return true;
    vz_json *document = vz_document_parse(zarr_format->array, (const char *)text.data, text.size, err);
    const vz_meta_document_kind says = zarr_format->says(document);
    const bool ok =
        document && (says != VZ_SAYS_NEITHER ||
                     vz_fail(err, VZ_CORRUPT, "%s: tells neither an array nor a group", zarr_format->array));
    vz_json_free(document);
    if (ok) {
        member->state = says == VZ_SAYS_ARRAY ? VZ_MEMBER_ARRAY : VZ_MEMBER_GROUP;
        vz_member_keep_document(member, &text, &version);
    }
    vz_buffer_clear(&text);
    return ok;
}

/* A document for each, whose name says what it is of. */
static bool probe_named(vz_store *store, const char *prefix, vz_member *member, vz_error *err)
{
    vz_buffer text = {0};
    vz_version version;
    bool found = false;
    bool ok = vz_document_get_first(store, prefix, member->zarr_format->array, &text, &found, &version, err);
    if (ok && found)
        member->state = VZ_MEMBER_ARRAY;
    if (ok && !found) {
        ok = vz_document_get_first(store, prefix, member->zarr_format->group, &text, &found, &version, err);
        if (ok && found)
            member->state = VZ_MEMBER_GROUP;
    }
    if (ok && found)
        vz_member_keep_document(member, &text, &version);
    vz_buffer_clear(&text);
    return ok;
}

static bool probe_format(const vz_zarr_format *zarr_format, vz_store *store, const char *prefix, vz_member *member,
                         vz_error *err)
{
    member->zarr_format = zarr_format;
    return zarr_format->says ? probe_said(store, prefix, member, err) : probe_named(store, prefix, member, err);
}

/* The Zarr format of the group above is looked for first. */
static bool probe_documents(const vz_zarr_format *above, vz_store *store, const char *prefix, vz_member *member,
                            vz_error *err)
{
    bool ok = probe_format(above, store, prefix, member, err);
    for (size_t i = 0; ok && i < VZ_ZARR_FORMATS && member->state == VZ_MEMBER_UNKNOWN; i++)
        if (vz_zarr_formats[i] != above)
            ok = probe_format(vz_zarr_formats[i], store, prefix, member, err);
    return ok;
}

static bool probe_implicit(vz_store *store, const char *prefix, vz_member *member, vz_error *err)
{
    search s = {.store = store};
    vz_error failed = VZ_ERROR_NONE;
    const bool ok = search_below(&s, prefix, 0, &failed);
    if (ok && s.has_node)
        member->state = VZ_MEMBER_IMPLICIT;
    if (ok || (member->is_asked && (failed.class == VZ_UNSUPPORTED || failed.class == VZ_PERMISSION)))
        return true; /* where nobody may list there are no groups without documents */
    if (err && err->class == VZ_OK)
        *err = failed;
    return false;
}

/* ---- many members ---- */

enum { DOCUMENTS_MAX = 3 }; /* of a node */

/* Appends the keys of a member's documents. */
static bool add_keys(const vz_node *group, const char *above, const vz_member *member, char **keys, size_t *count,
                     vz_error *err)
{
    const vz_zarr_format *zarr_format = group->zarr_format; /* the member's, too, most likely */
    const char *const documents[DOCUMENTS_MAX] = {zarr_format->array, zarr_format->says ? NULL : zarr_format->group,
                                                  zarr_format->attributes};
    char *prefix = vz_document_key_join(above, member->link.segment, err);
    bool ok = prefix != NULL;
    for (size_t i = 0; ok && i < DOCUMENTS_MAX; i++) {
        if (!documents[i])
            continue;
        bool found;
        vz_bytes bytes;
        char *key = vz_document_key_join(prefix, documents[i], err);
        ok = key != NULL;
        if (ok && vz_store_has_prefetched(group->hierarchy->store, key, &found, &bytes))
            free(key);
        else if (ok)
            keys[(*count)++] = key;
    }
    free(prefix);
    return ok;
}

/* Those of all members of a listed group that nobody has looked at. */
static bool add_unknown(vz_node *group, char **keys, size_t *count, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    char *above = vz_node_prefix(group, err);
    bool ok = above != NULL;
    while (ok && vz_strmap_next(group->members->by_name, &cursor, &name, &value))
        if (((const vz_member *)value)->state == VZ_MEMBER_UNKNOWN)
            ok = add_keys(group, above, value, keys, count, err);
    free(above);
    return ok;
}

static bool is_at_hand(const vz_node *group)
{
    return group->hierarchy->store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND);
}

/* Those of one member, and the listing of its group where `lists` says so, in one round. */
static bool prefetch_one(vz_node *group, const vz_member *member, bool lists, vz_error *err)
{
    char *keys[DOCUMENTS_MAX], *above = vz_node_prefix(group, err);
    const char *const listed = above;
    size_t count = 0;
    const bool ok =
        above && add_keys(group, above, member, keys, &count, err) &&
        vz_store_prefetch_all(group->hierarchy->store, (const char *const *)keys, count, &listed, lists, err);
    for (size_t i = 0; i < count; i++)
        free(keys[i]);
    free(above);
    return ok;
}

bool vz_node_probe_name_prefetch(vz_node *group, const char *name, bool *read, vz_error *err)
{
    *read = !is_at_hand(group) && group->kind == VZ_NODE_GROUP && !group->members && !group->is_new;
    if (!*read)
        return true;
    char *segment = vz_segment_of_name(name, err);
    const vz_member member = {.link = {.segment = segment}};
    const bool ok = segment && prefetch_one(group, &member, true, err);
    free(segment);
    return ok;
}

static void forget_document(vz_store *store, const char *prefix, const char *document)
{
    char *key = document ? vz_document_key_join(prefix, document, NULL) : NULL;
    if (key)
        vz_store_forget_prefetched(store, key);
    free(key);
}

void vz_node_probe_forget_name(vz_node *group, const char *name)
{
    vz_store *store = group->hierarchy->store;
    const vz_zarr_format *zarr_format = group->zarr_format;
    char *above = vz_node_prefix(group, NULL), *segment = vz_segment_of_name(name, NULL);
    char *prefix = above && segment ? vz_document_key_join(above, segment, NULL) : NULL;
    if (prefix) {
        forget_document(store, prefix, zarr_format->array);
        forget_document(store, prefix, zarr_format->group);
        forget_document(store, prefix, zarr_format->attributes);
    }
    free(prefix);
    free(segment);
    free(above);
}

/* Of a group and so many above it, as one batch. */
static bool prefetch(vz_node *group, unsigned above, vz_error *err)
{
    size_t most = 1, count = 0;
    unsigned left = above;
    for (vz_node *at = group; at; at = left-- > 0 ? at->parent : NULL)
        most += at->members ? at->members->unknown * DOCUMENTS_MAX : 0;
    char **keys = calloc(most, sizeof *keys);
    bool ok = keys || vz_fail_memory(err);
    left = above;
    for (vz_node *at = group; ok && at; at = left-- > 0 ? at->parent : NULL)
        ok = !at->members || add_unknown(at, keys, &count, err);
    ok = ok && vz_store_prefetch(group->hierarchy->store, (const char *const *)keys, count, err);
    for (size_t i = 0; i < count; i++)
        free(keys[i]);
    free(keys);
    return ok;
}

bool vz_node_probe_prefetch(vz_node *group, vz_error *err)
{
    return is_at_hand(group) || prefetch(group, 0, err);
}

bool vz_group_prefetch_up(vz_node *group, vz_error *err)
{
    const bool is_due =
        !is_at_hand(group) && group->members && !group->members->is_completed && !group->members->unlisted;
    return !is_due || prefetch(group, vz_node_depth(group), err);
}

/* ---- which members are nodes ---- */

typedef struct looking {
    vz_entry_probe *looks;
    vz_member **members; /* whose looks these are */
    size_t count;
} looking;

static bool gather_unknown(vz_node *group, looking *l, vz_error *err)
{
    size_t cursor = 0;
    const char *name;
    void *value;
    const size_t most = group->members->unknown;
    l->looks = malloc(most * sizeof *l->looks);
    l->members = malloc(most * sizeof *l->members);
    if (!l->looks || !l->members)
        return vz_fail_memory(err);
    while (l->count < most && vz_strmap_next(group->members->by_name, &cursor, &name, &value)) {
        vz_member *member = value;
        if (member->state != VZ_MEMBER_UNKNOWN)
            continue;
        l->looks[l->count] = (vz_entry_probe){.name = member->link.segment};
        l->members[l->count++] = member;
    }
    return true;
}

/* Members with that document are of that state; the others go on to the next one. */
static bool look_for(vz_node *group, const char *above, const char *document, vz_member_state state, looking *l,
                     vz_error *err)
{
    size_t left = 0;
    if (!vz_store_look_below(group->hierarchy->store, above, document, l->looks, l->count, err))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        vz_member *member = l->members[i];
        member->zarr_format = group->zarr_format;
        if (l->looks[i].is_there) {
            member->state = state;
            group->members->unknown--;
            continue;
        }
        l->looks[left] = l->looks[i];
        l->members[left++] = member;
    }
    l->count = left;
    return true;
}

static bool look_at_all(vz_node *group, const char *above, vz_error *err)
{
    looking l = {0};
    const vz_zarr_format *zarr_format = group->zarr_format;
    bool ok = gather_unknown(group, &l, err) &&
              look_for(group, above, zarr_format->array, zarr_format->says ? VZ_MEMBER_NODE : VZ_MEMBER_ARRAY, &l, err);
    if (ok && l.count > 0 && !zarr_format->says)
        ok = look_for(group, above, zarr_format->group, VZ_MEMBER_GROUP, &l, err);
    free(l.looks);
    free(l.members);
    return ok;
}

bool vz_node_probe_names(vz_node *group, vz_error *err)
{
    if (!(group->hierarchy->store->capabilities & VZ_STORE_CHEAP))
        return true;
    char *above = vz_node_prefix(group, err);
    const bool ok = above && look_at_all(group, above, err);
    free(above);
    return ok;
}

static bool has_document(vz_node *group, const char *prefix, const char *document, bool *has, vz_error *err)
{
    vz_stamp stamp = {0};
    vz_error unclear = VZ_ERROR_NONE; /* reading it says why */
    char *key = vz_document_key_join(prefix, document, err);
    *has = key && vz_store_stat(group->hierarchy->store, key, &stamp, &unclear) && stamp.exists;
    free(key);
    return key != NULL;
}

bool vz_node_probe_one_name(vz_node *group, vz_member *member, vz_error *err)
{
    const vz_zarr_format *zarr_format = group->zarr_format;
    if (member->state != VZ_MEMBER_UNKNOWN || !(group->hierarchy->store->capabilities & VZ_STORE_CHEAP))
        return true;
    bool is_array = false, is_group = false;
    char *prefix = vz_node_key_in(group, member->link.segment, err);
    const bool ok = prefix && has_document(group, prefix, zarr_format->array, &is_array, err) &&
                    (is_array || zarr_format->says || has_document(group, prefix, zarr_format->group, &is_group, err));
    free(prefix);
    if (!ok || (!is_array && !is_group))
        return ok;
    member->state = is_group ? VZ_MEMBER_GROUP : zarr_format->says ? VZ_MEMBER_NODE : VZ_MEMBER_ARRAY;
    member->zarr_format = zarr_format;
    group->members->unknown--;
    return true;
}

/* ---- what a member is ---- */

/* A node that cannot be read is shown all the same, and hides no other; opening it reports why. */
bool vz_node_probe(vz_node *group, vz_member *member, bool *is_node, vz_error *err)
{
    vz_error why;
    return vz_node_probe_why(group, member, is_node, &why, err);
}

bool vz_node_probe_why(vz_node *group, vz_member *member, bool *is_node, vz_error *why, vz_error *err)
{
    *is_node = true;
    *why = VZ_ERROR_NONE;
    if (member->state != VZ_MEMBER_UNKNOWN)
        return true;
    vz_store *store = group->hierarchy->store;
    if (!is_at_hand(group) && !prefetch_one(group, member, false, err))
        return false;
    char *prefix = vz_node_key_in(group, member->link.segment, err);
    if (!prefix)
        return false;
    bool ok = probe_documents(group->zarr_format, store, prefix, member, why);
    if (ok && member->state == VZ_MEMBER_ARRAY && !is_at_hand(group) && !group->zarr_format->says)
        /* that it is not there: nobody asks for that now */
        forget_document(store, prefix, group->zarr_format->group);
    if (ok && member->state == VZ_MEMBER_UNKNOWN)
        ok = probe_implicit(store, prefix, member, why);
    free(prefix);
    if (why->class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    if (!ok)
        member->state = VZ_MEMBER_UNREADABLE;
    *is_node = member->state != VZ_MEMBER_UNKNOWN;
    return true;
}
