/* doctor.c - h5zarr doctor: which HDF5 libraries are here, in which the plugin works, and what
 * stands in its way. */
#include "command/command/command.h"
#include "command/doctor/doctor_internal.h"
#include "base/util/json.h"
#include <stdlib.h>
#include <string.h>

static const vz_command_option options[] = {
    {'j', "json", NULL, "a JSON object with all of it"},
    {0, "hdf5", "PATH", "look at this HDF5 library only, or at those below this prefix"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

typedef struct diagnosis {
    char *plugin; /* its directory */
    vz_libraries libraries;
    vz_probe_result *probes;
    vz_doctor_advices advices;
    const vz_library *used; /* by convert; NULL: none works */
} diagnosis;

static bool examine(const vz_command_call *call, diagnosis *d, vz_error *err)
{
    d->plugin = vz_plugin_directory(vz_command_value(call, "plugin"), err);
    if (!d->plugin || !vz_libraries_find(vz_command_value(call, "hdf5"), &d->libraries, err))
        return false;
    d->probes = calloc(d->libraries.count + 1, sizeof *d->probes);
    if (!d->probes)
        return vz_fail_memory(err);
    for (size_t i = 0; i < d->libraries.count; i++) {
        vz_doctor_probe(d->libraries.items[i].file, d->plugin, &d->probes[i]);
        if (d->probes[i].works && !d->used)
            d->used = &d->libraries.items[i];
    }
    bool is_needed = !d->used; /* the plugin path */
    for (size_t i = 0; i < d->libraries.count; i++)
        is_needed = is_needed || (d->probes[i].works && !d->probes[i].finds);
    vz_doctor_variables(d->plugin, is_needed, &d->advices);
    vz_doctor_filters(d->plugin, is_needed, &d->libraries, &d->advices);
    return true;
}

static void version_text(const vz_library_version *version, char text[32])
{
    if (version->major)
        snprintf(text, 32, "%u.%u.%u", version->major, version->minor, version->release);
    else
        snprintf(text, 32, "?");
}

/* ---- for people ---- */

static void print_library(const vz_library *library, const vz_probe_result *probe, bool is_used)
{
    char version[32];
    version_text(&probe->version, version);
    printf("%s%-7s%s HDF5 %-8s ", vz_say_colour(probe->works ? VZ_COLOUR_GOOD : VZ_COLOUR_BAD),
           probe->works ? "works" : "fails", vz_say_colour(VZ_COLOUR_PLAIN), version);
    vz_say_text(stdout, library->file);
    printf("  (");
    vz_say_text(stdout, library->where);
    printf(")%s\n", is_used ? ", used by convert" : "");
    if (!probe->works) {
        printf("        ");
        vz_say_text(stdout, probe->why);
        printf("\n");
    }
}

static void print_advice(const vz_doctor_advice *advice)
{
    printf("%s%s%s ", vz_say_colour(advice->is_wrong ? VZ_COLOUR_BAD : VZ_COLOUR_FAINT), advice->about,
           vz_say_colour(VZ_COLOUR_PLAIN));
    vz_say_text(stdout, advice->text);
    printf("\n");
    if (*advice->type) {
        printf("    ");
        vz_say_text(stdout, advice->type);
        printf("\n");
    }
}

static void print_text(const diagnosis *d)
{
    printf("plugin  ");
    vz_say_text(stdout, d->plugin);
    printf("\n");
    for (size_t i = 0; i < d->libraries.count; i++)
        print_library(&d->libraries.items[i], &d->probes[i], d->used == &d->libraries.items[i]);
    if (d->libraries.count == 0)
        printf("no HDF5 library was found: pip install h5py, conda install hdf5, or apt install libhdf5-310 (Debian "
               "13)\n");
    else if (!d->used)
        printf("the plugin works in none of them: it needs HDF5 " VZ_LIBRARY_OLDEST
               " or newer, as in pip install h5py\n");
    for (size_t i = 0; i < d->advices.count; i++) {
        printf("%s", i == 0 ? "\n" : "");
        print_advice(&d->advices.items[i]);
    }
}

/* ---- for machines ---- */

static bool append_library(vz_json *list, const diagnosis *d, size_t i, vz_error *err)
{
    const vz_library *library = &d->libraries.items[i];
    const vz_probe_result *probe = &d->probes[i];
    char version[32];
    version_text(&probe->version, version);
    vz_json *object = vz_json_object(err);
    if (object && vz_json_set_text(object, "file", library->file, err) &&
        vz_json_set_text(object, "where", library->where, err) &&
        vz_json_set(object, "version", probe->version.major ? vz_json_text(version, err) : vz_json_null(err), err) &&
        vz_json_set(object, "loads", vz_json_bool(probe->loads, err), err) &&
        vz_json_set(object, "works", vz_json_bool(probe->works, err), err) &&
        vz_json_set(object, "used", vz_json_bool(d->used == library, err), err) &&
        vz_json_set(object, "why", probe->works ? vz_json_null(err) : vz_json_text(probe->why, err), err))
        return vz_json_append(list, object, err);
    vz_json_free(object);
    return false;
}

static bool append_advice(vz_json *list, const vz_doctor_advice *advice, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    if (object && vz_json_set_text(object, "about", advice->about, err) &&
        vz_json_set(object, "wrong", vz_json_bool(advice->is_wrong, err), err) &&
        vz_json_set_text(object, "text", advice->text, err) &&
        vz_json_set(object, "type", *advice->type ? vz_json_text(advice->type, err) : vz_json_null(err), err))
        return vz_json_append(list, object, err);
    vz_json_free(object);
    return false;
}

static bool fill(const diagnosis *d, vz_json *all, vz_error *err)
{
    vz_json *libraries = vz_json_array(err), *advices = vz_json_array(err);
    bool ok = libraries && advices;
    for (size_t i = 0; ok && i < d->libraries.count; i++)
        ok = append_library(libraries, d, i, err);
    for (size_t i = 0; ok && i < d->advices.count; i++)
        ok = append_advice(advices, &d->advices.items[i], err);
    if (!ok) {
        vz_json_free(libraries);
        vz_json_free(advices);
        return false;
    }
    ok = vz_json_set(all, "libraries", libraries, err);
    return vz_json_set(all, "advice", advices, err) && ok;
}

static bool print_json(const diagnosis *d, vz_error *err)
{
    vz_buffer text = {0};
    vz_json *all = vz_json_object(err);
    const bool ok = all && vz_json_set_text(all, "plugin", d->plugin, err) && fill(d, all, err) &&
                    vz_json_print(all, 2, &text, err) && vz_buffer_append(&text, "\n", 1, err);
    if (ok)
        fwrite(text.data, 1, text.size, stdout);
    vz_json_free(all);
    vz_buffer_clear(&text);
    return ok;
}

static vz_exit run(const vz_command_call *call)
{
    vz_error err = VZ_ERROR_NONE;
    diagnosis d = {0};
    bool ok = examine(call, &d, &err);
    if (ok && vz_command_has(call, "json"))
        ok = print_json(&d, &err);
    else if (ok)
        print_text(&d);
    const bool works = d.used != NULL;
    free(d.plugin);
    free(d.probes);
    vz_libraries_clear(&d.libraries);
    return !ok ? vz_say_failure(&err, NULL) : works ? VZ_EXIT_FINE : VZ_EXIT_FAILED;
}

const vz_command vz_command_doctor = {
    .name = "doctor",
    .summary = "tell which HDF5 libraries are here, whether the plugin works in them, and what to set",
    .usage = "",
    .description = "Looks for HDF5 libraries where convert does (VOL_ZARR_HDF5, LD_LIBRARY_PATH, conda, the system, "
                   "wheels of the active Python), loads each in a "
                   "process of its own with the plugin, makes a small store in a temporary directory and finds it "
                   "again. Then it looks at the "
                   "environment variables of HDF5 and of the plugin, and tells what to type.\n\n"
                   "The exit status is 0 if the plugin works in one of them.",
    .options = options,
    .least = 0,
    .most = 0,
    .run = run,
};
