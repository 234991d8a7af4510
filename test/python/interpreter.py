"""A second Python interpreter that runs functions of the tests under other environment variables.

HDF5 reads HDF5_VOL_CONNECTOR when h5py is imported, so a test that needs it runs elsewhere. One interpreter serves many
tests (starting one costs a second); when it dies, the test that killed it fails and the next one gets a new interpreter.
"""

import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


class Failed(Exception):
    """What a function raised in the other interpreter, as text."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Died(Exception):
    """The interpreter ended without an answer: its exit status and the end of what it said."""


class Interpreter:
    def __init__(self, environment, first_import=None):
        self.environment = environment
        self.first_import = first_import
        self.process = None

    def start(self):
        to_child, self.requests = os.pipe()
        self.answers, from_child = os.pipe()
        self.said = tempfile.TemporaryFile()
        code = f"import sys; sys.path.insert(0, {str(HERE)!r}); import interpreter; interpreter.serve({to_child}, {from_child})"
        if self.first_import:
            code = f"{self.first_import}; {code}"
        self.process = subprocess.Popen([sys.executable, "-c", code], env=self.environment, stdout=self.said,
                                        stderr=self.said, pass_fds=(to_child, from_child))
        os.close(to_child)
        os.close(from_child)

    def run(self, function, *arguments):
        """function(*arguments) in the other interpreter; function is a top-level one of a module beside this file."""
        if self.process is None:
            self.start()
        try:
            send(self.requests, (function.__module__, function.__qualname__, arguments))
            worked, answer = receive(self.answers)
        except (EOFError, BrokenPipeError):
            raise Died(self.bury()) from None
        if worked:
            return answer
        raise Failed(*answer)

    def bury(self):
        status = self.process.wait()
        self.process = None
        os.close(self.requests)
        os.close(self.answers)
        self.said.seek(0)
        return f"exit status {status}\n" + self.said.read().decode(errors="replace")[-4000:]

    def stop(self):
        """Ends the interpreter as a program ends; an exit status that is not 0 is an error."""
        if self.process is None:
            return
        os.close(self.requests)
        self.requests = os.open(os.devnull, os.O_WRONLY)
        last_words = self.bury()
        if not last_words.startswith("exit status 0\n"):
            raise Died(last_words)


class WithOptions:
    """An interpreter as if the connector had these options ("format=3;shards=64K"), so that one does for many."""

    def __init__(self, interpreter, options):
        self.interpreter = interpreter
        self.variables = {f"VOL_ZARR_{key.upper()}": value for key, _, value in (option.partition("=") for option in options.split(";") if option)}

    def run(self, function, *arguments):
        return self.interpreter.run(run_with, self.variables, function, *arguments)


def run_with(variables, function, *arguments):
    os.environ.update(variables)
    try:
        return function(*arguments)
    finally:
        for name in variables:
            del os.environ[name]


def send(to, message):
    data = pickle.dumps(message)
    with os.fdopen(os.dup(to), "wb") as stream:
        stream.write(struct.pack("<q", len(data)) + data)


def receive(source):
    with os.fdopen(os.dup(source), "rb", buffering=0) as stream:
        head = read_exactly(stream, 8)
        return pickle.loads(read_exactly(stream, struct.unpack("<q", head)[0]))


def read_exactly(stream, size):
    data = b""
    while len(data) < size:
        piece = stream.read(size - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def find(module, name):
    target = __import__(module)
    for part in name.split("."):
        target = getattr(target, part)
    return target


def answer_to(module, name, arguments):
    import traceback

    try:
        return True, find(module, name)(*arguments)
    except BaseException as error:
        return False, (type(error).__name__, traceback.format_exc())


def serve(requests, answers):
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        send(answers, answer_to(*request))


def run_once(environment, function, *arguments, preexec=None, timeout=120):
    """function(*arguments) in an interpreter of its own that then ends: (exit status, what it printed)."""
    code = ("import sys, pickle; sys.path.insert(0, sys.argv[1]); import interpreter; "
            "interpreter.find(*sys.argv[2:4])(*pickle.loads(bytes.fromhex(sys.argv[4])))")
    command = [sys.executable, "-c", code, str(HERE), function.__module__, function.__qualname__,
               pickle.dumps(arguments).hex()]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout,
                            preexec_fn=preexec)
    return result.returncode, result.stdout + result.stderr
