/* trial_source.c - the dataset whose elements are tried, and a sample of them. */
#include "command/trial/trial_internal.h"
#include "base/os/process.h"
#include <stdlib.h>
#include <string.h>

typedef struct survey {
    const char *wanted; /* NULL: the largest */
    int64_t until_ns;
    vz_trial_source *source;
    uint64_t largest;
} survey;

/* ---- the sample ---- */

static uint64_t size_of(unsigned rank, const uint64_t *extent, uint64_t element_size)
{
    uint64_t size;
    return vz_mul(vz_slabs_count(rank, extent), element_size, &size) ? size : UINT64_MAX;
}

void vz_trial_sample_of(vz_trial_source *source, uint64_t bytes)
{
    memcpy(source->extent, source->dims, sizeof source->extent);
    while (size_of(source->rank, source->extent, source->element_size) > bytes) {
        unsigned longest = 0;
        for (unsigned i = 1; i < source->rank; i++)
            if (source->extent[i] > source->extent[longest])
                longest = i;
        if (source->extent[longest] == 1)
            break;
        source->extent[longest] = (source->extent[longest] + 1) / 2;
    }
    for (unsigned i = 0; i < source->rank; i++) {
        const uint64_t middle = (source->dims[i] - source->extent[i]) / 2, unit = source->chunk[i];
        source->start[i] = unit ? middle / unit * unit : middle;
    }
}

/* ---- the datasets ---- */

static uint64_t chunks_of(const vz_trial_source *of)
{
    uint64_t chunks = 1;
    for (unsigned i = 0; i < of->rank; i++)
        if (of->chunk[i] > 0 && !vz_mul(chunks, (of->dims[i] + of->chunk[i] - 1) / of->chunk[i], &chunks))
            return UINT64_MAX;
    return chunks;
}

static bool take_shape(hid_t dataset, vz_trial_source *of)
{
    hsize_t dims[VZ_CONVERT_RANK_MAX], chunk[VZ_CONVERT_RANK_MAX] = {0};
    const hid_t space = H5Dget_space(dataset), dcpl = H5Dget_create_plist(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool ok = rank >= 0 && rank <= VZ_CONVERT_RANK_MAX && H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    if (ok && rank > 0 && dcpl >= 0 && H5Pget_layout(dcpl) == H5D_CHUNKED && H5Pget_chunk(dcpl, rank, chunk) != rank)
        memset(chunk, 0, sizeof chunk);
    of->rank = ok ? (unsigned)rank : 0;
    for (unsigned i = 0; i < of->rank; i++) {
        of->dims[i] = dims[i];
        of->chunk[i] = chunk[i];
    }
    vz_convert_id_close(dcpl);
    vz_convert_id_close(space);
    return ok;
}

/* Can its elements be tried? They have a fixed size, and lead nowhere. */
static bool is_suitable(hid_t dataset, hid_t type)
{
    char why[H5VL_ZARR_TEXT_SIZE];
    return vz_convert_is_flat(type) && vz_convert_is_understood(dataset, why);
}

static void look_at(hid_t dataset, const char *path, survey *s)
{
    vz_trial_source of = {0}, *best = s->source;
    const hid_t type = H5Dget_type(dataset);
    of.element_size = type < 0 ? 0 : H5Tget_size(type);
    if (of.element_size > 0 && take_shape(dataset, &of)) {
        const uint64_t size = size_of(of.rank, of.dims, of.element_size);
        vz_add(best->bytes, size, &best->bytes);
        vz_add(best->chunks, chunks_of(&of), &best->chunks);
        const bool is_meant = s->wanted ? strcmp(s->wanted, path) == 0 : size > s->largest;
        if (is_meant && of.rank > 0 && size > 0 && is_suitable(dataset, type)) {
            of.datasets = best->datasets;
            of.bytes = best->bytes;
            of.chunks = best->chunks;
            of.is_cut = (size_t)snprintf(of.path, sizeof of.path, "%s", path) >= sizeof of.path;
            *best = of;
            s->largest = size;
        }
    }
    vz_convert_id_close(type);
}

/* A dataset that cannot be opened is not tried. */
static herr_t visit(hid_t file, const char *name, const H5O_info2_t *info, void *context)
{
    survey *s = context;
    char path[1024];
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    if (vz_os_now_ns() > s->until_ns && s->source->rank > 0) {
        s->source->is_partial = true;
        return 1;
    }
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    s->source->datasets++;
    if (dataset >= 0) {
        snprintf(path, sizeof path, "/%s", name);
        look_at(dataset, path, s);
    }
    vz_convert_id_close(dataset);
    return 0;
}

static bool choose(vz_trial_set *trials, const char *path, int64_t until_ns, vz_error *err)
{
    survey s = {.wanted = path, .until_ns = until_ns, .source = &trials->source};
    if (H5Ovisit3(trials->file, H5_INDEX_NAME, H5_ITER_INC, visit, &s, H5O_INFO_BASIC) < 0)
        return vz_convert_h5_fail(err, "its objects cannot be visited");
    H5Eclear2(H5E_DEFAULT);
    if (trials->source.rank > 0)
        return true;
    return path
               ? vz_fail(err, VZ_NOT_FOUND, "\"%.200s\" is no dataset with elements of a fixed size", path)
               : vz_fail(err, VZ_NOT_FOUND, "it has no dataset with elements of a fixed size: there is nothing to try");
}

/* ---- reading it ---- */

static bool read_sample(vz_trial_set *trials, uint64_t bytes, vz_error *err)
{
    vz_trial_source *source = &trials->source;
    vz_trial_sample_of(source, bytes);
    const hid_t dataset = H5Dopen2(trials->file, source->path, H5P_DEFAULT);
    const hid_t space = dataset < 0 ? dataset : H5Dget_space(dataset),
                dcpl = dataset < 0 ? dataset : H5Dget_create_plist(dataset);
    const hid_t type = dataset < 0 ? dataset : H5Dget_type(dataset);
    trials->type = type < 0 ? type : H5Tcopy(type); /* a committed one is an object of the source */
    trials->size = size_of(source->rank, source->extent, source->element_size);
    trials->sample = calloc(1, trials->size);
    trials->again = calloc(1, trials->size);
    bool ok = (trials->sample && trials->again) || vz_fail_memory(err);
    ok = ok && (trials->type >= 0 || vz_convert_h5_fail(err, "the dataset cannot be opened")) &&
         vz_convert_filters_check_readable(dcpl, err);
    const hid_t memory =
        ok ? vz_convert_box_select(source->rank, source->start, source->extent, space, err) : H5I_INVALID_HID;
    ok = memory >= 0 && (H5Dread(dataset, trials->type, memory, space, H5P_DEFAULT, trials->sample) >= 0 ||
                         vz_convert_h5_fail(err, "its elements cannot be read"));
    trials->filters = ok ? vz_convert_filters_of(dcpl, err) : H5I_INVALID_HID;
    ok = ok && trials->filters >= 0;
    vz_convert_id_close(memory);
    vz_convert_id_close(type);
    vz_convert_id_close(dcpl);
    vz_convert_id_close(space);
    vz_convert_id_close(dataset);
    if (!ok)
        vz_error_where(err, NULL, source->path);
    return ok;
}

vz_trial_set *vz_trial_begin(const vz_convert_side *side, const char *path, uint64_t bytes, int64_t until_ns,
                             vz_trial_source *source, vz_error *err)
{
    vz_trial_set *trials = calloc(1, sizeof *trials);
    if (!trials) {
        vz_fail_memory(err);
        return NULL;
    }
    trials->type = trials->filters = H5I_INVALID_HID;
    trials->file = vz_side_open(side, err);
    if (trials->file >= 0 && choose(trials, path, until_ns, err) && read_sample(trials, bytes, err)) {
        *source = trials->source;
        return trials;
    }
    vz_trial_end(trials);
    return NULL;
}

void vz_trial_end(vz_trial_set *trials)
{
    if (!trials)
        return;
    vz_convert_id_close(trials->type);
    vz_convert_id_close(trials->filters);
    if (trials->file > 0)
        H5Fclose(trials->file);
    free(trials->sample);
    free(trials->again);
    free(trials);
}
