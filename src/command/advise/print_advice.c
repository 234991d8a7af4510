/* print_advice.c - what was measured, and the line that follows from it. */
#include "command/advise/advise_internal.h"
#include "base/util/c_library.h"
#include <stdlib.h>

static const char *const pattern_names[VZ_TRIAL_COUNT] = {"whole", "rows", "columns", "random rows"};

/* ---- the line ---- */

/* Between quotes for a shell. */
static bool quote(vz_buffer *out, const char *text, vz_error *err)
{
    bool ok = vz_buffer_append(out, "'", 1, err);
    for (; ok && *text; text++)
        ok = *text == '\'' ? vz_buffer_append(out, "'\\''", 4, err) : vz_buffer_append(out, text, 1, err);
    return ok && vz_buffer_append(out, "'", 1, err);
}

static bool add_operand(vz_buffer *out, const char *text, vz_error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
    if (*text && text[strspn(text, plain)] == '\0' && *text != '-')
        return vz_buffer_printf(out, err, "%s", text);
    return quote(out, text, err);
}

/* Can the path stand before the colon of a rule? Semicolons separate rules. */
static bool has_pattern(const vz_trial_source *source)
{
    for (const unsigned char *at = (const unsigned char *)source->path; *at; at++)
        if (*at == ';' || *at < ' ' || *at == 0x7F)
            return false;
    return !source->is_cut;
}

/* " --chunks '/X:1000,50'", " --compress '/X:zstd'": characters of patterns stand for
 * themselves. */
static bool add_rule(vz_buffer *out, const char *option, const vz_trial_source *source, const char *value,
                     vz_error *err)
{
    vz_buffer rule = {0};
    bool ok = true;
    for (const char *at = source->path; ok && has_pattern(source) && *at; at++)
        ok = vz_buffer_printf(&rule, err, strchr("*?[\\", *at) ? "\\%c" : "%c", *at);
    ok = ok && vz_buffer_printf(&rule, err, "%s%s", has_pattern(source) ? ":" : "", value) &&
         vz_buffer_append(&rule, "", 1, err) && vz_buffer_printf(out, err, " --%s ", option) &&
         quote(out, (const char *)rule.data, err);
    vz_buffer_clear(&rule);
    return ok;
}

static bool add_chunks(vz_buffer *out, const vz_trial_source *source, const uint64_t *chunk, vz_error *err)
{
    vz_buffer shape = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < source->rank; i++)
        ok = vz_buffer_printf(&shape, err, "%s%llu", i ? "," : "", (unsigned long long)chunk[i]);
    ok = ok && vz_buffer_append(&shape, "", 1, err) && add_rule(out, "chunks", source, (const char *)shape.data, err);
    vz_buffer_clear(&shape);
    return ok;
}

/* Are chunks and filters those of the source, as h5zarr convert has them without options? */
static bool keeps_all(const vz_advise_way *way)
{
    return strcmp(way->compress, "auto") == 0;
}

/* "cells.h5" -> "cells.zarr"; of a store "cells-new.zarr". The place of a URL is the working
 * directory. */
static bool add_target(vz_buffer *out, const char *file, vz_error *err)
{
    vz_buffer name = {0};
    const size_t length = strlen(file);
    size_t end = length;
    while (end > 1 && file[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && file[start - 1] != '/')
        start--;
    const char *from = strstr(file, "://") ? file + start : file;
    const char *dot = vz_find_last(file + start, '.', end - start);
    const bool is_store = dot && (strncmp(dot, ".zarr", 5) == 0 || strncmp(dot, ".zip", 4) == 0);
    const size_t size = (size_t)((dot && dot > file + start ? dot : file + end) - from);
    const bool ok = vz_buffer_printf(&name, err, "%.*s%s.zarr", (int)size, from, is_store ? "-new" : "") &&
                    vz_buffer_append(&name, "", 1, err) && add_operand(out, (const char *)name.data, err);
    vz_buffer_clear(&name);
    return ok;
}

bool vz_advise_line(const char *file, const vz_advise_report *report, vz_buffer *out, vz_error *err)
{
    uint64_t files;
    const vz_advise_way *way = &report->ways.list[report->ways.chosen];
    bool ok = vz_buffer_printf(out, err, "h5zarr convert ") && add_operand(out, file, err) &&
              vz_buffer_append(out, " ", 1, err) && add_target(out, file, err);
    if (ok && way->trial.chunk[0] && !keeps_all(way))
        ok = add_chunks(out, &report->source, way->trial.chunk, err);
    if (ok && !keeps_all(way))
        ok = add_rule(out, "compress", &report->source, way->compress, err);
    if (ok && way->shards)
        ok = vz_buffer_printf(out, err, " --format 3 --shards %lluM", (unsigned long long)(way->shards >> 20));
    if (ok && vz_advise_one_file(&report->source, &files))
        ok = vz_buffer_printf(out, err, " --container file");
    return ok && vz_buffer_append(out, "", 1, err);
}

/* ---- text ---- */

static bool shape_text(unsigned rank, const uint64_t *shape, vz_buffer *out, vz_error *err)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < rank; i++)
        ok = vz_buffer_printf(out, err, "%s%llu", i ? ", " : "(", (unsigned long long)shape[i]);
    return ok && vz_buffer_printf(out, err, rank == 1 ? ",)" : ")") && vz_buffer_append(out, "", 1, err);
}

static bool print_shape(const char *before, unsigned rank, const uint64_t *shape, vz_error *err)
{
    vz_buffer text = {0};
    const bool ok = shape_text(rank, shape, &text, err);
    printf("%s%s", before, ok ? (const char *)text.data : "");
    vz_buffer_clear(&text);
    return ok;
}

static uint64_t bytes_of(const vz_trial_source *source, const uint64_t *extent)
{
    uint64_t bytes = source->element_size;
    for (unsigned i = 0; i < source->rank; i++)
        if (!vz_mul(bytes, extent[i], &bytes))
            return UINT64_MAX;
    return bytes;
}

static bool print_source(const vz_trial_source *source, vz_error *err)
{
    char sample[VZ_SAY_SIZE], all[VZ_SAY_SIZE];
    vz_say_text(stdout, source->path);
    if (!print_shape("  ", source->rank, source->dims, err) ||
        !print_shape("\nsample  ", source->rank, source->extent, err) ||
        !print_shape(" at ", source->rank, source->start, err))
        return false;
    printf(", %s of %s\n", vz_say_size(bytes_of(source, source->extent), sample),
           vz_say_size(bytes_of(source, source->dims), all));
    if (source->is_partial)
        printf("only the first %llu datasets were looked at\n", (unsigned long long)source->datasets);
    return true;
}

static void print_way(const vz_advise_way *way, bool is_chosen)
{
    char stored[VZ_SAY_SIZE];
    printf("%c %-14s %-6s %-7s", is_chosen ? '*' : ' ', way->what, keeps_all(way) ? "" : way->compress,
           way->shards ? "16 MiB" : "");
    if (!way->trial.is_measured) {
        printf("  not measured: time was over\n");
        return;
    }
    printf("%11s %8.1f", vz_say_size(way->trial.stored, stored), (double)way->trial.write_ns / 1e6);
    for (unsigned i = 0; i < VZ_TRIAL_COUNT; i++)
        printf(" %*.1f", i == VZ_TRIAL_RANDOM ? 11 : 8, (double)way->trial.read_ns[i] / 1e6);
    putchar('\n');
}

static bool print_best(const vz_trial_source *source, const vz_advise_way *best, vz_error *err)
{
    printf("best: ");
    if (keeps_all(best))
        printf("as it is");
    else if (!best->trial.chunk[0])
        printf("chunks as they are, %s", best->compress);
    else if (print_shape("chunks ", source->rank, best->trial.chunk, err))
        printf(", %s", best->compress);
    else
        return false;
    printf(best->shards ? ", in shards\n" : "\n");
    return true;
}

static bool print_text(const vz_advise_report *report, const char *line, vz_error *err)
{
    uint64_t files;
    const vz_trial_source *source = &report->source;
    if (!print_source(source, err))
        return false;
    printf("\n  %-14s %-6s %-7s%11s %8s", "chunks", "codec", "shards", "stored", "write");
    for (unsigned i = 0; i < VZ_TRIAL_COUNT; i++)
        printf(" %*s", i == VZ_TRIAL_RANDOM ? 11 : 8, pattern_names[i]);
    printf("\n");
    for (unsigned i = 0; i < report->ways.count; i++)
        print_way(&report->ways.list[i], i == report->ways.chosen);
    printf("milliseconds to write the sample, and to read as many elements\n\n");
    if (!print_best(source, &report->ways.list[report->ways.chosen], err))
        return false;
    if (vz_advise_one_file(source, &files))
        printf("a directory would have about %llu small files: one file serves better\n", (unsigned long long)files);
    vz_say_text(stdout, line);
    putchar('\n');
    return true;
}

/* ---- JSON ---- */

static vz_json *json_of_shape(unsigned rank, const uint64_t *shape, vz_error *err)
{
    vz_json *array = vz_json_array(err);
    for (unsigned i = 0; array && i < rank; i++)
        if (!vz_json_append(array, vz_json_uint64(shape[i], err), err)) {
            vz_json_free(array);
            return NULL;
        }
    return array;
}

static bool fill_way(const vz_advise_report *report, const vz_advise_way *way, vz_json *object, vz_error *err)
{
    static const char *const keys[VZ_TRIAL_COUNT] = {"whole", "rows", "columns", "random_rows"};
    bool ok = vz_json_set_text(object, "what", way->what, err) &&
              vz_json_set(object, "chunks", json_of_shape(report->source.rank, way->trial.chunk, err), err) &&
              vz_json_set_text(object, "compress", way->compress, err) &&
              vz_json_set(object, "shards", vz_json_uint64(way->shards, err), err) &&
              vz_json_set(object, "measured", vz_json_bool(way->trial.is_measured, err), err);
    if (!ok || !way->trial.is_measured)
        return ok;
    ok = vz_json_set(object, "stored", vz_json_uint64(way->trial.stored, err), err) &&
         vz_json_set(object, "write", vz_json_double((double)way->trial.write_ns / 1e9, err), err);
    for (unsigned i = 0; ok && i < VZ_TRIAL_COUNT; i++)
        ok = vz_json_set(object, keys[i], vz_json_double((double)way->trial.read_ns[i] / 1e9, err), err);
    return ok;
}

static vz_json *json_of_ways(const vz_advise_report *report, vz_error *err)
{
    vz_json *array = vz_json_array(err);
    bool ok = array != NULL;
    for (unsigned i = 0; ok && i < report->ways.count; i++) {
        vz_json *object = vz_json_object(err);
        ok = vz_json_append(array, object, err) && fill_way(report, &report->ways.list[i], object, err);
    }
    if (ok)
        return array;
    vz_json_free(array);
    return NULL;
}

static bool print_json(const vz_advise_request *request, const vz_advise_report *report, const char *line,
                       vz_error *err)
{
    uint64_t files;
    const vz_trial_source *source = &report->source;
    vz_json *object = vz_json_object(err);
    const bool one = vz_advise_one_file(source, &files);
    const bool ok = object && vz_describe_set_text(object, "source", request->source.path, err) &&
                    vz_describe_set_text(object, "dataset", source->path, err) &&
                    vz_json_set(object, "shape", json_of_shape(source->rank, source->dims, err), err) &&
                    vz_json_set(object, "sample_start", json_of_shape(source->rank, source->start, err), err) &&
                    vz_json_set(object, "sample", json_of_shape(source->rank, source->extent, err), err) &&
                    vz_json_set(object, "element_size", vz_json_uint64(source->element_size, err), err) &&
                    vz_json_set(object, "datasets", vz_json_uint64(source->datasets, err), err) &&
                    vz_json_set(object, "files", vz_json_uint64(files, err), err) &&
                    vz_json_set(object, "all_datasets", vz_json_bool(!source->is_partial, err), err) &&
                    vz_json_set(object, "ways", json_of_ways(report, err), err) &&
                    vz_json_set(object, "best", vz_json_uint64(report->ways.chosen, err), err) &&
                    vz_json_set(object, "one_file", vz_json_bool(one, err), err) &&
                    vz_describe_set_text(object, "line", line, err);
    return vz_say_json(object, ok, err);
}

bool vz_advise_print(const vz_advise_request *request, const vz_advise_report *report, bool json, vz_error *err)
{
    vz_buffer line = {0};
    const bool ok = vz_advise_line(request->source.path, report, &line, err) &&
                    (json ? print_json(request, report, (const char *)line.data, err)
                          : print_text(report, (const char *)line.data, err));
    vz_buffer_clear(&line);
    return ok;
}
