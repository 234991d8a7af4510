"""check_sbom.py FILE...: are these CycloneDX documents valid (judged by cyclonedx-python-lib), and complete: a component without version,
licence, source and checksum is an error."""

import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def lacks(component):
    references = component.get("externalReferences", [])
    hashes = [digest for each in references for digest in each.get("hashes", [])]
    return [what for what, there in {"version": component.get("version"), "licence": component.get("licenses"),
                                     "purl": component.get("purl"), "source": references, "checksum": hashes}.items() if not there]


def main():
    for name in sys.argv[1:]:
        text = pathlib.Path(name).read_text()
        error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
        if error is not None:
            sys.exit(f"{name}: {error}")
        components = json.loads(text)["components"]
        for each in components:
            if lacks(each):
                sys.exit(f"{name}: {each['name']} has no {', '.join(lacks(each))}")
        print(f"{name}: valid CycloneDX 1.6, {len(components)} components")


if __name__ == "__main__":
    main()
