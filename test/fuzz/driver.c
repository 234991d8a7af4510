/* driver.c - runs a target where the compiler has no fuzzer of its own: seeds, altered in the ways that break readers,
 * for so many seconds. Without a look at what the program does with them, so it finds less.
 *
 *   TARGET -max_total_time=SECONDS [-seed=NUMBER] FILE-OR-DIRECTORY ...
 *
 * The input being tried is in ./crash-input when the program dies. */
#include "fuzz.h"

#include <dirent.h>
#include <time.h>

#define INPUTS_MAX 4096
#define GROWTH_MAX 64 /* bytes that one change adds */

static struct input {
    uint8_t *data;
    size_t size;
} inputs[INPUTS_MAX];
static size_t input_count;
static uint64_t random_state = 1;

static uint64_t next_random(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return below ? random_state % below : 0;
}

static void add_file(const char *path)
{
    FILE *file = input_count < INPUTS_MAX ? fopen(path, "rb") : NULL;
    if (!file)
        return;
    struct input *in = &inputs[input_count];
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0) {
        in->size = (size_t)ftell(file);
        in->data = malloc(in->size + 1);
        rewind(file);
        if (in->data && fread(in->data, 1, in->size, file) == in->size)
            input_count++;
    }
    fclose(file);
}

static void add(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory) {
        add_file(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char name[4096];
        const int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length > 0 && (size_t)length < sizeof name)
            add_file(name);
    }
    closedir(directory);
}

/* One change; `data` has room for GROWTH_MAX bytes more. */
static size_t change(uint8_t *data, size_t size)
{
    static const uint32_t telling[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    const size_t at = (size_t)next_random(size), length = (size_t)next_random(GROWTH_MAX) % (size - at + 1);
    const struct input *other = &inputs[next_random(input_count)];
    switch (next_random(7)) {
    case 0:
        if (size)
            data[at] ^= (uint8_t)(1u << next_random(8));
        return size;
    case 1:
        if (size)
            data[at] = (uint8_t)next_random(256);
        return size;
    case 2: /* cut out */
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 3: /* twice */
        memmove(data + at + length, data + at, size - at);
        return size + length;
    case 4: /* cut off */
        return at;
    case 5:
        if (size - at >= 4)
            vz_bytes_store_le32(data + at, telling[next_random(sizeof telling / sizeof *telling)]);
        return size;
    default: /* a piece of another input */
        if (other->size > length)
            memcpy(data + at, other->data + next_random(other->size - length), length);
        return size;
    }
}

static void keep(const uint8_t *data, size_t size)
{
    FILE *file = fopen("crash-input", "wb");
    if (file) {
        fwrite(data, 1, size, file);
        fclose(file);
    }
}

static void run_one(const struct input *from)
{
    enum { CHANGES_MAX = 6 };
    uint8_t *data = malloc(from->size + CHANGES_MAX * GROWTH_MAX + 1);
    size_t size = from->size;
    if (!data)
        return;
    memcpy(data, from->data, size);
    for (uint64_t changes = next_random(CHANGES_MAX); changes > 0; changes--)
        size = change(data, size);
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
        keep(exact, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
}

int main(int argc, char **argv)
{
    long seconds = 10;
    unsigned long runs = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-max_total_time=", 16) == 0)
            seconds = strtol(argv[i] + 16, NULL, 10);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            random_state = strtoull(argv[i] + 6, NULL, 10) * 2 + 1;
        else if (argv[i][0] != '-')
            add(argv[i]);
    }
    if (input_count == 0) {
        fprintf(stderr, "%s: no inputs\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < input_count; i++)
        LLVMFuzzerTestOneInput(inputs[i].data, inputs[i].size);
    for (const time_t end = time(NULL) + seconds; time(NULL) < end; runs++)
        run_one(&inputs[next_random(input_count)]);
    remove("crash-input");
    printf("%lu runs\n", runs);
    for (size_t i = 0; i < input_count; i++)
        free(inputs[i].data);
    return 0;
}
