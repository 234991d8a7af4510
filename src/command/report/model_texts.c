/* model_texts.c - texts of the model. */
#include "command/report/model_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool vz_model_note(vz_json *object, const char *list, vz_error *err, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    vz_json *texts = vz_json_get(object, list);
    if (!texts && !(vz_json_set(object, list, vz_json_array(err), err) && (texts = vz_json_get(object, list))))
        return false;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return vz_fail_memory(err);
    const bool ok = vz_json_append(texts, vz_text_json_of_path(text, err), err);
    free(text);
    return ok;
}

bool vz_model_set_words(vz_json *object, const char *key, vz_buffer *words, vz_error *err)
{
    const bool ok = vz_buffer_append(words, "", 1, err) && vz_describe_set_text(object, key, (char *)words->data, err);
    vz_buffer_clear(words);
    return ok;
}
