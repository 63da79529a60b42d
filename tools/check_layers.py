#!/usr/bin/env python3
"""Holds the include rules of docs/architecture.md over every source file, and that a namespace is of one room.

    tools/check_layers.py [ROOT]

Prints one line per violation (file:line: what, and which rule) and ends with code 1 when there is any.
"""

import re
import sys
from pathlib import Path

LAYERS = ("app", "bench", "render", "compute", "io", "tests")
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

# Rooms are folders: every folder with sources is one, and has its line in MAY_INCLUDE.
# The layers of app, the lowest first: what each feature may use.
APP_BASE = ["app/base/", "io/", "compute/"]
TASKS = APP_BASE + ["app/task/", "app/tuning/", "app/anatomy/", "app/fields/"]
BELOW_FEATURES = TASKS + ["app/estimation/", "app/session/", "app/feature/", "app/kit/", "app/cli/", "app/report/", "render/"]
# A feature knows no other one.
FEATURES = [f"app/features/{folder.name}" for folder in sorted((Path(__file__).resolve().parent.parent / "app/features").glob("*/"))]
# The foundation of every algorithm in compute.
COMPUTE_BASE = ["compute/ops/", "compute/cuda/", "compute/core/"]
# The foundation of every reader and writer in io.
IO_BASE = ["io/base/", "compute/core/"]
# The foundation of layers and overlays: the map of the heart's strain is computed as it is drawn.
DRAWN = ["compute/core/", "compute/cuda/", "compute/ops/", "compute/cardiac/"]

# The folders that the files of a room may include, besides the room itself. The longest matching prefix of a
# path is its room.
MAY_INCLUDE = {
    # main.cpp
    "app": ["app/base/", "app/cli/", "compute/core/"],
    "app/base": ["render/base/", "io/", "compute/"],
    "app/task": ["app/base/", "compute/"],
    "app/tuning": APP_BASE,
    "app/fields": APP_BASE,
    "app/report": ["app/base/"],
    "app/anatomy": APP_BASE + ["render/"],
    "app/estimation": ["app/base/", "app/task/", "app/tuning/", "compute/"],
    "app/session": APP_BASE + ["app/estimation/", "render/"],
    # The interfaces of features, tools and panels.
    "app/feature": APP_BASE + ["app/task/", "app/session/", "app/anatomy/", "render/"],
    "app/cli": TASKS,
    # Panels without a tool, and widgets.
    "app/kit": ["app/base/", "app/estimation/", "app/session/", "app/feature/", "render/", "compute/"],
    "app/live": APP_BASE + ["app/tuning/", "app/estimation/", "app/session/", "app/feature/", "render/"],
    **{feature: BELOW_FEATURES for feature in FEATURES},
    "app/window": ["app/base/", "app/report/", "app/session/", "app/feature/",
                   "app/kit/", "app/live/", "render/", "io/"],
    "app/pictures": BELOW_FEATURES + ["app/live/", "app/window/"],
    # The list of features, and of all commands.
    "app/features": ["app/cli/", "app/feature/", "app/task/"],
    "app/study": TASKS + ["app/cli/", "app/features/"],
    "bench": ["app/", "render/", "io/", "compute/"],
    "render": ["render/base/", "render/gl/"] + DRAWN,
    "render/base": [],
    "render/gl": ["render/base/", "compute/core/"],
    # Not the scene, which draws them.
    "render/overlays": ["render/", "render/base/", "render/gl/"] + DRAWN,
    "render/scene": ["render/"] + DRAWN,
    # The list of readers.
    "io": ["io/", "compute/core/"],
    "io/base": ["compute/core/"],
    "io/formats": IO_BASE,
    "io/dicom": IO_BASE,
    "io/dirlab": IO_BASE + ["io/formats/"],
    # Points are a type of compute, like what a phantom is painted with.
    "io/landmarks": IO_BASE + ["io/dirlab/", "compute/landmarks/"],
    "io/matrices": IO_BASE + ["compute/sparse/"],
    "io/meshes": IO_BASE,
    "io/transforms": IO_BASE + ["io/", "io/formats/"],
    "io/phantom": ["compute/core/", "compute/ops/"],
    "compute/core": [],
    "compute/cuda": ["compute/core/"],
    "compute/ops": ["compute/cuda/", "compute/core/"],
    "compute/methods/clg": ["compute/methods/clg/solver/"] + COMPUTE_BASE,
    "compute/methods/clg/solver": COMPUTE_BASE,
    "compute/methods/demons": COMPUTE_BASE,
    "compute/methods/ffd": COMPUTE_BASE,
    "compute/methods/landmarks": ["compute/landmarks/"] + COMPUTE_BASE,
    "compute/methods/unbiased": COMPUTE_BASE,
    "compute/landmarks": ["compute/sparse/"] + COMPUTE_BASE,
    "compute/measures": COMPUTE_BASE,
    "compute/surface": ["compute/measures/"] + COMPUTE_BASE,
    "compute/sparse": COMPUTE_BASE,
    "compute/elasticity": ["compute/sparse/"] + COMPUTE_BASE,
    "compute/cardiac": ["compute/sparse/"] + COMPUTE_BASE,
    "compute/motion": ["compute/methods/"] + COMPUTE_BASE,
    "compute/model": ["compute/core/"],
    "compute/lab": ["compute/lab/kernels/", "compute/model/", "compute/cuda/", "compute/core/"],
    # The list of the kernels that the laboratory knows, their tasks, and kernels that no method uses.
    "compute/lab/kernels": ["compute/"],
}

TESTS_MAY_INCLUDE = {
    "tests/compute/": ["compute/", "io/phantom/"],
    "tests/io/": ["io/", "compute/"],
    "tests/fuzz/": ["io/", "compute/core/", "tests/io/"],  # seeds are written as those tests write files
    "tests/render/": ["render/", "compute/"],
    "tests/app/": ["app/", "bench/", "render/", "io/", "compute/"],  # a benchmark's figures are what the window must find, too
    "tests/bench/": ["bench/", "app/", "render/", "io/", "compute/"],
    "tests/support/": ["compute/", "io/"],
}

# Libraries: how an include names them, and which files may (prefixes of paths).
LIBRARIES = {
    "Qt": (r"^(Q[A-Z]|Qt)", ["app/window/", "app/report/"]),
    "Dear ImGui": (r"^(imgui|backends/imgui)", ["app/kit/", "app/features/"]),
    "VTK": (r"^vtk", ["render/"]),
    "ITK or GDCM": (r"^(itk|gdcm|vnl)", ["io/"]),
    "OpenGL": (r"^(GL|EGL)/", ["render/", "app/window/", "app/kit/", "app/features/about/",
                               "compute/cuda/"]),
    "zlib": (r"^zlib\.h", ["io/"]),
    "OpenSSL": (r"^openssl/", ["io/base/"]),
    "the CUDA runtime": (r"^(cuda|cuda_runtime|cuda_gl_interop|cub/)", ["compute/", "render/"]),
    "CLI11": (r"^CLI/", ["app/", "bench/"]),
    "oneTBB": (r"^(tbb|oneapi/tbb)/", ["compute/"]),
    "Highway": (r"^hwy/", ["compute/"]),
    "Eigen": (r"^Eigen/", ["compute/", "io/"]),
    "nlohmann-json": (r"^nlohmann/", ["compute/", "io/", "app/", "bench/"]),
    "fmt": (r"^fmt/", ["compute/", "io/", "render/", "app/", "bench/"]),
}

# No public header may name these, so that whoever includes it needs none of them; headers named
# -inl.h are parts of the files that include them, and .cuh are for .cu files. Public is a header
# that another folder of the architecture includes, itself or through others.
THIRD_PARTY = re.compile(
    r"^(Q[A-Z]|Qt|imgui|vtk|itk|gdcm|tbb/|hwy/|Eigen/|nlohmann/|fmt/|spdlog/|cuda|GL/|EGL/)")

# Namespaces that every room may open: kernels on a device, and rows of voxels in SIMD.
SHARED_NAMESPACES = {"gpu", "rows", "HWY_NAMESPACE"}
NAMESPACE = re.compile(r"^namespace systole::([\w:]+) \{", re.MULTILINE)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    return path.rsplit("/", 1)[0] if "/" in path else ""


def room_of(path):
    """The folder of a file, which is a room of the architecture; None: MAY_INCLUDE doesn't have it."""
    return folder_of(path) if folder_of(path) in MAY_INCLUDE else None


def fits(path, prefixes):
    """Whether the path lies in one of the folders, or below it."""
    return any(path.startswith(prefix) for prefix in prefixes)


def unit_of(path):
    """The unit of a file for public headers: render, io, app with bench, and each folder of compute."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("compute", "tests") else {"bench": "app"}.get(parts[0], parts[0])


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
              if unit_of(target) != unit_of(path) and not path.startswith("tests/")}
    waiting = list(public)
    while waiting:
        for target in own_includes.get(waiting.pop(), []):
            if target not in public:
                public.add(target)
                waiting.append(target)
    return public


def check_own(path, target):
    if path.startswith("tests/"):
        return check_test(path, target)
    if target.startswith("tests/"):
        return f"production code may not include a test's {target}"
    room = room_of(path)
    if room is None:
        return f"{path.rsplit('/', 1)[0]} is no room of the architecture"
    if room_of(target) == room:
        return None
    if room in FEATURES and target.startswith("app/features/"):
        return f"the feature {room} may not include another one's {target}; what both need lies below the features"
    if fits(target, MAY_INCLUDE[room]):
        return None
    return f"{room} may not include {target}; only {', '.join(MAY_INCLUDE[room]) or 'its own files'}"


def check_test(path, target):
    """A test sees its own layer and what lies below it; the phantom is everybody's ground truth."""
    allowed = next((TESTS_MAY_INCLUDE[folder] for folder in TESTS_MAY_INCLUDE if fits(path, [folder])), None)
    if allowed is None:
        return f"{path.rsplit('/', 1)[0]} is no folder of tests"
    if target.startswith("tests/"):
        same = target.split("/")[1] in (path.split("/")[1], "support")
        return None if same or fits(target, allowed) else f"tests share what is in tests/support alone, not {target}"
    return None if fits(target, allowed) else f"{path.rsplit('/', 1)[0]} may not include {target}"


def check_library(path, target):
    for library, (pattern, allowed) in LIBRARIES.items():
        if re.match(pattern, target) and not path.startswith((*allowed, "tests/")):
            return f"{library} ({target}) belongs to {', '.join(allowed)} alone"
    if re.match(r"^(itk|gdcm)", target) and not path.endswith(".cpp") and not path.startswith("tests/"):
        return f"ITK ({target}) belongs into .cpp files of io alone"
    if re.match(r"^(cuda_runtime|cuda_gl_interop|cuda_fp16|cooperative_groups|cub/|cuda\.h)", target) and not path.endswith((".cu", ".cuh")):
        return f"the CUDA runtime ({target}) belongs into .cu and .cuh files alone"
    return None


def room_edges(texts):
    """(room, room that it includes) over all production files."""
    return {(room_of(path), room_of(target)) for path, text in texts.items()
            if not path.startswith("tests/") for _, quote, target in includes_of(text)
            if quote == '"' and room_of(target) != room_of(path)}


def shared_namespaces(texts):
    """Namespaces inside systole that rooms open of which none contains the others, with those rooms."""
    rooms = {}
    for path, text in texts.items():
        for names in NAMESPACE.findall(text) if not path.startswith("tests/") else ():
            name = "::".join(part for part in names.split("::") if part not in SHARED_NAMESPACES)
            if name:
                rooms.setdefault(name, set()).add(room_of(path))
    return {name: sorted(found) for name, found in rooms.items()
            if not all(room == min(found, key=len) or room.startswith(min(found, key=len) + "/") for room in found)}


def levels_of(edges):
    """{room: level}, a room above all that it includes, and the rooms that include each other."""
    rooms = {room for edge in edges for room in edge}
    levels = {}
    while len(levels) < len(rooms):
        ready = {room for room in rooms - levels.keys()
                 if all(target in levels for source, target in edges if source == room)}
        if not ready:
            return levels, rooms - levels.keys()
        levels.update({room: 1 + max([levels[target] for source, target in edges if source == room], default=0)
                       for room in ready})
    return levels, set()


def print_rooms(texts, edges, levels):
    """A line per room of production code, the lowest first: its level, files, lines and edges."""
    for room in sorted(levels, key=lambda r: (levels[r], r)):
        files = [path for path in texts if not path.startswith("tests/") and room_of(path) == room]
        lines = sum(texts[path].count("\n") for path in files)
        targets = sorted(target for source, target in edges if source == room)
        print(f"{levels[room]:2} {room:26} {len(files):3} files {lines:5} lines -> {', '.join(targets)}")


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
    for name, rooms in shared_namespaces(texts).items():
        print(f"namespace systole::{name} is opened by {' and '.join(rooms)}")
        violations += 1
    edges = room_edges(texts)
    levels, cycle = levels_of(edges)
    if cycle:
        print(f"rooms include each other in a circle: {', '.join(sorted(cycle))}")
        violations += 1
    if violations:
        print(f"layers: {violations} violations in {len(texts)} files")
        return 1
    print_rooms(texts, edges, levels)
    print(f"layers: {len(texts)} files keep the rules; {len(levels)} rooms on {max(levels.values(), default=0)} levels, "
          f"{len(edges)} edges, none against the direction")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
