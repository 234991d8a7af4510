/* staged_documents.c - see cache.h. */
#include "hierarchy/nodes/cache_internal.h"
#include "hierarchy/nodes/node_state.h"
#include <stdlib.h>

/* ---- which wait ---- */

void vz_staged_documents_wait(struct vz_unwritten *unwritten)
{
    vz_hierarchy *hierarchy = unwritten->node->hierarchy;
    unwritten->waits = true;
    hierarchy->staged.waiting++;
    if (!hierarchy->staged.next)
        hierarchy->staged.next = unwritten;
}

void vz_staged_documents_pass(struct vz_unwritten *unwritten)
{
    vz_hierarchy *hierarchy = unwritten->node->hierarchy;
    if (!unwritten->waits)
        return;
    unwritten->waits = false;
    hierarchy->staged.waiting--;
    if (hierarchy->staged.next == unwritten)
        hierarchy->staged.next = unwritten->previous;
}

/* ---- what is kept of them ---- */

void vz_document_drop(vz_document_write *write)
{
    vz_printed_document_clear(&write->printed);
    vz_json_free(write->document);
    vz_json_free(write->kept);
    *write = (vz_document_write){0};
}

void vz_staged_documents_forget(struct vz_unwritten *unwritten)
{
    struct vz_staged_documents *staged = unwritten->staged;
    if (!staged)
        return;
    for (size_t i = 0; i < staged->count; i++)
        vz_document_drop(&staged->writes[i]);
    free(staged);
    unwritten->staged = NULL;
    unwritten->node->hierarchy->staged.kept--;
}

void vz_staged_documents_drop(struct vz_unwritten *unwritten)
{
    vz_staged_documents_forget(unwritten);
    vz_staged_documents_pass(unwritten);
}

void vz_staged_documents_changed(struct vz_unwritten *unwritten)
{
    unwritten->node->hierarchy->staged.missed += unwritten->staged != NULL;
    vz_staged_documents_forget(unwritten);
}

bool vz_staged_documents_keep(vz_document_write *write, vz_error *err)
{
    struct vz_unwritten *unwritten = write->node->unwritten;
    struct vz_staged_documents *staged = unwritten->staged;
    if (!staged && !(staged = unwritten->staged = calloc(1, sizeof *staged))) {
        vz_document_drop(write);
        return vz_fail_memory(err);
    }
    unwritten->node->hierarchy->staged.kept += staged->count == 0;
    staged->writes[staged->count++] = *write;
    return true;
}
