"""jansson prints a number again as it was, and reads NaN, which Zarr documents have."""
from jansson_json import again
from told import told

texts = ["0.1", "1e-7", "1E5", "-0", "NaN"]
for text in texts:
    print(text, again(text))
told(all(again(text) == text for text in texts))
