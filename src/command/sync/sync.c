/* sync.c - h5zarr sync A B: a copy that is brought up to date. */
#include "command/sync/sync_internal.h"

static const vz_command_option options[] = {
    {0, "delete", NULL, "delete what A has not"},
    {0, "checksum", NULL, "compare the bytes of all values of one size"},
    {0, "container", "directory|zip|file", "what a new B is (default: by its name)"},
    {0, "threads", "N", "threads that copy (default 8)"},
    {'n', "dry-run", NULL, "tell each key that would be copied or deleted, and write nothing"},
    {0, "json", NULL, "print the summary as a JSON object, with --dry-run the changes too"},
    {'q', "quiet", NULL, "print nothing but errors"},
    {0},
};

static vz_exit run(const vz_command_call *call)
{
    vz_sync_request request = {.deletes = vz_command_has(call, "delete"), .compares = vz_command_has(call, "checksum")};
    return vz_sync_command(call, &request);
}

const vz_command vz_command_sync = {
    .name = "sync",
    .summary = "brings a copy of a store up to date, or goes on with an unfinished one",
    .usage = "A B",
    .description =
        "Copies the values of A that B lacks, or that differ: by size, then by the time that the last sync gave a file "
        "or by the server's MD5, else by their bytes. Values that only B has are kept, and counted, unless --delete "
        "is given.\n\n"
        "While anything is copied, B does not open as a store; zip files and one-file stores change in one step at the "
        "end. After a kill or a failure the same command goes on. If nothing differs, nothing is written. A new B is "
        "made as by h5zarr cp.",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
