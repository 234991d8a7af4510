"""Whose requests they are, as a real server sees it: MinIO checks signatures, session tokens, and what STS is asked for."""

import json
import os
import subprocess
import sys
import uuid

import pytest

from places import COMMAND
from servers import ACCESS, REGION, SECRET

WRITE_AND_READ = """
import sys, h5py
with h5py.File(sys.argv[1], "w") as f:
    f["year=2026/month:11/ä ü+%41/x"] = [1, 2, 3]
with h5py.File(sys.argv[1]) as f:
    print(f["year=2026/month:11/ä ü+%41/x"][:].tolist())
"""


@pytest.fixture
def run(minio, bucket, tmp_path):
    """run(config, **environment): a program with such files and variables writes and reads a store; what it printed, or why it failed."""
    (tmp_path / ".aws").mkdir()

    def run(config="", **environment):
        (tmp_path / ".aws" / "config").write_text(config)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        inherited |= {"HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": minio.url, "HDF5_VOL_CONNECTOR": "zarr"}
        name = f"s3://{bucket}/credentials/{uuid.uuid4().hex}.zarr"
        done = subprocess.run([sys.executable, "-c", WRITE_AND_READ, name], env=inherited | environment, capture_output=True, text=True, timeout=120)
        assert SECRET not in done.stdout + done.stderr
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    return run


KEYS = f"aws_access_key_id={ACCESS}\naws_secret_access_key={SECRET}\nregion={REGION}\n"
PROCESS = json.dumps({"Version": 1, "AccessKeyId": ACCESS, "SecretAccessKey": SECRET})


@pytest.mark.parametrize("config, environment", [
    ("", {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET}),
    ("[default]\n" + KEYS, {}),
    ("[profile lab]\n" + KEYS, {"AWS_PROFILE": "lab"}),
    ("[profile lab]\n" + KEYS, {"VOL_ZARR_PROFILE": "lab", "AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "keys"}),
    (f"[default]\ncredential_process=echo '{PROCESS}'\n", {}),
    ("[default]\nrole_arn=arn:aws:iam::123456789012:role/x\nsource_profile=base\n[profile base]\n" + KEYS, {}),
], ids=["environment", "default", "profile", "option", "process", "role"])
def test_sources(run, config, environment):
    assert run(config, **environment) == "[1, 2, 3]"


@pytest.mark.parametrize("config, environment, message", [
    ("", {}, 'AccessDenied: Access Denied.; no credentials were found: not in AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE, in profile "default" of'
             ' ~/.aws/credentials and ~/.aws/config'),
    ("", {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": "wrong"}, "SignatureDoesNotMatch"),
    ("", {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": SECRET}, "InvalidAccessKeyId"),
    ("[default]\n" + KEYS, {"VOL_ZARR_ANONYMOUS": "1"}, "AccessDenied"),
    ("", {"AWS_PROFILE": "gone"}, 'there is no profile "gone" (AWS_PROFILE)'),
    (f"[default]\naws_secret_access_key={SECRET}\n", {}, "profile default has no aws_access_key_id"),
    (f"[default]\n{SECRET}\n", {}, ".aws/config: line 2 is no setting"),
    ("[default]\ncredential_process=false\n", {}, "credential_process: it ended with status 1"),
    ("[default]\nrole_arn=arn:x\nsource_profile=base\n[profile base]\naws_access_key_id=nobody\naws_secret_access_key=x\n", {},
     "STS, for the role arn:x: refused, AccessDenied (403)"),
], ids=["nothing", "wrong secret", "nobody", "anonymous", "no profile", "half a key", "broken file", "process", "role"])
def test_refusals(run, config, environment, message):
    """Each says what is wrong, and none repeats a secret."""
    assert message in run(config, **environment)


def test_doorway(client, minio, bucket, tmp_path):
    """A file that names a store far away: without a word of the user's nothing is asked with his credentials."""
    door = tmp_path / "door.h5"
    name = f"s3://{bucket}/door/{uuid.uuid4().hex}.zarr"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")} | {
        "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true", "HOME": str(tmp_path),
        "AWS_ENDPOINT_URL": minio.url}

    def run(*command, **more):
        return subprocess.run(command, env=environment | more, capture_output=True, text=True, timeout=120)

    def read(**more):
        return run(sys.executable, "-c", f"import h5py; print(h5py.File({str(door)!r})['x'][()])", **more)

    assert run(sys.executable, "-c", f"import h5py; h5py.File({name!r}, 'w')['x'] = 17", HDF5_VOL_CONNECTOR="zarr").returncode == 0
    made = run(COMMAND, "door", name, door)
    assert made.returncode == 0, made.stderr

    assert "17" not in read().stdout  # nor is a server of this machine asked
    assert read(VOL_ZARR_DOORWAYS="anywhere").stdout == "17\n"
    client.put_bucket_policy(Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{bucket}/door/*"]}]}))
    assert "doorways=anywhere" in read().stderr  # whoever may read it
    assert read(VOL_ZARR_DOORWAYS="anywhere", VOL_ZARR_ANONYMOUS="1").stdout == "17\n"
    if os.geteuid() == 0:
        os.chown(door, 12345, -1)
        assert "17" not in read().stdout  # nor is a server asked, because somebody else says so
        assert read(VOL_ZARR_DOORWAYS="anywhere").stdout == "17\n"
    # a server that the user did not name gets no credentials, though he allows doorways
    text = door.read_bytes()
    door.write_bytes(text.replace(b"}", b', "options": "endpoint=' + minio.url.replace("127.0.0.1", "localhost").encode() + b'"}'))
    client.delete_bucket_policy(Bucket=bucket)
    assert "17" not in read(VOL_ZARR_DOORWAYS="anywhere").stdout
    assert read(VOL_ZARR_DOORWAYS="anywhere", AWS_ENDPOINT_URL=minio.url.replace("127.0.0.1", "localhost")).stdout == "17\n"
    # the store behind it is not made anew through it
    assert run(sys.executable, "-c", f"import h5py; h5py.File({str(door)!r}, 'w')", HDF5_VOL_CONNECTOR="zarr", VOL_ZARR_DOORWAYS="anywhere").returncode != 0
    assert run(sys.executable, "-c", f"import h5py; print(h5py.File({name!r})['x'][()])").stdout == "17\n"
