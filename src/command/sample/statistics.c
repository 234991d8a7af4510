/* statistics.c - count, range, mean, distinct values of elements that are stored. */
#include "base/os/process.h"
#include "command/sample/sample_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements under way. */
typedef struct tally {
    vz_sample_object *array;
    vz_sample_class class;
    bool is_unsigned, is_single;
    const vz_sample_part *part; /* whose steps pick elements */
    vz_sample_statistics *s;
    vz_sample_counter *counter;
    long double sum, squares; /* of differences from the first finite one */
    double first;
    uint64_t finite;
} tally;

/* ---- one element ---- */

static void take_range(tally *t, vz_sample_number number)
{
    vz_sample_statistics *s = t->s;
    const bool begins = !s->has_range;
    s->has_range = true;
    switch (number.kind) {
    case VZ_SAMPLE_SIGNED:
        s->least = begins || number.integer < s->least.integer ? number : s->least;
        s->most = begins || number.integer > s->most.integer ? number : s->most;
        break;
    case VZ_SAMPLE_UNSIGNED:
        s->least = begins || number.large < s->least.large ? number : s->least;
        s->most = begins || number.large > s->most.large ? number : s->most;
        break;
    default:
        s->least = begins || number.real < s->least.real ? number : s->least;
        s->most = begins || number.real > s->most.real ? number : s->most;
    }
}

static void take_mean(tally *t, double value)
{
    if (t->finite++ == 0)
        t->first = value;
    const long double difference = (long double)value - t->first;
    t->sum += difference;
    t->squares += difference * difference;
}

static bool take_integer(tally *t, const void *element, vz_error *err)
{
    vz_sample_number number = {.kind = t->is_unsigned ? VZ_SAMPLE_UNSIGNED : VZ_SAMPLE_SIGNED};
    memcpy(&number.integer, element, sizeof number.integer);
    take_range(t, number);
    take_mean(t, t->is_unsigned ? (double)number.large : (double)number.integer);
    return vz_sample_counter_add(t->counter, element, sizeof number.integer, err);
}

static bool take_real(tally *t, const void *element, vz_error *err)
{
    vz_sample_number number = {.kind = VZ_SAMPLE_FLOAT, .is_single = t->is_single};
    memcpy(&number.real, element, sizeof number.real);
    if (isnan(number.real)) {
        t->s->nan++;
        return true;
    }
    if (number.real == 0)
        number.real = 0; /* -0 is no other value */
    take_range(t, number);
    if (isfinite(number.real))
        take_mean(t, number.real);
    else
        t->s->infinite++;
    return vz_sample_counter_add(t->counter, &number.real, sizeof number.real, err);
}

static bool take_text(tally *t, const void *element, vz_error *err)
{
    vz_sample_statistics *s = t->s;
    const char *text;
    const size_t size = vz_sample_element_chars(t->array->type, element, &text);
    s->empty += size == 0;
    s->shortest = !s->has_lengths || size < s->shortest ? size : s->shortest;
    s->longest = size > s->longest ? size : s->longest;
    s->has_lengths = true;
    return vz_sample_counter_add(t->counter, size ? text : "", size, err);
}

static bool take(tally *t, const char *element, vz_error *err)
{
    t->s->counted++;
    switch (t->class) {
    case VZ_SAMPLE_INTEGER:
        return take_integer(t, element, err);
    case VZ_SAMPLE_REAL:
        return take_real(t, element, err);
    case VZ_SAMPLE_TEXT:
        return take_text(t, element, err);
    case VZ_SAMPLE_BOOL:
    case VZ_SAMPLE_ENUMERATION:
        return vz_sample_counter_add(t->counter, element, t->array->facts.element_size, err);
    default:
        return true;
    }
}

static bool visit(void *context, const vz_sample_run *run, vz_error *err)
{
    tally *t = context;
    const vz_sample_part *part = t->part;
    const unsigned last = part->rank ? part->rank - 1 : 0;
    if (run->state == VZ_PIXEL_SKIPPED)
        t->s->is_sampled = true;
    if (!run->elements)
        return true;
    for (unsigned i = 0; i < last; i++)
        if ((run->at[i] - part->start[i]) % part->step[i] != 0)
            return true;
    const bool is_number = t->class == VZ_SAMPLE_INTEGER || t->class == VZ_SAMPLE_REAL;
    const size_t size = is_number ? 8 : t->array->facts.element_size;
    const uint64_t step = part->rank ? part->step[last] : 1,
                   before = part->rank ? run->at[last] - part->start[last] : 0;
    bool ok = true;
    for (uint64_t i = (step - before % step) % step; ok && i < run->count; i += step)
        ok = take(t, (const char *)run->elements + i * size, err);
    return ok;
}

/* ---- zeros that are not stored ---- */

/* Of a sample as many as it has of the stored ones. */
static bool take_zeros(tally *t, uint64_t zeros, vz_error *err)
{
    static const char zero[8];
    vz_sample_statistics *s = t->s;
    const uint64_t stored = s->of;
    const long double share = s->is_sampled && stored > 0 ? (long double)s->counted / stored : 1;
    const uint64_t taken = (uint64_t)((long double)zeros * share);
    s->of += zeros;
    s->zeros = zeros;
    s->counted += taken;
    if (taken == 0)
        return true;
    if (t->class == VZ_SAMPLE_BOOL)
        return t->array->facts.element_size > sizeof zero ||
               vz_sample_counter_add_many(t->counter, zero, t->array->facts.element_size, taken, err);
    take_range(t, (vz_sample_number){.kind = t->class == VZ_SAMPLE_REAL ? VZ_SAMPLE_FLOAT
                                             : t->is_unsigned           ? VZ_SAMPLE_UNSIGNED
                                                                        : VZ_SAMPLE_SIGNED,
                                     .is_single = t->is_single});
    const long double difference = -(long double)t->first;
    t->finite += taken;
    t->sum += taken * difference;
    t->squares += taken * difference * difference;
    return vz_sample_counter_add_many(t->counter, zero, sizeof zero, taken, err);
}

/* ---- the result ---- */

static bool name_value(const tally *t, const vz_sample_counted *item, vz_buffer *out, vz_error *err)
{
    vz_sample_number number = {.kind = t->class == VZ_SAMPLE_REAL ? VZ_SAMPLE_FLOAT
                                       : t->is_unsigned           ? VZ_SAMPLE_UNSIGNED
                                                                  : VZ_SAMPLE_SIGNED,
                               .is_single = t->is_single};
    switch (t->class) {
    case VZ_SAMPLE_INTEGER:
    case VZ_SAMPLE_REAL:
        memcpy(&number.integer, item->bytes, sizeof number.integer);
        return vz_sample_number_text(number, out, err);
    case VZ_SAMPLE_TEXT:
        return vz_words_printf(out, err, "%.*s", (int)(item->size < 1024 ? item->size : 1024),
                               (const char *)item->bytes);
    default:
        return vz_sample_element_text(t->array->file, t->array->type, item->bytes, out, err);
    }
}

static bool finish(tally *t, vz_error *err)
{
    vz_sample_statistics *s = t->s;
    const vz_sample_counted *items;
    s->has_mean = t->finite > 0;
    if (s->has_mean) {
        const long double mean = t->sum / t->finite, variance = t->squares / t->finite - mean * mean;
        s->mean = (double)(t->first + mean);
        s->deviation = (double)sqrtl(variance > 0 ? variance : 0);
    }
    s->distinct = vz_sample_counter_distinct(t->counter);
    const size_t count = vz_sample_counter_list(t->counter, &items);
    if (s->distinct > VZ_SAMPLE_DISTINCT_SHOW)
        return true;
    for (size_t i = 0; i < count; i++) {
        vz_buffer text = {0};
        if (!name_value(t, &items[i], &text, err)) {
            vz_buffer_clear(&text);
            return false;
        }
        s->values[s->value_count++] = (vz_sample_distinct){(char *)text.data, items[i].count};
    }
    return true;
}

static bool make(vz_sample_object *array, const vz_sample_part *part, uint64_t zeros, vz_sample_statistics *s,
                 vz_error *err)
{
    const vz_sample_facts *facts = &array->facts;
    vz_sample_part all;
    *s = (vz_sample_statistics){0};
    if (facts->why)
        return vz_fail(err, VZ_UNSUPPORTED, "%s", facts->why);
    if (!part)
        vz_sample_part_all(facts, &all);
    tally t = {.array = array, .class = facts->class, .part = part ? part : &all, .s = s};
    s->of = facts->is_null ? 0 : vz_sample_part_count(t.part);
    t.is_unsigned = facts->class == VZ_SAMPLE_INTEGER && H5Tget_sign(array->type) == H5T_SGN_NONE;
    t.is_single = facts->element_size <= 4;
    t.counter = vz_sample_counter_new(err);
    vz_sample_walk walk = {.array = array,
                           .type = facts->class == VZ_SAMPLE_REAL      ? H5T_NATIVE_DOUBLE
                                   : facts->class != VZ_SAMPLE_INTEGER ? array->type
                                   : t.is_unsigned                     ? H5T_NATIVE_UINT64
                                                                       : H5T_NATIVE_INT64,
                           .visit = visit,
                           .context = &t,
                           .until = vz_os_now_ns() + VZ_SAMPLE_SECONDS_MAX * VZ_OS_NS_PER_S};
    walk.size = H5Tget_size(walk.type);
    bool ok = t.counter != NULL;
    if (ok && s->of > 0)
        ok = vz_sample_walk_chosen(&walk, t.part, s, err);
    s->unreadable = walk.unreadable;
    memcpy(s->why, walk.why, sizeof s->why);
    s->is_sampled = s->is_sampled || walk.has_skipped;
    ok = ok && take_zeros(&t, zeros, err) && finish(&t, err);
    vz_sample_walk_end(&walk);
    vz_sample_counter_free(t.counter);
    if (!ok)
        vz_sample_statistics_clear(s);
    return ok;
}

bool vz_sample_statistics_make(vz_sample_object *array, const vz_sample_part *part, vz_sample_statistics *s,
                               vz_error *err)
{
    return make(array, part, 0, s, err);
}

bool vz_sample_statistics_with_zeros(vz_sample_object *array, uint64_t zeros, vz_sample_statistics *s, vz_error *err)
{
    return make(array, NULL, zeros, s, err);
}

void vz_sample_statistics_clear(vz_sample_statistics *s)
{
    for (size_t i = 0; i < s->value_count; i++)
        free(s->values[i].text);
    *s = (vz_sample_statistics){0};
}
