#!/usr/bin/env python3
"""Every relative link and picture in the Markdown of this repository leads to a file, and what stands
behind a # to a heading of it.

    tests/tools/links_test.py [ROOT]

Prints one line per broken link and ends with code 1 when there is any.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SCHEME = re.compile(r"^[a-z]+:")


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them."""
    names = set()
    for line in FENCE.sub("", page.read_text(encoding="utf-8")).splitlines():
        if line.startswith("#"):
            title = re.sub(r"\]\([^)]*\)", "", line.lstrip("#").strip().lower())
            names.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return names


def broken(page: Path) -> list[str]:
    found = []
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
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
    pages = [page for page in sorted(root.rglob("*.md"))
             if not {"build", ".git", "shared"} & set(page.relative_to(root).parts)]
    complaints = [f"{page.relative_to(root)}: {what}" for page in pages for what in broken(page)]
    print("\n".join(complaints) if complaints else f"{len(pages)} pages, every link leads somewhere")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
