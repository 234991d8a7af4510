"""jansson reads an integer beyond 64 bits."""
from jansson_json import again
from told import told

told(again(str(2**64)) is not None)
