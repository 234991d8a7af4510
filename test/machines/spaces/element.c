/* element.c - the elements: numbers, compounds, text of fixed and of variable length; stored and in memory. */
#include "spaces.h"

enum { TEXT = 6, LONG_TEXT = 9 };

typedef struct record {
    int32_t a;
    double b;
    int16_t c;
} record;

/* The members that a type of memory has, packed, in its order. */
static const char *const members[] = {"abc", "a", "ca", "bc"};

value element_numbered(int number)
{
    return (value){number, number, number};
}

value element_fill(const trial *t)
{
    return t->element == COMPOUND ? (value){0, 0, 0} : (value){FILL, FILL, FILL};
}

value element_initial(size_t cell)
{
    return element_numbered((int)(cell * 11 + 5) % VALUES);
}

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

static size_t member_size(char name)
{
    return name == 'a' ? sizeof(int32_t) : name == 'b' ? sizeof(double) : sizeof(int16_t);
}

static hid_t compound_type(const char *names, bool stored)
{
    size_t size = 0;
    for (const char *n = names; *n; n++)
        size += member_size(*n);
    const hid_t type = H5Tcreate(H5T_COMPOUND, size);
    size_t at = 0;
    for (const char *n = names; *n; n++) {
        const hid_t member = *n == 'a'   ? H5T_NATIVE_INT32
                             : *n == 'b' ? H5T_NATIVE_DOUBLE
                             : stored    ? H5T_STD_I16BE
                                         : H5T_NATIVE_INT16;
        H5Tinsert(type, (const char[]){*n, 0}, at, member);
        at += member_size(*n);
    }
    return type;
}

hid_t element_file_type(const trial *t)
{
    const hid_t numbers[] = {H5T_NATIVE_INT, H5T_STD_I32BE, H5T_IEEE_F64LE, H5T_STD_I16BE};
    switch (t->element) {
    case NUMBER:
        return H5Tcopy(numbers[t->file_type % 4]);
    case COMPOUND:
        return compound_type("abc", true);
    case FIXED_TEXT:
        return text_type(TEXT);
    default:
        return text_type(H5T_VARIABLE);
    }
}

hid_t element_memory_type(const trial *t, int which)
{
    const hid_t numbers[] = {H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, H5T_NATIVE_SHORT, H5T_NATIVE_LLONG};
    switch (t->element) {
    case NUMBER:
        return H5Tcopy(numbers[which % 4]);
    case COMPOUND:
        return compound_type(members[which % 4], false);
    case FIXED_TEXT:
        return text_type(which % 2 ? LONG_TEXT : TEXT);
    default:
        return text_type(H5T_VARIABLE);
    }
}

bool element_is_unchanged(const trial *t, int which)
{
    return (t->element == NUMBER && t->file_type % 4 == 0 && which % 4 == 0) ||
           (t->element == FIXED_TEXT && which % 2 == 0);
}

size_t element_size(const trial *t, int which)
{
    static const size_t numbers[] = {sizeof(int), sizeof(double), sizeof(short), sizeof(long long)};
    size_t size = 0;
    switch (t->element) {
    case NUMBER:
        return numbers[which % 4];
    case COMPOUND:
        for (const char *n = members[which % 4]; *n; n++)
            size += member_size(*n);
        return size;
    case FIXED_TEXT:
        return which % 2 ? LONG_TEXT : TEXT;
    default:
        return sizeof(char *);
    }
}

/* Texts of many lengths, which live as long as the program. */
static char *numbered_text(int number)
{
    static char texts[VALUES][48];
    char *text = texts[number % VALUES];
    if (!*text)
        snprintf(text, sizeof *texts, "%d%.*s", number, number % 40, "----------------------------------------");
    return text;
}

static char guard_text[] = "guard";

static void put_number(int which, int number, void *at)
{
    const double real = number;
    const short small = (short)number;
    const long long large = number;
    const void *const forms[] = {&number, &real, &small, &large};
    static const size_t sizes[] = {sizeof number, sizeof real, sizeof small, sizeof large};
    memcpy(at, forms[which % 4], sizes[which % 4]);
}

static void put_record(int which, value v, char *at)
{
    const record r = {v.a, v.b, (int16_t)v.c};
    for (const char *n = members[which % 4]; *n; n++) {
        memcpy(at,
               *n == 'a'   ? (const void *)&r.a
               : *n == 'b' ? (const void *)&r.b
                           : (const void *)&r.c,
               member_size(*n));
        at += member_size(*n);
    }
}

void element_put(const trial *t, int which, value v, void *at)
{
    char *text = v.a == GUARD ? guard_text : v.a == FILL ? NULL : numbered_text(v.a);
    if (t->element == VARIABLE_TEXT) {
        memcpy(at, &text, sizeof text);
        return;
    }
    memset(at, v.a == GUARD ? 0xa5 : 0, element_size(t, which));
    if (v.a == GUARD)
        return;
    if (t->element == NUMBER)
        put_number(which, v.a, at);
    else if (t->element == COMPOUND)
        put_record(which, v, at);
    else if (v.a != FILL)
        snprintf(at, TEXT, "%d", v.a);
}

bool element_is(const trial *t, int which, value v, const void *at)
{
    char expected[64], *text;
    if (t->element != VARIABLE_TEXT) {
        element_put(t, which, v, expected);
        return memcmp(expected, at, element_size(t, which)) == 0;
    }
    memcpy(&text, at, sizeof text);
    if (v.a == GUARD || text == guard_text)
        return v.a == GUARD && text == guard_text;
    return strcmp(text ? text : "", v.a == FILL ? "" : numbered_text(v.a)) == 0;
}

value element_after(const trial *t, int which, value old, value written)
{
    if (t->element != COMPOUND)
        return written;
    const char *has = members[which % 4];
    return (value){strchr(has, 'a') ? written.a : old.a, strchr(has, 'b') ? written.b : old.b,
                   strchr(has, 'c') ? written.c : old.c};
}

void element_free(const trial *t, void *at)
{
    char *text;
    if (t->element != VARIABLE_TEXT)
        return;
    memcpy(&text, at, sizeof text);
    if (text != guard_text)
        free(text);
}

const char *element_text(const trial *t, int which, const void *at, char *room, size_t size)
{
    char *text;
    if (t->element == VARIABLE_TEXT) {
        memcpy(&text, at, sizeof text);
        snprintf(room, size, "\"%.20s\"", text ? text : "(null)");
        return room;
    }
    size_t used = 0;
    for (size_t i = 0; i < element_size(t, which) && used + 3 < size; i++)
        used += (size_t)snprintf(room + used, size - used, "%02x", ((const unsigned char *)at)[i]);
    return room;
}
