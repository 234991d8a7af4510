/* advise.c - h5zarr advise: the command line, a temporary directory, and the process that
 * measures. */
#include "command/advise/advise_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/target/target.h"
#include "hierarchy/resolve/path.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_USUAL 20
#define SECONDS_MOST  3600
#define SAMPLE_USUAL  ((uint64_t)32 << 20)
#define SAMPLE_LEAST  ((uint64_t)64 << 10)
#define SAMPLE_MOST   ((uint64_t)1 << 30)

/* ---- the command line ---- */

static bool parse_seconds(const char *text, int64_t *ns, vz_error *err)
{
    char *end;
    const double seconds = text ? strtod(text, &end) : SECONDS_USUAL;
    if (text && (end == text || *end || !(seconds > 0) || seconds > SECONDS_MOST))
        return vz_fail(err, VZ_INVALID, "--seconds: \"%.100s\" is no number above 0, and at most %d", text,
                       SECONDS_MOST);
    *ns = (int64_t)(seconds * (double)VZ_OS_NS_PER_S);
    return true;
}

static bool parse_sample(const char *text, uint64_t *bytes, vz_error *err)
{
    *bytes = SAMPLE_USUAL;
    if (!text)
        return true;
    return vz_convert_parse_bytes(text, SAMPLE_LEAST, bytes, err) &&
           (*bytes <= SAMPLE_MOST || vz_fail(err, VZ_INVALID, "--sample: \"%.100s\" is more than 1G", text));
}

static bool parse(const vz_command_call *call, vz_advise_request *request, vz_error *err)
{
    const char *goal = vz_command_value(call, "for");
    request->source.path = call->operands[0];
    request->dataset = vz_command_value(call, "dataset");
    request->library = vz_command_value(call, "hdf5");
    request->plugin = vz_command_value(call, "plugin");
    if (goal && !vz_advise_goal_parse(goal, &request->goal))
        return vz_fail(err, VZ_INVALID, "--for: \"%.100s\" is none of all, whole, rows, columns, random-rows", goal);
    return parse_seconds(vz_command_value(call, "seconds"), &request->ns, err) &&
           parse_sample(vz_command_value(call, "sample"), &request->sample, err);
}

/* An HDF5 file or a store, here or on a server. */
static bool look_at(vz_convert_side *side, vz_error *err)
{
    vz_options options;
    vz_path_result *found = vz_command_options(&options, err) ? vz_path_find(side->path, err) : NULL;
    if (!found)
        return false;
    const vz_path_kind kind = vz_path_result_kind(found);
    const int sys_errno = vz_path_result_errno(found);
    side->is_store = kind == VZ_PATH_ZARR;
    side->is_elsewhere = kind == VZ_PATH_HDF5 && vz_path_result_is_elsewhere(found);
    const bool is_source = kind == VZ_PATH_ZARR || kind == VZ_PATH_HDF5;
    if (!is_source && sys_errno)
        vz_fail_errno(err, sys_errno, "cannot be read");
    else if (!is_source && vz_path_result_why(found)->class != VZ_OK)
        *err = *vz_path_result_why(found);
    else if (!is_source)
        vz_fail(err, VZ_INVALID, "neither an HDF5 file nor a Zarr store");
    vz_path_result_free(found);
    return is_source;
}

/* ---- two processes ---- */

static void __attribute__((noreturn))
work(const vz_advise_request *request, vz_advise_report *report, long parent, const vz_os_signals *signals)
{
    vz_error err = VZ_ERROR_NONE;
    if (!vz_os_follow_parent(parent))
        vz_os_exit(VZ_EXIT_FAILED);
    vz_os_signals_restore(signals);
    const vz_exit status =
        vz_advise_measure(request, report, &err) ? VZ_EXIT_FINE : vz_say_failure(&err, request->source.path);
    vz_os_exit(status); /* no library is asked to clean up */
}

/* *stopped: the signal that came meanwhile, or 0. */
static vz_exit measure(const vz_advise_request *request, vz_advise_report *report, const vz_os_signals *signals,
                       int *stopped)
{
    vz_os_ended ended = {0};
    const long parent = vz_process_id(), child = vz_os_fork();
    if (child == 0)
        work(request, report, parent, signals);
    if (child < 0) {
        vz_say_error("no process can be started: %s", strerror(errno));
        return VZ_EXIT_FAILED;
    }
    *stopped = vz_os_signals_wait(signals, child, &ended);
    if (*stopped || !ended.signal)
        return *stopped ? VZ_EXIT_FAILED : (vz_exit)ended.status;
    vz_say_error("the process that measures was ended by signal %d (%s)", ended.signal,
                 vz_os_signal_name(ended.signal));
    return VZ_EXIT_FAILED;
}

static void tell_left(const char *directory, const char *mark, bool removed)
{
    vz_say_error("note: %s/%s..., which a command that was killed had left, %s", directory, mark,
                 removed ? "was removed" : "cannot be removed");
}

/* The temporary directory goes before a signal ends this process. */
static vz_exit measure_in(const char *directory, vz_advise_request *request, vz_advise_report *report)
{
    vz_os_signals signals;
    vz_error err = VZ_ERROR_NONE;
    vz_made place;
    int stopped = 0;
    vz_exit status = VZ_EXIT_FAILED;
    vz_os_signals_hold(&signals);
    if (!vz_made_temporary(&place, directory, &err)) {
        status = vz_say_failure(&err, directory);
    } else {
        vz_made_remove_left(directory, tell_left);
        request->directory = place.partial;
        status = measure(request, report, &signals, &stopped);
    }
    request->directory = NULL;
    if (!vz_made_temporary_end(&place)) {
        vz_say_error("%s: a temporary directory in it cannot be removed", directory);
        status = VZ_EXIT_FAILED;
    }
    if (stopped)
        vz_os_raise(stopped);
    vz_os_signals_restore(&signals);
    return status;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    vz_advise_request request = {0};
    const char *given = vz_command_value(call, "tmp"), *usual = vz_os_environment("TMPDIR");
    if (!parse(call, &request, &err)) {
        vz_say_error("advise: %s", err.text);
        return VZ_EXIT_USAGE;
    }
    if (!look_at(&request.source, &err))
        return vz_say_failure(&err, call->operands[0]);
    vz_advise_report *report = vz_os_map_shared(sizeof *report);
    if (!report) {
        vz_say_error("out of memory");
        return VZ_EXIT_FAILED;
    }
    vz_exit status = measure_in(given ? given : usual && *usual ? usual : "/tmp", &request, report);
    if (status == VZ_EXIT_FINE && !vz_advise_print(&request, report, vz_command_has(call, "json"), &err))
        status = vz_say_failure(&err, call->operands[0]);
    vz_os_unmap(report, sizeof *report);
    return status;
}

static const vz_command_option options[] = {
    {'d', "dataset", "PATH", "the dataset that is tried (default: the largest one)"},
    {0, "for", "all|whole|rows|columns|random-rows", "the reading that counts (default all)"},
    {0, "seconds", "NUMBER", "time for all trials (default 20)"},
    {0, "sample", "BYTES", "elements that are tried, with K, M, G (default 32M, at most 1G)"},
    {0, "tmp", "DIRECTORY", "where temporary stores are made (default: TMPDIR, or /tmp)"},
    {0, "json", NULL, "print a JSON object: the sample, each way with its measures, the best, the line"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

const vz_command vz_command_advise = {
    .name = "advise",
    .summary = "measures how a dataset is stored best, and tells the line that does it",
    .usage = "FILE",
    .description =
        "FILE is an HDF5 file or a Zarr store. A sample of one dataset, in its middle, is written into temporary "
        "stores "
        "with several chunk shapes, codecs and shards, and read as a whole, in blocks of rows and of columns, and in "
        "single rows. The table tells bytes and times; the line below it is the h5zarr convert that stores the whole "
        "file like the best of them.\n\n"
        "Where a directory would have many small files, the line makes one file. Temporary stores are removed, also "
        "when it is interrupted. Bytes that were just written are in the memory of the system: on a slow disk, or a "
        "server, "
        "stored bytes and the number of chunks count more than the table shows.",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
