/* check.c - h5zarr check: is everything in a store as it should be? */
#include "command/check/check_internal.h"
#include "command/command/command.h"
#include "hierarchy/open/open.h"
#include "hierarchy/resolve/path.h"
#include "store/store/kind.h"
#include "base/os/thread.h"

static bool begin(vz_check *check, vz_error *err)
{
    check->living = vz_strmap_new();
    check->dead = vz_strmap_new();
    if (!check->living || !check->dead)
        return vz_fail_memory(err);
    return (check->queue = vz_check_queue_new(err)) && (check->targets = vz_check_targets_new(err));
}

static void end(vz_check *check)
{
    while (check->copy)
        vz_check_copy_close(check);
    vz_check_queue_free(check->queue);
    vz_check_targets_free(check->targets);
    vz_strmap_free(check->living, NULL);
    vz_strmap_free(check->dead, NULL);
}

/* Names are followed by the hierarchy; without one, all else is looked at. */
static void open_hierarchy(vz_check *check, const vz_options *options, vz_path_result *found)
{
    vz_error why = VZ_ERROR_NONE;
    if (!vz_open_found(found, VZ_OPEN_READ, options, &check->hierarchy, &check->start, &why))
        vz_report_find(&check->report, VZ_FINDING_STORE, why.object, "it cannot be opened: %s", why.text);
    check->beyond = why.class == VZ_LIMIT;
}

static bool check_all(vz_check *check, const char *prefix, vz_error *err)
{
    bool ok = vz_check_leftovers(check, err) && (check->beyond || vz_check_walk(check, prefix, err));
    ok = vz_check_queue_finish(check, err) && ok;
    return ok && vz_check_follow_noted(check, err);
}

#define UNUSED_MIN   ((uint64_t)1 << 20)
#define UNUSED_RATIO 8 /* less than so much of the file is not worth a note */

static void check_space(vz_check *check)
{
    uint64_t size, unused;
    if (vz_store_unused(check->store, &size, &unused) && unused > UNUSED_MIN && unused > size / UNUSED_RATIO)
        vz_report_find(&check->report, VZ_FINDING_SPACE, "",
                       "%llu of %llu bytes hold nothing any more: h5zarr compact gives them back",
                       (unsigned long long)unused, (unsigned long long)size);
}

/* The store itself, past the hierarchy. */
static bool check_store(vz_check *check, const char *path, vz_error *err)
{
    vz_location location = {0};
    vz_error why = VZ_ERROR_NONE;
    bool ok = vz_path_find_location(path, &location, err);
    check->store = ok ? vz_location_open(&location, false, &why) : NULL;
    if (check->store && !(check->store->capabilities & VZ_STORE_LIST)) {
        ok = vz_fail(err, VZ_UNSUPPORTED, "a check where no keys are listed: check it where it lies, or a copy of it");
        vz_error_where(err, path, NULL);
        vz_store_close(check->store);
        check->store = NULL;
    } else if (check->store) {
        ok = check_all(check, location.inside, err);
        check_space(check);
        vz_store_close(check->store);
    } else if (ok) {
        vz_report_find(&check->report, VZ_FINDING_STORE, "", "%s", why.text);
    }
    vz_location_clear(&location);
    return ok;
}

static vz_json *members_of(const vz_check *check)
{
    vz_json *object = vz_json_object(NULL);
    if (object && vz_json_set(object, "groups", vz_json_uint64(check->groups, NULL), NULL) &&
        vz_json_set(object, "arrays", vz_json_uint64(check->arrays, NULL), NULL) &&
        vz_json_set(object, "chunks", vz_json_uint64(check->chunks, NULL), NULL) &&
        vz_json_set(object, "bytes", vz_json_uint64(check->bytes, NULL), NULL))
        return object;
    vz_json_free(object);
    return NULL;
}

static vz_exit report(vz_check *check)
{
    char line[200], size[VZ_SAY_SIZE];
    snprintf(line, sizeof line, "%llu groups, %llu arrays, %llu chunks%s%s", (unsigned long long)check->groups,
             (unsigned long long)check->arrays, (unsigned long long)check->chunks,
             check->quick ? " that were not read" : " of ", check->quick ? "" : vz_say_size(check->bytes, size));
    return vz_report_end(&check->report, members_of(check), line);
}

/* A store that is recognised and cannot be read is a finding; what is no store is none. */
static bool is_store(const vz_path_result *found)
{
    return vz_path_result_kind(found) == VZ_PATH_ZARR ||
           (vz_path_result_is_recognised(found) && vz_path_result_kind(found) == VZ_PATH_FILE);
}

static bool check_found(vz_check *check, const char *path, const vz_options *options, vz_path_result *found,
                        vz_error *err)
{
    if (!is_store(found))
        return vz_subject_fail_why(found, options, err);
    if (vz_path_result_kind(found) == VZ_PATH_ZARR)
        open_hierarchy(check, options, found);
    const bool ok = begin(check, err) && check_store(check, path, err);
    end(check);
    return ok;
}

bool vz_check_run(vz_check *check, const char *path, vz_error *err)
{
    vz_options options;
    vz_path_result *found = vz_command_options(&options, err) ? vz_path_find(path, err) : NULL;
    const bool ok = found && check_found(check, path, &options, found, err);
    vz_path_result_free(found);
    if (check->start)
        vz_node_unref(check->start);
    if (check->hierarchy)
        vz_close_hierarchy(check->hierarchy, NULL);
    check->start = NULL;
    check->hierarchy = NULL;
    if (!ok)
        vz_error_where(err, path, NULL);
    return ok;
}

static vz_exit run(const vz_command_call *call)
{
    const char *path = call->operands[0];
    vz_error err = VZ_ERROR_NONE;
    vz_check check = {.quick = vz_command_has(call, "quick")};
    vz_report_begin(&check.report, path, vz_command_has(call, "json"));
    check.report.progress = check.quick ? NULL : vz_progress_begin("checking", 0);
    if (vz_check_run(&check, path, &err))
        return report(&check);
    vz_report_drop(&check.report);
    return vz_say_failure(&err, path);
}

static const vz_command_option options_of_check[] = {
    {'q', "quick", NULL, "does not read the chunks"},
    {0, "json", NULL, "a JSON object with all findings"},
    {0},
};

const vz_command vz_command_check = {
    .name = "check",
    .summary = "looks for what is damaged, stale or left over in a store",
    .usage = "STORE[/PATH]",
    .description =
        "Every document is parsed and held to the rules of its format, every chunk is read and decoded to its end, by "
        "all processors. Checksums are compared where there are any: of codecs, of shards, of zip files. Links "
        "and references are followed within the store. Consolidated metadata is compared with the "
        "documents. Residue of dead writers is reported; work of a living writer is only noted.\n\n"
        "It goes on after what it finds, changes nothing, and needs no right to write. The exit status is 1 if "
        "something is wrong. Notes are about what is not wrong: files that are no part of a store, links of HDF5 that "
        "lead nowhere, arrays whose codecs are not here.",
    .options = options_of_check,
    .least = 1,
    .most = 1,
    .run = run,
};
