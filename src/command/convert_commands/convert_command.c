/* convert_command.c - h5zarr convert SRC DST. The work is done in a process of its own. An HDF5
 * library is code of others that may crash, and a process can be stopped in the middle of any call.
 * The first process waits, and puts what was made into its place, or removes it. */
#include "command/command/command.h"
#include "base/os/file.h"
#include "command/convert_commands/convert_child_internal.h"
#include "hierarchy/nodes/node.h"
#include "hierarchy/resolve/path.h"
#include "base/os/process.h"
#include "store/zip/zip.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_LEAST ((uint64_t)1 << 20)
#define MEMORY_USUAL ((uint64_t)1 << 30)

static const vz_command_option options[] = {
    {'f', "format", "2|3", "Zarr format of a new store; says that the target is a store"},
    {0, "container", "directory|zip|file|auto", "what a new store is; says that the target is a store"},
    {0, "to", "hdf5|zarr", "what the target is, whatever its name"},
    {0, "chunks", "SHAPE", "chunks as in 100,50 or auto, of datasets of that rank; for some only: PATTERN:SHAPE;..."},
    {0, "compress", "WORD",
     "auto (as it is), none, zlib, zstd or blosc, in the place of all filters; for some only: PATTERN:WORD;...; zlib "
     "by default if DST is a netCDF file (.nc, .nc4)"},
    {0, "shards", "BYTES",
     "bytes of decoded data in a shard of format 3, with K, M, G; says that the target is a store"},
    {0, "dialect", "WORD", "conventions of a new store: auto, plain or hdmf"},
    {'o', "options", "TEXT", "more options of the connector for a new store: key=value;key=value"},
    {0, "verify", NULL, "compare all of both afterwards; where they differ, the target is not kept"},
    {0, "compare", NULL, "compare SRC and a DST that is there, and write nothing"},
    {0, "overwrite", NULL, "replace what is there, when the new one is whole"},
    {'n', "dry-run", NULL, "tell what there is to convert, and write nothing"},
    {0, "json", NULL, "print the summary as a JSON object"},
    {'q', "quiet", NULL, "print nothing but errors"},
    {0, "memory", "BYTES", "memory for data under way, with K, M, G (default 1G)"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

/* ---- the command line ---- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), of_end = strlen(end);
    return length > of_end && strcmp(text + length - of_end, end) == 0;
}

/* Without slashes at the end. */
static bool is_called_store(const char *target)
{
    size_t length = strlen(target);
    while (length > 1 && target[length - 1] == '/')
        length--;
    char *name = strndup(target, length);
    const bool is = name && (ends_with(name, ".zarr") || ends_with(name, VZ_ZIP_SUFFIX));
    free(name);
    return is;
}

static bool parse_to(const vz_command_call *call, bool *is_store, vz_error *err)
{
    const char *to = vz_command_value(call, "to");
    const bool store_options = vz_command_has(call, "format") || vz_command_has(call, "container") ||
                               vz_command_has(call, "shards") || vz_command_has(call, "dialect") ||
                               vz_command_has(call, "options");
    *is_store = to ? strcmp(to, "zarr") == 0 : store_options || is_called_store(call->operands[1]);
    if (to && strcmp(to, "zarr") != 0 && strcmp(to, "hdf5") != 0)
        return vz_fail(err, VZ_INVALID, "--to: \"%.100s\" is neither hdf5 nor zarr", to);
    return *is_store || !store_options ||
           vz_fail(err, VZ_INVALID, "--format, --container, --shards, --dialect and --options are for stores");
}

static bool add_option(vz_buffer *text, const char *key, const char *value, vz_error *err)
{
    return !value || vz_buffer_printf(text, err, "%s%s=%s", text->size ? ";" : "", key, value);
}

/* The name tells HDMF's stores, and what is made has another one at first. */
static const char *dialect_of(const vz_command_call *call)
{
    const char *given = vz_command_value(call, "dialect"), *name = call->operands[1];
    const bool is_nwb = ends_with(name, ".nwb") || ends_with(name, ".nwb.zarr") || ends_with(name, ".nwb.zip") ||
                        ends_with(name, ".nwb.zarr.zip");
    return given ? given : is_nwb ? "hdmf" : NULL;
}

static bool is_netcdf(const vz_command_call *call, bool is_store)
{
    const char *name = call->operands[1];
    return !is_store && (ends_with(name, ".nc") || ends_with(name, ".nc4"));
}

/* The netCDF libraries of most systems have no filter but deflate. */
static const char *compress_of(const vz_command_call *call, bool is_store)
{
    const char *given = vz_command_value(call, "compress");
    return given || !is_netcdf(call, is_store) ? given : "zlib";
}

static bool store_options(const vz_command_call *call, vz_buffer *text, vz_error *err)
{
    const char *compress = vz_command_value(call, "compress"), *more = vz_command_value(call, "options");
    vz_convert_rules codecs;
    vz_options parsed;
    if (!vz_convert_compress_rules_parse(compress, &codecs, err))
        return false;
    compress = compress ? vz_convert_compress_word(&codecs, NULL) : NULL;
    vz_convert_rules_clear(&codecs);
    if (!add_option(text, "format", vz_command_value(call, "format"), err) ||
        !add_option(text, "container", vz_command_value(call, "container"), err) ||
        !add_option(text, "shards", vz_command_value(call, "shards"), err) ||
        !add_option(text, "dialect", dialect_of(call), err) || !add_option(text, "compress", compress, err) ||
        (more && *more && !vz_buffer_printf(text, err, "%s%s", text->size ? ";" : "", more)) ||
        !vz_buffer_append(text, "", 1, err))
        return false;
    return vz_options_init(&parsed, vz_os_environment_all(), err) &&
           vz_options_parse(&parsed, (const char *)text->data, err);
}

/* ---- telling ---- */

/* All else was converted, or compared; what was not is an error all the same. */
static vz_exit status_of(const vz_child_task *task, vz_exit status)
{
    const unsigned long long skipped = task->result->counts.skipped;
    if (status != VZ_EXIT_FINE || skipped == 0)
        return status;
    vz_say_error("%llu dataset%s skipped, since the metadata is not understood", skipped, skipped == 1 ? "" : "s");
    return VZ_EXIT_FAILED;
}

static bool fill(vz_json *object, const vz_child_task *task, const char *target, vz_error *err)
{
    const vz_convert_counts *counts = &task->result->counts;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"groups", counts->groups},
                   {"datasets", counts->datasets},
                   {"types", counts->types},
                   {"attributes", counts->attributes},
                   {"lost_references", counts->lost_references},
                   {"skipped", counts->skipped},
                   {"bytes", counts->bytes}};
    bool ok = vz_describe_set_text(object, "source", task->request.source.path, err) &&
              vz_describe_set_text(object, "target", target, err) &&
              vz_describe_set_text(object, "done",
                                   task->dry_run   ? "nothing"
                                   : task->compare ? "compared"
                                   : task->verify  ? "converted, verified"
                                                   : "converted",
                                   err);
    for (size_t i = 0; ok && i < sizeof numbers / sizeof *numbers; i++)
        ok = vz_json_set(object, numbers[i].key, vz_json_uint64(numbers[i].value, err), err);
    return ok;
}

static void print_json(const vz_child_task *task, const char *target)
{
    vz_error err = VZ_ERROR_NONE;
    vz_json *object = vz_json_object(&err);
    if (!vz_say_json(object, object && fill(object, task, target, &err), &err))
        vz_say_failure(&err, target);
}

static void print_summary(const vz_child_task *task, const char *target, double seconds)
{
    const vz_convert_counts *counts = &task->result->counts;
    char size[VZ_SAY_SIZE], rate[VZ_SAY_SIZE];
    if (task->json)
        print_json(task, target);
    if (task->quiet || task->json)
        return;
    vz_say_text(stdout, target);
    vz_say_count(": ", counts->groups, "group");
    vz_say_count(", ", counts->datasets, "dataset");
    vz_say_count(", ", counts->attributes, "attribute");
    printf(", %s", vz_say_size(counts->bytes, size));
    if (!task->dry_run && !task->compare)
        printf(" in %.1f s (%s/s)", seconds,
               vz_say_size((uint64_t)((double)counts->bytes / (seconds > 0.001 ? seconds : 0.001)), rate));
    printf("%s\n", task->dry_run ? " to convert" : task->compare ? ", equal" : task->verify ? ", verified" : "");
}

static double now(void)
{
    return (double)vz_os_now_ns() / 1e9;
}

bool vz_operand_look_at(const char *path, vz_convert_side *side, vz_error *err)
{
    vz_path_result *found = vz_path_find(path, err);
    if (!found)
        return false;
    const vz_path_kind kind = vz_path_result_kind(found);
    const int sys_errno = vz_path_result_errno(found);
    const vz_error why = *vz_path_result_why(found);
    side->is_store = kind == VZ_PATH_ZARR;
    side->is_elsewhere = kind == VZ_PATH_HDF5 && vz_path_result_is_elsewhere(found);
    vz_path_result_free(found);
    if (kind == VZ_PATH_ZARR || kind == VZ_PATH_HDF5)
        return true;
    if (sys_errno)
        return vz_fail_errno(err, sys_errno, "cannot be read");
    if (why.class == VZ_OK)
        return vz_fail(err, VZ_INVALID, "neither an HDF5 file nor a Zarr store");
    *err = why;
    return false;
}

static vz_exit compare(vz_child_task *task, const char *target)
{
    vz_os_signals signals;
    vz_error err = VZ_ERROR_NONE;
    if (!vz_operand_look_at(target, &task->request.target, &err))
        return vz_say_failure(&err, target);
    task->request.target.path = target;
    vz_os_signals_hold(&signals);
    const vz_exit status = vz_child_run(task, &signals);
    vz_os_signals_restore(&signals);
    if (status == VZ_EXIT_FINE)
        print_summary(task, target, 0);
    return status_of(task, status);
}

void vz_child_report_residue(const char *directory, const char *mark, bool removed)
{
    vz_say_error("note: %s/%s..., which a conversion that was killed had left, %s", directory, mark,
                 removed ? "was removed" : "cannot be removed");
}

void vz_child_ignore_residue(const char *directory, const char *mark, bool removed)
{
    (void)directory, (void)mark, (void)removed;
}

/* Into its place, or nothing of it stays. */
static vz_exit make(vz_child_task *task, vz_made *place, const vz_os_signals *signals)
{
    vz_error err = VZ_ERROR_NONE;
    task->request.target.path = place->partial;
    if (place->is_far && !task->request.target.is_store) {
        vz_fail(&err, VZ_UNSUPPORTED, "HDF5 files are made on this machine only");
        return vz_say_failure(&err, task->request.target.shown);
    }
    if (!task->dry_run && !place->is_far)
        vz_made_remove_left(place->directory, task->quiet ? vz_child_ignore_residue : vz_child_report_residue);
    if (!task->dry_run && !vz_made_room(place, &err))
        return vz_say_failure(&err, task->request.target.shown);
    vz_exit status = vz_child_run(task, signals);
    if (status == VZ_EXIT_FINE && !task->dry_run && !vz_made_finish(place, &err))
        status = vz_say_failure(&err, task->request.target.shown);
    return status;
}

/* From before anything is there until all that has to go is gone a signal only ends the child. */
static vz_exit convert(vz_child_task *task, const char *target, bool overwrite)
{
    vz_made place;
    vz_os_signals signals;
    vz_error err = VZ_ERROR_NONE;
    const double began = now();
    const char *suffix = task->dry_run                    ? NULL
                         : !task->request.target.is_store ? ".h5"
                         /* tells it from a directory */
                         : ends_with(target, VZ_ZIP_SUFFIX) ? ".zarr" VZ_ZIP_SUFFIX
                                                            : ".zarr";
    vz_os_signals_hold(&signals);
    const bool has_place = vz_made_begin(&place, task->request.source.path, target, suffix, overwrite, &err);
    const vz_exit status = has_place ? make(task, &place, &signals) : vz_say_failure(&err, target);
    if (!vz_made_abandon(&place, status != VZ_EXIT_FINE && task->result->counts.created, &err))
        vz_say_failure(&err, target);
    vz_made_clear(&place);
    if (status == VZ_EXIT_FINE)
        print_summary(task, target, now() - began);
    vz_os_signals_restore(&signals);
    return status_of(task, status);
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_buffer text = {0};
    const char *memory = vz_command_value(call, "memory");
    vz_child_task task = {.library = vz_command_value(call, "hdf5"),
                          .plugin = vz_command_value(call, "plugin"),
                          .verify = vz_command_has(call, "verify"),
                          .compare = vz_command_has(call, "compare"),
                          .dry_run = vz_command_has(call, "dry-run"),
                          .quiet = vz_command_has(call, "quiet"),
                          .json = vz_command_has(call, "json")};
    task.request = (vz_convert_request){.source = {.path = call->operands[0]},
                                        .target = {.shown = call->operands[1]},
                                        .chunks = vz_command_value(call, "chunks"),
                                        .memory = MEMORY_USUAL};
    if (!parse_to(call, &task.request.target.is_store, &err) ||
        !vz_convert_check_words(vz_command_value(call, "chunks"), vz_command_value(call, "compress"), &err) ||
        (memory && !vz_convert_parse_bytes(memory, MEMORY_LEAST, &task.request.memory, &err)) ||
        (task.request.target.is_store && !store_options(call, &text, &err))) {
        vz_say_error("convert: %s", err.text);
        vz_buffer_clear(&text);
        return VZ_EXIT_USAGE;
    }
    task.request.target.options = (const char *)text.data;
    task.request.compress = compress_of(call, task.request.target.is_store);
    task.request.for_netcdf = is_netcdf(call, task.request.target.is_store);
    task.result = vz_os_map_shared(sizeof *task.result);
    vz_exit status = VZ_EXIT_FAILED;
    if (!task.result)
        vz_say_error("out of memory");
    else if (!vz_operand_look_at(call->operands[0], &task.request.source, &err))
        status = vz_say_failure(&err, call->operands[0]);
    else if (task.compare)
        status = compare(&task, call->operands[1]);
    else
        status = convert(&task, call->operands[1], vz_command_has(call, "overwrite"));
    vz_buffer_clear(&text);
    return status;
}

const vz_command vz_command_convert = {
    .name = "convert",
    .summary = "write an HDF5 file or a Zarr store anew as the other, or as another of its kind",
    .usage = "SRC DST",
    .description = "Copies all objects, links, attributes, types, values and references. DST is a Zarr store if its "
                   "name ends in .zarr or .zip, "
                   "or an option of stores is given, else an HDF5 file.\n\n"
                   "It needs an HDF5 library of 1.14 or newer, which it finds by itself: h5zarr doctor tells which. It "
                   "is made under another name "
                   "beside DST, and gets its name when it is whole (a store on a server is made in its place); what "
                   "fails or is stopped leaves nothing behind.",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
