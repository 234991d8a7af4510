/* messages.c - texts for people. */
#include "command/command/command.h"
#include "base/os/process.h"
#include "base/os/terminal.h"
#include "base/util/bytes.h"
#include <stdarg.h>
#include <stdlib.h>

#define MESSAGE_SIZE 2048

bool vz_say_is_unseen(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x034F, 0x034F},  {0x061C, 0x061C},
                  {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200B},  {0x200E, 0x200F},
                  {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFDD0, 0xFDEF},  {0xFEFF, 0xFEFF},
                  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return (code & 0xFFFE) == 0xFFFE;
}

void vz_say_text(FILE *out, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const unsigned char *at = (const unsigned char *)text;
        const size_t length = vz_utf8_sequence(text, left, false), step = length ? length : 1;
        const uint32_t code = length ? vz_utf8_code_point(at, length) : 0;
        if (length && !vz_say_is_unseen(code))
            fwrite(text, 1, length, out);
        else if (code > 0x9F)
            fprintf(out, code > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)code);
        else
            for (size_t i = 0; i < step; i++)
                fprintf(out, "\\x%02x", at[i]);
        text += step;
        left -= step;
    }
}

void vz_say_error(const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fflush(stdout); /* the order of what a terminal shows */
    fputs("h5zarr: ", stderr);
    vz_say_text(stderr, message);
    fputc('\n', stderr);
}

vz_exit vz_say_failure(const vz_error *err, const char *store)
{
    char message[MESSAGE_SIZE];
    vz_error shown = *err;
    if (shown.class == VZ_OK)
        vz_error_set(&shown, VZ_INVALID, "it failed, and nothing tells why");
    if (shown.class == VZ_UNSUPPORTED) /* its text names the feature */
        snprintf(shown.text, sizeof shown.text, "not supported: %.*s", (int)(sizeof shown.text - 20), err->text);
    vz_error_where(&shown, store, NULL);
    vz_say_error("%s", vz_error_message(&shown, message, sizeof message));
    return VZ_EXIT_FAILED;
}

void vz_say_count(const char *before, uint64_t count, const char *what)
{
    printf("%s%llu %s%s", before, (unsigned long long)count, what, count == 1 ? "" : "s");
}

const char *vz_say_size(uint64_t bytes, char text[VZ_SAY_SIZE])
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        snprintf(text, VZ_SAY_SIZE, "%u B", (unsigned)bytes);
        return text;
    }
    size_t unit = 0;
    double size = (double)bytes / 1024;
    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    snprintf(text, VZ_SAY_SIZE, "%.1f %s", size, units[unit]);
    return text;
}

const char *vz_say_colour(vz_colour colour)
{
    static const char *const escapes[] = {
        [VZ_COLOUR_PLAIN] = "\033[0m", [VZ_COLOUR_GROUP] = "\033[1;34m", [VZ_COLOUR_ARRAY] = "\033[32m",
        [VZ_COLOUR_LINK] = "\033[36m", [VZ_COLOUR_FAINT] = "\033[2m",    [VZ_COLOUR_BAD] = "\033[1;31m",
        [VZ_COLOUR_GOOD] = "\033[32m",
    };
    const char *no_colour = vz_os_environment("NO_COLOR"), *terminal = vz_os_environment("TERM");
    const bool wanted = (!no_colour || !*no_colour) && (!terminal || strcmp(terminal, "dumb") != 0);
    return wanted && vz_terminal_is(stdout) ? escapes[colour] : "";
}
