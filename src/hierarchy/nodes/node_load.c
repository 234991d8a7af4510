/* node_load.c - reading a node's documents from the store. */
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member_internal.h"
#include "hierarchy/nodes/node_state_internal.h"
#include "store/store/prefetch.h"
#include <stdlib.h>

/* ---- attributes ---- */

static bool parse_attributes(const char *name, const vz_buffer *text, vz_json **attributes, vz_error *err)
{
    if (text->size == 2 && memcmp(text->data, "{}", 2) == 0) /* as zarr-python writes it */
        return (*attributes = vz_json_object(err)) != NULL;
    *attributes = vz_document_parse(name, (const char *)text->data, text->size, err);
    if (*attributes && vz_json_kind_of(*attributes) != VZ_JSON_OBJECT) {
        vz_fail(err, VZ_CORRUPT, "%s: is %s, not an object", name, vz_json_kind_name(*attributes));
        vz_json_free(*attributes);
        *attributes = NULL;
    }
    return *attributes != NULL;
}

bool vz_node_load_attributes(vz_node *node, vz_error *err)
{
    if (vz_zarr_format_in_one(node->zarr_format))
        return vz_node_load_joint_attributes(node, err);
    vz_buffer text = {0};
    vz_version version;
    bool found;
    const uint64_t refusals = vz_refusals_counted();
    char *prefix = vz_node_prefix(node, err);
    bool ok = prefix && vz_document_get_first(node->hierarchy->store, prefix, node->zarr_format->attributes, &text,
                                              &found, &version, err);
    vz_json *attributes = NULL;
    if (ok && found)
        ok = parse_attributes(node->zarr_format->attributes, &text, &attributes, err);
    else if (ok)
        ok = (attributes = vz_json_object(err)) != NULL;
    ok = ok && vz_node_set_attributes(node, attributes, found ? vz_hash_text(text.data, text.size) : 0, err);
    if (ok)
        vz_node_keep_version(node, true, &version);
    if (ok)
        node->attributes_refused = !found && vz_refusals_counted() != refusals;
    if (!ok && prefix)
        vz_error_where(err, node->hierarchy->path, prefix);
    vz_buffer_clear(&text);
    free(prefix);
    return ok;
}

bool vz_node_renew_attributes(vz_node *node, vz_error *err)
{
    if (!node->attributes_refused || node->unwritten || node->is_new)
        return true;
    vz_node_forget_view(node);
    vz_store_forget_refused(node->hierarchy->store);
    return vz_node_load_attributes(node, err) && vz_group_note_read(node, err);
}

/* ---- arrays and groups ---- */

static uint64_t documents_read = 1;
uint64_t vz_node_documents_read(void)
{
    return documents_read;
}

/* The error of the first failure goes into the node: that its metadata is wrong is no reason to
 * hide its attributes. */
bool vz_node_parse_document(vz_node *node, const char *text, size_t size, vz_error *err)
{
    documents_read++;
    if (vz_zarr_format_in_one(node->zarr_format))
        return vz_node_parse_joint(node, text, size, err);
    vz_doc_cache *cache = node->hierarchy->documents;
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = NULL;
    vz_meta *meta = NULL;
    if (!vz_doc_cache_find_parsed(cache, node->zarr_format, (vz_bytes){(const uint8_t *)text, size}, &document,
                                  &meta)) {
        document = vz_document_parse(node->zarr_format->array, text, size, &failed);
        meta = document ? node->zarr_format->load(document, &failed) : NULL;
        if (meta)
            vz_doc_cache_note_parsed(cache, node->zarr_format, (vz_bytes){(const uint8_t *)text, size}, document, meta);
        else if (document)
            meta = vz_node_outline(node, document, &failed);
    }
    if (failed.class == VZ_NO_MEMORY) {
        vz_json_free(document);
        vz_meta_free(meta);
        return vz_fail_memory(err);
    }
    vz_json_free(node->document);
    vz_meta_free(node->meta);
    node->document = document;
    node->meta = meta;
    vz_node_set_meta_error(node, &failed);
    node->document_hash = vz_hash_text(text, size);
    vz_node_keep_version(node, false, NULL);
    return true;
}

/* Is it the document of nearly all groups, with white space anywhere between? It need not be
 * parsed. */
static bool is_usual_group(const vz_zarr_format *zarr_format, const char *text, size_t size)
{
    static const char usual[] = "{\"zarr_format\":2}";
    enum { KEY = 1, AFTER_KEY = KEY + sizeof "\"zarr_format\"" - 1, END = sizeof usual - 1 };
    size_t met = 0;
    for (size_t i = 0; i < size; i++) {
        const bool is_between = met <= KEY || met >= AFTER_KEY;
        if (is_between && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
            continue;
        if (met == END || text[i] != usual[met++])
            return false;
    }
    return met == END && zarr_format->format == 2;
}

static bool check_group_document(const vz_zarr_format *zarr_format, const char *text, size_t size, vz_error *err)
{
    if (is_usual_group(zarr_format, text, size))
        return true;
    vz_json *document = vz_document_parse(zarr_format->group, text, size, err);
    const bool ok = document && zarr_format->check_group(document, err);
    vz_json_free(document);
    return ok;
}

/* Attributes have a document of their own. */
static bool load_apart(vz_node *node, const char *text, size_t size, vz_error *err)
{
    if (node->kind == VZ_NODE_ARRAY && !vz_node_parse_document(node, text, size, err))
        return false;
    if (node->kind == VZ_NODE_GROUP && !node->implicit && !check_group_document(node->zarr_format, text, size, err))
        return false;
    return vz_node_load_attributes(node, err);
}

/* Reads the documents of a node that has its place. `text`: the document that said what the node
 * is. */
static bool load(vz_node *node, const char *text, size_t size, vz_error *err)
{
    bool tracked = false;
    if (vz_zarr_format_in_one(node->zarr_format) && !node->implicit) {
        if (!vz_node_parse_document(node, text, size, err))
            return false;
    } else if (!load_apart(node, text, size, err)) {
        return false;
    }
    if ((!node->attributes && !vz_node_no_attributes(node, err)) || !vz_group_note_read(node, err) ||
        !vz_node_stored_fill_read(node, err))
        return false;
    const bool has_list = node->kind == VZ_NODE_GROUP && vz_json_get(node->annotation, VZ_ANNOTATION_LINKS);
    vz_strmap *facts = has_list ? vz_link_list_read(node->annotation, &tracked, err) : NULL;
    vz_strmap_free(facts, vz_link_facts_free);
    node->track_order = tracked;
    if (node->kind == VZ_NODE_ARRAY && node->meta_error) {
        char *path = vz_node_path(node, NULL);
        vz_error_where(node->meta_error, node->hierarchy->path, path);
        free(path);
    }
    return !has_list || facts;
}

static bool fail_deleted(const vz_member *member, vz_error *err)
{
    return vz_fail(err, VZ_NOT_FOUND, "\"%.200s\" was deleted by another process", member->link.name);
}

/* A document that a probe could not read is read again, to report why; one that was only seen is
 * read. */
static bool look_closer(vz_node *group, vz_member *member, vz_error *err)
{
    bool is_node;
    vz_error why;
    const vz_member_state before = member->state;
    member->state = VZ_MEMBER_UNKNOWN;
    const bool looked = vz_node_probe_why(group, member, &is_node, &why, err);
    if (before == VZ_MEMBER_NODE && looked && !is_node) {
        member->state = before;
        return fail_deleted(member, err);
    }
    if (!looked)
        return false;
    if (why.class != VZ_OK) {
        if (err && err->class == VZ_OK)
            *err = why;
        return false;
    }
    if (member->state == VZ_MEMBER_UNREADABLE || !is_node) {
        char *below = vz_node_key_in(group, member->link.segment, err);
        member->state = VZ_MEMBER_UNREADABLE;
        vz_json *parsed = NULL;
        if (below && vz_document_read(group->hierarchy->store, below, member->zarr_format->array, &parsed, err))
            vz_fail(err, VZ_IO, "\"%.200s\" cannot be read", member->link.name);
        vz_json_free(parsed);
        free(below);
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
    char *prefix = vz_node_key_in(group, member->link.segment, err);
    const char *document = member->state == VZ_MEMBER_ARRAY ? member->zarr_format->array : member->zarr_format->group;
    bool ok = prefix && vz_document_meet(group->hierarchy->store, prefix, document, &text, &found, &version, err);
    free(prefix);
    if (ok && !found)
        ok = fail_deleted(member, err);
    if (!ok) {
        vz_buffer_clear(&text);
        return false;
    }
    vz_member_keep_document(member, &text, &version);
    return true;
}

vz_node *vz_node_load_member(vz_node *group, vz_member *member, vz_error *err)
{
    if ((member->state == VZ_MEMBER_UNREADABLE || member->state == VZ_MEMBER_NODE) && !look_closer(group, member, err))
        return NULL;
    const bool documented = member->state == VZ_MEMBER_ARRAY || member->state == VZ_MEMBER_GROUP;
    if (documented && !member->document && !reread_document(group, member, err))
        return NULL;
    const vz_node_kind kind = member->state == VZ_MEMBER_ARRAY ? VZ_NODE_ARRAY : VZ_NODE_GROUP;
    vz_node *node = vz_node_new_unread(group->hierarchy, kind, err);
    if (!node)
        return NULL;
    node->implicit = member->state == VZ_MEMBER_IMPLICIT;
    node->zarr_format = node->implicit ? group->zarr_format : member->zarr_format;
    node->parent = group;
    node->link = &member->link;
    if (!load(node, member->document, member->document_size, err)) {
        char *path = vz_node_path(node, NULL);
        vz_error_where(err, group->hierarchy->path, path);
        free(path);
        vz_node_free(node);
        return NULL;
    }
    vz_node_keep_version(node, false, member->version);
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
    if (!(root->members = vz_members_new(root, err)))
        return false;
    vz_link link = {.name = name_of_store(root->hierarchy->store->path, err), .segment = strdup("")};
    vz_member *member = link.name ? vz_members_add(root->members, link, err) : (free(link.segment), NULL);
    if (!member)
        return false;
    member->link.utf8 = !vz_text_is_ascii(member->link.name);
    member->state = VZ_MEMBER_ARRAY;
    member->zarr_format = root->zarr_format;
    root->members->unknown--;
    member->document = (char *)text->data;
    member->document_size = text->size;
    *text = (vz_buffer){0};
    return true;
}

/* All documents that the root can have, in one round. */
static bool prefetch(vz_store *store, vz_error *err)
{
    const char *all[4 * VZ_ZARR_FORMATS], *name;
    size_t count = 0;
    for (size_t i = 0; (name = vz_zarr_document_name(i)); i++)
        if (vz_zarr_is_node_document(name) || vz_zarr_is_attributes_document(name))
            all[count++] = name;
    return vz_store_prefetch_up_to(store, all, count, VZ_DOCUMENT_MAX_SIZE, err);
}

/* The document that tells what the store is; *is_array: so says its name. *hash: of what the
 * text was cut from, or 0. */
static bool find_root_document(vz_store *store, const vz_zarr_format **zarr_format, bool *is_array, vz_buffer *text,
                               uint64_t *hash, vz_error *err)
{
    const bool is_far = !(store->capabilities & (VZ_STORE_CHEAP | VZ_STORE_AT_HAND));
    bool found = false;
    if (is_far && !prefetch(store, err))
        return false;
    for (size_t i = 0; i < VZ_ZARR_FORMATS; i++) {
        *zarr_format = vz_zarr_formats[i];
        *is_array = !vz_zarr_formats[i]->says;
        if (!vz_document_get_around_copy(store, "", vz_zarr_formats[i]->array, text, &found, hash, err))
            return false;
        if (!found && *is_array) {
            *is_array = false;
            if (!vz_document_get_around_copy(store, "", vz_zarr_formats[i]->group, text, &found, hash, err))
                return false;
        }
        if (found)
            return true;
    }
    return vz_fail(err, VZ_NOT_FOUND, "there is no Zarr group or array");
}

static bool load_root(vz_node *root, vz_error *err)
{
    vz_hierarchy *hierarchy = root->hierarchy;
    vz_buffer text = {0};
    uint64_t hash = 0;
    bool ok = find_root_document(hierarchy->store, &root->zarr_format, &hierarchy->array_root, &text, &hash, err);
    if (ok) {
        hierarchy->zarr_format = root->zarr_format;
        if (root->zarr_format->says)
            hierarchy->array_root =
                vz_node_document_says(root->zarr_format, (const char *)text.data, text.size) == VZ_SAYS_ARRAY;
        ok = hierarchy->array_root ? add_only_array(root, &text, err)
                                   : load(root, (const char *)text.data, text.size, err);
    }
    if (ok && hash && !hierarchy->array_root)
        root->document_hash = hash;
    vz_buffer_clear(&text);
    return ok;
}

vz_node *vz_node_load_root(vz_hierarchy *hierarchy, vz_error *err)
{
    vz_node *root = vz_node_new(hierarchy, VZ_NODE_GROUP, err);
    const bool ok = root && load_root(root, err);
    if (ok && hierarchy->writable && vz_hierarchy_is_remote(hierarchy) && !hierarchy->array_root)
        vz_doc_cache_read_hint(hierarchy->documents, hierarchy->store, hierarchy->zarr_format,
                               hierarchy->hard_links.names_changed);
    vz_store_forget_prefetched(hierarchy->store, NULL);
    if (ok)
        return root;
    vz_node_free(root);
    return NULL;
}
