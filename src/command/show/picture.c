/* picture.c - a thumbnail in the terminal, and as a PNG file. */
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "command/show/show_internal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS         24
#define CURVE_ROWS   12
#define COLUMNS_MOST 72
#define ZOOM_TO      256 /* pixels that a small picture is enlarged to, at least */

/* ---- facts of a picture ---- */

static bool print_facts(const vz_show *show, const vz_sample_picture *picture, vz_error *err)
{
    vz_buffer text = {0};
    const bool is_curve = picture->row_dimension < 0;
    bool ok = vz_sample_part_text(show->facts, &picture->part, &text, err);
    if (ok)
        printf("\nthumbnail of %s, %u x %u: %s\n", (const char *)text.data, picture->width, picture->height,
               vz_sample_scaling_words(picture->scaling));
    text.size = 0;
    const vz_sample_number low = {.kind = VZ_SAMPLE_FLOAT, .is_single = true, .real = picture->low},
                           high = {.kind = VZ_SAMPLE_FLOAT, .is_single = true, .real = picture->high};
    if (ok && picture->channels == 1)
        ok = vz_buffer_printf(&text, err, "  %s ", is_curve ? "bottom" : "dark") &&
             vz_sample_number_text(low, &text, err) &&
             vz_buffer_printf(&text, err, ", %s ", is_curve ? "top" : "bright") &&
             vz_sample_number_text(high, &text, err);
    if (ok && picture->channels == 1)
        printf("%s\n", (const char *)text.data);
    vz_buffer_clear(&text);
    return ok;
}

/* ---- in the terminal ---- */

static const char signs[] = {[VZ_PIXEL_VALUE] = ' ',
                             [VZ_PIXEL_ABSENT] = '_',
                             [VZ_PIXEL_NAN] = 'n',
                             [VZ_PIXEL_UNREADABLE] = '!',
                             [VZ_PIXEL_SKIPPED] = '?'};

static unsigned brightness(const vz_sample_picture *picture, size_t pixel)
{
    const uint8_t *at = picture->pixels + pixel * picture->channels;
    return picture->channels == 1 ? at[0] : (unsigned)(0.299 * at[0] + 0.587 * at[1] + 0.114 * at[2]);
}

static void print_pixel(const vz_sample_picture *picture, size_t pixel, bool utf8)
{
    static const char *const shades[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"};
    static const char ramp[] = " .:-=+*#%@";
    const vz_sample_pixel state = picture->states[pixel];
    const unsigned level = brightness(picture, pixel);
    const bool is_curve = picture->row_dimension < 0;
    const int times = is_curve ? 1 : 2; /* a character is about twice as high as it is wide */
    for (int i = 0; i < times; i++)
        if (state != VZ_PIXEL_VALUE)
            putchar(signs[state]);
        else if (is_curve)
            putchar(level == 0 ? '*' : level == VZ_SAMPLE_WITHIN ? ':' : ' ');
        else if (utf8)
            fputs(shades[level * 5 / 256], stdout);
        else
            putchar(ramp[level * 10 / 256]);
}

static void print_legend(const vz_sample_picture *picture)
{
    static const char *const words[] = {[VZ_PIXEL_VALUE] = "",
                                        [VZ_PIXEL_ABSENT] = "not stored",
                                        [VZ_PIXEL_NAN] = "NaN or infinite",
                                        [VZ_PIXEL_UNREADABLE] = "cannot be read",
                                        [VZ_PIXEL_SKIPPED] = "not looked at, the time was over"};
    bool has[sizeof signs] = {false}, any = false;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
        has[picture->states[i]] = true;
    for (size_t i = VZ_PIXEL_ABSENT; i < sizeof signs; i++) {
        if (has[i])
            printf("%s%c: %s", any ? ", " : "  ", signs[i], words[i]);
        any = any || has[i];
    }
    if (any)
        putchar('\n');
}

static void print_picture(const vz_sample_picture *picture)
{
    const bool utf8 = vz_terminal_shows_utf8();
    for (size_t y = 0; y < picture->height; y++) {
        printf("  |");
        for (size_t x = 0; x < picture->width; x++)
            print_pixel(picture, y * picture->width + x, utf8);
        printf("|\n");
    }
    print_legend(picture);
}

static bool is_curve(const vz_show *show)
{
    unsigned long_ones = 0;
    for (unsigned i = 0; i < show->part.rank; i++)
        long_ones += show->part.count[i] > 1;
    return long_ones == 1;
}

/* Nothing of it is stored, which the statistics say. */
static bool is_absent(const vz_sample_picture *picture)
{
    for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
        if (picture->states[i] != VZ_PIXEL_ABSENT)
            return false;
    return true;
}

bool vz_show_picture_text(vz_show *show, vz_error *err)
{
    vz_sample_picture picture;
    vz_error failed = VZ_ERROR_NONE;
    bool has;
    const unsigned width = vz_terminal_width(stdout), room = width > 8 ? width - 6 : 2;
    const unsigned columns = room < COLUMNS_MOST ? room : COLUMNS_MOST;
    const bool curve = is_curve(show);
    if (!vz_sample_picture_make(show->object, &show->part, curve ? columns : columns / 2, curve ? CURVE_ROWS : ROWS,
                                &picture, &has, &failed)) {
        vz_show_failed(show, "thumbnail", failed.text);
        return true;
    }
    if (!has || is_absent(&picture)) {
        vz_sample_picture_clear(&picture);
        return true;
    }
    const bool ok = print_facts(show, &picture, err);
    if (ok)
        print_picture(&picture);
    if (picture.unreadable)
        vz_show_failed(show, "thumbnail", picture.why);
    vz_sample_picture_clear(&picture);
    return ok;
}

/* ---- as a file ---- */

/* A file that is there is replaced if it is a PNG file. */
static bool may_replace(const char *name, vz_error *err)
{
    static const char signature[8] = "\x89PNG\r\n\x1A\n";
    char begin[sizeof signature];
    const int file = vz_os_open(name, O_RDONLY);
    const bool is_png = file >= 0 && vz_os_pread(file, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                        memcmp(begin, signature, sizeof begin) == 0;
    if (file >= 0)
        vz_os_close(file);
    return is_png || vz_fail(err, VZ_EXISTS, "is there, and is no PNG file: it is not replaced");
}

static bool write_file(const char *name, const vz_buffer *bytes, vz_error *err)
{
    int file = vz_os_create(name, O_WRONLY | O_EXCL, 0666);
    if (file < 0 && errno == EEXIST) {
        if (!may_replace(name, err))
            return false;
        file = vz_os_create(name, O_WRONLY | O_TRUNC, 0666);
    }
    if (file < 0)
        return vz_fail_errno(err, errno, "cannot be created");
    const bool ok = vz_os_file_write(file, 0, bytes->data, bytes->size, err);
    return vz_os_close(file) == 0 && ok ? true : vz_fail_errno(err, errno, "cannot be written");
}

/* So that a picture of few elements can be seen. */
static unsigned zoom_of(const vz_sample_picture *picture)
{
    const unsigned longest = picture->width > picture->height ? picture->width : picture->height;
    return longest < ZOOM_TO ? (ZOOM_TO + longest - 1) / longest : 1;
}

bool vz_show_png_write(vz_show *show, vz_error *err)
{
    vz_sample_picture picture;
    vz_error failed = VZ_ERROR_NONE;
    vz_buffer bytes = {0};
    bool has;
    const char *name = show->request->png;
    const unsigned pixels = show->request->pixels, rows = is_curve(show) ? (pixels + 1) / 2 : pixels;
    if (!vz_sample_picture_make(show->object, &show->part, pixels, rows, &picture, &has, &failed)) {
        vz_show_failed(show, name, failed.text);
        return true;
    }
    if (!has) {
        vz_show_failed(show, name, "of these elements there is no picture");
        return true;
    }
    const bool ok = vz_sample_png(&picture, zoom_of(&picture), &bytes, err);
    if (ok && !write_file(name, &bytes, &failed))
        vz_show_failed(show, name, failed.text);
    if (picture.unreadable)
        vz_show_failed(show, "thumbnail", picture.why);
    vz_buffer_clear(&bytes);
    vz_sample_picture_clear(&picture);
    return ok;
}
