"""Other programs that read zip files, as far as they are here: {name: function that tells whether it read all of one}."""

import shutil
import subprocess
import zipfile


def by_zipfile(path):
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except (zipfile.BadZipFile, OSError, EOFError):
        return False


def is_empty(path):
    """Which some of them take for an error."""
    try:
        with zipfile.ZipFile(path) as archive:
            return not archive.namelist()
    except (zipfile.BadZipFile, OSError, EOFError):
        return False


def by_command(*command):
    """unzip's status 1 is a warning, of bytes that no entry has."""
    def read(path):
        return is_empty(path) or subprocess.run([*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                check=False).returncode in ((0, 1) if command[0] == "unzip" else (0,))
    return read


def by_tensorstore(path):
    import tensorstore

    try:
        return bool(tensorstore.KvStore.open({"driver": "zip", "base": f"file://{path}"}).result().list().result()) or is_empty(path)
    except ValueError:
        return False


READERS = {"zipfile": by_zipfile}
READERS.update({words[0]: by_command(*words) for words in (("unzip", "-tqq"), ("bsdtar", "-xOf"), ("7z", "t")) if shutil.which(words[0])})
try:
    import tensorstore  # noqa: F401

    READERS["tensorstore"] = by_tensorstore
except ImportError:
    pass
