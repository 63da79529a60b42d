#!/usr/bin/env python3
"""Checks the documentation: every relative link and picture in the Markdown of this repository leads to a file,
what stands behind a # to a heading of it, and every source and folder that a page names exists; pages keep
their length (LIMITS); no page and no source refers to a page of notebook/, whose own links are those of their date.

    tests/tools/links_test.py [ROOT]

Prints one line per fault and ends with code 1 when there is any.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SCHEME = re.compile(r"^[a-z]+:")
FOLDER = re.compile(r"`((?:app|bench|compute|io|render|tests|tools)(?:/[\w-]+)+)/?`")
SOURCE = re.compile(r"(?<![\w./-])(?:[\w-]+/)+[\w-]+\.(?:h|cpp|cuh?|py|sh|cmake)\b")
PLACEHOLDER = re.compile(r"\bnew[/._]|NAME")  # files that a reader of docs/adding/ makes
NOTEBOOK = re.compile(r"notebook/[\w./-]*\.md|\]\([^)\s]*notebook/")
SOURCE_SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".glsl", ".py", ".sh", ".cmake", ".txt"}
NO_PART = {"build", ".git", "shared"}  # folders that are no part of the repository

# Words of all documentation but the manual and the lessons, and of a page, by the folder or page that they hold for.
ALL_WORDS = 25_000
LIMITS = {"docs/architecture.md": 1_000, "docs/adding/": 300, "docs/cohort.md": 2_200, "docs/terms.md": 1_600}


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them."""
    names = set()
    for line in FENCE.sub("", page.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            title = re.sub(r"\]\([^)]*\)", "", line.lstrip("#").strip().lower())
            names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return names


def words(text: str) -> int:
    """The number of words as `wc -w` counts them."""
    return len(text.split())


def broken(page: Path, sources: str) -> list[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    found = [f"{name}: there is no such file" for name in SOURCE.findall(text)
             if f"/{name}\n" not in sources and not PLACEHOLDER.search(name)]
    found += [f"{name}: there is no such folder" for name in FOLDER.findall(text)
              if f"/{name}/" not in sources and not PLACEHOLDER.search(f"{name}/")]
    for target in LINK.findall(text):
        if SCHEME.match(target):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists():
            found.append(f"{target}: there is no such file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            found.append(f"{target}: there is no such heading")
    return found


def too_long(lengths: dict[str, int]) -> list[str]:
    """Complaints about pages, whose words are given by their paths from the root."""
    found = [f"{page}: {length} words; at most {limit}" for page, length in lengths.items()
             for place, limit in LIMITS.items() if page.startswith(place) and length > limit]
    whole = sum(length for page, length in lengths.items()
                if page.startswith("docs/") and not page.startswith(("docs/manual/", "docs/lessons/")))
    if whole > ALL_WORDS:
        found.append(f"docs/ without manual/ and lessons/: {whole} words; at most {ALL_WORDS}")
    return found


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    files = {file.relative_to(root).as_posix(): file for file in sorted(root.rglob("*.*"))
             if file.is_file() and not NO_PART & set(file.relative_to(root).parts) and "notebook" != file.relative_to(root).parts[0]}
    pages = {name: file for name, file in files.items() if file.suffix == ".md"}
    sources = "".join(f"/{name}\n" for name in files)
    complaints = [f"{name}: {what}" for name, page in pages.items() for what in broken(page, sources)]
    complaints += too_long({name: words(page.read_text(encoding="utf-8")) for name, page in pages.items()})
    complaints += [f"{name}: refers to {found[0]}; the notebook isn't referred to" for name, file in files.items()
                   if file.suffix in SOURCE_SUFFIXES | {".md"}
                   and (found := NOTEBOOK.search(file.read_text(encoding="utf-8", errors="replace")))]
    print("\n".join(complaints) if complaints else f"{len(pages)} pages: every link leads somewhere, none is too long")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
