#!/usr/bin/env python3
"""Every relative link and picture in the Markdown of this repository leads to a file, what stands
behind a # to a heading of it, and every source that a page names by its folder exists (pages of the
notebook name those of their date).

    tests/tools/links_test.py [ROOT]

Prints one line per broken link or name and ends with code 1 when there is any.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SCHEME = re.compile(r"^[a-z]+:")
SOURCE = re.compile(r"(?<![\w./-])(?:[\w-]+/)+[\w-]+\.(?:h|cpp|cuh?|py|sh|cmake)\b")
PLACEHOLDER = re.compile(r"\bnew[/._]|NAME")  # files that a reader of docs/adding.md makes


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them."""
    names = set()
    for line in FENCE.sub("", page.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            title = re.sub(r"\]\([^)]*\)", "", line.lstrip("#").strip().lower())
            names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return names


def broken(page: Path, sources: str) -> list[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    dated = page.parent.name == "notebook"
    found = [f"{name}: there is no such file" for name in SOURCE.findall(text)
             if not dated and f"/{name}\n" not in sources and not PLACEHOLDER.search(name)]
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


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    files = [file for file in sorted(root.rglob("*.*"))
             if not {"build", ".git", "shared"} & set(file.relative_to(root).parts)]
    pages = [file for file in files if file.suffix == ".md"]
    sources = "".join(f"/{file.relative_to(root)}\n" for file in files)
    complaints = [f"{page.relative_to(root)}: {what}" for page in pages for what in broken(page, sources)]
    print("\n".join(complaints) if complaints else f"{len(pages)} pages, every link leads somewhere")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
