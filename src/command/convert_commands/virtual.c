/* virtual.c - h5zarr virtual IN OUT: a Zarr view of an HDF5 file, whose chunks stay where they are.
 * All that is no chunk is converted into a store that exists for a moment (convert_child.c), and
 * chunks are noted by their places. Both together are the view. */
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/convert_commands/convert_child_internal.h"
#include "command/view/view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INLINE_USUAL ((uint64_t)16 << 20)
#define MEMORY       ((uint64_t)1 << 28)
#define STORE_FORMS  "format=2;dialect=plain;compress=none;consolidated=ignore;container=directory"

static const vz_command_option options[] = {
    {0, "inline", "BYTES",
     "bytes of one dataset that may be copied into OUT where its elements cannot be referred to, with K, M, G "
     "(default 16M)"},
    {0, "relative", NULL,
     "name IN relative to OUT, so that both can be moved together, as a store always does; fsspec counts such names "
     "from the working directory"},
    {0, "url", "URL", "name IN so: where readers find the file"},
    {0, "own-codecs", NULL,
     "refer to chunks of lz4 and bitshuffle in a reference file, too: this connector alone decodes them there"},
    {0, "container", "directory|zip|file", "what OUT is as a store (default: what its name tells)"},
    {0, "overwrite", NULL, "replace what is there, when the new one is whole"},
    {'q', "quiet", NULL, "print nothing but errors"},
    {0, "json", NULL, "print the summary as a JSON object"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

typedef struct making {
    const vz_command_call *call;
    vz_child_task task;
    vz_made place;
    char *store, *list; /* beside the view, under its mark */
    vz_view_source source;
    vz_view_form form;
    const char *container;
    vz_strmap *by_value;
    vz_view_counts counts;
} making;

/* ---- the command line ---- */

static bool parse(making *m, vz_error *err)
{
    const vz_command_call *call = m->call;
    const char *most = vz_command_value(call, "inline");
    if (vz_command_has(call, "url") && vz_command_has(call, "relative"))
        return vz_fail(err, VZ_INVALID, "--url and --relative say both how IN is called");
    m->task.request.own_codecs = vz_command_has(call, "own-codecs");
    m->container = vz_command_value(call, "container");
    if (m->container && strcmp(m->container, "auto") == 0)
        m->container = NULL;
    if (!vz_view_find_form(call->operands[1], m->container, &m->form, err))
        return false;
    m->task.request.own_codecs |= m->form == VZ_VIEW_STORE;
    return !most || vz_convert_parse_bytes(most, 0, &m->task.request.inline_max, err);
}

static bool check_source(vz_convert_side *side, vz_error *err)
{
    return vz_operand_look_at(side->path, side, err) &&
           (!side->is_store || vz_fail(err, VZ_INVALID, "this is a Zarr store already, and no HDF5 file"));
}

/* ---- making ---- */

static bool path_of(const making *m, const char *end, char **path, vz_error *err)
{
    if (asprintf(path, "%s/%s%s", m->place.directory, m->place.mark, end) >= 0)
        return true;
    *path = NULL;
    return vz_fail_memory(err);
}

static bool begin(making *m, vz_error *err)
{
    if (m->place.is_far)
        return vz_fail(err, VZ_UNSUPPORTED, "views are made on this machine only");
    vz_made_remove_left(m->place.directory, m->task.quiet ? vz_child_ignore_residue : vz_child_report_residue);
    m->task.request.target.is_store = true;
    if (!path_of(m, ".copy.zarr", &m->store, err) || !path_of(m, ".places", &m->list, err))
        return false;
    m->task.request.target.path = m->store;
    m->task.request.places = m->list;
    m->by_value = vz_strmap_new();
    m->task.request.by_value = m->by_value;
    return m->by_value || vz_fail_memory(err);
}

/* *again: some chunks are not what Zarr stores, and their datasets are to be copied. */
static bool assemble(making *m, const char *name, bool *again, vz_error *err)
{
    vz_subject store = {0};
    const size_t known = vz_strmap_count(m->by_value);
    bool ok = vz_subject_open(m->store, &store, err);
    const vz_view_request request = {
        .root = store.node,
        .list = m->list,
        .source = &m->source,
        .name = name,
        .path = m->place.partial,
        .target = m->place.target,
        .form = m->form,
        .container = m->container,
        .by_value = m->by_value,
    };
    ok = ok && vz_view_write(&request, &m->counts, err);
    vz_subject_close(&store);
    *again = ok && vz_strmap_count(m->by_value) > known;
    return ok;
}

static void remove_made(const making *m)
{
    vz_os_remove_tree(m->store);
    vz_os_unlink(m->list);
    vz_os_remove_tree(m->place.partial);
}

/* At most twice: what is copied the second time was found to be different the first time. */
static vz_exit make(making *m, const char *name, const vz_os_signals *signals, vz_error *err)
{
    bool again = true;
    while (again) {
        const vz_exit status = vz_child_run(&m->task, signals);
        if (status != VZ_EXIT_FINE)
            return status;
        if (!assemble(m, name, &again, err) || !vz_view_source_check(&m->source, err))
            return VZ_EXIT_FAILED;
        if (again)
            remove_made(m);
    }
    return vz_made_finish(&m->place, err) ? VZ_EXIT_FINE : VZ_EXIT_FAILED;
}

/* ---- telling ---- */

static void tell(const making *m, const char *name, bool leaves)
{
    const vz_convert_counts *counts = &m->task.result->counts;
    const vz_view_counts *out = &m->counts;
    char size[VZ_SAY_SIZE], all[VZ_SAY_SIZE];
    if (leaves && !m->task.quiet)
        vz_say_error("note: %s lies neither beside %s nor below it: our own readers go there with the option "
                     "targets=anywhere only",
                     name, m->call->operands[1]);
    if (m->task.quiet)
        return;
    vz_say_text(stdout, m->call->operands[1]);
    vz_say_count(": ", counts->groups, "group");
    vz_say_count(", ", counts->datasets, "dataset");
    vz_say_count(", ", counts->attributes, "attribute");
    vz_say_count(", ", out->references, "reference");
    printf(", %s copied, %s\n", vz_say_size(out->inlined, size), vz_say_size(out->bytes, all));
}

/* ---- all of it ---- */

static vz_exit make_view(making *m, vz_error *err)
{
    const char *target = m->call->operands[1];
    const vz_convert_counts *counts = &m->task.result->counts;
    bool leaves = false;
    char *name = NULL;
    vz_os_signals signals;
    vz_os_signals_hold(&signals);
    vz_exit status = VZ_EXIT_FAILED;
    if (vz_made_begin(&m->place, m->task.request.source.path, target, m->form != VZ_VIEW_STORE ? ".json" : ".made",
                      vz_command_has(m->call, "overwrite"), err) &&
        begin(m, err) &&
        vz_view_source_open(&m->source, m->task.request.source.path, m->task.request.source.is_elsewhere, err) &&
        (name = vz_view_name_source(&m->source, m->place.target, vz_command_value(m->call, "url"),
                                    vz_command_has(m->call, "relative") || m->form == VZ_VIEW_STORE, &leaves, err)))
        status = make(m, name, &signals, err);
    vz_made_abandon(&m->place, false, NULL);
    if (status == VZ_EXIT_FINE && !vz_command_has(m->call, "json"))
        tell(m, name, leaves);
    else if (status == VZ_EXIT_FINE && !vz_view_print_json(target, name, counts, &m->counts, err))
        status = VZ_EXIT_FAILED;
    vz_made_clear(&m->place);
    vz_os_signals_restore(&signals);
    free(name);
    return status;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    making m = {.call = call, .place.lock = -1, .source.file = -1};
    m.task = (vz_child_task){.library = vz_command_value(call, "hdf5"),
                             .plugin = vz_command_value(call, "plugin"),
                             .quiet = vz_command_has(call, "quiet")};
    m.task.request = (vz_convert_request){.source = {.path = call->operands[0]},
                                          .target = {.shown = call->operands[1], .options = STORE_FORMS},
                                          .compress = "auto",
                                          .inline_max = INLINE_USUAL,
                                          .memory = MEMORY};
    if (!parse(&m, &err)) {
        vz_say_error("virtual: %s", err.text);
        return VZ_EXIT_USAGE;
    }
    vz_exit status = VZ_EXIT_FAILED;
    m.task.result = vz_os_map_shared(sizeof *m.task.result);
    if (!m.task.result)
        vz_fail_memory(&err);
    else if (!check_source(&m.task.request.source, &err))
        return vz_say_failure(&err, call->operands[0]);
    else
        status = make_view(&m, &err);
    if (err.class != VZ_OK) /* else the child said what failed */
        status = vz_say_failure(&err, call->operands[1]);
    vz_view_source_close(&m.source);
    vz_strmap_free(m.by_value, NULL);
    free(m.store);
    free(m.list);
    return status;
}

const vz_command vz_command_virtual = {
    .name = "virtual",
    .summary = "makes a Zarr view of an HDF5 file without copying its chunks",
    .usage = "IN OUT",
    .description =
        "IN is an HDF5 or netCDF-4 file, also in a bucket or behind a URL. An OUT that ends in .json is a reference "
        "file as kerchunk has them: JSON that says of each chunk where in IN its bytes lie. Zarr readers open it by "
        "fsspec's reference file system, and this connector shows it as the file itself. One that ends in .lindi.json "
        "has "
        "the conventions of LINDI, which its own reader and pynwb know. Any other OUT is a store of "
        "the kind that its name tells (.zarr.zip and so on), in which lists beside the arrays say where chunks lie: "
        "it is for this connector alone, and others refuse its arrays. There attributes, groups and further datasets "
        "can be written; elements that lie in IN cannot.\n\n"
        "Elements that cannot be referred to are copied into OUT: those of compact and virtual datasets, text of "
        "variable length, references, chunks whose filters Zarr has no name for or that were left out. Where they are "
        "more than --inline allows, nothing is made, and the dataset is named. The size and the time of IN are noted: "
        "where the file changed since, reading its chunks is an error (docs/references.md).",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
