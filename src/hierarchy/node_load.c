/* node_load.c - reading a node's documents from the store. */
#include "hierarchy/hierarchy.h"
#include "hierarchy/document.h"
#include "hierarchy/link_list.h"
#include "store/ahead.h"
#include <stdlib.h>

/* ---- attributes ---- */

static bool parse_attributes(const vz_buffer *text, vz_json **attributes, vz_error *err)
{
    *attributes = vz_document_parse(VZ_DOCUMENT_ATTRIBUTES, (const char *)text->data, text->size, err);
    if (*attributes && vz_json_kind_of(*attributes) != VZ_JSON_OBJECT) {
        vz_fail(err, VZ_CORRUPT, ".zattrs: is %s, not an object", vz_json_kind_name(*attributes));
        vz_json_free(*attributes);
        *attributes = NULL;
    }
    return *attributes != NULL;
}

bool vz_node_load_attributes(vz_node *node, vz_error *err)
{
    if (node->format == 3)
        return vz_v3_load_attributes(node, err);
    vz_buffer text = {0};
    vz_version version;
    bool found;
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_document_get_first(node->hierarchy->store, prefix, VZ_DOCUMENT_ATTRIBUTES, &text, &found,
                                              &version, err);
    vz_json *attributes = NULL;
    if (ok && found)
        ok = parse_attributes(&text, &attributes, err);
    else if (ok)
        ok = (attributes = vz_json_object(err)) != NULL;
    ok = ok && vz_node_set_attributes(node, attributes, found ? vz_document_hash(text.data, text.size) : 0, err);
    if (ok)
        vz_node_note_version(node, true, &version);
    if (!ok && prefix)
        vz_error_where(err, node->hierarchy->path, prefix);
    vz_buffer_clear(&text);
    free(prefix);
    return ok;
}

/* ---- arrays and groups ---- */

/* The error of the first failure goes into the node: that its metadata is wrong is no reason to hide its attributes. */
bool vz_node_take_document(vz_node *node, const char *text, size_t size, vz_error *err)
{
    if (node->format == 3)
        return vz_v3_take_document(node, text, size, err);
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = vz_document_parse(VZ_DOCUMENT_ARRAY, text, size, &failed);
    vz_array_meta *meta = document ? vz_meta_parse_v2(document, &failed) : NULL;
    if (!meta && failed.class == VZ_NO_MEMORY) {
        vz_json_free(document);
        return vz_fail_memory(err);
    }
    vz_json_free(node->document);
    vz_meta_free(node->meta);
    node->document = document;
    node->meta = meta;
    node->meta_error = failed;
    node->document_hash = vz_document_hash(text, size);
    vz_node_note_version(node, false, NULL);
    return true;
}

static bool check_group_document(const char *text, size_t size, vz_error *err)
{
    vz_json *document = vz_document_parse(VZ_DOCUMENT_GROUP, text, size, err);
    if (!document)
        return false;
    int64_t format = 0;
    const vz_json *value = vz_json_get(document, "zarr_format");
    bool ok = true;
    if (!value)
        ok = vz_fail(err, VZ_CORRUPT, ".zgroup: \"zarr_format\" is missing");
    else if (!vz_json_get_int64(value, &format))
        ok = vz_fail(err, VZ_CORRUPT, ".zgroup: \"zarr_format\" is %s, expected 2", vz_json_kind_name(value));
    else if (format != 2)
        ok = vz_fail(err, VZ_UNSUPPORTED, ".zgroup: zarr_format %lld", (long long)format);
    vz_json_free(document);
    return ok;
}

static bool load_v2(vz_node *node, const char *text, size_t size, vz_error *err)
{
    if (node->kind == VZ_NODE_ARRAY && !vz_node_take_document(node, text, size, err))
        return false;
    if (node->kind == VZ_NODE_GROUP && !node->implicit && !check_group_document(text, size, err))
        return false;
    return vz_node_load_attributes(node, err);
}

/* Reads the documents of a node that has its place. `text`: the document that told what it is. */
static bool load(vz_node *node, const char *text, size_t size, vz_error *err)
{
    bool tracked = false;
    if (node->format == 3 && !node->implicit) {
        if (!vz_node_take_document(node, text, size, err))
            return false;
    } else if (!load_v2(node, text, size, err)) {
        return false;
    }
    vz_strmap *notes = node->kind == VZ_NODE_GROUP ? vz_link_notes_read(node->annotation, &tracked, err) : NULL;
    vz_strmap_free(notes, vz_link_note_free);
    node->track_order = tracked;
    if (node->kind == VZ_NODE_ARRAY && !node->meta) {
        char *path = vz_node_path(node, NULL);
        vz_error_where(&node->meta_error, node->hierarchy->path, path);
        free(path);
    }
    return node->kind == VZ_NODE_ARRAY || notes;
}

/* What a probe could not read is tried again, now to tell why. */
static bool load_unreadable(vz_node *group, vz_member *member, vz_error *err)
{
    bool is_node;
    vz_error why;
    member->state = VZ_MEMBER_UNKNOWN;
    if (!vz_probe_why(group, member, &is_node, &why, err))
        return false;
    if (why.class != VZ_OK) {
        if (err && err->class == VZ_OK)
            *err = why;
        return false;
    }
    if (member->state == VZ_MEMBER_UNREADABLE || !is_node) {
        char *prefix = vz_node_prefix(group, err);
        char *below = prefix ? vz_key_join(prefix, member->link.segment, err) : NULL;
        member->state = VZ_MEMBER_UNREADABLE;
        const char *document = member->format == 3 ? VZ_DOCUMENT_V3 : VZ_DOCUMENT_ARRAY;
        vz_json *parsed = NULL;
        if (below && vz_document_read(group->hierarchy->store, below, document, &parsed, err))
            vz_fail(err, VZ_IO, "\"%.200s\" cannot be read", member->link.name);
        vz_json_free(parsed);
        free(below);
        free(prefix);
        return false;
    }
    return true;
}

/* The document of a node that was forgotten meanwhile. */
static bool reread_document(vz_node *group, vz_member *member, vz_error *err)
{
    vz_buffer text = {0};
    vz_version version;
    bool found = false;
    char *above = vz_node_prefix(group, err);
    char *prefix = above ? vz_key_join(above, member->link.segment, err) : NULL;
    const char *document = member->format == 3                ? VZ_DOCUMENT_V3
                           : member->state == VZ_MEMBER_ARRAY ? VZ_DOCUMENT_ARRAY
                                                              : VZ_DOCUMENT_GROUP;
    bool ok = prefix && vz_document_meet(group->hierarchy->store, prefix, document, &text, &found, &version, err);
    free(above);
    free(prefix);
    if (ok && !found)
        ok = vz_fail(err, VZ_NOT_FOUND, "\"%.200s\" was deleted by another process", member->link.name);
    if (!ok) {
        vz_buffer_clear(&text);
        return false;
    }
    vz_member_keep_document(member, &text, &version);
    return true;
}

vz_node *vz_node_load_member(vz_node *group, vz_member *member, vz_error *err)
{
    if (member->state == VZ_MEMBER_UNREADABLE && !load_unreadable(group, member, err))
        return NULL;
    const bool documented = member->state == VZ_MEMBER_ARRAY || member->state == VZ_MEMBER_GROUP;
    if (documented && !member->document && !reread_document(group, member, err))
        return NULL;
    const vz_node_kind kind = member->state == VZ_MEMBER_ARRAY ? VZ_NODE_ARRAY : VZ_NODE_GROUP;
    vz_node *node = vz_node_new(group->hierarchy, kind, err);
    if (!node)
        return NULL;
    node->implicit = member->state == VZ_MEMBER_IMPLICIT;
    node->format = node->implicit ? group->format : member->format;
    node->parent = group;
    node->link = &member->link;
    if (!load(node, member->document, member->document_size, err)) {
        char *path = vz_node_path(node, NULL);
        vz_error_where(err, group->hierarchy->path, path);
        free(path);
        vz_node_free(node);
        return NULL;
    }
    vz_node_note_version(node, false, member->version);
    vz_member_forget_document(member);
    return node;
}

/* ---- the root ---- */

/* "x" for a store called x.zarr: what zarr.save was given, mostly. */
static char *name_of_store(const char *path, vz_error *err)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    static const char suffix[] = ".zarr";
    const size_t length = sizeof suffix - 1;
    if (end - start > length && memcmp(path + end - length, suffix, length) == 0)
        end -= length;
    char *name = strndup(path + start, end - start);
    if (!name)
        vz_fail_memory(err);
    return name;
}

/* The root is the array's parent only for HDF5, whose files begin with a group. */
static bool add_only_array(vz_node *root, vz_buffer *text, vz_error *err)
{
    root->implicit = true;
    if (!(root->members = vz_members_new(err)))
        return false;
    vz_link link = {.name = name_of_store(root->hierarchy->store->path, err), .segment = strdup("")};
    vz_member *member = link.name ? vz_members_add(root->members, link, err) : (free(link.segment), NULL);
    if (!member)
        return false;
    member->link.utf8 = !vz_text_is_ascii(member->link.name);
    member->state = VZ_MEMBER_ARRAY;
    member->format = root->format;
    root->members->unknown--;
    member->document = (char *)text->data;
    member->document_size = text->size;
    *text = (vz_buffer){0};
    return true;
}

/* The first of these that is there tells what the store is; zarr-python 3 looks for its own format first, too. */
static const char *const root_documents[] = {VZ_DOCUMENT_V3, VZ_DOCUMENT_ARRAY, VZ_DOCUMENT_GROUP};

static bool find_root_document(vz_store *store, size_t *index, vz_buffer *text, vz_error *err)
{
    static const char *const all[] = {VZ_DOCUMENT_V3, VZ_DOCUMENT_ARRAY, VZ_DOCUMENT_GROUP, VZ_DOCUMENT_ATTRIBUTES};
    const bool is_far = !(store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND));
    vz_version version;
    bool found = false;
    if (is_far && !vz_store_read_ahead_up_to(store, all, sizeof all / sizeof *all, VZ_DOCUMENT_MAX_SIZE, err))
        return false;
    for (*index = 0; *index < 3; (*index)++) {
        if (!vz_document_get_first(store, "", root_documents[*index], text, &found, &version, err))
            return false;
        if (found)
            return true;
    }
    return vz_fail(err, VZ_NOT_FOUND, "there is no Zarr group or array");
}

static bool load_root(vz_node *root, vz_error *err)
{
    vz_hierarchy *hierarchy = root->hierarchy;
    vz_buffer text = {0};
    size_t index;
    bool ok = find_root_document(hierarchy->store, &index, &text, err);
    if (ok) {
        root->format = hierarchy->format = index == 0 ? 3 : 2;
        hierarchy->array_root = index == 1 || (index == 0 && vz_v3_is_array((const char *)text.data, text.size));
        ok = hierarchy->array_root ? add_only_array(root, &text, err)
                                   : load(root, (const char *)text.data, text.size, err);
    }
    vz_buffer_clear(&text);
    return ok;
}

vz_node *vz_node_load_root(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    const bool ok = root && load_root(root, err);
    vz_store_forget_ahead(hierarchy->store, NULL);
    if (ok)
        return root;
    vz_node_free(root);
    return NULL;
}
