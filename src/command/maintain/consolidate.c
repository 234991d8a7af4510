/* consolidate.c - h5zarr consolidate: consolidated metadata, written anew. */
#include "command/command/command.h"
#include "hierarchy/consolidated/consolidated.h"
#include "hierarchy/writeback/writeback.h"
#include <stdlib.h>

static const vz_command_option options[] = {
    {0, "json", NULL,
     "print a JSON object: the store, whether it has consolidated metadata now, and what prevented it"},
    {0},
};

/* `blocked`: the node that zarr-python could not read, "" the root; NULL: none. */
static bool print_json(const char *path, const char *blocked, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    bool ok = object && vz_describe_set_text(object, "store", path, err) &&
              vz_json_set(object, "consolidated", vz_json_bool(!blocked, err), err);
    if (ok && blocked)
        ok = vz_describe_set_text(object, "prevented_by", *blocked ? blocked : "/", err);
    return vz_say_json(object, ok, err);
}

static vz_exit consolidate(vz_subject *subject, const char *path, bool json)
{
    vz_error err = VZ_ERROR_NONE;
    char *blocked = NULL;
    bool ok = vz_flush_write(subject->hierarchy, &err) && vz_consolidated_write_node(subject->node, &blocked, &err);
    ok = vz_subject_finish(subject, ok ? &err : NULL) && ok;
    ok = ok && (!json || print_json(path, blocked, &err));
    if (!ok)
        vz_say_failure(&err, path);
    else if (blocked)
        vz_say_error("%s: %s: zarr-python could not read this node: there is no consolidated metadata now", path,
                     *blocked ? blocked : "/");
    const vz_exit status = ok && !blocked ? VZ_EXIT_FINE : VZ_EXIT_FAILED;
    free(blocked);
    return status;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_subject subject;
    const char *path = call->operands[0];
    if (!vz_subject_open_to_write(path, &subject, &err))
        return vz_say_failure(&err, path);
    return consolidate(&subject, path, vz_command_has(call, "json"));
}

const vz_command vz_command_consolidate = {
    .name = "consolidate",
    .summary = "writes the consolidated metadata of a store, or of a group in it",
    .usage = "STORE[/PATH]",
    .description =
        "A copy of all documents in one place, for readers to whom each request is dear: .zmetadata in format 2, a "
        "member of the group's zarr.json in format 3, as zarr-python writes them. The copy that was there is written "
        "anew.\n\n"
        "zarr-python refuses all of a store when it finds one array in the copy that it cannot read. So where a node "
        "is such a one, or a directory has no metadata, none is written, and the node is named.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
