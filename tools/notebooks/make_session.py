"""make_session.py FILE: an NWB file of a session that never was: 4 units that answer a cue, in 60 trials."""

import datetime
import sys

import numpy as np
import pynwb


def main():
    rng = np.random.default_rng(2026)
    start = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)
    nwb = pynwb.NWBFile(session_description="made up", identifier="made up", session_start_time=start)
    nwb.add_trial_column("cue_start_time", "of the tone")
    nwb.add_trial_column("response", "of the animal")
    cues = np.arange(60) * 6.0 + 3
    for cue in cues:
        nwb.add_trial(start_time=cue - 3, stop_time=cue + 3, cue_start_time=cue, response="correct")
    for unit in range(4):
        rest = rng.uniform(0, 360, 360 * (2 + unit))
        answers = np.concatenate([cue + rng.normal(0.3 + 0.2 * unit, 0.1, rng.poisson(5)) for cue in cues])
        nwb.add_unit(spike_times=np.sort(np.concatenate([rest, answers])), id=unit)
    with pynwb.NWBHDF5IO(sys.argv[1], "w") as io:
        io.write(nwb)


if __name__ == "__main__":
    main()
