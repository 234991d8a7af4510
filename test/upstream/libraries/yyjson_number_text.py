"""yyjson prints a number again as it was, where it is told to keep the text."""
from told import told
from yyjson_json import again

texts = [str(2**64), "0.1", "1e-7", "1E5", "-0", "NaN"]
for text in texts:
    print(text, again(text), again(text, raw=False))
told(all(again(text) == text for text in texts))
