/* diff.c - h5zarr diff A B: what is different in two stores or HDF5 files. The comparison is that
 * of a conversion (command/convert), in a process of its own, which prints what it finds. */
#include "base/os/process.h"
#include "command/convert_commands/convert_child_internal.h"
#include <stdlib.h>
#include <string.h>

#define MEMORY_LEAST ((uint64_t)1 << 20)
#define MEMORY_USUAL ((uint64_t)1 << 28)

static const vz_command_option options[] = {
    {0, "storage", NULL, "layout, chunks, filters and stored bytes count as well"},
    {0, "order", NULL, "the order in which members and attributes were created counts as well"},
    {0, "json", NULL, "print a JSON object: the differences, and how much was compared"},
    {'q', "quiet", NULL, "print nothing but errors: the exit status tells"},
    {0, "memory", "BYTES", "memory for data under way, with K, M, G (default 256M)"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

typedef struct difference_output {
    vz_child_result *result; /* shared with the first process */
    const char *begin;       /* of A: before each path */
    bool json, quiet;
} difference_output;

static bool print_text(const vz_difference *difference, vz_error *err)
{
    static const char *const names[2] = {"A", "B"};
    vz_buffer text = {0};
    const bool ok = vz_convert_difference_text(difference, names, &text, err);
    if (ok) {
        vz_say_text(stdout, difference->path);
        printf(": ");
        vz_say_text(stdout, (const char *)text.data);
        putchar('\n');
    }
    vz_buffer_clear(&text);
    return ok;
}

static bool fill(vz_json *object, const vz_difference *difference, vz_error *err)
{
    static const char *const sides[2] = {"a", "b"};
    bool ok = vz_describe_set_text(object, "path", difference->path, err) &&
              vz_describe_set_text(object, "kind", vz_convert_difference_word(difference->kind), err);
    if (ok && difference->attribute)
        ok = vz_describe_set_text(object, "attribute", difference->attribute, err);
    if (ok && difference->what)
        ok = vz_describe_set_text(object, "what", difference->what, err);
    for (int side = 0; ok && side < 2; side++)
        ok = difference->text[side] ? vz_describe_set_text(object, sides[side], difference->text[side], err)
                                    : vz_json_set(object, sides[side], vz_json_null(err), err);
    if (ok && difference->place)
        ok = vz_describe_set_text(object, "first", difference->place, err);
    if (ok && difference->count)
        ok = vz_json_set(object, "elements", vz_json_uint64(difference->count, err), err) &&
             vz_json_set(object, "of", vz_json_uint64(difference->of, err), err);
    return ok;
}

static bool print_json(const vz_difference *difference, bool is_first, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *object = vz_json_object(err);
    const bool ok = object && fill(object, difference, err) && vz_json_print(object, 0, &text, err);
    if (ok)
        printf("%s\n  %.*s", is_first ? "" : ",", (int)text.size, (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(object);
    return ok;
}

/* Called in the process that compares. */
static bool report(void *context, const vz_difference *difference, vz_error *err)
{
    difference_output *output = context;
    const bool is_first = output->result->differences++ == 0, is_begin = strcmp(difference->path, "/") == 0;
    vz_difference whole = *difference;
    char *path = NULL;
    vz_child_hide_bar();
    if (output->quiet)
        return true;
    if (asprintf(&path, "%s%s", output->begin, is_begin && *output->begin ? "" : difference->path) < 0)
        return vz_fail_memory(err);
    whole.path = path;
    const bool ok = output->json ? print_json(&whole, is_first, err) : print_text(&whole, err);
    free(path);
    return ok;
}

/* ---- before and after ---- */

static bool add_counts(vz_json *object, const vz_child_result *result, vz_error *err)
{
    const vz_convert_counts *counts = &result->counts;
    return vz_json_set(object, "differences", vz_json_uint64(result->differences, err), err) &&
           vz_json_set(object, "groups", vz_json_uint64(counts->groups, err), err) &&
           vz_json_set(object, "datasets", vz_json_uint64(counts->datasets, err), err) &&
           vz_json_set(object, "attributes", vz_json_uint64(counts->attributes, err), err);
}

/* The end of the object that the list began. `complete`: everything was compared. */
static bool end_json(const vz_child_result *result, bool complete, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *counts = vz_json_object(err);
    const bool ok = counts && add_counts(counts, result, err) && vz_json_print(counts, 0, &text, err);
    if (ok)
        printf("%s],\"complete\":%s,\"equal\":%s,\"counts\":%.*s}\n", result->differences ? "\n" : "",
               complete ? "true" : "false", complete && !result->differences ? "true" : "false", (int)text.size,
               (const char *)text.data);
    vz_buffer_clear(&text);
    vz_json_free(counts);
    return ok;
}

static void end_text(const vz_command_call *call, const vz_child_result *result)
{
    const vz_convert_counts *counts = &result->counts;
    vz_say_text(stdout, call->operands[0]);
    printf(", ");
    vz_say_text(stdout, call->operands[1]);
    vz_say_count(": ", counts->groups, "group");
    vz_say_count(", ", counts->datasets, "dataset");
    vz_say_count(", ", counts->attributes, "attribute");
    if (result->differences)
        vz_say_count(", ", result->differences, "difference");
    printf("%s\n", result->differences ? "" : ", equal");
}

static bool look(const char *path, vz_convert_side *side)
{
    vz_error err = VZ_ERROR_NONE;
    side->path = path;
    if (vz_operand_look_at(path, side, &err))
        return true;
    vz_say_failure(&err, path);
    return false;
}

static vz_exit compare(const vz_command_call *call, vz_child_task *task, const difference_output *output)
{
    vz_error err = VZ_ERROR_NONE;
    vz_os_signals signals;
    if (output->json)
        printf("{\"differences\":[");
    fflush(stdout);
    vz_os_signals_hold(&signals);
    vz_exit status = vz_child_run(task, &signals);
    vz_os_signals_restore(&signals);
    const bool complete = status == VZ_EXIT_FINE;
    if (output->json && !end_json(output->result, complete, &err))
        return vz_say_failure(&err, call->operands[0]);
    if (complete && !output->json && !output->quiet)
        end_text(call, output->result);
    return complete && output->result->differences == 0 ? VZ_EXIT_FINE : VZ_EXIT_FAILED;
}

/* The path of an object; "" for the root group. NULL: it is none. */
static const char *begin_of(const vz_command_call *call, int operand)
{
    const char *path = operand < call->count ? call->operands[operand] : "";
    return *path && *path != '/' ? NULL : strcmp(path, "/") == 0 ? "" : path;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    const char *memory = vz_command_value(call, "memory"), *a = begin_of(call, 2);
    const char *b = call->count > 3 ? begin_of(call, 3) : a;
    difference_output output = {.json = vz_command_has(call, "json"), .quiet = vz_command_has(call, "quiet")};
    const vz_convert_comparing comparing = {.report = report,
                                            .context = &output,
                                            .goes_on = true,
                                            .with_order = vz_command_has(call, "order"),
                                            .with_storage = vz_command_has(call, "storage"),
                                            .begin = {a, b}};
    vz_child_task task = {.comparing = &comparing,
                          .library = vz_command_value(call, "hdf5"),
                          .plugin = vz_command_value(call, "plugin"),
                          .quiet = output.quiet || output.json};
    task.request.memory = MEMORY_USUAL;
    if (!a || !b)
        vz_fail(&err, VZ_INVALID, "paths of objects begin with a slash");
    if (err.class != VZ_OK || (memory && !vz_convert_parse_bytes(memory, MEMORY_LEAST, &task.request.memory, &err))) {
        vz_say_error("diff: %s", err.text);
        return VZ_EXIT_USAGE;
    }
    output.begin = a;
    output.result = task.result = vz_os_map_shared(sizeof *task.result);
    if (!task.result) {
        vz_say_error("out of memory");
        return VZ_EXIT_FAILED;
    }
    if (!look(call->operands[0], &task.request.source) || !look(call->operands[1], &task.request.target))
        return VZ_EXIT_FAILED;
    return compare(call, &task, &output);
}

const vz_command vz_command_diff = {
    .name = "diff",
    .summary = "compares two stores or HDF5 files, and says what is different",
    .usage = "A B [PATH [PATH]]",
    .description =
        "A and B are Zarr stores or HDF5 files, of this machine or of a server. Each difference is a line: members and "
        "attributes that only one of them has, kinds, links, types, shapes, fill values, and the first element that "
        "differs, with how many do. NaN equals NaN. How elements are stored counts with --storage only.\n\n"
        "With a PATH the objects of that path are compared, and what is below; with two, the first one's object in A "
        "and the second one's in B. Members are found by name. An object that cannot be read is a difference, and the "
        "comparison goes on. The exit status is 0 where both are equal, else 1.",
    .options = options,
    .least = 2,
    .most = 4,
    .run = run,
};
