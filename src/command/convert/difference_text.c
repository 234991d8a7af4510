/* difference_text.c - a difference as a sentence. */
#include "command/convert/compare_internal.h"
#include <string.h>

static const char * or (const char *text, const char *none)
{
    return text ? text : none;
}

/* "MIDDLE a in A, b in B" */
static bool both(const vz_difference *d, const char *const names[2], const char *begin, const char *none,
                 vz_buffer *out, vz_error *err)
{
    return vz_words_printf(out, err, "%s%s%s in %s, %s in %s", begin, *begin ? " " : "", or (d->text[0], none),
                           names[0], or (d->text[1], none), names[1]);
}

static bool missing(const vz_difference *d, const char *const names[2], vz_buffer *out, vz_error *err)
{
    const int side = d->text[0] ? 0 : 1;
    return vz_words_printf(out, err, "only in %s", names[side]) &&
           (!*d->text[side] || vz_words_printf(out, err, ": %s", d->text[side]));
}

static bool identity(const vz_difference *d, const char *const names[2], vz_buffer *out, vz_error *err)
{
    bool ok = true;
    for (int side = 0; ok && side < 2; side++)
        ok = vz_words_printf(out, err, "%s%s%s in %s", side ? ", " : "",
                             d->text[side] ? "another name of " : "an object of its own", or (d->text[side], ""),
                             names[side]);
    return ok;
}

static bool value(const vz_difference *d, const char *const names[2], vz_buffer *out, vz_error *err)
{
    char begin[160] = "";
    if (d->of > 1 && d->count > 0)
        snprintf(begin, sizeof begin, "%llu of %llu elements differ, first at %.60s:", (unsigned long long)d->count,
                 (unsigned long long)d->of, or (d->place, "()"));
    else if (d->place)
        snprintf(begin, sizeof begin, "the values at %.60s differ:", d->place);
    else
        snprintf(begin, sizeof begin, "the values differ:");
    return both(d, names, begin, "none", out, err);
}

bool vz_convert_difference_text(const vz_difference *d, const char *const names[2], vz_buffer *out, vz_error *err)
{
    if (d->attribute && !vz_words_printf(out, err, "attribute %s: ", d->attribute))
        return false;
    switch (d->kind) {
    case VZ_DIFFERENCE_MISSING:
        return missing(d, names, out, err);
    case VZ_DIFFERENCE_IDENTITY:
        return identity(d, names, out, err);
    case VZ_DIFFERENCE_ORDER:
        return vz_words_printf(out, err, "the %s were created in another order", d->what);
    case VZ_DIFFERENCE_TYPE:
        return both(d, names, d->what, "none", out, err);
    case VZ_DIFFERENCE_EXTENT:
        return both(d, names, "shape", "none", out, err);
    case VZ_DIFFERENCE_FILL:
        return both(d, names, "fill value", "none", out, err);
    case VZ_DIFFERENCE_VALUE:
        return value(d, names, out, err);
    case VZ_DIFFERENCE_COMMENT:
        return both(d, names, "comment", "none", out, err);
    case VZ_DIFFERENCE_STORAGE:
        return both(d, names, d->what, "none", out, err);
    case VZ_DIFFERENCE_UNREADABLE:
        return vz_words_printf(out, err, "cannot be compared: %s", or (d->text[0], ""));
    default: /* objects of two kinds, links */
        return both(d, names, "", "nothing", out, err);
    }
}

const char *vz_convert_difference_word(vz_difference_kind kind)
{
    static const char *const words[] = {
        [VZ_DIFFERENCE_MISSING] = "missing", [VZ_DIFFERENCE_OBJECT] = "object",
        [VZ_DIFFERENCE_LINK] = "link",       [VZ_DIFFERENCE_IDENTITY] = "identity",
        [VZ_DIFFERENCE_ORDER] = "order",     [VZ_DIFFERENCE_TYPE] = "type",
        [VZ_DIFFERENCE_EXTENT] = "shape",    [VZ_DIFFERENCE_FILL] = "fill",
        [VZ_DIFFERENCE_VALUE] = "value",     [VZ_DIFFERENCE_COMMENT] = "comment",
        [VZ_DIFFERENCE_STORAGE] = "storage", [VZ_DIFFERENCE_UNREADABLE] = "unreadable",
    };
    return words[kind];
}
