"""tools/check_layers.py on made-up files: what it must accept and what it must refuse."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"
spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layers)


def problems(path, include, public=False):
    return layers.check_file(path, f"#include {include}\n", public)


class Layers(unittest.TestCase):
    def test_each_room_may_look_only_below_it(self):
        for path, include in [
            ("app/window/window.cpp", '"render/scene/scene.h"'),
            ("app/pictures/view_command.cpp", '"app/window/run.h"'),
            ("app/estimation/pipeline.cpp", '"app/tuning/block_tuner.h"'),
            ("io/formats/nifti.cpp", '"compute/core/volume.h"'),
            ("io/source.cpp", '"io/formats/nifti.h"'),
            ("io/phantom/texture.cpp", '"compute/ops/smooth.h"'),
            ("compute/methods/clg/clg.cpp", '"compute/methods/clg/solver/system.h"'),
            ("compute/motion/methods.cpp", '"compute/methods/clg/clg.h"'),
            ("compute/lab/kernels/sest_task.cu", '"compute/landmarks/sest.h"'),
        ]:
            self.assertEqual(problems(path, include), [], (path, include))
        for path, include in [
            ("compute/core/exec.cpp", '"io/source.h"'),
            ("compute/ops/smooth_cpu.cpp", '"compute/methods/clg/clg.h"'),
            ("compute/methods/clg/solver/system.h", '"compute/methods/clg/clg.h"'),
            ("compute/landmarks/sest_cpu.cpp", '"compute/methods/clg/clg.h"'),
            ("compute/model/machine.cpp", '"compute/cuda/device.h"'),
            ("compute/lab/bench.cu", '"compute/landmarks/sest.h"'),
            ("render/scene/scene.cpp", '"compute/motion/methods.h"'),
            ("render/scene/scene.cpp", '"io/source.h"'),
            ("io/formats/nifti.cpp", '"compute/ops/smooth.h"'),
            ("io/formats/nifti.cpp", '"io/source.h"'),
            ("io/formats/nifti.cpp", '"render/scene/scene.h"'),
            ("app/kit/timing.cpp", '"app/window/window.h"'),
            ("app/kit/timing.cpp", '"io/source.h"'),
            ("app/estimation/pipeline.cpp", '"app/session/session.h"'),
            ("app/window/window.cpp", '"compute/core/volume.h"'),
            ("app/loose.cpp", '"app/window/window.h"'),
            ("compute/elsewhere/new.cpp", '"compute/core/volume.h"'),
        ]:
            self.assertEqual(len(problems(path, include)), 1, (path, include))

    def test_tests_see_their_own_layer_and_production_sees_no_test(self):
        self.assertEqual(problems("tests/compute/ops/ops_test.cpp", '"compute/motion/slabs.h"'), [])
        self.assertEqual(problems("tests/app/session/session_test.cpp", '"tests/support/program.h"'), [])
        for path, include in [
            ("tests/compute/ops/ops_test.cpp", '"app/base/error.h"'),
            ("tests/render/scene_test.cpp", '"tests/io/io_support.h"'),
            ("tests/loose_test.cpp", '"compute/core/volume.h"'),
            ("compute/ops/smooth_cpu.cpp", '"tests/support/program.h"'),
        ]:
            self.assertEqual(len(problems(path, include)), 1, (path, include))

    def test_libraries_stay_in_their_files(self):
        self.assertEqual(problems("app/window/window.cpp", "<QMainWindow>"), [])
        self.assertEqual(problems("io/itk_image.cpp", "<itkImage.h>"), [])
        for path, include in [
            ("app/session/session.cpp", "<QString>"),
            ("app/window/window.cpp", "<vtkActor.h>"),
            ("app/window/window.cpp", "<imgui.h>"),
            ("compute/ops/smooth_cpu.cpp", "<itkImage.h>"),
            ("io/itk_image.h", "<itkImage.h>"),
            ("io/formats/nifti.cpp", "<tbb/parallel_for.h>"),
            ("compute/cuda/device.h", "<cuda_runtime.h>"),
        ]:
            self.assertEqual(len(problems(path, include)), 1, (path, include))

    def test_own_includes_are_written_from_the_root(self):
        self.assertEqual(len(problems("app/window/window.cpp", '"viewport.h"')), 1)

    def test_a_public_header_carries_no_third_party_types(self):
        self.assertEqual(problems("render/prop.h", "<vtkProp.h>"), [])
        self.assertEqual(len(problems("render/prop.h", "<vtkProp.h>", public=True)), 1)

    def test_public_is_what_another_folder_reaches(self):
        texts = {
            "app/window/window.cpp": '#include "render/scene/scene.h"\n',
            "render/scene/scene.h": '#include "render/inner.h"\n',
            "render/inner.h": "",
            "render/prop.h": "",
            "render/prop.cpp": '#include "render/prop.h"\n',
        }
        self.assertEqual(layers.public_headers(texts), {"render/scene/scene.h", "render/inner.h"})

    def test_a_feature_includes_no_other_one(self):
        self.assertEqual(problems("app/features/ruler/ruler_tool.cpp", '"app/feature/line_tool.h"'), [])
        found = problems("app/features/ruler/ruler_tool.cpp", '"app/features/angle/angle_tool.h"')
        self.assertEqual(len(found), 1)
        self.assertIn("the feature app/features/ruler may not include another one's", found[0][1])
        for room in ("window", "pictures", "live", "kit", "cli"):
            self.assertEqual(len(problems(f"app/{room}/new.cpp", '"app/features/ruler/ruler_tool.h"')), 1, room)

    def test_every_folder_is_a_room_and_no_file_is(self):
        root = SCRIPT.parents[1]
        for layer in ("app", "bench", "io", "render", "compute"):
            for file in (root / layer).rglob("*.h"):
                self.assertIsNotNone(layers.room_of(file.relative_to(root).as_posix()), file)
        for room in layers.MAY_INCLUDE:
            self.assertTrue((root / room).is_dir(), room)
        for room, targets in layers.MAY_INCLUDE.items():
            for target in targets:
                self.assertTrue(target.endswith("/") and (root / target).is_dir(), (room, target))

    def test_a_circle_of_folders_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for layer in (*layers.LAYERS, "compute/core", "compute/lab", "compute/lab/kernels", "compute/cuda"):
                (root / layer).mkdir(parents=True, exist_ok=True)
            (root / "compute/lab/a.h").write_text('#include "compute/lab/kernels/b.h"\n')
            (root / "compute/lab/kernels/b.h").write_text('#include "compute/core/c.h"\n')
            self.assertEqual(layers.main(root), 0)
            (root / "compute/lab/kernels/b.h").write_text('#include "compute/lab/a.h"\n')
            self.assertEqual(layers.main(root), 1)

    def test_rooms_that_include_each_other_are_found(self):
        edges = {("a", "b"), ("b", "c")}
        self.assertEqual(layers.levels_of(edges), ({"c": 1, "b": 2, "a": 3}, set()))
        self.assertEqual(layers.levels_of(edges | {("c", "a")})[1], {"a", "b", "c"})

    def test_a_namespace_is_of_one_room(self):
        texts = {"compute/lab/bench.cu": "namespace systole::lab {\nnamespace systole::gpu {\n",
                 "compute/lab/kernels/a.cu": "namespace systole::lab {\n",
                 "compute/sparse/a.cu": "namespace systole::sparse::gpu {\n",
                 "compute/ops/a.cpp": "namespace systole::rows {\n"}
        self.assertEqual(layers.shared_namespaces(texts), {})
        texts["compute/ops/a.cpp"] = "namespace systole::lab {\n"
        self.assertEqual(layers.shared_namespaces(texts),
                         {"lab": ["compute/lab", "compute/lab/kernels", "compute/ops"]})

    def test_the_exit_code_tells(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for layer in layers.LAYERS:
                (root / layer).mkdir()
            (root / "io" / "good.cpp").write_text('#include "io/good.h"\n')
            self.assertEqual(layers.main(root), 0)
            (root / "io" / "bad.cpp").write_text('#include "app/window/window.h"\n')
            self.assertEqual(layers.main(root), 1)


if __name__ == "__main__":
    unittest.main()
