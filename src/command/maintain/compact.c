/* compact.c - h5zarr compact: a zip file or a one-file store without what is dead in it. */
#include "command/command/command.h"
#include "hierarchy/writeback/writeback.h"

static const vz_command_option options[] = {
    {0, "json", NULL, "print a JSON object: the store, its bytes, and those before"},
    {0},
};

static bool print_json(const char *path, uint64_t before, uint64_t after, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    const bool ok = object && vz_describe_set_text(object, "store", path, err) &&
                    vz_json_set(object, "bytes", vz_json_uint64(after, err), err) &&
                    vz_json_set(object, "before", vz_json_uint64(before, err), err);
    return vz_say_json(object, ok, err);
}

static void print_text(const char *path, uint64_t before, uint64_t after)
{
    char before_text[VZ_SAY_SIZE], after_text[VZ_SAY_SIZE];
    vz_say_text(stdout, path);
    printf(": %s, was %s\n", vz_say_size(after, after_text), vz_say_size(before, before_text));
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_subject subject;
    uint64_t before = 0, after = 0;
    const char *path = call->operands[0];
    if (!vz_subject_open_to_write(path, &subject, &err))
        return vz_say_failure(&err, path);
    bool ok = vz_flush_write(subject.hierarchy, &err) &&
              vz_store_compact(vz_hierarchy_store(subject.hierarchy), &before, &after, &err);
    ok = vz_subject_finish(&subject, ok ? &err : NULL) && ok;
    if (ok && !vz_command_has(call, "json"))
        print_text(path, before, after);
    else if (ok)
        ok = print_json(path, before, after, &err);
    return ok ? VZ_EXIT_FINE : vz_say_failure(&err, path);
}

const vz_command vz_command_compact = {
    .name = "compact",
    .summary = "writes a zip file or a one-file store anew, without what is dead in it",
    .usage = "STORE",
    .description =
        "Values that were replaced or deleted stay in the file of such a store until it is written anew. The new file "
        "is made "
        "beside it, and takes its place with its mode and owner when it is whole; other names of the old file (hard "
        "links) keep that. h5zarr check tells how many bytes there are to gain.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
