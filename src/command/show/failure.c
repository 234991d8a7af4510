/* failure.c - what cannot be shown, beside what can. */
#include "command/show/show_internal.h"

void vz_show_failed(vz_show *show, const char *what, const char *why)
{
    vz_buffer text = {0};
    show->has_failed = true;
    if (vz_buffer_printf(&text, NULL, "%s%s%s%s%s", show->facts->path, what ? ": " : "", what ? what : "", ": ", why) &&
        vz_buffer_append(&text, "", 1, NULL)) {
        vz_say_error("%s: %s", vz_sample_file_name(show->file), (const char *)text.data);
        if (show->errors)
            vz_json_append(show->errors, vz_text_json_of_path((const char *)text.data, NULL), NULL);
    }
    vz_buffer_clear(&text);
}
