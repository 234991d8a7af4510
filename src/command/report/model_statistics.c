/* model_statistics.c - statistics of an array or of a sparse matrix, as pairs of a label and a
 * text. */
#include "command/report/model_internal.h"
#include <stdlib.h>

static bool add_pair(vz_json *list, const char *label, vz_buffer *words, vz_error *err)
{
    vz_json *pair = vz_json_array(err);
    const bool ok = pair && vz_buffer_append(words, "", 1, err) &&
                    vz_json_append(pair, vz_json_text(label, err), err) &&
                    vz_json_append(pair, vz_text_json_of_path((char *)words->data, err), err);
    vz_buffer_clear(words);
    if (ok)
        return vz_json_append(list, pair, err);
    vz_json_free(pair);
    return false;
}

static bool add_number(vz_json *list, const char *label, double number, vz_error *err)
{
    vz_buffer words = {0};
    return vz_buffer_printf(&words, err, "%.6g", number) && add_pair(list, label, &words, err);
}

static bool add_count(vz_json *list, const char *label, uint64_t count, vz_error *err)
{
    vz_buffer words = {0};
    return count == 0 ||
           (vz_buffer_printf(&words, err, "%llu", (unsigned long long)count) && add_pair(list, label, &words, err));
}

/* "0 to 364", "0 to 364, 2000-01-01 to 2000-12-30" */
static bool add_range(vz_json *list, vz_sample_object *array, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    char from[VZ_SAMPLE_DATE], to[VZ_SAMPLE_DATE];
    bool ok = !s->has_range || (vz_sample_number_text(s->least, &words, err) && vz_buffer_printf(&words, err, " to ") &&
                                vz_sample_number_text(s->most, &words, err));
    if (ok && s->has_range && vz_sample_number_date(array, s->least, from) && vz_sample_number_date(array, s->most, to))
        ok = vz_buffer_printf(&words, err, ", %s to %s", from, to);
    ok = ok && (!s->has_range || add_pair(list, "Range", &words, err));
    vz_buffer_clear(&words);
    if (!ok)
        return false;
    return !s->has_mean ||
           (add_number(list, "Mean", s->mean, err) && add_number(list, "Standard deviation", s->deviation, err));
}

static bool add_distinct(vz_json *list, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    if (s->distinct == 0 || s->distinct > VZ_SAMPLE_DISTINCT_MAX)
        return true;
    bool ok = vz_buffer_printf(&words, err, "%llu", (unsigned long long)s->distinct);
    for (size_t i = 0; ok && i < s->value_count; i++)
        ok = vz_buffer_printf(&words, err, "%s%.60s (%llu)", i ? ", " : ": ", s->values[i].text,
                              (unsigned long long)s->values[i].count);
    return ok && add_pair(list, "Different values", &words, err);
}

static bool add_lengths(vz_json *list, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    return !s->has_lengths ||
           (vz_buffer_printf(&words, err, "%llu to %llu bytes, %llu empty", (unsigned long long)s->shortest,
                             (unsigned long long)s->longest, (unsigned long long)s->empty) &&
            add_pair(list, "Texts", &words, err));
}

/* Chunks that nobody stored are no data. */
static bool add_absent(vz_json *list, vz_sample_object *array, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    const char *fill = vz_sample_facts_of(array)->fill;
    if (!s->knows_absent || !s->absent_chunks)
        return true;
    return vz_buffer_printf(&words, err, s->absent_chunks == 1 ? "%llu chunk" : "%llu chunks",
                            (unsigned long long)s->absent_chunks) &&
           (!fill || vz_buffer_printf(&words, err, ", read as %.60s", fill)) &&
           add_pair(list, "Not stored", &words, err);
}

/* Of a sparse matrix. */
static bool add_zeros(vz_json *list, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    return s->zeros == 0 || (vz_buffer_printf(&words, err, "%llu element%s 0", (unsigned long long)s->zeros,
                                              s->zeros == 1 ? ", which is" : "s, which are") &&
                             add_pair(list, "Not stored", &words, err));
}

static bool add_counted(vz_json *list, const vz_sample_statistics *s, vz_error *err)
{
    vz_buffer words = {0};
    return (!s->is_sampled && s->counted == s->of) ||
           (vz_buffer_printf(&words, err, "%llu of %llu elements%s", (unsigned long long)s->counted,
                             (unsigned long long)s->of, s->is_sampled ? ", a sample" : "") &&
            add_pair(list, "Counted", &words, err));
}

bool vz_model_statistics(vz_model *m, vz_json *object, vz_sample_object *array, vz_sample_table *matrix, vz_error *err)
{
    vz_sample_statistics s = {0};
    vz_error why = VZ_ERROR_NONE;
    vz_json *list = vz_json_array(err);
    bool ok = list != NULL, has = true;
    if (ok && !(matrix ? vz_sample_table_statistics(matrix, &s, &has, &why)
                       : vz_sample_statistics_make(array, NULL, &s, &why))) {
        m->unreadable++;
        vz_json_free(list);
        return why.class == VZ_NO_MEMORY ? vz_fail_memory(err)
                                         : vz_model_note(object, "notes", err, "It cannot be read: %s", why.text);
    }
    ok = ok && add_range(list, array, &s, err) && add_count(list, "NaN", s.nan, err) &&
         add_count(list, "Infinite", s.infinite, err) && add_lengths(list, &s, err) && add_distinct(list, &s, err) &&
         add_zeros(list, &s, err) && add_absent(list, array, &s, err) && add_counted(list, &s, err);
    if (ok && s.unreadable) {
        m->unreadable++;
        ok = vz_model_note(object, "notes", err, "%llu chunks cannot be read: %s", (unsigned long long)s.unreadable,
                           s.why);
    }
    vz_sample_statistics_clear(&s);
    if (ok && vz_json_length(list))
        return vz_json_set(object, "statistics", list, err);
    vz_json_free(list);
    return ok;
}
