"""Azurite, which answers as Azure's storage does; requests to it signed here, by Python's hmac; and what other programs say of a store in it:
zarr-python over obstore."""

import base64
import datetime
import hashlib
import hmac
import http.client
import os
import subprocess
import xml.etree.ElementTree
from email.utils import formatdate
from urllib.parse import parse_qsl, quote, urlencode

from servers import free_port, wait_for

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # in Azure's documentation of emulators
VERSION = "2021-12-02"


def signature(text):
    return base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()


class Azurite:
    def __init__(self, where):
        self.address = f"127.0.0.1:{free_port()}"
        self.url = f"http://{self.address}"
        self.said = open(where / "azurite.log", "wb")
        self.process = subprocess.Popen([os.environ["VZ_AZURITE"], "--blobPort", self.address.rpartition(":")[2], "--inMemoryPersistence",
                                         "--disableTelemetry", "--silent"], stdout=self.said, stderr=self.said, cwd=where)
        wait_for(self, f"/{ACCOUNT}?comp=list", (200, 403), where / "azurite.log")

    def ask(self, method, path, query="", body=b"", expect=(200, 201, 202), **headers):
        """path: of the account, not encoded. Headers have _ for -."""
        path = f"/{ACCOUNT}" + quote(path)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"x-ms-date": formatdate(usegmt=True), "x-ms-version": VERSION}
        own = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
        asked = "".join(f"\n{name}:{value}" for name, value in sorted(parse_qsl(query, keep_blank_values=True)))
        text = f"{method}\n\n\n{len(body) or ''}\n" + "\n" * 8 + f"{own}/{ACCOUNT}{path}{asked}"
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path + ("?" + query if query else ""), body=body if method == "PUT" else None,
                           headers=headers | {"Authorization": f"SharedKey {ACCOUNT}:{signature(text)}"})
        answer = connection.getresponse()
        value = answer.read()
        connection.close()
        assert answer.status in expect, (method, path, answer.status, value)
        return answer, value

    def make_container(self, name, public=False):
        more = {"x_ms_blob_public_access": "blob"} if public else {}
        self.ask("PUT", "/" + name, "restype=container", **more)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.said.close()


def sas(container, permissions, hours=1):
    """A SAS of one container, as Azure's documentation says that it is signed."""
    expires = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
    signed = [permissions, "", expires, f"/blob/{ACCOUNT}/{container}", "", "", "", VERSION, "c", "", "", "", "", "", "", ""]
    return urlencode({"sp": permissions, "se": expires, "sv": VERSION, "sr": "c", "sig": signature("\n".join(signed))})


def split(url):
    container, _, key = url.removeprefix("az://").partition("/")
    return container, key


class AzureJudge:
    """As judge.Judge."""

    def __init__(self, server):
        self.server = server

    def group(self, url, mode="r", **more):
        import zarr
        from obstore.store import AzureStore
        from zarr.storage import ObjectStore

        container, key = split(url)
        store = AzureStore(container, prefix=key, account_name=ACCOUNT, account_key=KEY, endpoint=f"{self.server.url}/{ACCOUNT}",
                           client_options={"allow_http": True})
        return zarr.open_group(ObjectStore(store, read_only=mode == "r"), mode=mode, **more)

    def keys(self, url):
        container, prefix = split(url)
        found, marker = {}, ""
        while marker is not None:
            query = urlencode({"comp": "list", "marker": marker, "prefix": prefix + "/", "restype": "container"}, quote_via=quote)
            page = xml.etree.ElementTree.fromstring(self.server.ask("GET", "/" + container, query)[1].decode("utf-8-sig"))
            found |= {each.findtext("Name")[len(prefix) + 1:]: each.findtext("Properties/Etag") for each in page.iter("Blob")}
            marker = page.findtext("NextMarker") or None
        return found

    def get(self, url, key):
        return self.server.ask("GET", f"/{'/'.join(split(url))}/{key}")[1]

    def put(self, url, key, value):
        self.server.ask("PUT", f"/{'/'.join(split(url))}" + (f"/{key}" if key else ""), body=value, x_ms_blob_type="BlockBlob")

    def delete(self, url, key):
        self.server.ask("DELETE", f"/{'/'.join(split(url))}/{key}")
