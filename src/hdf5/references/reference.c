/* reference.c - the text of references, and references in memory. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/resolve/token.h"
#include "hdf5/references/references_internal.h"
#include "base/util/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OLD_OBJECT_SIZE sizeof(hobj_ref_t)
#define OLD_REGION_SIZE sizeof(hdset_reg_ref_t)
#define NEW_SIZE        sizeof(H5R_ref_t)

/* Smaller numbers than VZ_TOKEN_FIRST are no tokens (node.h) but addresses of an HDF5 file.
 * h5repack copies old references in compounds as they are, and programs copy whole elements. The
 * number is kept, and leads nowhere, as in a native file; so is a larger one that is nobody's
 * token. */
#define ADDRESS      "address"
#define TOKEN_DIGITS 16
#define GONE         1 /* the address in place of an object that was deleted */

/* One walk over elements, in either direction. */
typedef struct walk walk;
struct walk {
    /* what is done with a reference */
    bool (*each)(walk *w, uint8_t *element, size_t size, vz_error *err);
    bool *changed; /* completing */
    bool succeeds; /* resolving: what has the path of a target that was deleted is the target */
    const vz_reference_context *context;
    vz_strmap *known; /* tokens of texts, or texts of tokens; NULL: too few elements to keep them */
    uint64_t token;   /* printing: the text made last ... */
    char *text;       /* ... is for this one */
};

#define KEEP_FROM 16                /* elements */
#define KEEP_MAX  ((size_t)1 << 16) /* texts */

static void keep(const walk *w, const char *key, void *value)
{
    if (w->known && vz_strmap_count(w->known) < KEEP_MAX)
        vz_strmap_put(w->known, key, value, NULL);
}

/* ---- text -> reference ---- */

/* Elements of a user's compound may lie anywhere. */
static bool make_new(const walk *w, uint8_t *element, uint64_t token, const vz_json *json, vz_error *err)
{
    H5R_ref_t reference = {0};
    const bool ok = w->context->maker->make(w->context->maker->context, token, json, &reference, err);
    memcpy(element, &reference, sizeof reference);
    return ok;
}

static bool make_region(const walk *w, uint8_t *element, uint64_t token, const vz_json *json, vz_error *err)
{
    hdset_reg_ref_t reference = {0};
    const bool ok = w->context->maker->make_region(w->context->maker->context, token, json, &reference, err);
    memcpy(element, &reference, sizeof reference);
    return ok;
}

static uint64_t address_of(const vz_json *json)
{
    uint64_t address;
    return vz_json_get_uint64(vz_json_get(json, ADDRESS), &address) ? address : 0;
}

static bool resolve(walk *w, uint8_t *element, size_t size, vz_error *err)
{
    const char *text;
    memcpy(&text, element, sizeof text);
    memset(element, 0, size);
    if (!text || !*text)
        return true;
    const void *kept = w->known && size == OLD_OBJECT_SIZE ? vz_strmap_get(w->known, text) : NULL;
    if (kept) {
        vz_bytes_store_le64(element, (uintptr_t)kept);
        return true;
    }
    vz_error failure = VZ_ERROR_NONE;
    vz_json *json = vz_reference_parse(text, &failure);
    uint64_t token = json ? vz_reference_target(w->context->hierarchy, json, &failure) : 0;
    if (token && w->succeeds)
        vz_reference_replace_lost(w->context->hierarchy, json, &token, &failure);
    bool ok = failure.class == VZ_OK || vz_fail(err, failure.class, "%s", failure.text);
    if (ok && !token)
        token = address_of(json);
    if (ok && token && size == OLD_OBJECT_SIZE) {
        vz_bytes_store_le64(element, token);
        keep(w, text, (void *)(uintptr_t)token);
    } else if (ok && size == NEW_SIZE && w->context->maker &&
               (token || vz_reference_is_external(w->context->hierarchy, json)))
        ok = make_new(w, element, token, json, err);
    else if (ok && size == OLD_REGION_SIZE && json && w->context->maker)
        ok = make_region(w, element, token, json, err);
    else if (ok && token)
        ok = vz_fail(err, VZ_UNSUPPORTED, "references of %zu bytes", size);
    vz_json_free(json);
    return ok;
}

/* ---- reference -> text ---- */

/* A member of the target, or of the root, that HDMF calls its identity. */
static vz_json *identity_of(const vz_node *node, vz_error *err)
{
    const char *id = node ? vz_json_get_string(vz_node_attribute(node, VZ_REFERENCE_ID), NULL) : NULL;
    return id ? vz_json_text(id, err) : vz_json_null(err);
}

bool vz_reference_is_known(const vz_hierarchy *hierarchy, uint64_t token)
{
    return token < VZ_TOKEN_FIRST || !vz_token_is_nameless(hierarchy, token);
}

static bool add_members(vz_json *json, const vz_json *more, vz_error *err)
{
    const char *key;
    vz_json *value;
    bool ok = true;
    for (size_t i = 0; ok && more && vz_json_member(more, i, &key, &value); i++)
        ok = vz_json_set(json, key, vz_json_copy(value, err), err);
    return ok;
}

static vz_json *describe_address(uint64_t address, const vz_json *more, vz_error *err)
{
    vz_json *json = vz_json_object(err);
    if (json && vz_json_set(json, "path", vz_json_null(err), err) &&
        (more ? add_members(json, more, err) : vz_json_set(json, ADDRESS, vz_json_uint64(address, err), err)))
        return json;
    vz_json_free(json);
    return NULL;
}

static char *path_of(const walk *w, uint64_t token, uint64_t *since, vz_error *err)
{
    char *path = vz_token_path_here(w->context->hierarchy, token, err);
    if (path && vz_hierarchy_since(w->context->hierarchy, path, since, err))
        return path;
    free(path);
    return NULL;
}

static vz_json *describe_path(walk *w, uint64_t token, const vz_json *more, vz_error *err)
{
    const vz_node *root = vz_hierarchy_root(w->context->hierarchy);
    uint64_t since = 0;
    char *path = path_of(w, token, &since, err);
    vz_json *json = path ? vz_json_object(err) : NULL;
    const bool identified = json && vz_node_attribute(root, VZ_REFERENCE_ID);
    if (json && !identified)
        vz_hierarchy_add_due(w->context->hierarchy, VZ_DUE_REFERENCES);
    bool ok =
        json && vz_json_set_text(json, "source", ".", err) &&
        vz_json_set(json, "path", vz_text_json_of_path(path, err), err) &&
        vz_json_set(json, VZ_REFERENCE_ID,
                    identity_of(identified ? vz_token_node(w->context->hierarchy, token, NULL) : NULL, err), err) &&
        vz_json_set(json, VZ_REFERENCE_SOURCE_ID, identity_of(root, err), err) &&
        (!since || vz_json_set(json, VZ_REFERENCE_SINCE, vz_json_uint64(since, err), err));
    free(path);
    if (ok && add_members(json, more, err))
        return json;
    vz_json_free(json);
    return NULL;
}

/* {source, path, object_id, source_object_id} and what `more` has. A token that was read from
 * another open store means the object at that path here. A program that copies a file attribute by
 * attribute writes such tokens. */
static vz_json *describe(walk *w, uint64_t token, const vz_json *more, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    if (token < VZ_TOKEN_FIRST)
        return describe_address(token, more, err);
    if (vz_token_is_retired(w->context->hierarchy, token))
        return describe_address(GONE, NULL, err);
    const uint64_t here = vz_token_here(w->context->hierarchy, token, &failed);
    if (failed.class != VZ_OK) {
        vz_fail(err, failed.class, "%s", failed.text);
        return NULL;
    }
    if (!here && !vz_token_is_nameless(w->context->hierarchy, token))
        return describe_address(token, NULL, err);
    return describe_path(w, here ? here : token, more, err);
}

static char *text_of_json(walk *w, const vz_json *json, vz_error *err)
{
    vz_buffer text = {0};
    const char *path = w->context->bare_paths ? vz_reference_bare_path(json) : NULL;
    if (path)
        return vz_arena_copy(w->context->arena, path, strlen(path) + 1, err);
    char *copy = NULL;
    if (vz_json_print(json, 0, &text, err) && vz_buffer_append(&text, "", 1, err))
        copy = vz_arena_copy(w->context->arena, text.data, text.size, err);
    vz_buffer_clear(&text);
    return copy;
}

static char *text_of(walk *w, uint64_t token, const vz_json *more, vz_error *err)
{
    char *copy = NULL;
    char key[TOKEN_DIGITS + 1];
    if (!more && w->text && w->token == token)
        return w->text;
    snprintf(key, sizeof key, "%016" PRIx64, token);
    char *kept = !more && w->known ? vz_strmap_get(w->known, key) : NULL;
    if (kept)
        return kept;
    vz_json *json = describe(w, token, more, err);
    if (json)
        copy = text_of_json(w, json, err);
    vz_json_free(json);
    if (!more) {
        w->token = token;
        w->text = copy;
        if (copy)
            keep(w, key, copy);
    }
    return copy;
}

static bool is_null(const uint8_t *element, size_t size)
{
    size_t i = 0;
    while (i < size && element[i] == 0)
        i++;
    return i == size;
}

static uint64_t describe_new(const walk *w, const uint8_t *element, vz_json **more, vz_error *err)
{
    H5R_ref_t reference;
    memcpy(&reference, element, sizeof reference);
    return w->context->maker->describe(w->context->maker->context, &reference, more, err);
}

static uint64_t describe_region(const walk *w, const uint8_t *element, vz_json **more, vz_error *err)
{
    hdset_reg_ref_t reference;
    memcpy(&reference, element, sizeof reference);
    return w->context->maker->describe_region(w->context->maker->context, &reference, more, err);
}

static bool print(walk *w, uint8_t *element, size_t size, vz_error *err)
{
    uint64_t token = 0;
    vz_json *more = NULL;
    char *text = NULL;
    if (!is_null(element, size)) {
        if (size == OLD_OBJECT_SIZE)
            token = vz_bytes_load_le64(element);
        else if (size == NEW_SIZE && w->context->maker)
            token = describe_new(w, element, &more, err);
        else if (size == OLD_REGION_SIZE && w->context->maker)
            token = describe_region(w, element, &more, err);
        else
            vz_fail(err, VZ_UNSUPPORTED, "references of %zu bytes", size);
        text = token && vz_hierarchy_holds_references(w->context->hierarchy, err) ? text_of(w, token, more, err) : NULL;
        vz_json_free(more);
        if (!text)
            return false;
    }
    memcpy(element, &text, sizeof text);
    return true;
}

/* ---- text -> text ---- */

/* The text that stands for `text` now, itself if nothing changed. */
static char *completed(walk *w, char *text, vz_error *err)
{
    vz_error unreadable = VZ_ERROR_NONE;
    vz_json *json =
        w->context->bare_paths ? vz_reference_parse(text, &unreadable) : vz_json_parse(text, strlen(text), &unreadable);
    char *copy = text;
    bool changed = false;
    if (json && !vz_reference_complete(w->context->hierarchy, json, &changed, err))
        copy = NULL;
    else if (json && (changed || w->context->bare_paths))
        copy = text_of_json(w, json, err);
    vz_json_free(json);
    return copy;
}

static bool complete(walk *w, uint8_t *element, size_t size, vz_error *err)
{
    char *text;
    (void)size;
    memcpy(&text, element, sizeof text);
    if (!text || !*text)
        return true;
    char *known = w->known ? vz_strmap_get(w->known, text) : NULL;
    char *now = known ? known : completed(w, text, err);
    if (!now)
        return false;
    if (!known)
        keep(w, text, now);
    *w->changed = *w->changed || strcmp(now, text) != 0;
    memcpy(element, &now, sizeof now);
    return true;
}

/* ---- the walk ---- */

static bool visit(walk *w, const vz_type_tree *layout, uint8_t *elements, size_t count, vz_error *err);

static bool visit_sequence(walk *w, const vz_type_tree *layout, uint8_t *element, vz_error *err)
{
    hvl_t sequence;
    memcpy(&sequence, element, sizeof sequence);
    if (sequence.len == 0)
        return true;
    if (w->context->arena) {
        sequence.p = vz_arena_copy(w->context->arena, sequence.p, sequence.len * layout->base->size, err);
        if (!sequence.p)
            return false;
        memcpy(element, &sequence, sizeof sequence);
    }
    return visit(w, layout->base, sequence.p, sequence.len, err);
}

static bool visit_one(walk *w, const vz_type_tree *layout, uint8_t *element, vz_error *err)
{
    if (layout->is_reference)
        return w->each(w, element, layout->size, err);
    switch (layout->class) {
    case H5T_COMPOUND:
        for (size_t i = 0; i < layout->count; i++)
            if (!visit(w, layout->members[i].layout, element + layout->members[i].offset, 1, err))
                return false;
        return true;
    case H5T_ARRAY:
        return visit(w, layout->base, element, layout->count, err);
    case H5T_VLEN:
        return visit_sequence(w, layout, element, err);
    default:
        return true;
    }
}

static bool visit(walk *w, const vz_type_tree *layout, uint8_t *elements, size_t count, vz_error *err)
{
    for (size_t i = 0; layout->has_references && i < count; i++)
        if (!visit_one(w, layout, elements + i * layout->size, err))
            return false;
    return true;
}

static bool walk_elements(walk *w, const vz_type_tree *form, void *elements, size_t count, vz_error *err)
{
    if (count >= KEEP_FROM)
        w->known = vz_strmap_new(); /* none: it takes longer */
    const bool ok = visit(w, form, elements, count, err);
    vz_strmap_free(w->known, NULL);
    return ok;
}

bool vz_references_resolve(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                           vz_error *err)
{
    walk w = {.each = resolve, .context = context};
    return walk_elements(&w, form, elements, count, err);
}

bool vz_references_resolve_scales(const vz_reference_context *context, const vz_type_tree *form, void *elements,
                                  size_t count, vz_error *err)
{
    walk w = {.each = resolve, .context = context, .succeeds = true};
    return walk_elements(&w, form, elements, count, err) &&
           vz_references_drop_lost(context->hierarchy, form, elements, count, err);
}

bool vz_references_print(const vz_reference_context *context, const vz_type_tree *form, void *elements, size_t count,
                         vz_error *err)
{
    walk w = {.each = print, .context = context};
    return walk_elements(&w, form, elements, count, err);
}

bool vz_references_complete(const vz_reference_context *context, const vz_type_tree *shown, void *elements,
                            size_t count, bool *changed, vz_error *err)
{
    walk w = {.each = complete, .changed = changed, .context = context};
    return walk_elements(&w, shown, elements, count, err);
}
