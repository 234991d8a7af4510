"""yyjson reads what Python's json writes of a lone surrogate."""
import json

from told import told
from yyjson_json import again

told(again(json.dumps("\ud800")) is not None)
