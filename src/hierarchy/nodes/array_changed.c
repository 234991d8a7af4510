/* array_changed.c - is the array in the store still the one that this process knows? Another
 * program may have deleted it, or made another one in its place; chunks of the old form would be
 * read there as something else. */
#include "base/os/process.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/node_state_internal.h"
#include <stdlib.h>

#define SECOND_NS                INT64_C(1000000000)
#define CHECK_INTERVAL_NS        (SECOND_NS / 100) /* chunks that are written at once are looked after once in so long */
#define CHECK_INTERVAL_REMOTE_NS (2 * SECOND_NS)   /* where that is a round trip */
#define STAMP_SETTLES_NS         (2 * SECOND_NS) /* a younger stamp may be another document's: clocks of file systems tick */

/* ---- the form of chunks ---- */

/* Another text may still describe the same chunks: another shape, fill value or, in format 3,
 * other attributes. */
static bool is_same_form(vz_node *node, const vz_buffer *text, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *document = vz_json_parse((const char *)text->data, text->size, &failed);
    vz_meta *theirs = document ? node->zarr_format->load(document, &failed) : NULL;
    vz_meta *ours = node->document ? node->zarr_format->load(node->document, &failed) : NULL;
    const bool same = theirs && ours && vz_meta_same_grid(ours, theirs);
    node->cut_off = same && node->meta && vz_node_is_cut_off(node, ours, theirs);
    vz_json_free(document);
    vz_meta_free(theirs);
    vz_meta_free(ours);
    if (failed.class == VZ_NO_MEMORY)
        return vz_fail_memory(err);
    return same || vz_fail(err, VZ_NOT_FOUND, "another program made another array in its place: open that anew");
}

/* ---- looking ---- */

static bool compare(vz_node *node, const char *prefix, const char *document, vz_error *err)
{
    vz_buffer text = {0};
    bool found = false;
    bool ok = vz_document_get(node->hierarchy->store, prefix, document, &text, &found, err);
    if (ok && !found)
        ok = vz_fail(err, VZ_NOT_FOUND, "the array was deleted or renamed by another program");
    node->cut_off = false;
    if (ok && vz_document_hash(text.data, text.size) != node->document_hash)
        ok = is_same_form(node, &text, err);
    vz_buffer_clear(&text);
    return ok;
}

static bool is_settled(const vz_stamp *stamp)
{
    const int64_t modified = (int64_t)stamp->modified.tv_sec * SECOND_NS + stamp->modified.tv_nsec;
    const int64_t age = vz_os_date_ns() - modified;
    return age > STAMP_SETTLES_NS;
}

static bool look(vz_node *node, vz_error *err)
{
    const char *document = node->zarr_format->array;
    vz_stamp stamp = {0};
    char *prefix = vz_node_prefix(node, err);
    char *key = prefix ? vz_document_key_join(prefix, document, err) : NULL;
    const bool is_far = vz_hierarchy_is_remote(node->hierarchy); /* then the text is as near as its stamp */
    bool ok = key && (is_far || vz_store_stat(node->hierarchy->store, key, &stamp, err));
    if (ok && !(stamp.exists && vz_stamp_equal(&stamp, &node->document_stamp))) {
        ok = compare(node, prefix, document, err);
        node->document_stamp = ok && is_settled(&stamp) ? stamp : (vz_stamp){0};
    }
    if (!ok)
        vz_error_where(err, node->hierarchy->path, prefix);
    free(prefix);
    free(key);
    return ok;
}

bool vz_node_check_same(vz_node *node, bool at_once, vz_error *err)
{
    if (node->hierarchy->store->repeats || node->hierarchy->ranks.leader_owes) /* who changes it looks */
        return true;
    if (node->is_new || node->kind != VZ_NODE_ARRAY || !node->document_hash || !vz_node_is_linked(node))
        return true;
    const int64_t now = vz_os_now_ns();
    const int64_t interval = vz_hierarchy_is_remote(node->hierarchy) ? CHECK_INTERVAL_REMOTE_NS : CHECK_INTERVAL_NS;
    if (!at_once && now - node->looked_ns < interval && node->looked_ns)
        return true;
    const bool ok = look(node, err);
    node->looked_ns = ok ? now : 0;
    return ok;
}
