#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md over every source file.

    tools/check_layers.py [ROOT]

Prints one line per violation (file:line: what, and which rule) and ends with code 1 when there is any.
"""

import re
import sys
from pathlib import Path

LAYERS = ("app", "render", "compute", "io")
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

# Which folders of ours the files of a folder may include; the longest matching prefix decides.
MAY_INCLUDE = {
    "app": ["app", "render", "io", "compute"],
    "render": ["render", "compute/core", "compute/cuda/interop"],
    "io": ["io", "compute/core"],
    "io/phantom": ["io", "compute/core", "compute/ops"],
    "compute/core": ["compute/core"],
    "compute/cuda": ["compute/cuda", "compute/core"],
    "compute/ops": ["compute/ops", "compute/cuda", "compute/core"],
    "compute/motion": ["compute/motion", "compute/ops", "compute/cuda", "compute/core"],
    "compute/registration": ["compute/registration", "compute/ops", "compute/cuda", "compute/core"],
    "compute/surface": ["compute/surface", "compute/ops", "compute/cuda", "compute/core"],
    "compute/cardiac": ["compute/cardiac", "compute/ops", "compute/cuda", "compute/core"],
    "compute/model": ["compute/model", "compute/cuda", "compute/core"],
    # The laboratory runs everybody's kernels.
    "compute/lab": ["compute/"],
    "compute/sparse": ["compute/sparse", "compute/cuda", "compute/core"],
}

# Libraries: how an include names them, and which files may (prefixes of paths, without suffix).
LIBRARIES = {
    "Qt": (r"^(Q[A-Z]|Qt)", ["app/main", "app/window", "app/viewport", "app/imgui_layer"]),
    "Dear ImGui": (r"^(imgui|backends/imgui)", ["app/imgui_layer", "app/panels/"]),
    "VTK": (r"^vtk", ["render/", "app/viewport"]),
    "ITK or GDCM": (r"^(itk|gdcm|vnl)", ["io/"]),
    "the CUDA runtime": (r"^(cuda|cuda_runtime|cuda_gl_interop|cub/)", ["compute/", "render/"]),
    "CLI11": (r"^CLI/", ["app/main", "app/commands/"]),
    "oneTBB": (r"^(tbb|oneapi/tbb)/", ["compute/"]),
    "Highway": (r"^hwy/", ["compute/"]),
    "Eigen": (r"^Eigen/", ["compute/", "io/"]),
}

# No public header may name these, so that whoever includes it needs none of them; headers named
# -inl.h are parts of the files that include them, and .cuh are for .cu files. Public is a header
# that another folder of the architecture includes, itself or through others.
THIRD_PARTY = re.compile(
    r"^(Q[A-Z]|Qt|imgui|vtk|itk|gdcm|tbb/|hwy/|Eigen/|nlohmann/|fmt/|spdlog/|cuda|GL/|EGL/)")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def rule_for(path):
    """The longest entry of MAY_INCLUDE that the path begins with."""
    fitting = [prefix for prefix in MAY_INCLUDE if path.startswith((prefix + "/", prefix + "."))
               or (prefix == "io/phantom" and path.startswith(prefix))]
    return max(fitting, key=len, default=None)


def unit_of(path):
    """What counts as one folder of the architecture: render, io, app and each folder of compute."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "compute" else parts[0]


def includes_of(text):
    """(line number, quote, target) of every #include."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def public_headers(texts):
    """The headers that files of other units include, directly or through headers of the same unit."""
    own_includes = {path: [target for _, quote, target in includes_of(text) if quote == '"']
                    for path, text in texts.items()}
    public = {target for path, targets in own_includes.items() for target in targets
              if unit_of(target) != unit_of(path)}
    waiting = list(public)
    while waiting:
        for target in own_includes.get(waiting.pop(), []):
            if target not in public:
                public.add(target)
                waiting.append(target)
    return public


def check_own(path, target):
    rule = rule_for(path)
    if rule is None:
        return f"{path.rsplit('/', 1)[0]} is no folder of the architecture"
    if any(target.startswith(allowed) for allowed in MAY_INCLUDE[rule]):
        return None
    return f"{rule} may include only {', '.join(MAY_INCLUDE[rule])}, not {target}"


def check_library(path, target):
    for library, (pattern, allowed) in LIBRARIES.items():
        if re.match(pattern, target) and not path.startswith(tuple(allowed)):
            return f"{library} ({target}) belongs to {', '.join(allowed)} alone"
    if re.match(r"^(itk|gdcm)", target) and not path.endswith(".cpp"):
        return f"ITK ({target}) belongs into .cpp files of io alone"
    if re.match(r"^(cuda_runtime|cuda_gl_interop|cuda_fp16|cooperative_groups|cub/|cuda\.h)", target) and not path.endswith((".cu", ".cuh")):
        return f"the CUDA runtime ({target}) belongs into .cu and .cuh files alone"
    return None


def check_file(path, text, public=False):
    """Violations in one file, whose path is relative to the root, as (line number, sentence)."""
    found = []
    for number, quote, target in includes_of(text):
        if quote == '"':
            if "/" not in target or target.split("/", 1)[0] not in LAYERS:
                problem = f'"{target}" isn\'t written from the root of the repository'
            elif target.endswith(".cuh") and not path.endswith((".cu", ".cuh")):
                problem = f"{target} is for .cu and .cuh files alone"
            else:
                problem = check_own(path, target)
        else:
            problem = check_library(path, target)
            if not problem and public and not path.endswith(("-inl.h", ".cuh")) and THIRD_PARTY.match(target):
                problem = f"a public header carries no third-party types, but includes <{target}>"
        if problem:
            found.append((number, problem))
    return found


def main(root):
    files = sorted(file for layer in LAYERS for file in (root / layer).rglob("*")
                   if file.suffix in SUFFIXES)
    texts = {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}
    public = public_headers(texts)
    violations = 0
    for path, text in texts.items():
        for number, sentence in check_file(path, text, path in public):
            print(f"{path}:{number}: {sentence}")
            violations += 1
    if violations:
        print(f"layers: {violations} violations in {len(texts)} files")
        return 1
    print(f"layers: {len(texts)} files keep the rules")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
