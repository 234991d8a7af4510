/* json_number.c - the text of numbers: what is one, what it is worth, and the shortest that
 * reads back equal. */
#include "base/util/json_internal.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* ---- what is a number ---- */

static size_t count_digits(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

static size_t scan_word(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    return size >= length && memcmp(text, word, length) == 0 ? length : 0;
}

/* Length of ".digits" or "e+digits" including the lead, 0 if the lead is not there, SIZE_MAX if
 * the digits are not. */
static size_t scan_fraction(const char *text, size_t size)
{
    if (size == 0 || text[0] != '.')
        return 0;
    const size_t digits = count_digits(text + 1, size - 1);
    return digits ? 1 + digits : SIZE_MAX;
}

static size_t scan_exponent(const char *text, size_t size)
{
    if (size == 0 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    const size_t sign = size > 1 && (text[1] == '+' || text[1] == '-');
    const size_t digits = count_digits(text + 1 + sign, size - 1 - sign);
    return digits ? 1 + sign + digits : SIZE_MAX;
}

size_t vz_json_scan_number(const char *text, size_t size, vz_json_kind *kind)
{
    *kind = VZ_JSON_REAL;
    const size_t sign = size > 0 && text[0] == '-';
    size_t length = scan_word(text + sign, size - sign, "Infinity");
    if (length)
        return sign + length;
    length = scan_word(text, size, "NaN");
    if (length)
        return length;

    size_t digits = count_digits(text + sign, size - sign);
    if (digits > 1 && text[sign] == '0')
        digits = 1; /* "01" is two numbers, and so refused by the grammar around */
    if (!digits)
        return 0;
    length = sign + digits;
    const size_t fraction = scan_fraction(text + length, size - length);
    if (fraction == SIZE_MAX)
        return 0;
    length += fraction;
    const size_t exponent = scan_exponent(text + length, size - length);
    if (exponent == SIZE_MAX)
        return 0;
    if (!fraction && !exponent)
        *kind = VZ_JSON_INTEGER;
    return length + exponent;
}

/* ---- what it is worth ---- */

static bool is_number(const vz_json *value)
{
    return value && (value->kind == VZ_JSON_INTEGER || value->kind == VZ_JSON_REAL);
}

const char *vz_json_number_text(const vz_json *value)
{
    return is_number(value) ? value->text : NULL;
}

bool vz_json_get_int64(const vz_json *value, int64_t *out)
{
    if (!value || value->kind != VZ_JSON_INTEGER)
        return false;
    errno = 0;
    const long long number = strtoll(value->text, NULL, 10);
    if (errno)
        return false;
    *out = number;
    return true;
}

bool vz_json_get_uint64(const vz_json *value, uint64_t *out)
{
    if (!value || value->kind != VZ_JSON_INTEGER)
        return false;
    if (value->text[0] == '-' && strcmp(value->text, "-0") != 0)
        return false;
    errno = 0;
    const unsigned long long number = strtoull(value->text, NULL, 10);
    if (errno)
        return false;
    *out = number;
    return true;
}

/* strtod with '.', whatever the program's locale. The "C" locale object costs no allocation. */
static bool read_double(const char *text, double *out)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!locale)
        return false;
    errno = 0;
    const double number = strtod_l(text, NULL, locale);
    const bool overflow = errno == ERANGE && fabs(number) > 1.0;
    freelocale(locale);
    if (overflow)
        return false;
    *out = number;
    return true;
}

bool vz_json_get_double(const vz_json *value, double *out)
{
    if (!is_number(value))
        return false;
    const bool negative = value->text[0] == '-';
    if (value->text[0] == 'N')
        *out = NAN;
    else if (value->text[negative] == 'I')
        *out = negative ? -INFINITY : INFINITY;
    else
        return read_double(value->text, out);
    return true;
}

/* ---- the shortest text ---- */

#define DIGITS_MAX   17 /* enough for every double */
#define ALWAYS_EXACT 15 /* a decimal of so many digits survives the way through a normal double */

/* Decimal digits d1 d2 ... with the value 0.d1d2... * 10^point. */
struct decimal {
    char digits[DIGITS_MAX + 1];
    int count;
    int point;
};

static struct decimal round_to(double magnitude, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
    struct decimal d = {.count = 0};
    const char *p = text;
    for (; *p != 'e'; p++) /* whatever the locale puts between the digits */
        if (*p >= '0' && *p <= '9')
            d.digits[d.count++] = *p;
    d.point = atoi(p + 1) + 1;
    return d;
}

static bool reads_back(const struct decimal *d, double magnitude)
{
    char text[64]; /* no decimal point, so no locale */
    snprintf(text, sizeof text, "%.*se%d", d->count, d->digits, d->point - d->count);
    return strtod(text, NULL) == magnitude;
}

/* The next decimal of as many digits. */
static void step_up(struct decimal *d)
{
    int i = d->count - 1;
    while (i >= 0 && d->digits[i] == '9')
        d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
        return;
    }
    d->digits[0] = '1';
    d->point++;
}

static bool is_power_of_two(double magnitude)
{
    int exponent;
    return frexp(magnitude, &exponent) == 0.5;
}

/* The nearest decimal of the fewest digits that read back equal. At a power of two the doubles
 * below lie closer than those above. So the nearest 16-digit decimal (below) may miss where its
 * upper neighbour does not. */
static struct decimal shortest(double magnitude)
{
    for (int count = magnitude < DBL_MIN ? 1 : ALWAYS_EXACT; count < DIGITS_MAX; count++) {
        struct decimal d = round_to(magnitude, count);
        if (reads_back(&d, magnitude))
            return d;
        if (is_power_of_two(magnitude)) {
            step_up(&d);
            if (reads_back(&d, magnitude))
                return d;
        }
    }
    return round_to(magnitude, DIGITS_MAX);
}

static int print_decimal(const struct decimal *d, bool negative, char *text, size_t size)
{
    const char *sign = negative ? "-" : "";
    const int n = d->count;
    if (d->point < -3 || d->point > 16) /* as Python does */
        return snprintf(text, size, "%s%c%s%.*se%c%02d", sign, d->digits[0], n > 1 ? "." : "", n - 1, d->digits + 1,
                        d->point > 0 ? '+' : '-', abs(d->point - 1));
    if (d->point <= 0)
        return snprintf(text, size, "%s0.%.*s%.*s", sign, -d->point, "000", n, d->digits);
    if (n <= d->point)
        return snprintf(text, size, "%s%.*s%.*s.0", sign, n, d->digits, d->point - n, "0000000000000000");
    return snprintf(text, size, "%s%.*s.%.*s", sign, d->point, d->digits, n - d->point, d->digits + d->point);
}

vz_json *vz_json_double(double value, vz_error *err)
{
    if (isnan(value))
        return vz_json_number(VZ_JSON_REAL, "NaN", 3, err);
    const bool negative = signbit(value);
    if (isinf(value))
        return negative ? vz_json_number(VZ_JSON_REAL, "-Infinity", 9, err)
                        : vz_json_number(VZ_JSON_REAL, "Infinity", 8, err);
    struct decimal d = {.digits = "0", .count = 1, .point = 1};
    if (value != 0)
        d = shortest(fabs(value));
    while (d.count > 1 && d.digits[d.count - 1] == '0')
        d.count--;
    char text[64];
    const int length = print_decimal(&d, negative, text, sizeof text);
    return vz_json_number(VZ_JSON_REAL, text, (size_t)length, err);
}

vz_json *vz_json_int64(int64_t value, vz_error *err)
{
    char text[1 + VZ_DECIMAL_SIZE] = "-";
    const bool negative = value < 0;
    const uint64_t magnitude = negative ? -(uint64_t)value : (uint64_t)value;
    const size_t length = vz_decimal(magnitude, text + negative) + negative;
    return vz_json_number(VZ_JSON_INTEGER, text, length, err);
}

vz_json *vz_json_uint64(uint64_t value, vz_error *err)
{
    char text[VZ_DECIMAL_SIZE];
    const size_t length = vz_decimal(value, text);
    return vz_json_number(VZ_JSON_INTEGER, text, length, err);
}
