/* fuzz_header.c - files that begin as one-file stores and doorways: found, and where a doorway leads is below its own
 * directory. The first byte chooses what stands before the rest: nothing, a doorway's header, a store's; and a user
 * block before that. */
#include "fuzz.h"
#include "remote/bucket/bucket.h"
#include "store/store/kind.h"

#include <sys/stat.h>
#include <unistd.h>

static char directory[64], path[96];

/* A store, a link out, and a doorway for names to lead to. */
static void make_directory(void)
{
    vz_store_set_kinds(vz_bucket_all_kinds);
    char name[128];
    vz_error err = VZ_ERROR_NONE;
    snprintf(directory, sizeof directory, P_tmpdir "/vz_fuzz_header_XXXXXX");
    FUZZ_REQUIRE(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/d", directory);
    snprintf(name, sizeof name, "%s/s", directory);
    FUZZ_REQUIRE(mkdir(name, 0777) == 0);
    snprintf(name, sizeof name, "%s/away", directory);
    FUZZ_REQUIRE(symlink("/etc", name) == 0);
    snprintf(name, sizeof name, "%s/door", directory);
    FUZZ_REQUIRE(vz_redirect_write(name, "s", &err));
}

static void write_file(const uint8_t *data, size_t size)
{
    uint8_t block[VZ_SIGNATURE_BLOCK_SIZE] = {0};
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file);
    const unsigned choice = size ? data[0] : 0;
    if (choice & 4)
        FUZZ_REQUIRE(fwrite(block, 1, VZ_SIGNATURE_USER_BLOCK, file) == VZ_SIGNATURE_USER_BLOCK);
    if (choice & 3) {
        const vz_bytes start = vz_signature_print(choice & 1 ? VZ_SIGNATURE_REDIRECT : VZ_SIGNATURE_STORE, block);
        FUZZ_REQUIRE(fwrite(start.data, 1, start.size, file) == start.size);
    }
    if (size > 1)
        FUZZ_REQUIRE(fwrite(data + 1, 1, size - 1, file) == size - 1);
    FUZZ_REQUIRE(fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*directory)
        make_directory();
    write_file(data, size);
    vz_error err = VZ_ERROR_NONE;
    vz_location location;
    fuzz_check_error(vz_location_find(path, &location, &err), &err);
    FUZZ_REQUIRE((location.type == VZ_PATH_TYPE_REDIRECT) <= (location.why.class != VZ_OK && location.why.text[0]));
    if (location.redirect && vz_location_is_elsewhere(&location)) { /* nobody is asked for what is there */
        FUZZ_REQUIRE(strstr(location.path, "://"));
    } else if (location.redirect && location.type != VZ_PATH_TYPE_REDIRECT) {
        const size_t length = strlen(directory);
        FUZZ_REQUIRE(strncmp(location.path, directory, length) == 0 && location.path[length] == '/');
        FUZZ_REQUIRE(location.type == VZ_PATH_TYPE_STORE || location.type == VZ_PATH_TYPE_NONE);
    }
    vz_location_clear(&location);
    return 0;
}
