"""The place of a key in a table of uthash cannot be known before the process runs, so that nobody can store keys that collide."""
import pathlib
import re
import shutil
import subprocess
import sys

from told import told

header = pathlib.Path("/usr/include/uthash.h")
if not header.exists() or not shutil.which("gcc"):
    print("not here")
    sys.exit()
print("version", re.search(r"#define UTHASH_VERSION (\S+)", header.read_text())[1])
pathlib.Path("place.c").write_text("""#include <stdio.h>
#include <uthash.h>
int main(void)
{
    unsigned hash = 0;
    HASH_VALUE("temperature", 11, hash);
    printf("%u\\n", hash);
}
""")
subprocess.run(["gcc", "-o", "place", "place.c"], check=True)
seen = {subprocess.run(["./place"], capture_output=True, text=True, check=True).stdout for _ in range(5)}
print(seen)
told(len(seen) > 1)
