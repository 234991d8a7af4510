/* doctor_variables.c - environment variables that say something to HDF5 or to the connector. */
#include "command/doctor/doctor_internal.h"
#include "base/os/file.h"
#include "base/os/process.h"
#include "base/util/options.h"
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_PREFIX "VOL_ZARR_"
#define PLUGIN_FILE   "libH5VLzarr.so"

void vz_doctor_advise(vz_doctor_advices *advices, bool is_wrong, const char *about, const char *type,
                      const char *format, ...)
{
    va_list list;
    if (advices->count == sizeof advices->items / sizeof *advices->items)
        return;
    vz_doctor_advice *added = &advices->items[advices->count++];
    added->is_wrong = is_wrong;
    snprintf(added->about, sizeof added->about, "%s", about);
    snprintf(added->type, sizeof added->type, "%s", type ? type : "");
    va_start(list, format);
    vsnprintf(added->text, sizeof added->text, format, list);
    va_end(list);
}

/* ---- HDF5_PLUGIN_PATH ---- */

static void plugin_file(const char *directory, char file[PATH_MAX])
{
    snprintf(file, PATH_MAX, "%.4000s/" PLUGIN_FILE, directory);
}

/* The first plugin that HDF5 would find, in `file`; false: none. Missing directories are
 * reported. */
static bool first_plugin(const char *path, char file[PATH_MAX], vz_doctor_advices *advices)
{
    char *copy = strdup(path), *rest = copy;
    bool is_found = false;
    for (char *each; copy && (each = strsep(&rest, ":"));) {
        struct stat is;
        if (!*each)
            continue;
        if (vz_os_stat(each, &is) != 0 || !S_ISDIR(is.st_mode))
            vz_doctor_advise(advices, false, "HDF5_PLUGIN_PATH", NULL, "names %.300s, which is no directory", each);
        if (is_found)
            continue;
        plugin_file(each, file);
        is_found = vz_os_access(file, R_OK) == 0;
    }
    free(copy);
    return is_found;
}

static void check_plugin_path(const char *plugin, bool is_needed, vz_doctor_advices *advices)
{
    const char *path = vz_os_environment("HDF5_PLUGIN_PATH");
    char found[PATH_MAX], own[PATH_MAX], type[512];
    plugin_file(plugin, own);
    if (!path || !*path) {
        snprintf(type, sizeof type, "export HDF5_PLUGIN_PATH=%.400s", plugin);
        if (is_needed)
            vz_doctor_advise(advices, true, "HDF5_PLUGIN_PATH", type,
                             "is not set, so that programs with these libraries do not find the plugin");
        return;
    }
    snprintf(type, sizeof type, "export HDF5_PLUGIN_PATH=%.400s:$HDF5_PLUGIN_PATH", plugin);
    if (!first_plugin(path, found, advices))
        vz_doctor_advise(advices, true, "HDF5_PLUGIN_PATH", type, "does not name the directory of the plugin");
    else if (!vz_os_path_same_file(found, own))
        vz_doctor_advise(advices, false, "HDF5_PLUGIN_PATH", type, "leads to another copy of the plugin, %.300s",
                         found);
}

static void check_preload(vz_doctor_advices *advices)
{
    const char *preload = vz_os_environment("HDF5_PLUGIN_PRELOAD");
    if (preload && strcmp(preload, "::") == 0)
        vz_doctor_advise(advices, true, "HDF5_PLUGIN_PRELOAD", "unset HDF5_PLUGIN_PRELOAD",
                         "is \"::\": HDF5 loads no plugins");
}

/* ---- HDF5_VOL_CONNECTOR ---- */

static void check_connector(vz_doctor_advices *advices)
{
    static const char usual[] = "export HDF5_VOL_CONNECTOR=\"zarr create=*.zarr\"";
    const char *text = vz_os_environment("HDF5_VOL_CONNECTOR");
    if (!text || !*text) {
        vz_doctor_advise(advices, false, "HDF5_VOL_CONNECTOR", usual,
                         "is not set: stores are read and changed, and what programs create are HDF5 files");
        return;
    }
    const size_t name = strcspn(text, " \t");
    const char *rest = text + name + strspn(text + name, " \t");
    vz_options options;
    vz_error err = VZ_ERROR_NONE, ignored = VZ_ERROR_NONE;
    if (name != 4 || strncmp(text, "zarr", name) != 0) {
        vz_doctor_advise(advices, true, "HDF5_VOL_CONNECTOR", usual, "names another connector: %.200s", text);
        return;
    }
    vz_options_init(&options, vz_os_environment_all(), &ignored);
    if (!vz_options_parse(&options, rest, &err))
        vz_doctor_advise(advices, true, "HDF5_VOL_CONNECTOR", usual, "is not understood: %.400s", err.text);
    else if (!options.create || !*options.create)
        vz_doctor_advise(advices, false, "HDF5_VOL_CONNECTOR", usual,
                         "has no create=PATTERN: everything that programs create is a store, temporary files too");
}

/* ---- VOL_ZARR_... ---- */

static bool understands(const char *name, const char *value, vz_error *err)
{
    char text[1024];
    vz_options options;
    vz_error ignored = VZ_ERROR_NONE;
    const int length = snprintf(text, sizeof text, "%s=%s", name, value);
    for (char *at = text; *at && *at != '='; at++)
        *at = (char)tolower((unsigned char)*at);
    vz_options_init(&options, vz_os_environment_all(), &ignored);
    return length < 0 || (size_t)length >= sizeof text || vz_options_parse(&options, text, err);
}

static void check_options(vz_doctor_advices *advices)
{
    for (char *const *each = vz_os_environment_all(); *each; each++) {
        char about[64], type[128];
        const char *sign = strchr(*each, '=');
        const size_t prefix = strlen(OPTION_PREFIX);
        vz_error err = VZ_ERROR_NONE;
        if (!sign || strncmp(*each, OPTION_PREFIX, prefix) != 0 || (size_t)(sign - *each) >= sizeof about)
            continue;
        snprintf(about, sizeof about, "%.*s", (int)(sign - *each), *each);
        if (strcmp(about, OPTION_PREFIX "HDF5") == 0 || understands(about + prefix, sign + 1, &err))
            continue;
        snprintf(type, sizeof type, "unset %s", about);
        vz_doctor_advise(advices, true, about, type, "%.500s", err.text);
    }
}

void vz_doctor_variables(const char *plugin, bool is_needed, vz_doctor_advices *advices)
{
    check_plugin_path(plugin, is_needed, advices);
    check_preload(advices);
    check_connector(advices);
    check_options(advices);
}
