/* trial_run.c - a sample written into a store, and read in each pattern. Files are opened anew for
 * each, so that no chunk is in HDF5's or the connector's memory. */
#include "command/trial/trial_internal.h"
#include "base/os/process.h"
#include <string.h>

#define NAME   "sample"
#define BLOCKS 4  /* of rows or columns that are read */
#define PART   16 /* a block is so much of the dimension */
#define ROWS   32 /* single ones that are read */

typedef struct reading {
    hid_t dataset, space;
    const vz_trial_set *trials;
    uint64_t elements; /* read so far */
} reading;

/* ---- writing ---- */

static hid_t create_dataset(const vz_trial_set *trials, hid_t file, const vz_trial *trial, vz_error *err)
{
    hsize_t dims[VZ_CONVERT_RANK_MAX], chunk[VZ_CONVERT_RANK_MAX];
    const int rank = (int)trials->source.rank;
    for (int i = 0; i < rank; i++) {
        dims[i] = trials->source.extent[i];
        chunk[i] = trial->chunk[i];
    }
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t dcpl = trial->keeps_filters ? H5Pcopy(trials->filters) : H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && dcpl >= 0 && (chunk[0] == 0 || H5Pset_chunk(dcpl, rank, chunk) >= 0))
        dataset = H5Dcreate2(file, NAME, trials->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (dataset < 0)
        vz_convert_h5_fail(err, "no dataset can be made in the temporary store");
    vz_convert_id_close(dcpl);
    vz_convert_id_close(space);
    return dataset;
}

static bool write_sample(const vz_trial_set *trials, const vz_convert_side *side, const vz_trial *trial, vz_error *err)
{
    const hid_t file = vz_side_create(side, trials->file, err);
    const hid_t dataset = file < 0 ? file : create_dataset(trials, file, trial, err);
    bool ok = dataset >= 0;
    if (ok && H5Dwrite(dataset, trials->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, trials->sample) < 0)
        ok = vz_convert_h5_fail(err, "the temporary store cannot be written");
    vz_convert_id_close(dataset);
    return file >= 0 && vz_side_close(file, err) && ok;
}

/* ---- reading ---- */

static bool read_box(reading *r, const uint64_t *start, const uint64_t *extent, vz_error *err)
{
    const vz_trial_set *trials = r->trials;
    const hid_t memory = vz_convert_box_select(trials->source.rank, start, extent, r->space, err);
    const bool ok =
        memory >= 0 && (H5Dread(r->dataset, trials->type, memory, r->space, H5P_DEFAULT, trials->again) >= 0 ||
                        vz_convert_h5_fail(err, "the temporary store cannot be read"));
    vz_convert_id_close(memory);
    r->elements += vz_slabs_count(trials->source.rank, extent);
    return ok;
}

/* `count` boxes of `length` indices of a dimension, spread over it; not in their order if
 * is_random. */
static bool read_boxes(reading *r, unsigned dimension, uint64_t count, uint64_t length, bool is_random, vz_error *err)
{
    uint64_t start[VZ_CONVERT_RANK_MAX] = {0}, extent[VZ_CONVERT_RANK_MAX];
    const uint64_t all = r->trials->source.extent[dimension];
    memcpy(extent, r->trials->source.extent, sizeof extent);
    extent[dimension] = length;
    count = count < all / length ? count : all / length;
    for (uint64_t i = 0; i < count; i++) {
        /* An odd step through a power of two meets each number once. */
        const uint64_t at = is_random ? vz_hash(&i, sizeof i, 7) % all : i * (all / count);
        start[dimension] = at + length <= all ? at : all - length;
        if (!read_box(r, start, extent, err))
            return false;
    }
    return true;
}

static bool read_pattern(reading *r, vz_trial_pattern pattern, vz_error *err)
{
    const vz_trial_source *source = &r->trials->source;
    const uint64_t rows = source->extent[0], columns = source->extent[source->rank - 1];
    static const uint64_t origin[VZ_CONVERT_RANK_MAX];
    switch (pattern) {
    case VZ_TRIAL_WHOLE:
        return read_box(r, origin, source->extent, err);
    case VZ_TRIAL_ROWS:
        return read_boxes(r, 0, BLOCKS, rows > PART ? rows / PART : 1, false, err);
    case VZ_TRIAL_COLUMNS:
        return read_boxes(r, source->rank - 1, BLOCKS, columns > PART ? columns / PART : 1, false, err);
    default:
        return read_boxes(r, 0, ROWS, 1, true, err);
    }
}

/* The time that as many elements as the sample has would take. */
static bool measure(const vz_trial_set *trials, const vz_convert_side *side, vz_trial_pattern pattern, int64_t *ns,
                    vz_error *err)
{
    const hid_t file = vz_side_open(side, err);
    reading r = {.dataset = file < 0 ? file : H5Dopen2(file, NAME, H5P_DEFAULT), .trials = trials};
    r.space = r.dataset < 0 ? r.dataset : H5Dget_space(r.dataset);
    bool ok = file >= 0 && (r.space >= 0 || vz_convert_h5_fail(err, "the temporary store cannot be read"));
    const int64_t began = vz_os_now_ns();
    ok = ok && read_pattern(&r, pattern, err);
    const double took = (double)(vz_os_now_ns() - began);
    vz_convert_id_close(r.space);
    vz_convert_id_close(r.dataset);
    ok = file >= 0 && vz_side_close(file, err) && ok;
    const uint64_t all = vz_slabs_count(trials->source.rank, trials->source.extent);
    *ns = (int64_t)(took * (double)all / (double)(r.elements ? r.elements : 1));
    /* Bytes between members of a compound are nobody's. */
    const bool compares = ok && pattern == VZ_TRIAL_WHOLE && H5Tget_class(trials->type) != H5T_COMPOUND;
    if (compares && memcmp(trials->sample, trials->again, trials->size) != 0)
        return vz_fail(err, VZ_CORRUPT, "the temporary store does not hold what was written");
    return ok;
}

static bool take_stored(const vz_convert_side *side, uint64_t *stored, vz_error *err)
{
    const hid_t file = vz_side_open(side, err), dataset = file < 0 ? file : H5Dopen2(file, NAME, H5P_DEFAULT);
    *stored = dataset < 0 ? 0 : H5Dget_storage_size(dataset);
    vz_convert_id_close(dataset);
    return file >= 0 && vz_side_close(file, err);
}

bool vz_trial_run(vz_trial_set *trials, const char *place, vz_trial *trial, vz_error *err)
{
    const vz_convert_side side = {.path = place, .is_store = true, .options = trial->options};
    const int64_t began = vz_os_now_ns();
    bool ok = write_sample(trials, &side, trial, err);
    trial->write_ns = vz_os_now_ns() - began;
    ok = ok && take_stored(&side, &trial->stored, err);
    for (unsigned i = 0; ok && i < VZ_TRIAL_COUNT; i++)
        ok = measure(trials, &side, (vz_trial_pattern)i, &trial->read_ns[i], err);
    trial->is_measured = ok;
    return ok;
}
