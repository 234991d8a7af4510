/* progress_notes.c - notes for the watcher of a copy. */
#include "command/convert/convert_internal.h"
#include <stdarg.h>
#include <stdio.h>

void vz_convert_copy_note(const vz_convert_job *c, const char *object, const char *format, ...)
{
    char text[512];
    va_list list;
    if (!c->request->watch.note)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->request->watch.note(c->request->watch.context, object, text);
}

void vz_convert_copy_done(const vz_convert_job *c, uint64_t bytes)
{
    c->counts->bytes += bytes;
    if (c->request->watch.done)
        c->request->watch.done(c->request->watch.context, bytes);
}

bool vz_convert_copy_source_failed(const vz_convert_job *c, vz_error *err)
{
    const vz_convert_side *source = &c->request->source;
    vz_error_where(err, source->shown ? source->shown : source->path, NULL);
    return false;
}

void vz_convert_copy_note_filter(vz_convert_job *c, H5Z_filter_t id, const char *name)
{
    for (size_t i = 0; i < VZ_FILTER_NOTES; i++) {
        vz_convert_filter_note *note = &c->filters[i];
        if (note->datasets > 0 && note->id != id)
            continue;
        note->id = id;
        snprintf(note->name, sizeof note->name, "%s", *name ? name : "without a name");
        note->datasets++;
        return;
    }
}

void vz_convert_copy_tell_notes(const vz_convert_job *c)
{
    for (size_t i = 0; i < VZ_FILTER_NOTES; i++) {
        const vz_convert_filter_note *note = &c->filters[i];
        if (note->datasets > 0)
            vz_convert_copy_note(
                c, NULL,
                "HDF5 filter %d (%s) of %llu datasets cannot be written here: another compressor took its place",
                (int)note->id, note->name, (unsigned long long)note->datasets);
    }
    if (c->counts->lost_references > 0)
        vz_convert_copy_note(c, NULL, "%llu references lead nowhere: they are null now",
                             (unsigned long long)c->counts->lost_references);
}
