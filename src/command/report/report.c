/* report.c - h5zarr report STORE -o PAGE: its command line. */
#include "command/report/model_internal.h"
#include "command/report/page_internal.h"
#include "command/report/report_internal.h"
#include <stdlib.h>

static const vz_command_option options[] = {
    {'o', "output", "FILE", "where the page goes; - is standard output"},
    {'q', "quick", NULL, "read no elements and no chunks: no pictures, statistics, maps, and no check"},
    {0, "check", NULL, "read and decode all chunks of a store, as h5zarr check does, however large it is"},
    {0, "nodes", "COUNT", "show at most so many objects and links (default 5000)"},
    {0, "json", NULL, "a JSON object in the place of the page: its model, on standard output without -o"},
    {0, "from-json", "FILE", "make the page of such an object; - is standard input"},
    {0, "overwrite", NULL, "replace a file that is there and no report"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

#define MODEL_VALUES_MAX ((size_t)1 << 23)

static bool parse(const vz_command_call *call, vz_model_request *request, vz_error *err)
{
    const char *count = vz_command_value(call, "nodes");
    const bool has_model = vz_command_has(call, "from-json");
    char *end = NULL;
    *request = (vz_model_request){.path = call->count ? call->operands[0] : NULL,
                                  .library = vz_command_value(call, "hdf5"),
                                  .plugin = vz_command_value(call, "plugin"),
                                  .quick = vz_command_has(call, "quick"),
                                  .reads_all = vz_command_has(call, "check"),
                                  .nodes_max = count ? strtoull(count, &end, 10) : VZ_MODEL_NODES_MAX};
    if (count &&
        (*count < '0' || *count > '9' || *end || !request->nodes_max || request->nodes_max > VZ_MODEL_NODES_MOST))
        return vz_fail(err, VZ_INVALID, "--nodes takes a number from 1 to %d, not \"%.100s\"", VZ_MODEL_NODES_MOST,
                       count);
    if (has_model == (call->count > 0))
        return vz_fail(err, VZ_INVALID, has_model ? "--from-json takes the place of STORE" : "STORE is missing");
    if (request->quick && request->reads_all)
        return vz_fail(err, VZ_INVALID, "--quick and --check contradict each other");
    if (has_model && vz_command_has(call, "json"))
        return vz_fail(err, VZ_INVALID, "--from-json and --json contradict each other");
    if (!vz_command_has(call, "json") && !vz_command_has(call, "output"))
        return vz_fail(err, VZ_INVALID, "--output is missing: where does the page go?");
    return true;
}

static vz_json *read_model(const char *path, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *model = vz_page_read_file(path, &text, err)
                         ? vz_json_parse_within((const char *)text.data, text.size, MODEL_VALUES_MAX, err)
                         : NULL;
    vz_buffer_clear(&text);
    if (model && !vz_json_get(model, "report")) {
        vz_json_free(model);
        vz_fail(err, VZ_INVALID, "this is no model of a report: h5zarr report STORE --json prints one");
        return NULL;
    }
    return model;
}

/* *status: what the command returns if all goes well. */
static vz_json *model_of(const vz_command_call *call, const vz_model_request *request, vz_exit *status, vz_error *err)
{
    bool wrong = false;
    const char *from = vz_command_value(call, "from-json");
    vz_json *model = from ? read_model(from, err) : vz_model_make(request, &wrong, err);
    if (!model)
        vz_error_where(err, from ? from : request->path, NULL);
    *status = wrong ? VZ_EXIT_FAILED : VZ_EXIT_FINE;
    return model;
}

static bool write_out(const vz_command_call *call, const vz_json *model, vz_error *err)
{
    const char *output = vz_command_value(call, "output");
    const bool is_json = vz_command_has(call, "json");
    vz_buffer text = {0};
    bool ok = is_json ? vz_json_print(model, 0, &text, err) && vz_buffer_append(&text, "\n", 1, err)
                      : vz_page_write(model, &text, err);
    ok = ok && vz_page_save(output ? output : "-", call->count ? call->operands[0] : NULL,
                            vz_command_has(call, "overwrite"), &text, err);
    vz_buffer_clear(&text);
    if (!ok)
        vz_error_where(err, output, NULL);
    return ok;
}

typedef struct making {
    const vz_command_call *call;
    vz_model_request request;
} making;

/* The exit status. */
static int work(void *context)
{
    const making *m = context;
    vz_error err = VZ_ERROR_NONE;
    vz_exit status = VZ_EXIT_FAILED;
    vz_json *model = model_of(m->call, &m->request, &status, &err);
    if (!model || !write_out(m->call, model, &err))
        status = vz_say_failure(&err, NULL);
    else if (status != VZ_EXIT_FINE)
        vz_say_error("%s: something is wrong or cannot be read: the report tells what", m->request.path);
    vz_json_free(model);
    return fflush(stdout) == 0 ? (int)status : VZ_EXIT_FAILED;
}

static vz_exit run(const vz_command_call *call)
{
    making m = {.call = call};
    vz_error err = VZ_ERROR_NONE;
    int status = VZ_EXIT_FAILED;
    if (!parse(call, &m.request, &err)) {
        vz_say_error("report: %s", err.text);
        return VZ_EXIT_USAGE;
    }
    if (!m.request.path) /* no HDF5 is needed */
        return (vz_exit)work(&m);
    return vz_sample_apart(work, &m, &status, &err) ? (vz_exit)status : vz_say_failure(&err, m.request.path);
}

const vz_command vz_command_report = {
    .name = "report",
    .summary = "makes a page of a store or an HDF5 file, to look at in a browser",
    .usage = "STORE[/PATH] -o PAGE",
    .description =
        "STORE is a Zarr store of any kind or an HDF5 file, of this machine or of a server. The page is one file of "
        "HTML: all objects with their types, sizes and attributes; statistics, a picture or the first elements of "
        "arrays; a map of their chunks; what h5zarr check finds in a store. It has no script, loads nothing, and "
        "shows text of the store as text.\n\n"
        "Bounds hold for what is read and for the size of the page: at most 5000 objects, 500 members of a group, 200 "
        "arrays with pictures, 60 seconds for these. The page says what was left out. Documents of a store are "
        "checked, and its chunks with --check.\n\n"
        "A report that is there is made anew; another file is replaced with --overwrite only. The exit status is 1 "
        "also where something cannot be read, or is wrong; the page is made all the same.",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
