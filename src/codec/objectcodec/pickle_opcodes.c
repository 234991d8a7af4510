/* pickle_opcodes.c - one function for each opcode that a pickle of data needs. */
#include "codec/objectcodec/objects_internal.h"

/* ---- opcodes: plain values ---- */

static bool op_none(vz_unpickler *u)
{
    return vz_unpickler_push(u, vz_unpickler_new(u, VZ_PICKLED_NONE));
}

static bool push_bool(vz_unpickler *u, bool flag)
{
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_BOOL);
    if (value)
        value->flag = flag;
    return vz_unpickler_push(u, value);
}

static bool op_true(vz_unpickler *u)
{
    return push_bool(u, true);
}

static bool op_false(vz_unpickler *u)
{
    return push_bool(u, false);
}

static vz_pickled *integer(vz_unpickler *u, uint64_t magnitude, bool negative)
{
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_INTEGER);
    if (value) {
        value->magnitude = magnitude;
        value->flag = negative;
    }
    return value;
}

/* Most integers are the padding of a chunk: one value serves all of them. */
static bool op_binint1(vz_unpickler *u)
{
    uint64_t number;
    if (!vz_unpickler_number(u, 1, &number))
        return false;
    if (!u->small[number])
        u->small[number] = integer(u, number, false);
    return vz_unpickler_push(u, u->small[number]);
}

static bool op_binint2(vz_unpickler *u)
{
    uint64_t number;
    return vz_unpickler_number(u, 2, &number) && vz_unpickler_push(u, integer(u, number, false));
}

static bool op_binint(vz_unpickler *u)
{
    uint64_t number;
    if (!vz_unpickler_number(u, 4, &number))
        return false;
    const int64_t value = (int32_t)(uint32_t)number;
    return vz_unpickler_push(u, integer(u, value < 0 ? (uint64_t)-value : (uint64_t)value, value < 0));
}

/* Two's complement of any length, of which 64 bits of magnitude are held. */
static bool op_long1(vz_unpickler *u)
{
    uint64_t size, number = 0;
    const uint8_t *bytes = vz_unpickler_number(u, 1, &size) ? vz_unpickler_read(u, size) : NULL;
    if (!bytes)
        return false;
    const bool negative = size > 0 && bytes[size - 1] >= 0x80;
    const uint8_t extension = negative ? 0xff : 0;
    bool fits = true;
    for (uint64_t i = 0; i < 8; i++)
        number |= (uint64_t)(i < size ? bytes[i] : extension) << (8 * i);
    for (uint64_t i = 8; i < size; i++)
        fits = fits && bytes[i] == extension;
    if (!fits || (negative && number < (uint64_t)INT64_MIN))
        return vz_fail(u->err, VZ_UNSUPPORTED, "pickle: an integer of more than 64 bits");
    return vz_unpickler_push(u, integer(u, negative ? 0 - number : number, negative));
}

static bool op_binfloat(vz_unpickler *u)
{
    const uint8_t *bytes = vz_unpickler_read(u, 8);
    vz_pickled *value = bytes ? vz_unpickler_new(u, VZ_PICKLED_REAL) : NULL;
    uint64_t bits = 0;
    for (unsigned i = 0; value && i < 8; i++)
        bits = bits << 8 | bytes[i];
    if (value)
        memcpy(&value->real, &bits, sizeof bits);
    return vz_unpickler_push(u, value);
}

/* Text or bytes whose length stands before them, in so many bytes. */
static bool push_string(vz_unpickler *u, vz_pickled_kind kind, unsigned prefix)
{
    uint64_t size;
    const uint8_t *bytes = vz_unpickler_number(u, prefix, &size) ? vz_unpickler_read(u, size) : NULL;
    vz_pickled *value = bytes ? vz_unpickler_new(u, kind) : NULL;
    if (value)
        value->bytes = (vz_bytes){bytes, (size_t)size};
    return vz_unpickler_push(u, value);
}

static bool op_short_binunicode(vz_unpickler *u)
{
    return push_string(u, VZ_PICKLED_TEXT, 1);
}

static bool op_binunicode(vz_unpickler *u)
{
    return push_string(u, VZ_PICKLED_TEXT, 4);
}

static bool op_binunicode8(vz_unpickler *u)
{
    return push_string(u, VZ_PICKLED_TEXT, 8);
}

static bool op_short_binbytes(vz_unpickler *u)
{
    return push_string(u, VZ_PICKLED_BYTES, 1);
}

static bool op_binbytes(vz_unpickler *u)
{
    return push_string(u, VZ_PICKLED_BYTES, 4);
}

/* ---- opcodes: containers ---- */

static bool op_mark(vz_unpickler *u)
{
    if (u->mark_count == u->mark_capacity) {
        size_t *marks = vz_unpickler_grown(u, u->marks, sizeof *marks, &u->mark_capacity);
        if (!marks)
            return false;
        u->marks = marks;
    }
    u->marks[u->mark_count++] = u->stack.count;
    return true;
}

static bool op_pop(vz_unpickler *u)
{
    return vz_unpickler_pop(u) != NULL;
}

/* `count` values from the stack's top, which they must have left already, appended to a
 * container. */
static bool take_values(vz_unpickler *u, vz_pickled *into, vz_pickled **values, size_t count)
{
    for (size_t i = 0; into && i < count; i++)
        if (!vz_unpickler_append(u, &into->list, values[i]))
            return false;
    return into != NULL;
}

static bool push_tuple(vz_unpickler *u, vz_pickled **values, size_t count)
{
    vz_pickled *tuple = vz_unpickler_new(u, VZ_PICKLED_TUPLE);
    return take_values(u, tuple, values, count) && vz_unpickler_push(u, tuple);
}

static bool push_short_tuple(vz_unpickler *u, size_t count)
{
    if (vz_unpickler_available(u) < count)
        return vz_fail(u->err, VZ_CORRUPT, "pickle: a value is missing on the stack");
    u->stack.count -= count;
    return push_tuple(u, u->stack.items + u->stack.count, count);
}

static bool op_empty_tuple(vz_unpickler *u)
{
    return push_short_tuple(u, 0);
}

static bool op_tuple1(vz_unpickler *u)
{
    return push_short_tuple(u, 1);
}

static bool op_tuple2(vz_unpickler *u)
{
    return push_short_tuple(u, 2);
}

static bool op_tuple3(vz_unpickler *u)
{
    return push_short_tuple(u, 3);
}

static bool op_tuple(vz_unpickler *u)
{
    vz_pickled **values;
    size_t count;
    return vz_unpickler_pop_mark(u, &values, &count) && push_tuple(u, values, count);
}

static bool op_empty_list(vz_unpickler *u)
{
    return vz_unpickler_push(u, vz_unpickler_new(u, VZ_PICKLED_LIST));
}

static bool op_empty_dict(vz_unpickler *u)
{
    return vz_unpickler_push(u, vz_unpickler_new(u, VZ_PICKLED_DICT));
}

static bool extend(vz_unpickler *u, vz_pickled_kind kind, vz_pickled **values, size_t count)
{
    vz_pickled *container = vz_unpickler_top(u);
    if (!container)
        return false;
    if (container->kind != kind || (kind == VZ_PICKLED_DICT && count % 2))
        return vz_fail(u->err, VZ_CORRUPT, "pickle: values are put into what is no %s",
                       kind == VZ_PICKLED_DICT ? "dict" : "list");
    return take_values(u, container, values, count);
}

static bool op_append(vz_unpickler *u)
{
    vz_pickled *value = vz_unpickler_pop(u);
    return value && extend(u, VZ_PICKLED_LIST, &value, 1);
}

static bool op_setitem(vz_unpickler *u)
{
    vz_pickled *value = vz_unpickler_pop(u), *key = value ? vz_unpickler_pop(u) : NULL;
    return key && extend(u, VZ_PICKLED_DICT, (vz_pickled *[]){key, value}, 2);
}

static bool op_appends(vz_unpickler *u)
{
    vz_pickled **values;
    size_t count;
    return vz_unpickler_pop_mark(u, &values, &count) && extend(u, VZ_PICKLED_LIST, values, count);
}

static bool op_setitems(vz_unpickler *u)
{
    vz_pickled **values;
    size_t count;
    return vz_unpickler_pop_mark(u, &values, &count) && extend(u, VZ_PICKLED_DICT, values, count);
}

/* ---- opcodes: the memo ---- */

/* Picklers number entries one by one, and each costs an opcode: an index beyond the program's
 * length is none of theirs. */
static bool remember(vz_unpickler *u, uint64_t index)
{
    vz_pickled *value = vz_unpickler_top(u);
    if (!value)
        return false;
    if (index >= u->in.size)
        return vz_fail(u->err, VZ_CORRUPT, "pickle: entry %llu of the memo of a pickle of %zu bytes",
                       (unsigned long long)index, u->in.size);
    while (index >= u->memo_capacity) {
        vz_pickled **memo = vz_unpickler_grown(u, u->memo, sizeof *memo, &u->memo_capacity);
        if (!memo)
            return false;
        u->memo = memo;
    }
    u->memo_count += u->memo[index] == NULL;
    u->memo[index] = value;
    return true;
}

static bool op_memoize(vz_unpickler *u)
{
    return remember(u, u->memo_count);
}

static bool op_binput(vz_unpickler *u)
{
    uint64_t index;
    return vz_unpickler_number(u, 1, &index) && remember(u, index);
}

static bool op_long_binput(vz_unpickler *u)
{
    uint64_t index;
    return vz_unpickler_number(u, 4, &index) && remember(u, index);
}

static bool recall(vz_unpickler *u, uint64_t index)
{
    if (index >= u->memo_capacity || !u->memo[index])
        return vz_fail(u->err, VZ_CORRUPT, "pickle: entry %llu of the memo is not there", (unsigned long long)index);
    return vz_unpickler_push(u, u->memo[index]);
}

static bool op_binget(vz_unpickler *u)
{
    uint64_t index;
    return vz_unpickler_number(u, 1, &index) && recall(u, index);
}

static bool op_long_binget(vz_unpickler *u)
{
    uint64_t index;
    return vz_unpickler_number(u, 4, &index) && recall(u, index);
}

/* ---- opcodes: names and calls ---- */

static bool push_name(vz_unpickler *u, vz_bytes module, vz_bytes name)
{
    vz_pickle_name found;
    if (!vz_pickle_find_name(u, module, name, &found))
        return false;
    vz_pickled *value = vz_unpickler_new(u, VZ_PICKLED_NAME);
    if (value)
        value->name = found;
    return vz_unpickler_push(u, value);
}

static bool op_global(vz_unpickler *u)
{
    vz_bytes module, name;
    return vz_unpickler_line(u, &module) && vz_unpickler_line(u, &name) && push_name(u, module, name);
}

static bool op_stack_global(vz_unpickler *u)
{
    const vz_pickled *name = vz_unpickler_pop(u), *module = name ? vz_unpickler_pop(u) : NULL;
    if (!module)
        return false;
    if (name->kind != VZ_PICKLED_TEXT || module->kind != VZ_PICKLED_TEXT)
        return vz_fail(u->err, VZ_CORRUPT, "pickle: a name that is no text");
    return push_name(u, module->bytes, name->bytes);
}

static bool op_reduce(vz_unpickler *u)
{
    const vz_pickled *arguments = vz_unpickler_pop(u), *callee = arguments ? vz_unpickler_pop(u) : NULL;
    return callee && vz_unpickler_push(u, vz_pickle_reduce(u, callee, arguments));
}

static bool op_newobj(vz_unpickler *u)
{
    const vz_pickled *arguments = vz_unpickler_pop(u), *class = arguments ? vz_unpickler_pop(u) : NULL;
    return class && vz_unpickler_push(u, vz_pickle_new_object(u, class, arguments));
}

static bool op_build(vz_unpickler *u)
{
    const vz_pickled *state = vz_unpickler_pop(u);
    vz_pickled *target = state ? vz_unpickler_top(u) : NULL;
    return target && vz_pickle_build(u, target, state);
}

/* Frames only tell readers of streams what to fetch. */
static bool op_frame(vz_unpickler *u)
{
    uint64_t size;
    return vz_unpickler_number(u, 8, &size) && (size <= u->in.size - u->at || vz_unpickler_ends(u));
}

const vz_pickle_operation vz_pickle_operations[256] = {
    [0x95] = op_frame,
    ['('] = op_mark,
    ['0'] = op_pop,
    [0x8c] = op_short_binunicode,
    ['X'] = op_binunicode,
    [0x8d] = op_binunicode8,
    ['C'] = op_short_binbytes,
    ['B'] = op_binbytes,
    ['K'] = op_binint1,
    ['M'] = op_binint2,
    ['J'] = op_binint,
    [0x8a] = op_long1,
    ['G'] = op_binfloat,
    ['N'] = op_none,
    [0x88] = op_true,
    [0x89] = op_false,
    [')'] = op_empty_tuple,
    [0x85] = op_tuple1,
    [0x86] = op_tuple2,
    [0x87] = op_tuple3,
    ['t'] = op_tuple,
    [']'] = op_empty_list,
    ['a'] = op_append,
    ['e'] = op_appends,
    ['}'] = op_empty_dict,
    ['s'] = op_setitem,
    ['u'] = op_setitems,
    [0x94] = op_memoize,
    ['q'] = op_binput,
    ['r'] = op_long_binput,
    ['h'] = op_binget,
    ['j'] = op_long_binget,
    ['c'] = op_global,
    [0x93] = op_stack_global,
    ['R'] = op_reduce,
    [0x81] = op_newobj,
    ['b'] = op_build,
};
