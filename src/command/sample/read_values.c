/* read_values.c - some elements of an array in memory. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define ALONE_MAX 1024 /* elements that are read alone where all together fail */

struct vz_sample_values {
    vz_sample_object *array;
    hid_t memory; /* the space of the elements */
    void *elements;
    size_t count;
    bool is_variable;
    bool *lacks;   /* elements that could not be read; NULL: all could */
    char why[512]; /* of the first */
};

/* ---- memory of texts and sequences ---- */

static void *allocate(size_t size, void *context)
{
    uint64_t *left = context;
    if (size > *left)
        return NULL;
    *left -= size;
    return malloc(size ? size : 1);
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

hid_t vz_sample_dxpl(vz_sample_object *array)
{
    if (array->dxpl < 0 && vz_sample_is_variable(array->type)) {
        array->dxpl = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_vlen_mem_manager(array->dxpl, allocate, &array->variable, release, &array->variable);
    }
    array->variable = VZ_SAMPLE_BYTES_MAX;
    return array->dxpl < 0 ? H5P_DEFAULT : array->dxpl;
}

/* ---- reading ---- */

/* Bytes of all chunks that the part may touch. */
static uint64_t bytes_touched(const vz_sample_object *array, const vz_sample_part *part)
{
    const vz_sample_facts *facts = &array->facts;
    uint64_t chunks = 1;
    for (unsigned i = 0; facts->is_chunked && i < part->rank; i++) {
        const uint64_t span = (part->count[i] - 1) * part->step[i] / facts->chunk[i] + 2;
        chunks = vz_sample_product(chunks, span < part->count[i] ? span : part->count[i]);
    }
    return vz_sample_product(chunks, facts->is_chunked ? vz_sample_chunk_bytes(array) : 0);
}

static bool check(const vz_sample_object *array, const vz_sample_part *part, uint64_t count, vz_error *err)
{
    if (array->facts.kind != VZ_SAMPLE_ARRAY)
        return vz_fail(err, VZ_INVALID, "this is no array");
    if (array->facts.why)
        return vz_fail(err, VZ_UNSUPPORTED, "%s", array->facts.why);
    if (count > VZ_SAMPLE_VALUES_MAX || vz_sample_product(count, array->facts.element_size) > VZ_SAMPLE_BYTES_MAX)
        return vz_fail(err, VZ_LIMIT, "%llu elements are too many to be shown", (unsigned long long)count);
    if (count && bytes_touched(array, part) > VZ_SAMPLE_READ_MAX)
        return vz_fail(err, VZ_LIMIT, "the chunks of these elements have more than %llu bytes",
                       (unsigned long long)VZ_SAMPLE_READ_MAX);
    return true;
}

/* The element of that number among those of the part. */
static bool read_one(vz_sample_values *values, const vz_sample_part *part, size_t number, vz_error *err)
{
    vz_sample_object *array = values->array;
    hid_t space = H5I_INVALID_HID, memory = H5I_INVALID_HID;
    vz_sample_part one = *part;
    size_t rest = number;
    for (unsigned i = part->rank; i-- > 0; rest /= part->count[i]) {
        one.start[i] += rest % part->count[i] * part->step[i];
        one.count[i] = one.step[i] = 1;
    }
    char *to = (char *)values->elements + number * array->facts.element_size;
    const bool ok = vz_sample_select(array, &one, &space, &memory, err) &&
                    (H5Dread(array->id, array->type, memory, space, vz_sample_dxpl(array), to) >= 0 ||
                     vz_convert_h5_fail(err, "cannot be read"));
    if (!ok)
        memset(to, 0, array->facts.element_size);
    vz_convert_id_close(memory);
    vz_convert_id_close(space);
    return ok;
}

/* All of them failed together: those that can be read alone. False: none can. */
static bool read_each(vz_sample_values *values, const vz_sample_part *part, vz_error *err)
{
    const int64_t until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S;
    size_t lacking = 0;
    memset(values->elements, 0, values->count * values->array->facts.element_size);
    values->lacks = calloc(values->count, sizeof *values->lacks);
    for (size_t i = 0; values->lacks && i < values->count; i++) {
        vz_error failed = VZ_ERROR_NONE;
        const bool is_over = vz_os_now_ns() > until;
        if (!is_over && read_one(values, part, i, &failed))
            continue;
        values->lacks[i] = true;
        if (lacking++ == 0)
            snprintf(values->why, sizeof values->why, "%s", is_over ? "the time was over" : failed.text);
    }
    if (values->lacks && lacking < values->count)
        return true;
    return vz_fail(err, VZ_IO, "%s", values->why);
}

static bool read_elements(vz_sample_values *values, const vz_sample_part *part, vz_error *err)
{
    vz_sample_object *array = values->array;
    hid_t space = H5I_INVALID_HID;
    values->elements = calloc(values->count, array->facts.element_size);
    bool ok = (values->elements || vz_fail_memory(err)) && vz_sample_select(array, part, &space, &values->memory, err);
    if (ok && H5Dread(array->id, array->type, values->memory, space, vz_sample_dxpl(array), values->elements) < 0) {
        vz_error failed = VZ_ERROR_NONE;
        vz_convert_h5_fail(&failed, "its elements cannot be read");
        ok = values->count > 1 && values->count <= ALONE_MAX ? read_each(values, part, err)
                                                             : vz_fail(err, failed.class, "%s", failed.text);
        values->is_variable = values->is_variable && ok; /* else there is nothing to give back */
    }
    vz_convert_id_close(space);
    return ok;
}

vz_sample_values *vz_sample_read(vz_sample_object *array, const vz_sample_part *part, vz_error *err)
{
    const uint64_t count = array->facts.is_null ? 0 : vz_sample_part_count(part);
    vz_sample_values *values = check(array, part, count, err) ? calloc(1, sizeof *values) : NULL;
    if (!values) {
        vz_fail_memory(err); /* unless it was refused */
        return NULL;
    }
    *values = (vz_sample_values){.array = array, .memory = -1, .count = count};
    values->is_variable = vz_sample_is_variable(array->type);
    if (count == 0 || read_elements(values, part, err))
        return values;
    vz_sample_values_free(values);
    vz_error_where(err, array->file->name, array->path);
    return NULL;
}

void vz_sample_values_free(vz_sample_values *values)
{
    if (!values)
        return;
    if (values->is_variable && values->elements)
        H5Treclaim(values->array->type, values->memory, values->array->dxpl, values->elements);
    vz_convert_id_close(values->memory);
    free(values->elements);
    free(values->lacks);
    free(values);
}

size_t vz_sample_values_count(const vz_sample_values *values)
{
    return values->count;
}

const void *vz_sample_values_at(const vz_sample_values *values, size_t index)
{
    return (const char *)values->elements + index * values->array->facts.element_size;
}

hid_t vz_sample_values_type(const vz_sample_values *values)
{
    return values->array->type;
}

bool vz_sample_values_lack(const vz_sample_values *values, size_t index)
{
    return values->lacks && values->lacks[index];
}

const char *vz_sample_values_why(const vz_sample_values *values)
{
    return values->lacks ? values->why : NULL;
}

bool vz_sample_value_text(const vz_sample_values *values, size_t index, vz_buffer *out, vz_error *err)
{
    char date[VZ_SAMPLE_DATE];
    if (vz_sample_values_lack(values, index))
        return vz_words_printf(out, err, "?");
    if (vz_sample_element_date(values->array, vz_sample_values_at(values, index), date))
        return vz_words_printf(out, err, "%s", date);
    return vz_sample_element_text(values->array->file, values->array->type, vz_sample_values_at(values, index), out,
                                  err);
}

vz_json *vz_sample_value_json(const vz_sample_values *values, size_t index, vz_error *err)
{
    if (vz_sample_values_lack(values, index))
        return vz_json_null(err);
    return vz_sample_element_json(values->array->file, values->array->type, vz_sample_values_at(values, index), err);
}
