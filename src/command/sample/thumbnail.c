/* thumbnail.c - an array as a small picture: which dimensions, which size, which colours. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- dimensions ---- */

static void choose_dimensions(const vz_sample_facts *facts, vz_sample_picture *picture)
{
    vz_sample_part *part = &picture->part;
    const unsigned last = part->rank - 1;
    const bool has_colours = part->rank >= 3 && facts->class == VZ_SAMPLE_INTEGER && facts->element_size == 1 &&
                             (facts->shape[last] == 3 || facts->shape[last] == 4) &&
                             part->count[last] == facts->shape[last];
    picture->channels = has_colours ? 3 : 1;
    picture->row_dimension = picture->column_dimension = -1;
    for (unsigned i = has_colours ? last : part->rank; i-- > 0;) {
        if (part->count[i] > 1 && picture->column_dimension < 0) {
            picture->column_dimension = (int)i;
        } else if (part->count[i] > 1 && picture->row_dimension < 0) {
            picture->row_dimension = (int)i;
        } else {
            part->start[i] += part->count[i] / 2 * part->step[i];
            part->count[i] = part->step[i] = 1;
            part->is_index[i] = true;
        }
    }
    if (has_colours) /* without transparency */
        part->count[last] = 3;
    if (has_colours && picture->row_dimension < 0) { /* a line of colours is a line of numbers */
        picture->channels = 1;
        picture->row_dimension = picture->column_dimension;
        picture->column_dimension = (int)last;
    }
}

static void choose_size(vz_sample_pixels *p, unsigned most_width, unsigned most_height)
{
    vz_sample_picture *picture = p->picture;
    const double wide = (double)p->columns / most_width, high = (double)p->rows / most_height;
    const bool is_curve = picture->row_dimension < 0;
    const double scale = is_curve || wide > high ? wide : high;
    const double by = scale > 1 ? scale : 1;
    picture->width = (unsigned)ceil((double)p->columns / by);
    picture->height = is_curve ? most_height : (unsigned)ceil((double)p->rows / by);
    picture->width = picture->width > most_width ? most_width : picture->width;
    picture->height = picture->height > most_height ? most_height : picture->height;
}

/* Are all elements of it to be read? */
static bool reads_all(const vz_sample_pixels *p)
{
    uint64_t start[VZ_SAMPLE_RANK_MAX], count[VZ_SAMPLE_RANK_MAX], elements = 1;
    const vz_sample_part *part = &p->picture->part;
    for (unsigned i = 0; i < part->rank; i++) {
        start[i] = part->start[i];
        count[i] = (part->count[i] - 1) * part->step[i] + 1;
        elements = vz_sample_product(elements, count[i]);
    }
    if (elements > VZ_SAMPLE_MEANS_MAX)
        return false;
    const uint64_t bytes = p->array->facts.is_chunked ? vz_sample_chunk_bytes(p->array) : 0;
    const uint64_t most = bytes ? VZ_SAMPLE_BYTES_MAX / bytes + 1 : UINT64_MAX;
    return bytes == 0 || vz_sample_chunks_stored(vz_sample_chunk_list_of(p->array), start, count, most + 1) <= most;
}

/* ---- colours ---- */

static uint8_t shade(double value, double low, double high)
{
    const double part = high > low ? (value - low) / (high - low) : 0.5;
    return (uint8_t)lround(255 * (part < 0 ? 0 : part > 1 ? 1 : part));
}

static void find_range(const vz_sample_pixels *p, uint64_t count)
{
    vz_sample_picture *picture = p->picture;
    bool any = false;
    picture->low = picture->high = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (p->counts[i] == 0)
            continue;
        const double low = p->sums[i], high = p->most ? p->most[i] : low;
        picture->low = !any || low < picture->low ? low : picture->low;
        picture->high = !any || high > picture->high ? high : picture->high;
        any = true;
    }
}

static void paint(const vz_sample_pixels *p)
{
    vz_sample_picture *picture = p->picture;
    const uint64_t count = (uint64_t)picture->width * picture->height * picture->channels;
    for (uint64_t i = 0; i < count; i++)
        if (p->counts[i])
            p->sums[i] /= (double)p->counts[i];
    find_range(p, count);
    if (picture->channels == 3) {
        picture->low = 0;
        picture->high = UINT8_MAX;
    }
    for (uint64_t i = 0; i < count; i++)
        picture->pixels[i] = p->counts[i] ? shade(p->sums[i], picture->low, picture->high) : 0;
}

/* Each column from its least to its greatest value, grey between them, and to the one before. */
static bool draw_curve(vz_sample_pixels *p, vz_error *err)
{
    vz_sample_picture *picture = p->picture;
    const unsigned width = picture->width, height = picture->height;
    uint8_t *columns = picture->states;
    picture->states = malloc((size_t)width * height);
    if (!picture->states) {
        free(columns);
        return vz_fail_memory(err);
    }
    find_range(p, width);
    memset(picture->pixels, UINT8_MAX, (size_t)width * height);
    int before = -1;
    for (unsigned x = 0; x < width; x++) {
        for (unsigned y = 0; y < height; y++)
            picture->states[(size_t)y * width + x] = columns[x];
        if (columns[x] != VZ_PIXEL_VALUE) {
            before = -1;
            for (unsigned y = 0; y < height; y++)
                picture->pixels[(size_t)y * width + x] = 0;
            continue;
        }
        const int top = (int)height - 1;
        const int low = top * shade(p->sums[x], picture->low, picture->high) / UINT8_MAX,
                  high = top * shade(p->most[x], picture->low, picture->high) / UINT8_MAX;
        const int middle = (low + high) / 2;
        for (int level = low + 1; level < high; level++)
            picture->pixels[(size_t)(top - level) * width + x] = VZ_SAMPLE_WITHIN;
        picture->pixels[(size_t)(top - low) * width + x] = picture->pixels[(size_t)(top - high) * width + x] = 0;
        for (int level = before; before >= 0 && level < low; level++)
            picture->pixels[(size_t)(top - level) * width + x] = 0;
        for (int level = high + 1; before >= 0 && level <= before; level++)
            picture->pixels[(size_t)(top - level) * width + x] = 0;
        before = middle;
    }
    free(columns);
    return true;
}

/* ---- all of it ---- */

static bool fill(vz_sample_pixels *p, bool all, vz_error *err)
{
    vz_sample_picture *picture = p->picture;
    const bool is_curve = picture->row_dimension < 0;
    const size_t pixels = (size_t)picture->width * picture->height, values = pixels * picture->channels;
    picture->pixels = calloc(values, 1);
    picture->states = malloc(pixels);
    p->sums = calloc(values, sizeof *p->sums);
    p->counts = calloc(values, sizeof *p->counts);
    p->most = is_curve ? calloc(values, sizeof *p->most) : NULL;
    if (!picture->pixels || !picture->states || !p->sums || !p->counts || (is_curve && !p->most))
        return vz_fail_memory(err);
    memset(picture->states, VZ_PIXEL_ABSENT, pixels);
    if (!(all ? vz_sample_pixels_take_all(p, err) : vz_sample_pixels_take_some(p, err)))
        return false;
    if (is_curve)
        return draw_curve(p, err);
    paint(p);
    return true;
}

static bool make(vz_sample_pixels *p, unsigned most_width, unsigned most_height, vz_error *err)
{
    vz_sample_picture *picture = p->picture;
    const bool is_curve = picture->row_dimension < 0, is_boolean = p->array->facts.class == VZ_SAMPLE_BOOL;
    p->type = is_boolean ? p->array->type : H5T_NATIVE_DOUBLE;
    p->size = is_boolean ? 1 : sizeof(double);
    p->columns = picture->part.count[picture->column_dimension];
    p->rows = is_curve ? 1 : picture->part.count[picture->row_dimension];
    choose_size(p, most_width, most_height);
    const bool all = reads_all(p);
    if (!all)
        vz_sample_pixels_shrink(p);
    picture->scaling = is_curve && all                                              ? VZ_SAMPLE_CURVE
                       : is_curve                                                   ? VZ_SAMPLE_CURVE_STRIDED
                       : picture->width == p->columns && picture->height == p->rows ? VZ_SAMPLE_AS_IT_IS
                       : all                                                        ? VZ_SAMPLE_MEANS
                                                                                    : VZ_SAMPLE_STRIDED;
    const bool ok = fill(p, all, err);
    free(p->sums);
    free(p->counts);
    free(p->most);
    return ok;
}

bool vz_sample_picture_make(vz_sample_object *array, const vz_sample_part *part, unsigned most_width,
                            unsigned most_height, vz_sample_picture *picture, bool *has, vz_error *err)
{
    const vz_sample_facts *facts = &array->facts;
    *picture = (vz_sample_picture){0};
    *has = false;
    if (facts->kind != VZ_SAMPLE_ARRAY || facts->why || facts->rank == 0 || most_width == 0 || most_height == 0 ||
        (facts->class != VZ_SAMPLE_BOOL && facts->class != VZ_SAMPLE_INTEGER && facts->class != VZ_SAMPLE_REAL))
        return true;
    if (part)
        picture->part = *part;
    else
        vz_sample_part_all(facts, &picture->part);
    if (vz_sample_part_count(&picture->part) == 0)
        return true;
    choose_dimensions(facts, picture);
    if (picture->column_dimension < 0)
        return true;
    vz_sample_pixels p = {
        .array = array, .picture = picture, .until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S};
    most_width = most_width < VZ_SAMPLE_PIXELS_MAX ? most_width : VZ_SAMPLE_PIXELS_MAX;
    most_height = most_height < VZ_SAMPLE_PIXELS_MAX ? most_height : VZ_SAMPLE_PIXELS_MAX;
    *has = make(&p, most_width, most_height, err);
    if (!*has)
        vz_sample_picture_clear(picture);
    return *has;
}

void vz_sample_picture_clear(vz_sample_picture *picture)
{
    free(picture->pixels);
    free(picture->states);
    *picture = (vz_sample_picture){0};
}
