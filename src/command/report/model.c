/* model.c - the model of a report: an open file, its nodes, sums, and what was left out. */
#include "command/report/model_internal.h"
#include "base/util/c_library.h"
#include "base/os/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- opening ---- */

static bool open_file(vz_model *m, char **path, vz_error *err)
{
    vz_error why = VZ_ERROR_NONE;
    const vz_model_request *request = m->request;
    if (!vz_sample_load(request->library, request->plugin, err))
        return false;
    m->file = vz_sample_open(request->path, path, err);
    m->met = vz_strmap_new();
    if (!m->file || !m->met)
        return m->file && vz_fail_memory(err);
    /* its documents tell codecs; without them the report does with what HDF5 tells */
    if (vz_sample_file_is_store(m->file) && !vz_subject_open(vz_sample_file_name(m->file), &m->store, &why))
        m->store = (vz_subject){0};
    return why.class != VZ_NO_MEMORY || vz_fail_memory(err);
}

static void close_file(vz_model *m)
{
    for (size_t i = 0; i < m->count; i++) {
        vz_json_free(m->nodes[i].object);
        free(m->nodes[i].path);
    }
    free(m->nodes);
    vz_json_free(m->notes);
    if (m->met)
        vz_strmap_free(m->met, free);
    if (m->store.node)
        vz_subject_close(&m->store);
    vz_sample_close(m->file);
}

/* ---- parts ---- */

/* Nodes as a list, each behind the one above it. */
static bool add_nodes(vz_model *m, vz_json *model, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL, up = false;
    for (size_t i = 0; ok && m->count;) {
        vz_model_node *node = &m->nodes[i];
        if (!up) {
            node->place = vz_json_length(list);
            ok = vz_json_append(list, node->object, err);
            node->object = NULL;
        }
        up = up || !node->first;
        if (!up) {
            i = node->first;
        } else if (node->next) {
            i = node->next;
            up = false;
        } else if (i == 0 || (i = node->parent) == 0) {
            break;
        }
    }
    if (ok)
        return vz_json_set(model, "nodes", list, err);
    vz_json_free(list);
    return false;
}

static bool add_largest(vz_model *m, vz_json *model, vz_error *err)
{
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (unsigned rank = 0; ok && rank < VZ_MODEL_LARGEST_MAX; rank++) {
        vz_model_node *most = NULL;
        for (size_t i = 0; i < m->count; i++)
            if (m->nodes[i].is_array && m->nodes[i].has_stored && m->nodes[i].stored &&
                (!most || m->nodes[i].stored > most->stored))
                most = &m->nodes[i];
        if (!most)
            break;
        vz_json *row = vz_json_object(err);
        ok = row && vz_describe_set_text(row, "path", most->path, err) &&
             vz_json_set(row, "node", vz_json_uint64(most->place, err), err) &&
             vz_json_set(row, "stored", vz_json_uint64(most->stored, err), err) && vz_json_append(list, row, err);
        most->is_array = false; /* it is done with */
    }
    if (ok)
        return vz_json_set(model, "largest", list, err);
    vz_json_free(list);
    return false;
}

static bool add_totals(const vz_model *m, vz_json *model, vz_error *err)
{
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {{"groups", m->groups}, {"arrays", m->arrays},         {"types", m->types},
                  {"links", m->links},   {"attributes", m->attributes}, {"unreadable", m->unreadable}};
    vz_json *totals = vz_json_object(err);
    bool ok = totals && vz_json_set(model, "totals", totals, err);
    for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; i++)
        ok = vz_json_set(totals, counts[i].key, vz_json_uint64(counts[i].count, err), err);
    if (ok && m->nodes[0].has_stored && !m->left_nodes)
        ok = vz_json_set(totals, "stored", vz_json_uint64(m->nodes[0].stored, err), err);
    if (ok && m->nodes[0].has_decoded && !m->left_nodes)
        ok = vz_json_set(totals, "decoded", vz_json_uint64(m->nodes[0].decoded, err), err);
    return ok;
}

static bool add_notes(const vz_model *m, vz_json *model, vz_error *err)
{
    bool ok = true;
    if (m->left_nodes)
        ok = vz_model_note(model, "notes", err,
                           "%llu objects at least: at most %d members of a group are shown, %d levels, and %llu "
                           "objects in all.",
                           (unsigned long long)m->left_nodes, VZ_MODEL_MEMBERS_MAX, VZ_MODEL_LEVELS_MAX,
                           (unsigned long long)m->request->nodes_max);
    if (ok && m->left_attributes)
        ok = vz_model_note(model, "notes", err, "%llu attributes: at most %d of an object are shown.",
                           (unsigned long long)m->left_attributes, VZ_MODEL_ATTRIBUTES_MAX);
    if (ok && m->cut_texts)
        ok = vz_model_note(model, "notes", err, "The rest of %llu long attributes.", (unsigned long long)m->cut_texts);
    if (ok && m->left_figures)
        ok = vz_model_note(model, "notes", err,
                           "Elements and chunks of %llu arrays: at most %d are looked at, for %d seconds.",
                           (unsigned long long)m->left_figures, VZ_MODEL_FIGURES_MAX, VZ_MODEL_SECONDS_MAX);
    if (ok && m->left_tables)
        ok = vz_model_note(model, "notes", err, "Rows of %llu tables: at most %d are looked at, for %d seconds.",
                           (unsigned long long)m->left_tables, VZ_MODEL_TABLES_MAX, VZ_MODEL_SECONDS_MAX);
    if (ok && m->request->quick)
        ok = vz_model_note(model, "notes", err, "Elements, chunks and a check (--quick).");
    return ok;
}

static const char *last_part(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *slash = vz_find_last(path, '/', length > 1 ? length - 1 : 0);
    return slash && slash[1] ? slash + 1 : path;
}

static bool add_fact(vz_json *list, const char *label, const char *text, vz_error *err)
{
    vz_json *pair = vz_json_array(err);
    if (pair && vz_json_append(pair, vz_json_text(label, err), err) &&
        vz_json_append(pair, vz_text_json_of_path(text, err), err))
        return vz_json_append(list, pair, err);
    vz_json_free(pair);
    return false;
}

static bool add_facts(const vz_model *m, vz_json *model, vz_error *err)
{
    char kind[100] = "HDF5 file";
    vz_json *list = vz_json_array(err);
    if (m->store.node)
        snprintf(kind, sizeof kind, "Zarr store, %.60s, format %d", vz_hierarchy_store(m->store.hierarchy)->class->kind,
                 vz_hierarchy_zarr_format(m->store.hierarchy)->format);
    else if (vz_sample_file_is_store(m->file))
        snprintf(kind, sizeof kind, "Zarr store");
    if (list && add_fact(list, "File", m->request->path, err) && add_fact(list, "Kind", kind, err))
        return vz_json_set(model, "facts", list, err);
    vz_json_free(list);
    return false;
}

static bool add_made(vz_json *model, vz_error *err)
{
    char text[100];
    const time_t now = (time_t)vz_os_date_s();
    struct tm date;
    if (!gmtime_r(&now, &date) ||
        !strftime(text, sizeof text, "Made by h5zarr " VZ_VERSION ", %Y-%m-%d %H:%M UTC.", &date))
        snprintf(text, sizeof text, "Made by h5zarr " VZ_VERSION ".");
    return vz_describe_set_text(model, "made", text, err);
}

static bool assemble(vz_model *m, vz_json *model, vz_error *err)
{
    return vz_json_set(model, "report", vz_json_int64(1, err), err) &&
           vz_describe_set_text(model, "name", last_part(m->request->path), err) && add_facts(m, model, err) &&
           add_totals(m, model, err) && add_notes(m, model, err) && vz_model_check(m, model, err) &&
           add_nodes(m, model, err) && add_largest(m, model, err) && add_made(model, err);
}

vz_json *vz_model_make(const vz_model_request *request, bool *wrong, vz_error *err)
{
    vz_model m = {.request = request, .deadline = vz_os_now_ns() + VZ_MODEL_SECONDS_MAX * VZ_OS_NS_PER_S};
    char *path = NULL;
    vz_json *model = vz_json_object(err);
    const bool ok = model && open_file(&m, &path, err) && vz_model_walk(&m, path, err) && assemble(&m, model, err);
    *wrong = m.unreadable || m.wrong;
    close_file(&m);
    free(path);
    if (ok)
        return model;
    vz_json_free(model);
    return NULL;
}
