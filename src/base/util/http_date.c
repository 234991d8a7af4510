/* http_date.c - see http_date.h. */
#include "base/util/http_date.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* 0 to 11; -1: it is none. */
static int month_of(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++)
        if (strncmp(names + 3 * i, name, 3) == 0)
            return i;
    return -1;
}

bool vz_http_date_parse(const char *text, int64_t *seconds)
{
    struct tm parts = {0};
    char month[4];
    int end = 0;
    if (sscanf(text, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &parts.tm_mday, month, &parts.tm_year,
               &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end) != 6 ||
        !end || text[end])
        return false;
    parts.tm_mon = month_of(month);
    parts.tm_year -= 1900;
    if (parts.tm_mon < 0 || parts.tm_mday < 1 || parts.tm_mday > 31 || parts.tm_hour < 0 || parts.tm_hour > 23 ||
        parts.tm_min < 0 || parts.tm_min > 59 || parts.tm_sec < 0 || parts.tm_sec > 60)
        return false;
    *seconds = (int64_t)timegm(&parts);
    return true;
}
