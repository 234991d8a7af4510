/* repair.c - h5zarr repair: what of the findings of a check can be put right without guessing. */
#include "command/check/check.h"
#include "command/command/command.h"
#include "hdf5/dialects/zarr_link.h"
#include "command/maintain/maintain_internal.h"
#include "hdf5/netcdf/renew.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/edit/edit.h"
#include "hierarchy/open/open.h"
#include "hierarchy/documents/documents.h"
#include "hierarchy/writeback/writeback.h"
#include "base/os/file.h"
#include <stdio.h>
#include <stdlib.h>

struct repair {
    const char *path;
    bool json, dry, outside;
    /* of the check: */
    vz_strmap *copies;   /* keys with stale consolidated metadata */
    vz_strmap *chunks;   /* keys outside of arrays */
    vz_strmap *leftover; /* paths */
    vz_strmap *earlier;  /* prefixes of netCDF nodes in the form of an earlier version */
    bool writer;         /* somebody is at work */
    bool no_memory;
    /* of what was done: */
    uint64_t printed;
    vz_exit status;
};

/* ---- telling ---- */

static void print(struct repair *repair, const char *action, const char *object, const char *text)
{
    if (!repair->json) {
        printf("%s%s: ", repair->dry ? "would be " : "", action);
        vz_say_text(stdout, *object ? object : "/");
        if (*text)
            printf(": ");
        vz_say_text(stdout, text);
        putchar('\n');
        return;
    }
    vz_buffer out = {0};
    vz_json *line = vz_json_object(NULL);
    if (line && vz_json_set_text(line, "action", action, NULL) &&
        vz_json_set(line, "object", vz_text_json_of_path(object, NULL), NULL) &&
        vz_json_set(line, "text", vz_text_json_of_path(text, NULL), NULL) && vz_json_print(line, 0, &out, NULL))
        printf("%s\n  %.*s", repair->printed ? "," : "", (int)out.size, (const char *)out.data);
    repair->printed++;
    vz_buffer_clear(&out);
    vz_json_free(line);
}

static void tell_left(struct repair *repair, vz_finding_kind kind, const char *object, const char *text)
{
    char all[1200];
    const bool dry = repair->dry;
    snprintf(all, sizeof all, "%s: %s", vz_finding_label(kind), text);
    repair->dry = false;
    print(repair, "not repairable", object, all);
    repair->dry = dry;
    repair->status = VZ_EXIT_FAILED;
}

static void note(struct repair *repair, vz_strmap *set, const char *key)
{
    if (!vz_strmap_put(set, key, repair, NULL))
        repair->no_memory = true;
}

/* A finding of the check. */
static void take(void *context, vz_finding_kind kind, const char *object, const char *text)
{
    struct repair *repair = context;
    switch (kind) {
    case VZ_FINDING_COPY:
        note(repair, repair->copies, object);
        break;
    case VZ_FINDING_LEFTOVER:
        note(repair, repair->leftover, object);
        break;
    case VZ_FINDING_EARLIER:
        note(repair, repair->earlier, object);
        break;
    case VZ_FINDING_OUTSIDE:
        if (repair->outside)
            note(repair, repair->chunks, object);
        else
            tell_left(repair, kind, object, "it goes with --outside");
        break;
    case VZ_FINDING_UNFINISHED:
        repair->writer = true;
        break;
    default:
        if (vz_finding_is_wrong(kind))
            tell_left(repair, kind, object, text);
    }
}

/* ---- doing ---- */

static bool failed(struct repair *repair, const char *object, const vz_error *err)
{
    char all[1200];
    snprintf(all, sizeof all, "%s", err->text);
    print(repair, "failed", object, all);
    repair->status = VZ_EXIT_FAILED;
    return err->class != VZ_NO_MEMORY;
}

/* The group of stale consolidated metadata: the key's prefix. */
static vz_node *group_of(vz_hierarchy *hierarchy, const char *key, vz_error *err)
{
    const char *slash = strrchr(key, '/');
    char *prefix = strndup(key, slash ? (size_t)(slash - key) : 0);
    vz_node *node = prefix ? vz_open_at_prefix(hierarchy, prefix, err) : NULL;
    if (!prefix)
        vz_fail_memory(err);
    free(prefix);
    return node;
}

static void make_copy(struct repair *repair, vz_hierarchy *hierarchy, const char *key)
{
    vz_error err = VZ_ERROR_NONE;
    char *blocked = NULL;
    vz_node *group = group_of(hierarchy, key, &err);
    if (!group || !vz_consolidated_write_node(group, &blocked, &err))
        failed(repair, key, &err);
    else if (blocked)
        print(repair, "removed", key, "it cannot be made anew, as zarr-python could not read one of the nodes");
    else
        print(repair, "made anew", key, "");
    free(blocked);
}

static void delete_chunk(struct repair *repair, vz_store *store, const char *key)
{
    vz_error err = VZ_ERROR_NONE;
    if (vz_store_del(store, key, &err))
        print(repair, "removed", key, "a chunk outside of its array");
    else
        failed(repair, key, &err);
}

/* Each of a set: in a dry run only printed. */
typedef void (*repair_one)(struct repair *repair, vz_hierarchy *hierarchy, const char *key);

static void one_copy(struct repair *repair, vz_hierarchy *hierarchy, const char *key)
{
    if (repair->dry) /* whether a node keeps it from being made is found out by making it */
        print(repair, "made anew", key, "or removed, if zarr-python could not read one of the nodes");
    else
        make_copy(repair, hierarchy, key);
}

static void one_chunk(struct repair *repair, vz_hierarchy *hierarchy, const char *key)
{
    if (repair->dry)
        print(repair, "removed", key, "a chunk outside of its array");
    else
        delete_chunk(repair, vz_hierarchy_store(hierarchy), key);
}

static void each(struct repair *repair, vz_hierarchy *hierarchy, const vz_strmap *set, repair_one one)
{
    size_t cursor = 0;
    const char *key;
    void *value;
    while (vz_strmap_next(set, &cursor, &key, &value))
        one(repair, hierarchy, key);
}

/* ---- leftovers ---- */

/* Groups also tell hdmf-zarr of links, which go by names that a journal may have moved. These
 * members are brought up to date before a group is written, as the connector does. */
static bool update_links(vz_node *node, void *context, vz_error *err)
{
    (void)context;
    return node->kind != VZ_NODE_GROUP || vz_dialect_links_update(node, err);
}

static bool before_writing(vz_hierarchy *hierarchy, vz_node *only, vz_error *err)
{
    if (only)
        return update_links(only, NULL, err);
    return vz_dialect_links_update_all(hierarchy, err) && vz_hierarchy_each_loaded(hierarchy, update_links, NULL, err);
}

static const vz_conventions conventions = {
    .read_links = vz_dialect_links_read,
    .links_attribute = vz_dialect_links_attribute,
    .before_writing = before_writing,
};

/* A one-file store ends as its last flush left it. The root's document is put once more, so that
 * closing writes a whole directory, which every zip reader sees. */
static bool close_file(struct repair *repair, vz_hierarchy *hierarchy, vz_error *err)
{
    vz_store *store = vz_hierarchy_store(hierarchy);
    const vz_zarr_format *zarr_format = vz_hierarchy_zarr_format(hierarchy);
    const char *key = vz_hierarchy_is_array(hierarchy) ? zarr_format->array : zarr_format->group;
    vz_buffer text = {.limit = VZ_DOCUMENT_MAX_SIZE};
    bool found = false;
    if (!vz_strmap_get(repair->leftover, store->path))
        return true;
    const bool ok = vz_store_get(store, key, VZ_WHOLE, &text, &found, err) &&
                    (!found || vz_store_put(store, key, (vz_bytes){text.data, text.size}, err)) &&
                    vz_store_commit(store, err);
    vz_buffer_clear(&text);
    return ok;
}

/* Moves in a dead writer's journal go into documents. */
static bool follow_journals(const struct repair *repair, vz_hierarchy *hierarchy, vz_error *err)
{
    const bool renews = vz_strmap_count(repair->earlier) > 0;
    return vz_hierarchy_set_conventions(hierarchy, renews ? &vz_netcdf_renew_conventions : &conventions, err) &&
           vz_edit_recover(hierarchy, err);
}

struct still {
    struct repair *repair;
    vz_strmap *there;
};

static bool note_still(void *context, const vz_leftover *leftover, vz_error *err)
{
    struct still *still = context;
    return !leftover->is_dead || vz_strmap_put(still->there, leftover->path, still, err);
}

/* A path of the file system, or the key of a partial file in the store. */
static bool is_still_there(const struct still *still, vz_store *store, const char *path)
{
    vz_store_key_kind kind = VZ_STORE_NOTHING;
    if (*path == '/')
        return vz_strmap_get(still->there, path) != NULL;
    return !vz_store_look(store, path, &kind, NULL) || kind != VZ_STORE_NOTHING;
}

static void tell_done(struct repair *repair, const char *path)
{
    if (*path == '/' && vz_os_path_same_file(path, repair->path))
        print(repair, "made whole", path, "what was flushed is there for every zip reader");
    else
        print(repair, "removed", path, "what a writer that died has left");
}

/* Opening the store to write removed them, or not. */
static void tell_leftovers(struct repair *repair, vz_store *store)
{
    struct still still = {repair, vz_strmap_new()};
    vz_error err = VZ_ERROR_NONE;
    size_t cursor = 0;
    const char *path;
    void *value;
    if (!still.there || !vz_store_each_leftover(store, note_still, &still, &err)) {
        failed(repair, "", &err);
        vz_strmap_free(still.there, NULL);
        return;
    }
    while (vz_strmap_next(repair->leftover, &cursor, &path, &value))
        if (is_still_there(&still, store, path))
            tell_left(repair, VZ_FINDING_LEFTOVER, path, "it could not be removed");
        else
            tell_done(repair, path);
    vz_strmap_free(still.there, NULL);
}

/* ---- all ---- */

static bool is_needed(const struct repair *repair)
{
    return vz_strmap_count(repair->copies) || vz_strmap_count(repair->chunks) || vz_strmap_count(repair->leftover) ||
           vz_strmap_count(repair->earlier);
}

static void one_leftover(struct repair *repair, vz_hierarchy *hierarchy, const char *key)
{
    (void)hierarchy;
    tell_done(repair, key);
}

static void tell_renewed(void *context, const char *key)
{
    print(context, "renewed", key, "in the form of today");
}

static void one_earlier(struct repair *repair, vz_hierarchy *hierarchy, const char *key)
{
    (void)hierarchy;
    tell_renewed(repair, key);
}

static bool do_all(struct repair *repair, vz_error *err)
{
    vz_subject subject;
    if (repair->dry) {
        each(repair, NULL, repair->leftover, one_leftover);
        each(repair, NULL, repair->chunks, one_chunk);
        each(repair, NULL, repair->earlier, one_earlier);
        each(repair, NULL, repair->copies, one_copy);
        return true;
    }
    if (!vz_subject_open_to_write(repair->path, &subject, err))
        return false;
    if (subject.node != vz_hierarchy_root(subject.hierarchy)) {
        vz_fail(err, VZ_INVALID, "it is a part of the store %s: repair that",
                vz_hierarchy_store(subject.hierarchy)->path);
        vz_subject_close(&subject);
        return false;
    }
    const bool ok = follow_journals(repair, subject.hierarchy, err) && vz_flush_write(subject.hierarchy, err) &&
                    vz_renew_nodes(subject.hierarchy, repair->earlier, tell_renewed, repair, err) &&
                    close_file(repair, subject.hierarchy, err);
    if (ok) {
        each(repair, subject.hierarchy, repair->chunks, one_chunk);
        each(repair, subject.hierarchy, repair->copies, one_copy);
        tell_leftovers(repair, vz_hierarchy_store(subject.hierarchy));
    }
    return vz_subject_finish(&subject, ok ? err : NULL) && ok;
}

static bool look(struct repair *repair, bool quick, vz_error *err)
{
    vz_check check = {.quick = quick};
    vz_report_begin(&check.report, repair->path, false);
    check.report.tell = take;
    check.report.context = repair;
    check.report.progress = quick ? NULL : vz_progress_begin("checking", 0);
    const bool ok = vz_check_run(&check, repair->path, err);
    vz_report_drop(&check.report);
    return ok && (!repair->no_memory || vz_fail_memory(err));
}

static bool repair_store(struct repair *repair, bool quick, vz_error *err)
{
    repair->copies = vz_strmap_new();
    repair->chunks = vz_strmap_new();
    repair->leftover = vz_strmap_new();
    repair->earlier = vz_strmap_new();
    if (!repair->copies || !repair->chunks || !repair->leftover || !repair->earlier)
        return vz_fail_memory(err);
    if (!look(repair, quick, err))
        return false;
    if (repair->writer &&
        (vz_strmap_count(repair->copies) || vz_strmap_count(repair->chunks) || vz_strmap_count(repair->earlier)))
        return vz_fail(err, VZ_BUSY, "somebody is writing in the store, or may be: try again later");
    return !is_needed(repair) || do_all(repair, err);
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    struct repair repair = {.path = call->operands[0],
                            .json = vz_command_has(call, "json"),
                            .dry = vz_command_has(call, "dry-run"),
                            .outside = vz_command_has(call, "outside")};
    if (repair.json)
        printf("{\"done\":[");
    const bool ok = repair_store(&repair, vz_command_has(call, "quick"), &err);
    if (repair.json)
        printf("%s],\n \"dry\":%s}\n", repair.printed ? "\n" : "", repair.dry ? "true" : "false");
    vz_strmap_free(repair.copies, NULL);
    vz_strmap_free(repair.chunks, NULL);
    vz_strmap_free(repair.leftover, NULL);
    vz_strmap_free(repair.earlier, NULL);
    return ok ? repair.status : vz_say_failure(&err, repair.path);
}

static const vz_command_option options[] = {
    {'n', "dry-run", NULL, "only tells what it would do"},
    {0, "outside", NULL, "removes chunks of which no element lies in their array: they are data, if nobody's"},
    {'q', "quick", NULL, "does not read the chunks to tell which are damaged"},
    {0, "json", NULL, "a JSON object with all that was done"},
    {0},
};

const vz_command vz_command_repair = {
    .name = "repair",
    .summary = "puts right what can be put right in a store without guessing",
    .usage = "STORE",
    .description =
        "Residue of dead writers is removed, and the renames in their journals are completed; stale consolidated "
        "metadata is made anew. netCDF stores of version 0.1 get the form that xarray opens. Everything else that is "
        "wrong is reported as not repairable, and stays "
        "as "
        "it is: no value is lost.\n\nThe exit status is 1 if something that is wrong stays.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
