"""The functions of the connector that calls come from. Unlike the number of a call they stay the same when something else changes."""

import re
import subprocess

# Files of base/os whose functions make one call for others.
PASSES_ON = re.compile(r"/base/os/(?:\w+_(?:calls|linux|posix|elf)|file_lock|file_system)\.c:")


class Sites:
    def __init__(self, module):
        self.module, self.names = str(module), {}

    def look_up(self, offsets):
        new = sorted(set(offsets) - set(self.names))
        if new:
            command = ["addr2line", "-f", "-e", self.module]
            lines = subprocess.run(command, input="".join(f"{at:#x}\n" for at in new), stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
            for at, name, place in zip(new, lines[::2], lines[1::2]):
                self.names[at] = name.partition(".")[0], bool(PASSES_ON.search(place))

    def functions(self, offsets):
        """The innermost function at each offset in the module."""
        self.look_up(offsets)
        return [self.names[at][0] for at in offsets]

    def askers(self, ways):
        """Of each way, the innermost offset first, the first one whose function does not pass a call of another one on."""
        self.look_up([at for way in ways for at in way if at])
        return [next((at for at in way if at and not self.names[at][1]), way[0]) for way in ways]
