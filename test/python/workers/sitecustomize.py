"""Where this directory is on PYTHONPATH, each Python that starts has what the wheel gives it, workers too: the package of this checkout, and
its .pth file."""

import pathlib
import site

site.addsitedir(str(pathlib.Path(__file__).parents[3] / "python"))
