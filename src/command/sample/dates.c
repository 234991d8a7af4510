/* dates.c - numbers that count time: numpy's datetime64, and CF's "days since 2000-01-01". */
#include "command/sample/dates_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S   ((int64_t)1000000000)
#define NS_PER_DAY (86400 * (__int128)NS_PER_S)
#define CHANGED    (-141427) /* days from 1970-01-01 to 1582-10-15, when the calendar changed */
#define REAL_MOST  1e15      /* numbers up to it are whole in 64 bits */
#define YEARS_MOST 999999    /* either way */

/* ---- calendars ---- */

/* Months of a year that begins with March: February's last day is the year's. */
static unsigned days_before(unsigned month)
{
    return (153 * month + 2) / 5;
}

/* Days from 1970-01-01 on, Gregorian. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    const int64_t from_march = year - (month <= 2), era = (from_march >= 0 ? from_march : from_march - 399) / 400;
    const int64_t of_era = from_march - era * 400;
    const int64_t of_year = days_before((month + 9) % 12) + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void civil_of(int64_t days, vz_sample_date *date)
{
    const int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    const int64_t of_era = shifted - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const unsigned of_year = (unsigned)(of_era - (365 * year + year / 4 - year / 100));
    const unsigned month = (5 * of_year + 2) / 153;
    date->day = of_year - days_before(month) + 1;
    date->month = month < 10 ? month + 3 : month - 9;
    date->year = year + era * 400 + (date->month <= 2);
}

static const unsigned char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

/* Days of a calendar whose years are alike, from the year 0 on. */
static int64_t even_days(vz_sample_calendar calendar, const vz_sample_date *date)
{
    int64_t days = (int64_t)date->day - 1;
    for (unsigned i = 0; i + 1 < date->month; i++)
        days += calendar == VZ_CALENDAR_360 ? 30 : lengths[i];
    return days + date->year * (calendar == VZ_CALENDAR_360 ? 360 : 365);
}

static void even_date(vz_sample_calendar calendar, int64_t days, vz_sample_date *date)
{
    const int64_t length = calendar == VZ_CALENDAR_360 ? 360 : 365;
    date->year = (days >= 0 ? days : days - (length - 1)) / length;
    unsigned rest = (unsigned)(days - date->year * length);
    for (date->month = 1; rest >= (calendar == VZ_CALENDAR_360 ? 30 : lengths[date->month - 1]); date->month++)
        rest -= calendar == VZ_CALENDAR_360 ? 30 : lengths[date->month - 1];
    date->day = rest + 1;
}

/* ---- CF's units ---- */

static bool take_scale(const char *word, size_t length, int64_t *ns)
{
    static const struct {
        const char *word;
        int64_t ns;
    } scales[] = {
        {"d", 86400 * NS_PER_S},   {"day", 86400 * NS_PER_S}, {"h", 3600 * NS_PER_S},    {"hr", 3600 * NS_PER_S},
        {"hour", 3600 * NS_PER_S}, {"min", 60 * NS_PER_S},    {"minute", 60 * NS_PER_S}, {"s", NS_PER_S},
        {"sec", NS_PER_S},         {"second", NS_PER_S},      {"msec", 1000000},         {"millisec", 1000000},
        {"millisecond", 1000000},  {"microsec", 1000},        {"microsecond", 1000},     {"nanosecond", 1}};
    if (length > 1 && word[length - 1] == 's')
        length--;
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (strlen(scales[i].word) == length && strncmp(word, scales[i].word, length) == 0) {
            *ns = scales[i].ns;
            return true;
        }
    return false;
}

static bool take_calendar(const char *word, vz_sample_calendar *calendar)
{
    static const struct {
        const char *word;
        vz_sample_calendar calendar;
    } calendars[] = {{"standard", VZ_CALENDAR_STANDARD}, {"gregorian", VZ_CALENDAR_STANDARD},
                     {"", VZ_CALENDAR_STANDARD},         {"proleptic_gregorian", VZ_CALENDAR_PROLEPTIC},
                     {"noleap", VZ_CALENDAR_365},        {"365_day", VZ_CALENDAR_365},
                     {"360_day", VZ_CALENDAR_360}};
    for (size_t i = 0; i < sizeof calendars / sizeof *calendars; i++)
        if (strcmp(word, calendars[i].word) == 0) {
            *calendar = calendars[i].calendar;
            return true;
        }
    return false;
}

/* " 06:30", " 06:30:15.25 UTC", "T06:30Z" behind a date. Another zone than UTC is none of ours. */
static bool take_time(const char *text, __int128 *ns)
{
    unsigned hour = 0, minute = 0;
    int length = 0;
    double second = 0;
    *ns = 0;
    if (*text == 'T' || *text == ' ')
        text++;
    while (*text == ' ')
        text++;
    if (*text >= '0' && *text <= '9') {
        if (sscanf(text, "%2u:%2u%n", &hour, &minute, &length) != 2 || hour > 23 || minute > 59)
            return false;
        text += length;
        if (*text == ':') {
            char *end;
            second = strtod(text + 1, &end);
            if (end == text + 1 || !(second >= 0 && second < 61))
                return false;
            text = end;
        }
    }
    while (*text == ' ')
        text++;
    *ns = ((__int128)hour * 3600 + minute * 60) * NS_PER_S + llround(second * 1e9);
    return !*text || strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0 || strcmp(text, "+00:00") == 0 ||
           strcmp(text, "0:00") == 0;
}

bool vz_sample_clock_parse(const char *units, const char *calendar, vz_sample_clock *clock)
{
    vz_sample_date date = {0};
    int year = 0, length = 0;
    const size_t word = strcspn(units, " ");
    *clock = (vz_sample_clock){0};
    if (!take_scale(units, word, &clock->scale) || !take_calendar(calendar, &clock->calendar) ||
        strncmp(units + word, " since ", 7) != 0)
        return false;
    const char *text = units + word + 7;
    if (*text < '0' || *text > '9' || sscanf(text, "%6d-%2u-%2u%n", &year, &date.month, &date.day, &length) != 3 ||
        date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31 || !take_time(text + length, &clock->from))
        return false;
    date.year = year;
    const bool is_even = clock->calendar == VZ_CALENDAR_360 || clock->calendar == VZ_CALENDAR_365;
    const int64_t days = is_even ? even_days(clock->calendar, &date) : days_of(year, date.month, date.day);
    clock->from += days * NS_PER_DAY;
    return clock->calendar != VZ_CALENDAR_STANDARD || days >= CHANGED;
}

/* ---- as text ---- */

/* The time of a day, with as many digits as it needs. */
static int put_time(char *text, size_t size, int64_t ns, char between)
{
    const int64_t second = ns / NS_PER_S, part = ns % NS_PER_S;
    int length = snprintf(text, size, "%c%02d:%02d:%02d", between, (int)(second / 3600), (int)(second / 60 % 60),
                          (int)(second % 60));
    if (part)
        length += snprintf(text + length, size - (size_t)length, ".%09lld", (long long)part);
    while (part && text[length - 1] == '0')
        text[--length] = '\0';
    return length;
}

static int put_date(char *text, size_t size, const vz_sample_date *date)
{
    return snprintf(text, size, "%s%04lld-%02u-%02u", date->year < 0 ? "-" : "",
                    (long long)(date->year < 0 ? -date->year : date->year), date->month, date->day);
}

/* Nanoseconds of the calendar. */
static bool put_ns(vz_sample_calendar calendar, __int128 ns, char text[VZ_SAMPLE_DATE_SIZE])
{
    vz_sample_date date;
    const __int128 day = (ns >= 0 ? ns : ns - (NS_PER_DAY - 1)) / NS_PER_DAY, most = (__int128)YEARS_MOST * 365;
    if (day > most || day < -most || (calendar == VZ_CALENDAR_STANDARD && day < CHANGED))
        return false;
    if (calendar == VZ_CALENDAR_365 || calendar == VZ_CALENDAR_360)
        even_date(calendar, (int64_t)day, &date);
    else
        civil_of((int64_t)day, &date);
    const int length = put_date(text, VZ_SAMPLE_DATE_SIZE, &date);
    const int64_t rest = (int64_t)(ns - day * NS_PER_DAY);
    if (rest)
        put_time(text + length, VZ_SAMPLE_DATE_SIZE - (size_t)length, rest, ' ');
    return true;
}

bool vz_sample_clock_integer(const vz_sample_clock *clock, int64_t number, char text[VZ_SAMPLE_DATE_SIZE])
{
    return put_ns(clock->calendar, (__int128)number * clock->scale + clock->from, text);
}

bool vz_sample_clock_real(const vz_sample_clock *clock, double number, char text[VZ_SAMPLE_DATE_SIZE])
{
    const long double ns = (long double)number * clock->scale;
    if (!(fabsl(ns) < (long double)YEARS_MOST * 365 * NS_PER_DAY))
        return false;
    if (number == trunc(number) && fabs(number) < REAL_MOST)
        return vz_sample_clock_integer(clock, (int64_t)number, text);
    /* to a microsecond */
    return put_ns(clock->calendar, (__int128)llroundl(ns / 1000) * 1000 + clock->from, text);
}

/* ---- numpy ---- */

/* Of units that are no lengths of time: years and months. */
static bool put_months(int64_t months, bool has_month, char text[VZ_SAMPLE_DATE_SIZE])
{
    const int64_t year = months / 12 - (months % 12 < 0);
    if (year > YEARS_MOST - 1970 || year < -YEARS_MOST)
        return false;
    snprintf(text, VZ_SAMPLE_DATE_SIZE, has_month ? "%04lld-%02d" : "%04lld", (long long)(1970 + year),
             (int)(months - year * 12) + 1);
    return true;
}

/* Digits behind the second that a unit has; -1: it is longer than a second. */
static int digits_of(const char *unit)
{
    return strcmp(unit, "ns") == 0 ? 9 : strcmp(unit, "us") == 0 ? 6 : strcmp(unit, "ms") == 0 ? 3 : -1;
}

bool vz_sample_datetime(const char *tag, int64_t number, char text[VZ_SAMPLE_DATE_SIZE])
{
    static const struct {
        const char *unit;
        int64_t ns;
        int shown; /* bytes of "1970-01-01T00:00:00" */
    } units[] = {{"W", 7 * 86400 * NS_PER_S, 10},
                 {"D", 86400 * NS_PER_S, 10},
                 {"h", 3600 * NS_PER_S, 13},
                 {"m", 60 * NS_PER_S, 16},
                 {"s", NS_PER_S, 19},
                 {"ms", 1000000, 19},
                 {"us", 1000, 19},
                 {"ns", 1, 19}};
    int64_t count, many = 0;
    const char *unit = tag;
    for (; *unit >= '0' && *unit <= '9' && many < 1000000; unit++)
        many = 10 * many + (*unit - '0');
    many = unit == tag ? 1 : many;
    if (number == INT64_MIN)
        return snprintf(text, VZ_SAMPLE_DATE_SIZE, "NaT") > 0;
    if (many < 1 || __builtin_mul_overflow(number, many, &count))
        return false;
    if (strcmp(unit, "Y") == 0)
        return count < YEARS_MOST && count > -YEARS_MOST && put_months(12 * count, false, text);
    if (strcmp(unit, "M") == 0)
        return put_months(count, true, text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        const __int128 ns = (__int128)count * units[i].ns, day = (ns >= 0 ? ns : ns - (NS_PER_DAY - 1)) / NS_PER_DAY,
                       most = (__int128)YEARS_MOST * 365;
        vz_sample_date date;
        if (day > most || day < -most)
            return false;
        civil_of((int64_t)day, &date);
        const int64_t rest = (int64_t)(ns - day * NS_PER_DAY), second = rest / NS_PER_S;
        const int length = put_date(text, VZ_SAMPLE_DATE_SIZE, &date), begin = length - 10, digits = digits_of(unit);
        snprintf(text + length, VZ_SAMPLE_DATE_SIZE - (size_t)length, "T%02d:%02d:%02d.%09d", (int)(second / 3600),
                 (int)(second / 60 % 60), (int)(second % 60), (int)(rest % NS_PER_S));
        text[begin + units[i].shown + (digits > 0 ? digits + 1 : 0)] = '\0';
        return true;
    }
    return false;
}
