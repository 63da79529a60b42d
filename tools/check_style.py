#!/usr/bin/env python3
"""Checks that a name is defined once, the language of comments and names, and the sizes of production code.

    tools/check_style.py [ROOT]
    tools/check_style.py --classes [ROOT [FOLDER...]]

- No two files define a type, an inline variable or a function of the same name, namespace and parameter types:
  the linker would silently take one of them. Read from the text and not by -Wodr, which needs a second build
  with link-time optimization, doesn't see types that two files only use by themselves, nor code for the GPU.
- No file is longer than 400 lines.
- No function, from its signature to its closing brace, is longer than 80 lines, unless the comment above it
  says "Long because ...".
- No parameter list has more than 7 parameters, unless the comment above one of its declarations says
  "Many parameters because ...".
- A comment can be read without the identifier next to it: it begins with a noun or a verb, and not with a preposition,
  a "What" clause, "Those", "That of" or "The same".
- A limit is called max or min: no identifier begins with most or least, named once per file.

Prints one line per violation (file:line: what) and ends with code 1 when there is any. All rules but the sizes hold for
the tests, too.

With --classes it checks only the sizes of the classes, in the given folders or everywhere: none declares more than
40 member functions or 25 data members, in all of its declaration whatever files define them, unless the comment above
it says "Large because ...". Deleted functions, static constants, and the members of nested classes don't count.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

LAYERS = ("app", "bench", "render", "compute", "io")
TESTS = "tests"
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 80
MAX_PARAMETERS = 7
MAX_MEMBER_FUNCTIONS = 40
MAX_DATA_MEMBERS = 25
LONG = "Long because "
MANY = "Many parameters because "
LARGE = "Large because "

PREPOSITIONS = """about above across after against along among around at before behind below beside besides between by
    during for from in inside into like of on onto outside over since through to towards under until with within
    without""".split()
WRONG_BEGINNING = re.compile(r"(%s|those|that of|the same|what)(?=[\s,.:;]|$)" % "|".join(PREPOSITIONS), re.IGNORECASE)
PARAMETER_NAME = re.compile(r"/\*\w+=?\*/")
BOUND = re.compile(r"\b(?:[mM]ost|[lL]east)[A-Z]\w*")
# Beginnings of identifiers, in lower case, that aren't limits.
NO_BOUND = (
    "leastsquares",  # the method of least squares
    "leasttrimmedsquares",  # the robust estimator of that name
)

NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
LABEL = re.compile(r"\s*(?:(?:public|private|protected|signals)(?:\s+slots)?\s*:(?!:)|Q_OBJECT\b)")
# What has parentheses of its own before the name of a function or type.
DECORATION = re.compile(r"\b(?:__launch_bounds__|alignas|__align__|__attribute__|explicit|decltype)\s*\(|\[\[")
TYPE = re.compile(r"^(?:typedef\s+|static\s+)?(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
                  r"([\w:]+(?:\s*<.*>)?)(?:\s+final)?\s*(?::(?!:).*)?$", re.DOTALL)
SINGLE_COLON = re.compile(r"(?<!:):(?!:)")
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)$")
FUNCTION_NAME = re.compile(r"(~?[\w:]*(?:<[^()]*>)?(?:::~?\w+)?|[\w:]*\boperator\s*(?:\(\)|[^\s\w(]+|\s[\w:*& ]+))\s*$")


@dataclass
class Found:
    """A definition or declaration at namespace or class scope."""
    kind: str  # type, function, declaration or variable
    name: str  # with its namespaces and classes; empty ones are unnamed namespaces
    line: int
    last_line: int
    parameters: list
    template: str
    head: str
    functions: int = 0  # of a class: number of member functions that it declares
    data: int = 0  # of a class: number of its data members

    def called(self):
        """Its name for people."""
        return re.sub(r"(?<=:)(?:::)+|^(?:::)+", "", self.name)


def spaces(text):
    """The text with everything but its line ends blank."""
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """The text without comments, contents of strings and directives, at the same places."""
    def blank(match):
        found = match.group()
        return spaces(found) if found[0] == "/" else found[0] + spaces(found[1:-1]) + found[-1]
    return DIRECTIVE.sub(lambda match: spaces(match.group()), NO_CODE.sub(blank, text))


def closing(code, at):
    """Where the bracket that opens at a place closes."""
    pair = {"{": "}", "(": ")", "[": "]", "<": ">"}
    opening, depth = code[at], 0
    for match in re.compile(r"->|[%s]" % re.escape(opening + pair[opening])).finditer(code, at):
        depth += {opening: 1, pair[opening]: -1}.get(match.group(), 0)
        if depth == 0:
            return match.start()
    return len(code) - 1


def without_decoration(head):
    while match := DECORATION.search(head):
        end = closing(head, match.end() - 1)
        head = head[:match.start()] + head[end + (2 if match.group() == "[[" else 1):]
    return head


def split_template(head):
    """(its template parameters, the rest)."""
    template, rest = "", head.strip()
    while re.match(r"template\s*<", rest):
        end = closing(rest, rest.index("<"))
        template, rest = template + rest[:end + 1], rest[end + 1:].strip()
    if re.match(r"(?:extern\s+)?template\b", rest):
        return template, ""  # an explicit instantiation
    return " ".join(template.split()), rest


def parts(text):
    """The text's parts between commas outside brackets."""
    found, depth, start = [], 0, 0
    for match in re.finditer(r"->|<<|[(<\[{,>\]})]", text):
        if match.group() == "," and depth == 0:
            found.append(text[start:match.start()])
            start = match.end()
        elif len(match.group()) == 1:
            depth += 1 if match.group() in "(<[{" else -1 if match.group() != "," else 0
    return [part.strip() for part in (*found, text[start:]) if part.strip() not in ("", "void")]


def signature_of(rest):
    """(name, parameters) of a declared function, or None."""
    angle = 0
    for match in re.finditer(r"\boperator\s*(?:\(\)|[^\s\w(]+)|->|[<>(]", rest):
        if match.group() == "(" and angle == 0:
            name = FUNCTION_NAME.search(rest[:match.start()])
            return name.group(1).strip(), parts(rest[match.start() + 1:closing(rest, match.start())])
        angle += {"<": 1, ">": -1}.get(match.group(), 0)
    return None


def outside_parentheses(text):
    while "(" in text:
        at = text.index("(")
        text = text[:at] + " " + text[closing(text, at) + 1:]
    return text


def classify(head):
    """(kind, name, parameters, template) of what a brace or semicolon follows."""
    template, rest = split_template(without_decoration(head))
    if match := NAMESPACE.match(rest):
        return "namespace", match.group(1), [], template
    if re.match(r'extern\s+"\s*"\s*$', rest) or re.match(r'extern\s+" +"$', rest):
        return "namespace", "::", [], template
    if match := TYPE.match(rest):
        return "type", "".join(match.group(1).split()), [], template
    if re.match(r"(?:using|typedef|friend|return)\b", rest):
        return "other", "", [], template
    plain = re.sub(r"\boperator\s*[^\s\w(]+", "operator", SINGLE_COLON.split(outside_parentheses(rest))[0])
    if "=" in plain and not re.search(r"=\s*(?:default|delete|0)\s*$", plain):
        name = re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*=", plain)
        return "variable", name.group(1) if name else "", [], template
    signature = signature_of(rest)
    if signature is None or not signature[0]:
        return "other", "", [], template
    return "function", *signature, template


def members_of(kind, head):
    """(member functions, data members) that one declaration in a class adds to it."""
    head = split_template(head)[1]
    if not head or re.search(r"=\s*delete$", head) or re.match(r"(?:using|typedef|friend|static_assert)\b", head):
        return 0, 0
    if re.fullmatch(r"(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+\w+(?:\s*:\s*[\w:]+)?", head):
        return 0, 0  # of a type only the name
    is_pointer = re.match(r"[\w:<>&* ]+\(\s*(?:\w+::)*\*", head)
    if kind in ("function", "declaration") and not is_pointer:
        return 1, 0
    return (0, 0) if re.match(r"(?:inline\s+)?static\b", head) else (0, len(parts(head)))


def outline(code):
    """What the code defines and declares outside functions, as a list of Found."""
    found, scopes, types, start, at = [], [], [], 0, 0
    line_of = lambda place: code.count("\n", 0, place) + 1  # noqa: E731

    def begin():
        nonlocal start
        while match := LABEL.match(code, start) or re.compile(r"\s+").match(code, start):
            start = match.end()
        return start

    def add(kind, name, parameters, template, last):
        count(kind, code[start:last])
        full = "::".join([scope for scope in scopes if scope != "::"] + [name])
        found.append(Found(kind, full, line_of(begin()), line_of(last), parameters, template,
                           code[start:last][:200]))

    def count(kind, head):
        if types and types[-1] and kind != "type":
            functions, data = members_of(kind, head)
            types[-1].functions += functions
            types[-1].data += data

    bracket = re.compile(r"[{}();]")
    while match := bracket.search(code, at):
        place, at = match.start(), match.end()
        if match.group() == "(":
            at = closing(code, place) + 1
        elif match.group() == "}":
            if scopes:
                scopes.pop()
                types.pop()
            start = at
        elif match.group() == ";":
            kind, name, parameters, template = classify(code[begin():place])
            if kind in ("function", "variable"):
                add("declaration" if kind == "function" else kind, name, parameters, template, place)
            elif kind == "other":
                count(kind, code[begin():place])
            start = at
        elif match.group() == "{":
            head = code[begin():place]
            kind, name, parameters, template = classify(head)
            body = closing(code, place)
            # The braces of a member that a constructor initializes, not those of its body.
            initializes = SINGLE_COLON.search(outside_parentheses(head)) and re.search(r"[\w>]\s*$", head)
            if kind == "namespace" or kind == "type" and not re.match(r".*\benum\b", split_template(head)[1]):
                if kind == "type":
                    add("type", name, [], template, body)
                scopes.append(name)
                types.append(found[-1] if kind == "type" else None)
                start = at
            elif kind == "type":
                add("type", name, [], template, body)
                at = start = body + 1
            elif kind == "function" and not initializes:
                add("function", name, parameters, template, body)
                at = start = body + 1
            else:
                at = body + 1
    return found


def type_of(parameter):
    """A parameter without its name and default."""
    parameter = parts(re.sub(r"=.*", "", parameter, flags=re.DOTALL) or " ")[0:1]
    words = re.sub(r"\s*([*&<>,:]+)\s*", r"\1", " ".join("".join(parameter).split()))
    return re.sub(r"(?<=[\w>*&\]]) \w+$|(?<=[*&>])\w+$", "", words)


def comment_above(lines, line):
    """The comment that ends above a line, counted from 1."""
    first = line - 1
    while first > 0 and lines[first - 1].lstrip().startswith(("//", "*", "/*")):
        first -= 1
    return " ".join(text.strip() for text in lines[first:line - 1])


def is_stub(path):
    """Whether a file stands in for another where there is no CUDA."""
    return path.rsplit(".", 1)[0].endswith("_none")


def identity(item):
    """What no second file may define, or None where a name belongs to one file alone."""
    if "" in item.name.split("::") or item.name == "main" or re.match(r"(?:\[\[\w+\]\]\s*)?static\b", item.head):
        return None
    if item.kind == "type":
        return ("type", item.name, "")
    if item.kind == "variable" and re.match(r"inline\b", item.head):
        return ("variable", item.name, "")
    if item.kind == "function":
        return ("function", item.name, f"{item.template}({', '.join(map(type_of, item.parameters))})")
    return None


def doubled(outlines):
    """Violations by names that two files define, as (path, line, sentence)."""
    places = defaultdict(dict)
    for path, items in outlines.items():
        for item in items if not is_stub(path) else ():
            if key := identity(item):
                places[key].setdefault(path, item.line)
    for (kind, name, parameters), files in sorted(places.items()):
        (first, line), *others = files.items()
        for path, other in others:
            yield path, other, f"{kind} {name}{parameters} is defined in {first}:{line} too"


def unlisted(texts, lists):
    """Files of tests that no list names, as (path, line, sentence)."""
    named = set(re.findall(r"[\w/]+_test\.cpp\b", lists))
    return [(path, 1, "no list in tests/*.cmake names it: it is never built") for path in texts
            if path.startswith(TESTS + "/") and path.endswith("_test.cpp") and path[len(TESTS) + 1:] not in named]


def comments_of(text):
    """The text's comments as (line, words): consecutive lines of // in the same column are one comment. The name of
    a parameter, as in run(/*frames=*/3) and run(int /*frames*/), is none."""
    found, last_line, last_column, line, counted = [], -1, -1, 1, 0
    for match in NO_CODE.finditer(text):
        comment = match.group()
        if comment[0] != "/" or PARAMETER_NAME.fullmatch(comment):
            continue
        line += text.count("\n", counted, match.start())
        counted = match.start()
        line_start = text.rfind("\n", 0, match.start()) + 1
        column = match.start() - line_start
        continues = (line == last_line + 1 and column == last_column and comment[1] == "/"
                     and not text[line_start:match.start()].strip())
        words = re.sub(r"^/(?:/+[!<]*|\*+[!<]*)\s*|\s*\*+/$", "", comment)
        if continues:
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}".strip())
        else:
            found.append((line, words))
        last_line, last_column = (line, column) if comment[1] == "/" else (-1, -1)
    return found


def language(texts):
    """Comments and names in files {path: text} that break the rule of language, as sorted (path, line, sentence)."""
    found = []
    for path, text in texts.items():
        for line, words in comments_of(text):
            if match := WRONG_BEGINNING.match(words):
                found.append((path, line, f"a comment begins with \"{match.group()}\": {' '.join(words.split())[:60]}"))
        code = code_of(text)
        first = {match.group(): match.start() for match in reversed(list(BOUND.finditer(code)))}
        found += [(path, code.count("\n", 0, place) + 1, f"{name}: a limit is called max or min")
                  for name, place in first.items() if not name.lower().startswith(NO_BOUND)]
    return sorted(found)


def large_classes(texts):
    """Classes in files {path: text} that declare too many members without a reason, as sorted (path, line, sentence)."""
    found = []
    for path, text in texts.items():
        lines = text.splitlines()
        for item in outline(code_of(text)) if not path.startswith(TESTS + "/") else ():
            sizes = [(item.functions, MAX_MEMBER_FUNCTIONS, "member functions"),
                     (item.data, MAX_DATA_MEMBERS, "data members")]
            if item.kind == "type" and LARGE not in comment_above(lines, item.line):
                found += [(path, item.line, f"{item.called()} has {size} {what}, more than {limit}, "
                                            f"and no comment \"{LARGE}...\"")
                          for size, limit, what in sizes if size > limit]
    return sorted(found)


def check_classes(texts, folders):
    """Prints the classes in the folders that are too large; the exit code."""
    found = [item for item in large_classes(texts) if not folders or item[0].startswith(tuple(folders))]
    for path, line, sentence in found:
        print(f"{path}:{line}: {sentence}")
    print(f"classes: {len(found)} violations")
    return 1 if found else 0


def check(texts):
    """Violations in files {path: text}, as sorted (path, line, sentence)."""
    outlines = {path: outline(code_of(text)) for path, text in texts.items()}
    found = list(doubled(outlines))
    many, reasoned = [], set()
    for path, text in texts.items():
        if path.startswith(TESTS + "/"):
            continue
        lines = text.splitlines()
        if len(lines) > MAX_FILE_LINES:
            found.append((path, 1, f"{len(lines)} lines; a file has at most {MAX_FILE_LINES}"))
        for item in outlines[path]:
            above = comment_above(lines, item.line)
            length = item.last_line - item.line + 1
            if item.kind == "function" and length > MAX_FUNCTION_LINES and LONG not in above:
                found.append((path, item.line, f"{item.called()}() has {length} lines, more than {MAX_FUNCTION_LINES}, "
                                               f"and no comment \"{LONG}...\""))
            if len(item.parameters) > MAX_PARAMETERS:
                many.append((path, item))
                if MANY in above:
                    reasoned.add(item.name)
    found += [(path, item.line, f"{item.called()}() has {len(item.parameters)} parameters, more than {MAX_PARAMETERS}, "
                                f"and no comment \"{MANY}...\"") for path, item in many if item.name not in reasoned]
    return sorted(found)


def main(arguments):
    only_classes = "--classes" in arguments
    root, *folders = ([argument for argument in arguments if not argument.startswith("--")]
                      or [Path(__file__).parent.parent])
    root = Path(root).resolve()
    files = sorted(file for layer in (*LAYERS, TESTS) for file in (root / layer).rglob("*") if file.suffix in SUFFIXES)
    texts = {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}
    if only_classes:
        return check_classes(texts, folders)
    lists = [*(root / TESTS).glob("*.cmake"), root / TESTS / "CMakeLists.txt"]
    tests = "".join(file.read_text(encoding="utf-8") for file in lists if file.exists())
    found = check(texts) + language(texts) + unlisted(texts, tests)
    for path, line, sentence in found:
        print(f"{path}:{line}: {sentence}")
    print(f"style: {len(found)} violations in {len(files)} files" if found else
          f"style: {len(files)} files keep the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
