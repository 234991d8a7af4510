"""The benchmark measures what it says: rows run, results are compared before a figure counts, what grows too fast is told, and the page
shows what was measured. How fast anything is, no test asks."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from places import PLUGIN_DIR, ROOT

sys.path.insert(0, str(ROOT / "test"))
PROGRAMS = pathlib.Path(PLUGIN_DIR or ROOT).parent / "test" / "bench"
PAGE = ROOT / "docs" / "performance.md"
FIGURES = ROOT / "docs" / "performance"
FIGURES_OF_ONE = {"wall": 1, "cpu": 1, "extra_kib": 1, "file_kib": 0, "seconds": 1}


@pytest.fixture
def settings(monkeypatch):
    """What tools/bench.sh sets."""
    import hdf5plugin

    for name, value in {"VZ_ROOT": ROOT, "VZ_PLUGIN_DIR": PLUGIN_DIR, "VZ_PY_BENCH": sys.executable, "VZ_PY_HDMF": sys.executable,
                        "VZ_BENCH_PROGRAMS": PROGRAMS, "VZ_FILTERS": hdf5plugin.PLUGIN_PATH}.items():
        monkeypatch.setenv(name, str(value))


def run(tmp_path, *patterns, peers=("*",)):
    command = [sys.executable, "-W", "ignore", "-m", "bench", "run", "--size", "tiny", "--directory", str(tmp_path), "--output", str(tmp_path / "out"),
               "--peers", *peers, "--rows", *patterns]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "test")}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "out" / "figures.json").read_text())


def test_rows(settings, tmp_path):
    result = run(tmp_path, "read, blosc, 64 KiB", "append * rows")
    read, append = result["rows"]
    everybody = {"native", "native direct", "native C", "vol", "vol direct", "vol C", "zarr", "zarrs", "tensorstore", "floor", "floor codec"}
    if "LD_PRELOAD" in os.environ:  # a sanitizer, below which libraries of others need not run
        everybody -= {"zarrs", "tensorstore"}
    assert everybody <= set(read["peers"]), read["failed"]
    assert set(append["peers"]) == {"native", "native C", "vol", "vol C", "vol file", "zarr", "floor"}, append["failed"]
    for row in result["rows"]:
        for figures in row["peers"].values():
            assert figures["wall"][0] > 0 and figures["cpu"][0] > 0 and len(figures["extra_kib"]) == result["rounds"]
    table = (tmp_path / "out" / "table.md").read_text()
    assert "| read, blosc, 64 KiB |" in table and "| append 20 rows |" in table
    assert list(tmp_path.iterdir()) == [tmp_path / "out"], "files were left"


def test_floors(settings, tmp_path):
    """Every row has what is possible, but those of a real disk and of changed names; where the floor reads an array, what it read was compared."""
    from bench.rows import rows

    without = [row for row in rows("normal") if "floor" not in row.peers]
    assert [row.title for row in without if row.section != "On a real disk" and row.operation not in ("objects_delete", "objects_rename", "objects_move")] == []
    patterns = ("Shards*write", "Shards*boxes", "zip file*blosc", "H5Dread_multi", "default*64 KiB", "compounds", "AnnData*real", "open, one", "grid")
    result = run(tmp_path, *patterns, peers=("vol*", "floor"))
    assert len(result["rows"]) == 12
    for row in result["rows"]:
        assert "floor" in row["peers"], row["failed"]


def test_forms_of_files(tmp_path):
    """A peer of HDF5's newest form reads a file of that form, and others one of the form that is made unasked."""
    import h5py
    from bench import ops_h5py
    from bench.inputs import file_key
    from bench.peers import PEERS
    from bench.rows import DEFAULTS, rows

    row = next(row for row in rows("tiny") if row.operation == "tree_read")
    made = {}
    for name in "native", "native latest":
        job = {**DEFAULTS, **json.loads(file_key(row, PEERS[name])[2]), "path": str(tmp_path / name)}
        list(ops_h5py.tree_create(job))
        with h5py.File(job["path"]) as file:
            assert len(file) == job["groups"]
        made[name] = pathlib.Path(job["path"]).read_bytes()[8]
    assert made["native"] < made["native latest"], "the superblock's version"
    assert file_key(row, PEERS["native latest"]) == file_key(row, PEERS["native C latest"]) != file_key(row, PEERS["native"])


def test_both_compressed(tmp_path):
    """Of rows with this name HDF5's file has its numbers compressed as the store has them, and the store is that of other rows."""
    import h5py
    from bench import ops_anndata
    from bench.inputs import file_key
    from bench.peers import PEERS
    from bench.rows import rows

    there = {row.name: row for row in rows("tiny") if row.section == "AnnData"}
    assert len([name for name in there if name.endswith(", both compressed")]) == 4
    row, other = (there[f"2,000 random rows, 500 x 2,000 sparse{end}"] for end in (", both compressed", ""))
    assert file_key(row, PEERS["vol anndata"]) == file_key(other, PEERS["vol anndata"])
    assert file_key(row, PEERS["native anndata"]) != file_key(other, PEERS["native anndata"])
    made = {**json.loads(file_key(row, PEERS["native anndata"])[2]), "path": str(tmp_path / "a.h5"), "source": str(tmp_path / "source")}
    list(ops_anndata.cells_write(made))
    with h5py.File(made["path"]) as file:
        names = ("X/data", "X/indices", "obs/n", "obs/_index", "var/gene")
        found = {name: file[name] for name in names}  # texts are a group of anndata's since 0.13
        arrays = {name: one["values"] if isinstance(one, h5py.Group) else one for name, one in found.items()}
        compressed = {name for name, one in arrays.items() if one.id.get_create_plist().get_nfilters()}
        assert compressed == {"X/data", "X/indices", "obs/n"}
        plist = file["X/data"].id.get_create_plist()
        assert plist.get_filter(0)[0] == 32001 and plist.get_filter(0)[2][4:] == (5, 1, 1), "level 5, shuffle, lz4"


def runner(rows, tmp_path):
    from bench.pace import Pace
    from bench.runner import Runner

    return Runner(rows, tmp_path, tmp_path, Pace(rows, rounds=1), ["native", "vol", "zarr"], print)


def test_wrong_results_end_the_run(settings, tmp_path):
    from bench.rows import Row

    row = Row("Section", "name", "rows_append", ("native", "vol", "zarr"), {"count": 1})
    one = runner([row], tmp_path)
    one.once = lambda row, name, check: {**FIGURES_OF_ONE, "digest": 2 if name == "vol" else 1}
    with pytest.raises(SystemExit, match="results differ"):
        one.row(row)


def test_one_of_ours_that_fails_ends_the_run(settings, tmp_path):
    from bench.rows import Row
    from bench.processes import Failed

    def once(row, name, check):
        if name == failing:
            raise Failed("it cannot")
        return {**FIGURES_OF_ONE, "digest": 1}

    row = Row("Section", "name", "rows_append", ("native", "vol", "zarr"), {"count": 1})
    one = runner([row], tmp_path)
    one.once, failing = once, "vol"
    with pytest.raises(SystemExit, match="vol: it cannot"):
        one.row(row)
    failing = "zarr"
    found = one.row(row)
    assert found["failed"] == {"zarr": "it cannot"} and set(found["peers"]) == {"native", "vol"}


def test_what_is_written_is_read_by_somebody_else(settings, tmp_path):
    """A writer that leaves something out is seen."""
    from bench.rows import Row

    row = Row("Section", "append", "rows_append", ("native", "vol"), {"count": 3, "shape": [3, 500]}, check=("array_read",))
    one = runner([row], tmp_path)
    real = one.processes.run

    def shorter(peer, operation, job, options, alone):
        return real(peer, operation, {**job, "count": 2} if peer.connector else job, options, alone)

    one.processes.run = shorter
    with pytest.raises(SystemExit, match="results differ"):
        one.row(row)
    one.processes.close()


def figures(*wall, mib=1):
    return {"wall": list(wall), "cpu": list(wall), "extra_kib": [mib * 1024] * len(wall), "file_kib": [0] * len(wall)}


def test_what_is_missed_is_told():
    from bench import judge

    peers = {"native": figures(1.0), "vol": figures(1.1, mib=99), "zarrs": figures(1.0), "floor": figures(0.5)}
    row = {"section": "Whole arrays", "name": "read, none, 4 MiB", "job": {"chunk": [1024, 1024]}, "peers": peers, "failed": {}}
    result = {"size": "normal", "machine": {"cores": 2}, "rows": [row]}
    name = "Whole arrays: read, none, 4 MiB: vol-zarr"
    behind = [f"{name} 1.10 of {other}, 0.50 is the possible" for other in ("HDF5", "zarr-python on zarrs")]
    assert judge.behind(result) == behind
    assert judge.below_possible(result) == ["Whole arrays: read, none, 4 MiB: 0.45 of the possible, 0.85 are wanted"]
    assert judge.above_memory(result) == [f"{name} 99 MiB beside the result, 32 are allowed"]
    assert judge.goals_missed(result) == [f"{name} 1.10 of HDF5's wall time, 0.40 is the goal, 0.50 is the possible"]
    del peers["floor"]
    assert judge.goals_missed(result) == [f"{name} 1.10 of HDF5's wall time, 0.40 is the goal"], "a row without a floor"
    assert judge.behind(result)[0] == f"{name} 1.10 of HDF5"
    peers["floor"] = figures(0.5)
    peers["vol"] = figures(1.0, 1.1, 1.2, mib=20)
    assert not judge.behind(result) and judge.perhaps_behind(result) == behind
    peers["vol"] = {**figures(1.0, mib=34), "file_kib": [1024]}
    assert judge.above_memory(result) == [f"{name} 33 MiB beside the result, 32 are allowed"], "without the libraries' pages"
    peers["vol"]["file_kib"] = [2048]
    assert not judge.above_memory(result)
    peers["vol"], peers["floor"] = figures(0.38), figures(0.35)
    assert not any(judge.verdicts(result).values())
    del peers["native"]  # of a run without HDF5
    assert not any(judge.verdicts(result).values())


def test_goals_are_of_rows_that_there_are():
    from bench.goals import GOALS
    from bench.rows import rows

    there = {(row.section, row.name): row.peers for row in rows("normal")}
    for section, name, wall, cpu in GOALS:
        assert {*wall, *cpu} <= set(there[section, name])


def test_rounds(monkeypatch):
    """Who takes long has one round at least, others three; what lies apart is taken again while there is time."""
    from bench import pace

    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    row = pace.RowPace(seconds=60)
    row.took = {"vol": 1.0, "native": 1.0, "zarr": 20.0, "zarrs": 20.0}
    peers = {"vol": figures(0.5), "native": figures(0.5), "zarr": figures(19.0), "zarrs": figures(19.0)}
    assert row.turn(peers) == list(peers)
    now[0] = 55.0
    assert row.turn(peers) == ["vol", "native"], "no time for those who take long"
    now[0] = 70.0
    assert row.turn(peers) == ["vol", "native"], "three rounds, whatever the time"
    peers.update(vol=figures(0.5, 0.5, 0.5), native=figures(0.5, 0.5, 1.0))
    assert row.turn(peers) == []
    now[0] = 30.0
    peers.update(zarr=figures(19.0, 19.0, 19.0), zarrs=figures(19.0, 19.0, 19.0))
    assert row.turn(peers) == ["vol", "native"], "the figures lie apart"
    peers["native"] = figures(0.5, 0.5, 0.5)
    assert row.turn(peers) == []


def test_minutes_are_shared(monkeypatch):
    """What rows took at the last run says how much of the time each may take; once more, all that is left."""
    from bench import pace
    from bench.rows import Row

    monkeypatch.setattr(pace.time, "monotonic", lambda: 0.0)
    monkeypatch.setattr(pace, "costs_of_last_run", lambda size: {"s: a": 1.0, "s: b": 3.0})
    rows = [Row("s", name, "rows_append", ("native",)) for name in "ab"]
    shared = pace.Pace(rows, "normal", minutes=2)
    assert [shared.row(row).end for row in (*rows, rows[0])] == [30.0, 120.0, 120.0]


def test_growth_is_told():
    from bench import growth

    def points(power):
        return [[10**k, {"cpu": 1e-5 * 10 ** (k * power), "extra_kib": 4000}] for k in range(3, 7)]

    result = {"series": {"chunks": {"native C": {"write": points(1), "read": points(1)}, "vol C": {"write": points(2), "read": points(1)}}}}
    assert growth.worse(result) == ["chunks, write: time grows with the power 2.00"]


def test_charts_know_all_peers():
    from bench import charts, report
    from bench.peers import OURS, PEERS

    assert set(charts.MARKS) == set(OURS)
    assert set(charts.OTHERS) == set(filter(report.is_other, PEERS))


def test_page_shows_the_figures():
    """Tables and charts of docs/performance.md are those of the figures beside it."""
    from bench import charts, publish, report

    result, grown, newest = map(publish.stored, ("figures.json", "growth.json", "newest.json"))
    text = PAGE.read_text()
    assert publish.page(text, result, grown, newest) == text, "make bench-publish"
    drawn = {path.name: path.read_text() for path in FIGURES.glob("*.svg") if path.name != publish.CLOUD_CHART}
    assert set(drawn) == {*report.names(result), charts.OVERVIEW} if result else not drawn
    assert set(charts.OVERVIEW_ROWS) <= {(row["section"], row["name"]) for row in result["rows"]}, "rows of README's chart"
    for name, svg in drawn.items():
        assert f"figures {charts.stamp(result)}" in svg, f"{name} is of other figures: make bench-publish"


# The rows of README's table of kinds of stores: section, row that is read, row that is written.
README_ROWS = {"directory": ("Whole arrays", "read, none, 1 MiB", "write, none, 1 MiB"), "zip file": ("In a zip file", "read, none, 1 MiB", "write, none, 1 MiB"),
               "directory with shards (read and write: zstd)": ("Shards of 16 MiB, zstd", "read", "write")}


def test_readme_shows_the_figures():
    """Its times are those of docs/performance.md."""
    from bench import publish, report

    rows = {(row["section"], row["name"]): row for row in publish.stored("figures.json")["rows"]}
    text = (ROOT / "README.md").read_text()
    for kind, (section, *names) in README_ROWS.items():
        (line,) = (line for line in text.splitlines() if line.startswith(f"| {kind} |") and line.count("|") == 6)
        assert line.split("|")[4:6] == [f" {report.ratio(rows[section, name], 'vol'):.2f} " for name in names], kind


def test_page_of_the_cloud_shows_the_figures():
    from bench import charts, publish

    result, text = publish.stored("cloud.json"), publish.CLOUD_PAGE.read_text()
    assert result and publish.cloud_page(text, result) == text, "make bench-publish"
    assert f"figures {charts.stamp(result)}" in (FIGURES / publish.CLOUD_CHART).read_text(), "the chart is of other figures: make bench-publish"
