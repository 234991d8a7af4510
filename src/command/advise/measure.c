/* measure.c - the trials, within the time that there is. */
#include "command/advise/advise_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "command/libraries/libraries.h"
#include <stdlib.h>

#define SURVEY_PART 4 /* of the time, for looking at all datasets */

typedef struct trying {
    const vz_advise_request *request;
    vz_advise_report *report;
    vz_trial_set *trials;
    int64_t until_ns;
    int64_t longest_ns; /* that one took */
    unsigned next;
} trying;

static bool load(const vz_advise_request *request, vz_error *err)
{
    vz_libraries found = {0};
    vz_library_version version;
    const char *file;
    char *plugin = vz_plugin_directory(request->plugin, err);
    const bool ok = plugin && vz_libraries_find(request->library, &found, err) &&
                    vz_library_load_first(&found, &file, &version, err) && vz_convert_register(plugin, err);
    vz_libraries_clear(&found);
    free(plugin);
    return ok;
}

static bool try_one(trying *t, vz_advise_way *way, vz_error *err)
{
    vz_buffer place = {0};
    const int64_t began = vz_os_now_ns();
    bool ok = vz_buffer_printf(&place, err, "%s/%u.zarr", t->request->directory, t->next) &&
              vz_buffer_append(&place, "", 1, err) &&
              vz_trial_run(t->trials, (const char *)place.data, &way->trial, err);
    if (ok && !vz_os_remove_tree((const char *)place.data))
        ok = vz_fail(err, VZ_IO, "a temporary store in %.200s cannot be removed", t->request->directory);
    const int64_t took = vz_os_now_ns() - began;
    t->longest_ns = took > t->longest_ns ? took : t->longest_ns;
    vz_buffer_clear(&place);
    return ok;
}

/* All that were not tried yet, as long as there is time for one more. The first is tried anyway. */
static bool try_all(trying *t, vz_error *err)
{
    vz_advise_ways *ways = &t->report->ways;
    for (; t->next < ways->count; t->next++) {
        if (t->next > 0 && vz_os_now_ns() + t->longest_ns > t->until_ns) {
            t->report->out_of_time = true;
            break;
        }
        if (!try_one(t, &ways->list[t->next], err))
            return false;
    }
    ways->chosen = vz_advise_choose(ways, t->request->goal);
    return true;
}

bool vz_advise_measure(const vz_advise_request *request, vz_advise_report *report, vz_error *err)
{
    trying t = {.request = request, .report = report};
    if (!load(request, err))
        return false;
    const int64_t began = vz_os_now_ns();
    t.trials = vz_trial_begin(&request->source, request->dataset, request->sample, began + request->ns / SURVEY_PART,
                              &report->source, err);
    if (!t.trials)
        return false;
    t.until_ns = vz_os_now_ns() + request->ns - request->ns / SURVEY_PART;
    vz_advise_add_shapes(&report->source, &report->ways);
    bool ok = try_all(&t, err);
    if (ok && !report->out_of_time) {
        vz_advise_add_codecs(&report->ways);
        ok = try_all(&t, err);
    }
    if (ok && !report->out_of_time) {
        vz_advise_add_shards(&report->source, &report->ways);
        ok = try_all(&t, err);
    }
    vz_trial_end(t.trials);
    return ok;
}
