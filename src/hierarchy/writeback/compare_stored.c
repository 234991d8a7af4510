/* compare_stored.c - before a document is written: what the store says now, and what of the node
 * goes into it. */
#include "hierarchy/writeback/document_internal.h"
#include "hierarchy/nodes/hierarchy.h"
#include "hierarchy/nodes/member.h"
#include "hierarchy/nodes/node_state.h"

/* The first document of a store that others may be creating, too: nobody else's may be there. */
static bool is_first(const vz_node *node)
{
    const vz_hierarchy *hierarchy = node->hierarchy;
    return node->is_new && !node->parent &&
           (hierarchy->creation.claims || (hierarchy->creation.just_made && vz_hierarchy_is_remote(hierarchy)));
}

/* Attributes in a root that was made a moment ago: they go there if nobody else has put any. */
static bool is_first_in_place(const vz_node *node, const char *document)
{
    return node->hierarchy->creation.just_made && node->is_new && !node->parent && node->hierarchy->store->is_fresh &&
           vz_zarr_is_attributes_document(document);
}

vz_flush_current vz_flush_document_unseen(const vz_flush *flush, const vz_node *node)
{
    return (vz_flush_current){.when = flush->round || is_first(node) ? VZ_WHEN_ABSENT : VZ_WHEN_ANY};
}

/* There is nothing to look at where the version in the store is known to be ours, or else the
 * condition of the write fails. */
static bool know(const vz_flush *flush, const vz_node *node, bool of_attributes, uint64_t known, vz_flush_current *now)
{
    const vz_version *version = vz_node_version(node, of_attributes);
    if (!flush->round || node->is_new || version->size == 0)
        return false;
    *now = (vz_flush_current){.found = known != 0, .when = VZ_WHEN_VERSION, .version = *version};
    return true;
}

/* Another process that changed the root's document may have put consolidated metadata into it,
 * which goes now. Listings and texts that we kept may be older than that metadata, so the next
 * consolidated metadata must not be made of them. */
static void forget_what_is_older(vz_hierarchy *hierarchy)
{
    vz_doc_cache_drop_listings(hierarchy->documents);
    vz_doc_cache_forget_written(hierarchy->documents);
}

bool vz_flush_document_look(const vz_flush *flush, vz_node *node, const char *prefix, const char *document,
                            uint64_t known, vz_flush_current *now, vz_error *err)
{
    vz_store *store = node->hierarchy->store;
    *now = vz_flush_document_unseen(flush, node);
    if (store->repeats) {
        now->found = known != 0;
        return true;
    }
    if ((node->is_new && flush->round) || know(flush, node, vz_zarr_is_attributes_document(document), known, now))
        return true;
    if (node->is_new && vz_store_hides(store, prefix)) {
        now->found = known != 0;
        return true;
    }
    if (is_first_in_place(node, document)) {
        now->when = VZ_WHEN_ABSENT;
        return true;
    }
    if (!vz_document_meet(store, prefix, document, &now->text, &now->found, &now->version, err))
        return false;
    if (vz_hierarchy_is_remote(node->hierarchy))
        now->when = now->found ? VZ_WHEN_VERSION : VZ_WHEN_ABSENT;
    const uint64_t hash = now->found ? vz_hash_text(now->text.data, now->text.size) : 0;
    now->is_foreign = hash != known;
    node->hierarchy->consolidation.met_foreign |= now->is_foreign && !node->is_new;
    if (now->is_foreign && !node->parent)
        forget_what_is_older(node->hierarchy);
    return true;
}

vz_json *vz_flush_document_foreign(const vz_flush_current *now, const char *document, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_json *value =
        now->found ? vz_document_parse(document, (const char *)now->text.data, now->text.size, &failed) : NULL;
    if (value && vz_json_kind_of(value) == VZ_JSON_OBJECT)
        return value;
    vz_json_free(value);
    /* what we cannot hold may say something */
    if (failed.class == VZ_NO_MEMORY || failed.class == VZ_LIMIT) {
        if (err)
            *err = failed;
        return NULL;
    }
    return vz_json_object(err);
}

/* The annotation stands among the attributes only while they are printed. */
static const char *annotation_name(const vz_node *node)
{
    return node->netcdf ? VZ_ANNOTATION_NETCDF : VZ_ANNOTATION;
}

bool vz_flush_attributes_to_print(vz_node *node, vz_links_mode mode, vz_json **kept, vz_error *err)
{
    vz_json *value;
    *kept = NULL;
    vz_residue_drop_if_gone(node);
    const bool links = node->members && node->unwritten && (node->unwritten->links || node->members->gone);
    if (links && !vz_link_list_write(node, node->annotation, mode, err))
        return false;
    if (node->note_in_group)
        return true;
    vz_json *annotation =
        node->derived ? vz_node_annotation_without_derived(node, err) : vz_json_share(node->annotation);
    const bool printed = annotation && vz_node_annotation_print(annotation, node->annotation_value, &value, err);
    vz_json_free(annotation);
    if (!printed)
        return false;
    *kept = value ? vz_json_share(value) : NULL;
    if (!value || vz_json_set(node->attributes, annotation_name(node), value, err))
        return true;
    vz_json_free(*kept);
    *kept = NULL;
    return false;
}

void vz_flush_attributes_printed(vz_node *node)
{
    vz_json_remove(node->attributes, annotation_name(node));
}

/* Takes the shape over that another process stored. A type or chunk shape that changed under us is
 * not taken over, since open handles cannot follow it. */
void vz_flush_document_adopt(vz_node *node, const vz_json *document)
{
    vz_error ignored = VZ_ERROR_NONE;
    vz_meta *theirs = node->zarr_format->load(document, &ignored);
    vz_meta *ours = node->meta;
    if (theirs && theirs->rank == ours->rank)
        memcpy(ours->shape, theirs->shape, sizeof ours->shape);
    if (node->io)
        vz_array_drop_outside(node->io); /* chunks were written before documents: nothing that
                                          * counts */
    node->seen.cut_off = false;
    vz_meta_free(theirs);
}
