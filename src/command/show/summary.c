/* summary.c - statistics and the map of chunks, in lines. */
#include "base/os/terminal.h"
#include "command/show/show_internal.h"
#include <stdlib.h>
#include <string.h>

#define MAP_ROWS    16
#define MAP_COLUMNS 64
#define TEXT_SHOWN  60 /* bytes of a value in a line */

const char *vz_show_count(uint64_t count, char text[VZ_SHOW_COUNT])
{
    char digits[VZ_DECIMAL_SIZE];
    const size_t length = vz_decimal(count, digits);
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* ---- statistics ---- */

static bool print_number(const vz_show *show, const char *before, vz_sample_number number, vz_error *err)
{
    vz_buffer text = {0};
    char date[VZ_SAMPLE_DATE];
    const bool ok = vz_sample_number_text(number, &text, err);
    if (ok)
        printf("%s%s", before, (const char *)text.data);
    if (ok && vz_sample_number_date(show->object, number, date))
        printf(" (%s)", date);
    vz_buffer_clear(&text);
    return ok;
}

static bool print_numbers(const vz_show *show, const vz_sample_statistics *s, vz_error *err)
{
    char text[VZ_SHOW_COUNT];
    bool ok = true;
    if (s->has_range)
        ok = print_number(show, "  least ", s->least, err) && print_number(show, ", greatest ", s->most, err);
    if (ok && s->has_mean)
        printf(", mean %.8g, deviation %.8g", s->mean, s->deviation);
    if (ok && s->has_range)
        putchar('\n');
    if (s->nan)
        printf("  %s NaN\n", vz_show_count(s->nan, text));
    if (s->infinite)
        printf("  %s infinite, which the mean leaves out\n", vz_show_count(s->infinite, text));
    if (s->has_lengths)
        printf("  %llu to %llu bytes long", (unsigned long long)s->shortest, (unsigned long long)s->longest);
    if (s->has_lengths)
        printf(s->empty ? ", %s empty\n" : "\n", vz_show_count(s->empty, text));
    return ok;
}

/* As much of it as a line may have. */
static void print_text(const char *text)
{
    char begin[TEXT_SHOWN + 1];
    snprintf(begin, sizeof begin, "%s", text);
    size_t length = strlen(begin);
    while (text[length] && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    begin[length] = '\0';
    vz_say_text(stdout, *begin ? begin : "\"\"");
    printf(text[length] ? "..." : "");
}

static void print_distinct(const vz_sample_statistics *s)
{
    char text[VZ_SHOW_COUNT];
    if (s->distinct > VZ_SAMPLE_DISTINCT_MAX)
        printf("  more than %s distinct\n", vz_show_count(VZ_SAMPLE_DISTINCT_MAX, text));
    else if (s->distinct)
        printf("  %s distinct", vz_show_count(s->distinct, text));
    for (size_t i = 0; i < s->value_count; i++) {
        printf(i ? ", " : ": ");
        print_text(s->values[i].text);
        printf(" (%s)", vz_show_count(s->values[i].count, text));
    }
    if (s->distinct && s->distinct <= VZ_SAMPLE_DISTINCT_MAX)
        putchar('\n');
}

static void print_absent(const vz_show *show, const vz_sample_statistics *s)
{
    char text[VZ_SHOW_COUNT];
    if (!s->knows_absent) {
        printf("  which chunks are stored is not known: fill values may be among them\n");
        return;
    }
    if (!s->absent_chunks)
        return;
    printf("  %s chunk%s not stored: not counted here", vz_show_count(s->absent_chunks, text),
           s->absent_chunks == 1 ? " is" : "s are");
    if (show->facts->fill) {
        printf(", read as ");
        print_text(show->facts->fill);
    }
    putchar('\n');
}

/* Of elements that are no numbers, texts or words there is only their count. */
static bool says_nothing(const vz_show *show, const vz_sample_statistics *s)
{
    return show->facts->kind == VZ_SAMPLE_ARRAY &&
           (show->facts->class == VZ_SAMPLE_COMPOUND || show->facts->class == VZ_SAMPLE_OTHER) && !s->absent_chunks &&
           !s->unreadable && !s->is_sampled;
}

/* "statistics of 6 of 12 elements, a sample" */
static void print_head(const vz_sample_statistics *s)
{
    char text[VZ_SHOW_COUNT];
    printf("\nstatistics of %s", vz_show_count(s->counted, text));
    if (s->counted != s->of)
        printf(" of %s", vz_show_count(s->of, text));
    printf(" element%s%s\n", s->of == 1 ? "" : "s", s->is_sampled ? ", a sample" : "");
    if (s->zeros)
        printf("  %s of them %s not stored: counted as 0\n", vz_show_count(s->zeros, text),
               s->zeros == 1 ? "is" : "are");
}

bool vz_show_statistics_make(vz_show *show, vz_sample_table *table, vz_sample_statistics *s)
{
    vz_error failed = VZ_ERROR_NONE;
    bool has = show->facts->kind == VZ_SAMPLE_ARRAY;
    const bool ok = has     ? vz_sample_statistics_make(show->object, show->has_part ? &show->part : NULL, s, &failed)
                    : table ? vz_sample_table_statistics(table, s, &has, &failed)
                            : true;
    if (!ok)
        vz_show_failed(show, "statistics", failed.text);
    return ok && has;
}

bool vz_show_statistics_text(vz_show *show, vz_sample_table *table, vz_error *err)
{
    vz_sample_statistics s;
    if (!vz_show_statistics_make(show, table, &s))
        return true;
    bool ok = true;
    if (!says_nothing(show, &s)) {
        print_head(&s);
        ok = print_numbers(show, &s, err);
        if (ok) {
            print_distinct(&s);
            print_absent(show, &s);
        }
        if (s.unreadable)
            vz_show_failed(show, "statistics", s.why);
    }
    vz_sample_statistics_clear(&s);
    return ok;
}

/* ---- chunks ---- */

/* Which of them are stored. */
static char stored_sign(const vz_sample_cell *cell)
{
    return cell->of == 0 ? ' ' : cell->stored == 0 ? '.' : cell->stored < cell->of ? '+' : '#';
}

/* How many tenths of their bytes are left: "0" is less than one tenth, "9" nearly all, "x" more. */
static char size_sign(const vz_sample_cell *cell)
{
    if (cell->stored == 0)
        return cell->of ? '.' : ' ';
    if (cell->sized == 0)
        return '?';
    const double part = (double)cell->bytes / (double)cell->decoded;
    return part > 1 ? 'x' : part >= 1 ? '9' : (char)('0' + (int)(part * 10));
}

static void print_map(const vz_sample_chunks *chunks, bool of_sizes)
{
    for (unsigned row = 0; row < chunks->rows; row++) {
        printf("  ");
        for (unsigned column = 0; column < chunks->columns; column++) {
            const vz_sample_cell *cell = &chunks->cells[(size_t)row * chunks->columns + column];
            putchar(of_sizes ? size_sign(cell) : stored_sign(cell));
        }
        putchar('\n');
    }
}

static void print_sizes(const vz_sample_chunks *chunks)
{
    char bytes[VZ_SAY_SIZE], smallest[VZ_SAY_SIZE], largest[VZ_SAY_SIZE];
    char sized[VZ_SHOW_COUNT];
    if (!chunks->sized)
        return;
    printf("  %s stored", vz_say_size(chunks->bytes, bytes));
    if (chunks->sized < chunks->stored)
        printf(" by %s of them, the time was over", vz_show_count(chunks->sized, sized));
    if (chunks->smallest < chunks->largest)
        printf(", %s to %s each", vz_say_size(chunks->smallest, smallest), vz_say_size(chunks->largest, largest));
    const double decoded = (double)chunks->decoded;
    if (decoded > 0 && chunks->bytes && decoded != (double)chunks->bytes)
        printf(decoded >= (double)chunks->bytes ? ", %.1f times smaller than decoded"
                                                : ", %.1f times larger than decoded",
               decoded >= (double)chunks->bytes ? decoded / (double)chunks->bytes : (double)chunks->bytes / decoded);
    putchar('\n');
}

/* The meaning of the signs of a map. */
static void print_legend(const vz_sample_chunks *chunks, bool of_sizes)
{
    if (chunks->row_dimension >= 0)
        printf("  dimension %d downwards, dimension %d to the right; ", chunks->row_dimension,
               chunks->column_dimension);
    else
        printf("  dimension %d to the right; ", chunks->column_dimension);
    printf(of_sizes ? "0-9: tenths of the decoded size, x: more, .: none\n" : "#: stored, +: some of them, .: none\n");
}

bool vz_show_chunks_text(vz_show *show, vz_error *err)
{
    vz_sample_chunks chunks;
    char stored[VZ_SHOW_COUNT], possible[VZ_SHOW_COUNT];
    const unsigned width = vz_terminal_width(stdout), room = width > 4 ? width - 4 : 1;
    if (!vz_sample_chunks_map(show->object, MAP_ROWS, room < MAP_COLUMNS ? room : MAP_COLUMNS, &chunks, err))
        return false;
    if (chunks.is_known)
        printf("\nchunks: %s of %s stored%s\n", vz_show_count(chunks.stored, stored),
               vz_show_count(chunks.possible, possible), chunks.is_complete ? "" : ", or more");
    if (!chunks.is_known || !chunks.is_complete) {
        printf(chunks.is_known ? "  " : "\nchunks: ");
        vz_say_text(stdout, chunks.why);
        putchar('\n');
    }
    if (chunks.is_uneven)
        printf("  their shapes differ: the shape above has the longest sides\n");
    print_sizes(&chunks);
    if (chunks.is_known && chunks.column_dimension >= 0) {
        if (chunks.stored < chunks.possible && chunks.stored) {
            print_legend(&chunks, false);
            print_map(&chunks, false);
        }
        if (chunks.sized && chunks.decoded) {
            print_legend(&chunks, true);
            print_map(&chunks, true);
        }
    }
    vz_sample_chunks_clear(&chunks);
    return true;
}
