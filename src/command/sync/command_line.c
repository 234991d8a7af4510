/* command_line.c - what the two subcommands share: options that both have, and a run of either. */
#include "command/sync/sync_internal.h"
#include "remote/bucket/bucket.h"
#include <stdlib.h>

static bool take_threads(const char *text, vz_sync_request *request, vz_error *err)
{
    char *end = NULL;
    const unsigned long number = text ? strtoul(text, &end, 10) : VZ_SYNC_THREADS;
    if (text && (!*text || *end || *text == '-' || number < 1 || number > VZ_SYNC_THREADS_MAX))
        return vz_fail(err, VZ_INVALID, "--threads: \"%.40s\" is no number from 1 to %d", text, VZ_SYNC_THREADS_MAX);
    request->threads = (unsigned)number;
    return true;
}

vz_exit vz_sync_command(const vz_command_call *call, vz_sync_request *request)
{
    static vz_options options; /* borrowed by whoever opens remote stores */
    vz_error err = VZ_ERROR_NONE;
    request->source = call->operands[0];
    request->target = call->operands[1];
    request->container = vz_command_value(call, "container");
    request->dry_run = vz_command_has(call, "dry-run");
    request->json = vz_command_has(call, "json");
    request->quiet = vz_command_has(call, "quiet");
    if (!take_threads(vz_command_value(call, "threads"), request, &err)) {
        vz_say_error("%s: %s", call->command->name, err.text);
        return VZ_EXIT_USAGE;
    }
    if (!vz_command_options(&options, &err))
        return vz_say_failure(&err, NULL);
    vz_bucket_use(&options);
    vz_pool_set_threads(request->threads);
    vz_sync *run = calloc(1, sizeof *run);
    if (!run) {
        vz_say_error("out of memory");
        return VZ_EXIT_FAILED;
    }
    run->request = request;
    if (request->json && request->dry_run)
        printf("{\"changes\":[");
    const bool ok = vz_sync_run(run, &err);
    const vz_exit status = vz_sync_print_end(run, ok, &err);
    vz_pool_stop();
    free(run);
    return status;
}
