"""One process for each figure: a C program is started; of Python each peer has a process that has imported its modules and done nothing
else, and a figure is a process forked from that one."""

import json
import os
import subprocess
import tempfile
import time

from .child import SECONDS_MAX
from .peers import c_arguments, environment

PROGRAMS = ("work", "floor")


class Failed(Exception):
    pass


def last_line(text, otherwise):
    return (text.strip() or otherwise).splitlines()[-1][:200]


def run_alone(command, variables):
    """The figures of a process that is started anew."""
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise Failed(f"not finished after {SECONDS_MAX} s") from None
    if done.returncode != 0:
        raise Failed(last_line(done.stderr, f"status {done.returncode}"))
    return json.loads(done.stdout.strip().splitlines()[-1])


def timed(run, *arguments):
    began = time.monotonic()
    return {**run(*arguments), "seconds": time.monotonic() - began}


def child_command(peer, *arguments):
    return [os.environ[peer.python], "-W", "ignore", "-m", "bench.child", *arguments]


class Server:
    def __init__(self, peer, variables):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(child_command(peer, "--serve", json.dumps({**peer.job, "module": peer.module})), env=variables,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            self.close()
            self.errors.seek(0)
            raise Failed(last_line(self.errors.read(), "it ended"))
        return line

    def ask(self, job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        found = json.loads(self.answer())
        if "failed" in found:
            raise Failed(found["failed"])
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Processes:
    def __init__(self):
        self.servers = {}

    def run(self, peer, operation, job, options, alone=False):
        """The figures of one process, and the seconds that it took altogether; alone: it is started, not forked."""
        variables = environment(peer, options)
        if peer.module in PROGRAMS:
            program = os.path.join(os.environ["VZ_BENCH_PROGRAMS"], f"bench_{peer.module}")
            return timed(run_alone, [program, operation, *c_arguments(job)], variables)
        job = {**job, "module": peer.module, "operation": operation}
        if alone:
            return timed(run_alone, child_command(peer, json.dumps(job)), variables)
        key = (peer.title, peer.module, peer.connector, options)
        if key not in self.servers:
            self.servers[key] = Server(peer, variables)
        try:
            return timed(self.servers[key].ask, job)
        except Failed:
            if self.servers[key].process.poll() is not None:
                del self.servers[key]
            raise

    def close(self):
        for server in self.servers.values():
            server.close()
        self.servers.clear()
