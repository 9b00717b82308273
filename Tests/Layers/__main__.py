"""Checks that the folders of a target use only types of lower folders.

Each list goes from the lowest folder to the highest; "" stands for the rest of the target.
"""

import collections
import pathlib
import re
import sys

LAYERS = {
    "Association": ["JSON", ""],
    "Store": ["SQL", "Metrics", ""],
    "HTTP": ["Certificates", "", "WellKnown"],
    "Checking": ["Fetching", ""],
    "Service": ["Resources", "API", ""],
}

DECLARATION = re.compile(r"^( *)((?:@\w+ )*(?:\w+ )*)(?:struct|class|enum|actor|protocol|typealias) (\w+)", re.M)
# Types within \( ) in strings are not found.
NOT_CODE = re.compile(r'"""(?:.|\n)*?"""|//[^\n]*|"(?:\\.|[^"\\\n])*"')


def main(sources):
    faults = 0
    for module, layers in LAYERS.items():
        files = collections.defaultdict(list)
        for path in sorted((sources / module).rglob("*.swift")):
            folder = path.relative_to(sources / module).parts[0]
            files[folder if folder in layers else ""].append((path, NOT_CODE.sub(" ", path.read_text())))
        declared = {
            layer: [match for _, text in files[layer] for match in DECLARATION.findall(text)] for layer in layers
        }
        for place, layer in enumerate(layers):
            if not files[layer]:
                sys.exit(f"{module} has no files for the layer \"{layer}\" of Tests/Layers.")
            above = {
                name: upper
                for upper in layers[place + 1 :]
                for indent, modifiers, name in declared[upper]
                if not indent and "private" not in modifiers
            }
            for _, _, name in declared[layer]:
                above.pop(name, None)
            for path, text in files[layer]:
                for name in sorted(set(re.findall(r"(?<!\.)\b[A-Z]\w*", text)) & above.keys()):
                    print(f"{path}: {name} is declared above it, in {module}/{above[name]}")
                    faults += 1
    sys.exit(1 if faults else 0)


main(pathlib.Path("Sources"))
