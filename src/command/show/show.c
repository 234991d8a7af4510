/* show.c - h5zarr show STORE[/PATH]: the command line, and one object that is shown. */
#include "command/show/show_internal.h"
#include <stdlib.h>
#include <string.h>

#define ROWS_USUAL   5
#define PIXELS_USUAL 512

static const vz_command_option options[] = {
    {0, "values", NULL, "only the values, or the table (several of such options may be given)"},
    {0, "statistics", NULL, "only the statistics"},
    {0, "picture", NULL, "only the thumbnail"},
    {0, "chunks", NULL, "only the map of chunks"},
    {'n', "rows", "N", "rows of the head, and of the tail (default 5)"},
    {0, "png", "FILE", "writes the thumbnail as a PNG file, too"},
    {0, "size", "PIXELS", "width and height of the PNG at most (default 512)"},
    {0, "json", NULL, "print a JSON object: values of the part that was asked for, statistics, chunks"},
    {0, "hdf5", "PATH", "the HDF5 library, or the prefix of one (default: VOL_ZARR_HDF5, else what doctor finds)"},
    {0, "plugin", "DIRECTORY", "where the connector's plugin is (default: beside this program)"},
    {0},
};

/* ---- what is shown ---- */

static bool show_array(vz_show *show, vz_sample_table *table, vz_error *err)
{
    const vz_show_request *request = show->request;
    bool ok = true;
    if (request->values && vz_sample_units(show->object)) {
        vz_say_text(stdout, vz_sample_units(show->object));
        printf(", as dates\n\n");
    }
    if (request->values)
        ok = table && !show->has_part ? vz_show_table_text(show, table, err) : vz_show_values_text(show, err);
    if (ok && request->statistics && vz_sample_part_count(&show->part) > 0 && !show->facts->is_null)
        ok = vz_show_statistics_text(show, table, err);
    if (ok && request->picture)
        ok = vz_show_picture_text(show, err);
    return ok;
}

static bool show_text(vz_show *show, vz_sample_table *table, vz_error *err)
{
    const vz_sample_facts *facts = show->facts;
    const vz_show_request *request = show->request;
    bool ok = true;
    vz_say_text(stdout, vz_sample_file_name(show->file));
    printf(": %s", vz_say_colour(VZ_COLOUR_ARRAY));
    vz_say_text(stdout, facts->path);
    printf("%s  ", vz_say_colour(VZ_COLOUR_PLAIN));
    vz_show_facts_text(facts);
    printf("\n\n");
    if (facts->why)
        vz_show_failed(show, NULL, facts->why);
    else if (facts->kind == VZ_SAMPLE_ARRAY)
        ok = show_array(show, table, err);
    else if (table && request->values)
        ok = vz_show_table_text(show, table, err);
    else if (request->values)
        ok = vz_show_group_text(show, err);
    if (ok && facts->kind != VZ_SAMPLE_ARRAY && request->statistics)
        ok = vz_show_statistics_text(show, table, err);
    if (ok && facts->kind == VZ_SAMPLE_ARRAY && request->chunks)
        ok = vz_show_chunks_text(show, err);
    return ok && (!request->attributes || vz_show_attributes_text(show, err));
}

static bool show_json(vz_show *show, vz_sample_table *table, vz_error *err)
{
    vz_json *object = vz_json_object(err);
    show->errors = vz_json_array(err);
    if (show->facts->why)
        vz_show_failed(show, NULL, show->facts->why);
    bool ok = object && show->errors && vz_show_json(show, table, object, err);
    if (ok && show->request->png)
        ok = vz_show_png_write(show, err);
    if (object)
        ok = vz_json_set(object, "errors", show->errors, err) && ok;
    else
        vz_json_free(show->errors);
    show->errors = NULL;
    return vz_say_json(object, ok, err);
}

static bool show_object(vz_show *show, vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    vz_sample_table *table = vz_sample_table_open(show->object, &failed);
    if (failed.class != VZ_OK)
        vz_show_failed(show, "table", failed.text);
    bool ok = show->request->json ? show_json(show, table, err) : show_text(show, table, err);
    if (ok && show->request->png && !show->request->json)
        ok = vz_show_png_write(show, err);
    vz_sample_table_close(table);
    return ok;
}

/* ---- from the name to the object ---- */

/* The part that a name ends with: "x.zarr/a[0:3]". NULL: none. */
static char *part_of(const char *name)
{
    const char *begin = strrchr(name, '[');
    const size_t length = strlen(name);
    return begin && begin > name && name[length - 1] == ']' ? strdup(begin) : NULL;
}

/* Opens the object; if it is not there, and the name ends in brackets, the one before them. */
static bool open_object(vz_show *show, char **part, vz_error *err)
{
    const char *name = show->request->name;
    char *path = NULL, *begin = NULL;
    vz_error first = VZ_ERROR_NONE;
    for (int attempt = 0; attempt < 2 && !show->object; attempt++) {
        vz_error *to = attempt == 0 ? &first : err;
        if (attempt && (!*part || !(begin = strndup(name, strlen(name) - strlen(*part)))))
            break;
        show->file = vz_sample_open(attempt ? begin : name, &path, to);
        show->object = show->file ? vz_sample_object_open(show->file, path, to) : NULL;
        if (!show->object)
            vz_sample_close(show->file);
        if (attempt == 0 && show->object) { /* the brackets are a part of its name */
            free(*part);
            *part = NULL;
        } else if (attempt == 0) {
            *part = part_of(name);
        }
        free(path);
        path = NULL;
    }
    free(begin);
    if (!show->object && !*part)
        *err = first;
    return show->object != NULL;
}

static bool take_part(vz_show *show, const char *part, vz_error *err)
{
    show->has_part = part != NULL;
    if (show->facts->kind != VZ_SAMPLE_ARRAY)
        return !part || vz_fail(err, VZ_INVALID, "a part is of arrays: this is none");
    if (part)
        return vz_sample_part_parse(part, show->facts, &show->part, err);
    vz_sample_part_all(show->facts, &show->part);
    return true;
}

static int show_apart(void *context)
{
    const vz_show_request *request = context;
    vz_show show = {.request = request};
    vz_error err = VZ_ERROR_NONE;
    char *part = NULL;
    bool ok = vz_sample_load(request->library, request->plugin, &err) && open_object(&show, &part, &err);
    if (ok) {
        show.facts = vz_sample_facts_of(show.object);
        if (!take_part(&show, request->part ? request->part : part, &err)) {
            vz_say_failure(&err, request->name);
            return VZ_EXIT_USAGE;
        }
        ok = show_object(&show, &err);
        vz_sample_object_close(show.object);
        vz_sample_close(show.file);
    }
    free(part);
    if (!ok)
        return vz_say_failure(&err, request->name);
    return show.has_failed ? VZ_EXIT_FAILED : VZ_EXIT_FINE;
}

/* ---- the command line ---- */

static bool take_number(const vz_command_call *call, const char *option, uint64_t most, uint64_t *number)
{
    const char *text = vz_command_value(call, option);
    char *end;
    if (!text)
        return true;
    *number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && *number > 0 && *number <= most)
        return true;
    vz_say_error("show: --%s: \"%.100s\" is no number from 1 to %llu", option, text, (unsigned long long)most);
    return false;
}

static vz_exit run(const vz_command_call *call)
{
    const bool some = vz_command_has(call, "values") || vz_command_has(call, "statistics") ||
                      vz_command_has(call, "picture") || vz_command_has(call, "chunks");
    uint64_t rows = ROWS_USUAL, pixels = PIXELS_USUAL;
    vz_error err = VZ_ERROR_NONE;
    int status = VZ_EXIT_FAILED;
    if (!take_number(call, "rows", 1000, &rows) || !take_number(call, "size", VZ_SAMPLE_PIXELS_MAX, &pixels))
        return VZ_EXIT_USAGE;
    vz_show_request request = {.name = call->operands[0],
                               .part = call->count > 1 ? call->operands[1] : NULL,
                               .library = vz_command_value(call, "hdf5"),
                               .plugin = vz_command_value(call, "plugin"),
                               .png = vz_command_value(call, "png"),
                               .json = vz_command_has(call, "json"),
                               .values = !some || vz_command_has(call, "values"),
                               .statistics = !some || vz_command_has(call, "statistics"),
                               .picture = !some || vz_command_has(call, "picture"),
                               .chunks = !some || vz_command_has(call, "chunks"),
                               .attributes = !some,
                               .rows = rows,
                               .pixels = (unsigned)pixels};
    if (!vz_sample_apart(show_apart, &request, &status, &err))
        return vz_say_failure(&err, request.name);
    return (vz_exit)status;
}

const vz_command vz_command_show = {
    .name = "show",
    .summary = "shows values, statistics, a thumbnail and the stored chunks of an array",
    .usage = "STORE[/PATH] [PART]",
    .description =
        "STORE is a Zarr store or an HDF5 file, of this machine or of a server. PART is a part of the array as Python "
        "has it, \"[10:20, :, 3]\", and may stand right behind PATH. Of each dimension the head and the tail are "
        "shown. AnnData's dataframes, pandas' tables and compound data are shown as tables, a group by its members.\n\n"
        "Statistics and pictures are of what is stored: elements of absent chunks are left out and counted. Of a large "
        "array a sample is taken, which is said. The thumbnail is drawn with characters; --png writes it as a file, in "
        "which pixels without a value are transparent. A map shows which chunks are stored, and how many tenths of "
        "their decoded bytes they take.\n\n"
        "Chunks that cannot be read are named, and the rest is shown; the exit status is then 1.",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run,
};
