/* cp.c - h5zarr cp A B: a new copy of a store, as it is. */
#include "command/sync/sync_internal.h"

static const vz_command_option options[] = {
    {0, "container", "directory|zip|file", "what B is (default: by its name)"},
    {0, "resume", NULL, "go on with an unfinished copy in a bucket, whose program has ended"},
    {0, "threads", "N", "threads that copy (default 8)"},
    {'n', "dry-run", NULL, "tell each key that would be copied, and write nothing"},
    {0, "json", NULL, "print the summary as a JSON object, with --dry-run the changes too"},
    {'q', "quiet", NULL, "print nothing but errors"},
    {0},
};

static vz_exit run(const vz_command_call *call)
{
    vz_sync_request request = {.is_copy = true, .resumes = vz_command_has(call, "resume")};
    return vz_sync_command(call, &request);
}

const vz_command vz_command_cp = {
    .name = "cp",
    .summary = "copies a store as it is, key by key and byte by byte",
    .usage = "A B",
    .description =
        "A is a directory, a zip file, a one-file store, a store in a bucket, or a reference file or Icechunk "
        "repository, whose values are then copied. Of a store on a web server consolidated metadata tells which keys "
        "there are. B must not be there. It can be in a bucket, or a directory, a zip "
        "file (its name ends in .zip) or a one-file store (--container file).\n\n"
        "B does not open as a store until it is whole. After a kill or a failure the same command goes on with what is "
        "there; zip files and one-file stores are begun anew. A source that changes meanwhile is copied again, and "
        "refused by name if it does not come to rest.",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
