"""What each program does with stores that are zip files, and with stores in a bucket: the table `places` of docs/programs.md.

The bucket is one of MinIO (test/cloud/servers.py), whose address and keys stand in the variables that users set. Programs are those of
programs.py, and so are the judges: zarr-python and h5py.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import programs
from interpreter import Interpreter

HERE = pathlib.Path(__file__).parent
COLUMNS = ["zip file", "bucket"]
BUCKET = "programs"
READS = ["open", "list", "read"]


def programs_here():
    """Those that can make a store of their own, or change one."""
    return [program for program in programs.PROGRAMS if program.table in ("hdf5", "zarr") and program.here()]


class Trial(programs.Trial):
    def tried(self, program, path):
        """netCDF-C opens a zip file only where it has made a file before, so a process of its own asks."""
        if "netCDF4" not in program.needs:
            return super().tried(program, path)
        shared, self.user = self.user, Interpreter(self.user.environment)
        try:
            return super().tried(program, path)
        finally:
            self.user.stop()
            self.user = shared

    def stored(self, program, path):
        """An environment without s3fs asks the one that has it."""
        if "://" not in path or importable("s3fs"):
            return super().stored(program, path)
        code = f"import json, programs; print(json.dumps(programs.stored({program.__name__!r}, {path!r})))"
        return json.loads(subprocess.check_output([os.environ["VZ_PY"], "-W", "ignore", "-c", code], cwd=HERE, env=self.user.environment, timeout=120))


def importable(module):
    import importlib.util

    return importlib.util.find_spec(module) is not None


@contextlib.contextmanager
def trial():
    """Programs, and a server with a bucket if MinIO is here."""
    with tempfile.TemporaryDirectory() as directory, server(pathlib.Path(directory)) as variables:
        user, creator = programs.interpreters(VZ_PROGRAMS_SCRATCH=directory, **variables)
        yield Trial(directory, user, creator, programs.convert)
        user.stop()
        creator.stop()


@contextlib.contextmanager
def server(directory):
    """The variables that tell of it; none without MinIO."""
    if not os.environ.get("VZ_MINIO"):
        yield {}
        return
    sys.path.insert(0, str(HERE.parent / "cloud"))
    from servers import ACCESS, REGION, SECRET, Minio

    minio = Minio(directory)
    (directory / "drive" / BUCKET).mkdir()  # which makes a bucket
    try:
        yield {"AWS_ENDPOINT_URL_S3": minio.url, "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
               "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent"}
    finally:
        minio.stop()


def place(trial, program, column):
    return str(trial.directory / f"{program.__name__}.zarr.zip") if column == "zip file" else f"s3://{BUCKET}/{program.__name__}.zarr"


def has_bucket(trial):
    return "AWS_ENDPOINT_URL_S3" in trial.user.environment


def cells(trial, program):
    """{column: "read and write", "read", "write" or "-"}; without a server there is no bucket."""
    found = {}
    for column in COLUMNS if has_bucket(trial) else COLUMNS[:1]:
        path = place(trial, program, column)
        answers = trial.of_hdf5(program, path) if program.table == "hdf5" else trial.of_zarr(program, path)
        trial.why.update({(program.name, action, column): answer for action, answer in answers.items() if answer is not True})
        found[column] = does(answers)
    return found


def does(answers):
    reads = all(answers[action] is True for action in READS if action in answers)
    return " and ".join(word for word, it_does in (("read", reads), ("write", answers.get("write") is True)) if it_does) or "-"


def rows():
    return programs.table_of(programs.PAGE.read_text(), "places", COLUMNS)


def put(found):
    programs.put_table("places", COLUMNS, [p for p in programs.PROGRAMS if p.table in ("hdf5", "zarr")], {name: row for name, row in found.items() if len(row) == len(COLUMNS)})
