"""jansson reads what Python's json writes of a lone surrogate."""
import json

from jansson_json import again
from told import told

told(again(json.dumps("\ud800")) is not None)
