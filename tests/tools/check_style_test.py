"""tools/check_style.py and tools/count_lines.py on made-up files: what they must find and what they must not."""

import contextlib
import importlib.util
import io
import sys
import tempfile
import unittest
from pathlib import Path


def load(name):
    path = Path(__file__).resolve().parents[2] / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


style = load("check_style")
lines = load("count_lines")


def problems(*bodies):
    """Violations of files in one namespace, as sentences."""
    texts = {f"io/file{number}.cpp": f"namespace systole {{\n{body}\n}}\n" for number, body in enumerate(bodies)}
    return [sentence for _, _, sentence in style.check(texts)]


class DefinedOnce(unittest.TestCase):
    def test_two_definitions_of_one_name_are_found(self):
        for definition in [
            "struct Box { int a; };",
            "class Box final : public Base { int a_{3}; };",
            "enum class Box : int { First };",
            "template <class T>\nstruct Box { T a; };",
            "inline constexpr float box = 3;",
            "int box(const float* values, int count = 3) { return 1; }",
            "template <class T> T box(T) { return {}; }",
            "namespace inner { struct Box {}; }",
            "__global__ void __launch_bounds__(256) box(float* values) {}",
            "Box::Box(int a) : a_{a}, b_(a) { run(); }",
        ]:
            found = problems(definition, "/* { */ const char* brace = \"{\"; const char one = '{';\n" + definition)
            self.assertEqual(len(found), 1, (definition, found))
            self.assertIn("is defined in io/file0.cpp:2 too", found[0])

    def test_what_is_not_a_second_definition(self):
        for first, second in [
            ("struct Box { int a; };", "struct Box;"),
            ("struct Box { int a; };", "namespace { struct Box { int a; }; }"),
            ("struct Box { int a; };", "namespace inner { struct Box { int a; }; }"),
            ("struct Box { int a; };", "struct Other { struct Box { int a; }; };"),
            ("struct Box { int a; };", "void other() { struct Box { int a; }; }"),
            ("struct Box { int a; };", "// struct Box { int a; };"),
            ("int box(int a) { return a; }", "int box(float a) { return 1; }"),
            ("int box(int a) { return a; }", "int box(int a);"),
            ("int box(int a) { return a; }", "static int box(int a) { return a; }"),
            ("int box(int a) { return a; }", "int value = box(3);"),
        ]:
            self.assertEqual(problems(first, second), [], (first, second))

    def test_a_stub_stands_in_for_a_file_and_tests_count_too(self):
        box = "struct Box {};\n"
        self.assertEqual(style.check({"compute/box.cu": box, "compute/box_none.cpp": box}), [])
        self.assertEqual(len(style.check({"compute/box.cu": box, "tests/box_test.cpp": box})), 1)


class Sizes(unittest.TestCase):
    def test_long_functions_need_a_reason(self):
        body = "void run() {\n" + "    step();\n" * 79 + "}\n"
        self.assertIn("run() has 81 lines", problems(body)[0])
        self.assertEqual(problems("/// Runs.\n/// Long because it is one table.\n" + body), [])
        self.assertEqual(problems("void run() {\n" + "    step();\n" * 78 + "}\n"), [])
        self.assertEqual(len(problems("class A : public B {\npublic:\n" + body + "};")), 1)

    def test_long_parameter_lists_need_a_reason(self):
        eight = "void run(int a, int b, std::map<int, int> c, int d, int e, int f, int g, int h = sum(1, 2))"
        self.assertIn("run() has 8 parameters", problems(eight + ";")[0])
        self.assertEqual(len(problems(eight + " {}")), 1)
        self.assertEqual(problems("// Many parameters because every one is a row.\n" + eight + ";", eight + " {}"), [])
        self.assertEqual(problems("void run(int a, std::map<int, int> b, std::function<void(int, int, int, int, int, int)> c);"), [])

    def test_long_files(self):
        self.assertEqual(len(style.check({"io/a.cpp": "\n" * 401})), 1)
        self.assertEqual(style.check({"io/a.cpp": "\n" * 400, "tests/a_test.cpp": "\n" * 500}), [])

    def test_a_file_of_tests_that_no_list_names(self):
        texts = {"tests/app/named_test.cpp": "", "tests/app/lost_test.cpp": "", "tests/app/support.cpp": ""}
        self.assertEqual([path for path, _, _ in style.unlisted(texts, "set(some app/named_test.cpp)")],
                         ["tests/app/lost_test.cpp"])


def language(text):
    """Sentences on the language of a file."""
    return [sentence for _, _, sentence in style.language({"io/file.h": text})]


class Language(unittest.TestCase):
    def test_comments_that_cannot_be_read_alone(self):
        for comment in [
            "/// Of the finest level.\nint voxels;",
            "int length; ///< in mm",
            "int depth; // with padding",
            "/// What tools offer each other.\nstruct Tool;",
            "/// What: a name.\nstruct Tool;",
            "/// Those that move.\nint points;",
            "/// That of the wall.\nint stiffness;",
            "/// The same for two images.\nvoid run();",
            "/** For tests. */\nint a;",
            "run(/* by copy */ 3);",
            "int a; ///< first\n// Beside it.\nint b;",
            "/// One.\n\n/// By two.\nint b;",
            "// clean\nint a; // Until it ends.",
        ]:
            self.assertEqual(len(language(comment)), 1, comment)

    def test_comments_that_can(self):
        for comment in [
            "/// Number of voxels\n/// of the finest level.\nint voxels;",
            "int length; ///< length, which is written in mm\n            ///< with one decimal\nint b;",
            "/// Overload for two images.\nvoid run();",
            "// In-place product, toward zero.",
            "// in[x] is the voxel",
            "// Thoseless words, whatever, ofset, the sameness",
            'const char* words = "// of no comment"; char slash = \'/\';',
            'auto raw = R"(\n// for shaders\n)";',
            "} // namespace systole",
            "run(/*frames=*/3);",
            "virtual void run(int /*what*/, int /*to*/) {}",
        ]:
            self.assertEqual(language(comment), [], comment)

    def test_limits_are_max_and_min(self):
        for name in ["mostRows", "leastWeight", "LeastKeys", "MostBytes_"]:
            self.assertEqual(len(language(f"int {name} = 3;")), 1, name)
            self.assertEqual(len(language(f"run(scene.{name[0].lower() + name[1:]});")), 1, name)
        for code in ["leastSquares(a);", "int leastTrimmedSquaresFit;", "TEST(LeastSquares, Fits) {}", "int mostly;",
                     "int least;", "int atMostOnce;",
                     'run("mostRows"); // mostRows']:
            self.assertEqual(language(code), [], code)

    def test_the_place_of_a_violation(self):
        text = 'auto raw = R"(\n\n)"; // at the end\n\nint leastRows; // clean\n/// By name.\nint a;\n'
        self.assertEqual([line for _, line, _ in style.language({"io/a.h": text})], [3, 5, 6])


    def test_the_check_of_all_files_has_the_rule(self):
        for text, code in [("/// Of the wall.\nint a;\n", 1), ("int mostRows;\n", 1), ("/// Rows.\nint maxRows;\n", 0)]:
            for folder in ["io", "tests"]:
                with tempfile.TemporaryDirectory() as root, contextlib.redirect_stdout(io.StringIO()):
                    (Path(root) / folder).mkdir()
                    (Path(root) / folder / "a.h").write_text(text)
                    self.assertEqual(style.main([root]), code, text)


class Classes(unittest.TestCase):
    @staticmethod
    def sizes(body):
        """(functions, data members) of the class Box with this body."""
        text = f"namespace systole {{\nclass Box final : public Base {{\n{body}\n}};\n}}\n"
        items = style.outline(style.code_of(text))
        return [(item.functions, item.data) for item in items if item.name == "systole::Box"][0]

    def test_functions_count(self):
        for declaration in [
            "void run(int a);",
            "int a() const { return a_; }",
            "static Box made();",
            "explicit Box(int a = 3) : a_{a}, b_(a) { run(); }",
            "~Box() override;",
            "Box(const Box&) = default;",
            "virtual void run() = 0;",
            "bool operator==(const Box& other) const;",
            "operator bool() const { return true; }",
            "template <class T> T get() const { for (int i = 0; i < 3; ++i) run(); return {}; }",
            "std::function<void()> hook(std::function<void(int)> then = {});",
        ]:
            self.assertEqual(self.sizes(declaration), (1, 0), declaration)

    def test_data_members_count(self):
        for declaration in [
            "int a_;",
            "int a_ = 3;",
            "std::atomic<bool> posted_{false};",
            "std::function<void(int, float)> then_ = {};",
            "std::pair<int, float> a_{1, 2};",
            "void (*step_)(Box&);",
            "bool Box::*option_;",
            "float values_[3] = {1, 2, 3};",
            "const std::vector<int>& list_;",
            "struct Inner* inner_ = nullptr;",
        ]:
            self.assertEqual(self.sizes(declaration), (0, 1), declaration)
        self.assertEqual(self.sizes("int a_, b_ = 3; float c_{1};"), (0, 3))

    def test_what_does_not_count(self):
        for declaration in [
            "Box(const Box&) = delete;",
            "using Use = std::function<void()>;",
            "friend class Other;",
            "struct Inner;",
            "template <class T> struct Inner;",
            "enum class Kind : int { First, Second };",
            "static constexpr int count = 3;",
            "struct Inner { int a, b; void run(); };",
            "public: // int a;",
            'static_assert(sizeof(int) == 4, "int a;");',
        ]:
            self.assertEqual(self.sizes(declaration), (0, 0), declaration)

    def test_large_classes_need_a_reason(self):
        def found(functions, data, comment=""):
            body = "".join(f"void run{i}();\n" for i in range(functions)) + "".join(f"int a{i};\n" for i in range(data))
            return [(line, sentence) for _, line, sentence in
                    style.large_classes({"io/box.h": f"{comment}\nclass Box {{\n{body}}};\n"})]
        self.assertEqual(found(40, 25), [])
        self.assertEqual(found(41, 25),
                         [(2, 'Box has 41 member functions, more than 40, and no comment "Large because ..."')])
        self.assertEqual(found(40, 26),
                         [(2, 'Box has 26 data members, more than 25, and no comment "Large because ..."')])
        self.assertEqual(len(found(41, 26, "// A box.")), 2)
        self.assertEqual(found(41, 26, "// A box. Large because it is one table."), [])


class Lines(unittest.TestCase):
    def test_only_code_counts(self):
        self.assertEqual(lines.code_lines("int a; // b\n\n  // c\n/* d\n e */\n/* f */ int g;\n/* h\n*/ int i;\n"), 3)


if __name__ == "__main__":
    unittest.main()
