/* attributes.c - attributes of an object as JSON, as far as they are small. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX 1000                 /* of one attribute that are shown */
#define BYTES_MAX    ((uint64_t)16 << 20) /* of all values of an object, about */
#define VALUE_BYTES  16                   /* of a value without a text */

typedef struct walk {
    vz_sample_object *object;
    vz_sample_visit_attribute visit;
    void *context;
    uint64_t visited, bytes;
    int64_t until;
    vz_error *err;
} walk;

/* An attribute that is open. */
typedef struct attribute {
    hid_t id, type, space;
    int rank;
    hsize_t dims[H5S_MAX_RANK];
    uint64_t count;
    char why[512];
} attribute;

/* ---- one value ---- */

static bool open_attribute(hid_t object, const char *name, attribute *a)
{
    *a = (attribute){.id = H5Aopen(object, name, H5P_DEFAULT), .type = -1, .space = -1};
    if (a->id >= 0) {
        a->type = H5Aget_type(a->id);
        a->space = H5Aget_space(a->id);
        a->rank = H5Sget_simple_extent_ndims(a->space);
    }
    const hssize_t points = a->space < 0 ? -1 : H5Sget_simple_extent_npoints(a->space);
    a->count = points < 0 ? 0 : (uint64_t)points;
    return a->type >= 0 && points >= 0 && a->rank >= 0 &&
           (a->rank == 0 || H5Sget_simple_extent_dims(a->space, a->dims, NULL) >= 0);
}

static void close_attribute(const attribute *a)
{
    vz_convert_id_close(a->space);
    vz_convert_id_close(a->type);
    vz_convert_id_close(a->id);
    H5Eclear2(H5E_DEFAULT);
}

/* A list of lists; *next: the element that comes next. */
static vz_json *nested(const vz_sample_file *file, const attribute *a, const char *elements, int depth, uint64_t *next,
                       vz_error *err)
{
    if (depth == a->rank)
        return vz_sample_element_json(file, a->type, elements + (*next)++ * H5Tget_size(a->type), err);
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL;
    for (hsize_t i = 0; ok && i < a->dims[depth] && *next < ELEMENTS_MAX && *next < a->count; i++)
        ok = vz_json_append(list, nested(file, a, elements, depth + 1, next, err), err);
    if (ok)
        return list;
    vz_json_free(list);
    return NULL;
}

/* A text of which the beginning is the value. */
static void note_long_text(attribute *a, const void *elements)
{
    const char *text;
    if (a->count != 1 || H5Tget_class(a->type) != H5T_STRING)
        return;
    const size_t size = vz_sample_element_chars(a->type, elements, &text);
    if (size > VZ_SAMPLE_TEXT_MAX)
        snprintf(a->why, sizeof a->why, "%zu bytes, of which this is the beginning", size);
}

/* NULL: `why` says why; or for want of memory. */
static vz_json *value_of(const vz_sample_file *file, attribute *a, vz_error *err)
{
    const uint64_t bytes = vz_sample_product(a->count, H5Tget_size(a->type));
    vz_json *value = NULL;
    uint64_t next = 0;
    if (H5Sget_simple_extent_type(a->space) == H5S_NULL)
        return vz_json_null(err);
    if (bytes > VZ_SAMPLE_ATTRIBUTE_MAX) {
        snprintf(a->why, sizeof a->why, "%llu bytes, which were not read", (unsigned long long)bytes);
        return NULL;
    }
    void *elements = calloc(a->count ? a->count : 1, H5Tget_size(a->type));
    vz_error failed = VZ_ERROR_NONE;
    if (!elements) {
        vz_fail_memory(err);
    } else if (a->count && H5Aread(a->id, a->type, elements) < 0) {
        vz_convert_h5_fail(&failed, "cannot be read");
        snprintf(a->why, sizeof a->why, "%s", failed.text);
    } else {
        value = nested(file, a, elements, 0, &next, &failed);
        if (!value)
            snprintf(a->why, sizeof a->why, "%s", failed.text);
        else if (a->count > ELEMENTS_MAX)
            snprintf(a->why, sizeof a->why, "the first %d of %llu elements", ELEMENTS_MAX,
                     (unsigned long long)a->count);
        else
            note_long_text(a, elements);
        if (a->count && vz_sample_is_variable(a->type))
            H5Treclaim(a->type, a->space, H5P_DEFAULT, elements);
    }
    free(elements);
    return value;
}

vz_json *vz_sample_attribute(vz_sample_object *object, const char *name)
{
    attribute a;
    vz_error ignored = VZ_ERROR_NONE;
    vz_json *value = NULL;
    if (H5Aexists(object->id, name) > 0 && open_attribute(object->id, name, &a)) {
        value = value_of(object->file, &a, &ignored);
        close_attribute(&a);
    }
    H5Eclear2(H5E_DEFAULT);
    return value;
}

uint64_t vz_sample_attribute_length(vz_sample_object *object, const char *name)
{
    attribute a;
    uint64_t length = 0;
    if (H5Aexists(object->id, name) > 0 && open_attribute(object->id, name, &a)) {
        length = a.count;
        close_attribute(&a);
    }
    H5Eclear2(H5E_DEFAULT);
    return length;
}

/* ---- all of them ---- */

/* About as many as its text has. */
static uint64_t bytes_of(const vz_json *value)
{
    size_t length = 0;
    uint64_t bytes = VALUE_BYTES;
    if (vz_json_get_string(value, &length))
        return bytes + length;
    for (size_t i = 0; i < vz_json_length(value); i++)
        bytes += bytes_of(vz_json_at(value, i));
    return bytes;
}

/* Is there no room, or no time, for a further value? */
static bool is_over(const walk *w, attribute *a)
{
    const bool is_late = vz_os_now_ns() > w->until;
    if (is_late || w->bytes > BYTES_MAX)
        snprintf(a->why, sizeof a->why,
                 is_late ? "not read: the time was over" : "not read: the values before are large");
    return *a->why;
}

static herr_t take(hid_t id, const char *name, const H5A_info_t *info, void *context)
{
    walk *w = context;
    attribute a;
    vz_buffer type = {0};
    vz_json *value = NULL;
    (void)info;
    if (w->visited++ >= VZ_SAMPLE_MEMBERS_MAX)
        return 1;
    bool ok = vz_words_printf(&type, w->err, "%s", "");
    const bool is_open = open_attribute(id, name, &a);
    if (!is_open)
        snprintf(a.why, sizeof a.why, "cannot be opened");
    else if (ok && (ok = vz_sample_type_words(a.type, &type, w->err)) && !is_over(w, &a))
        value = value_of(w->object->file, &a, w->err);
    w->bytes += bytes_of(value);
    ok = ok && w->err->class == VZ_OK &&
         w->visit(w->context, name, (const char *)type.data, value, *a.why ? a.why : NULL, w->err);
    vz_json_free(value);
    vz_buffer_clear(&type);
    close_attribute(&a);
    return ok ? 0 : 1;
}

bool vz_sample_attributes(vz_sample_object *object, vz_sample_visit_attribute visit, void *context, uint64_t *left,
                          vz_error *err)
{
    vz_error failed = VZ_ERROR_NONE;
    walk w = {.object = object, .visit = visit, .context = context, .err = &failed};
    hsize_t position = 0;
    w.until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S;
    *left = 0;
    const int count = H5Aget_num_attrs(object->id);
    const bool ok = count >= 0 && H5Aiterate2(object->id, H5_INDEX_NAME, H5_ITER_INC, &position, take, &w) >= 0;
    if (failed.class != VZ_OK)
        *err = failed;
    else if (!ok)
        vz_convert_h5_fail(err, "its attributes cannot be listed");
    if (w.visited > VZ_SAMPLE_MEMBERS_MAX)
        *left = (uint64_t)count - VZ_SAMPLE_MEMBERS_MAX;
    return ok && failed.class == VZ_OK;
}
