"""tools/check_layers.py on made-up files: what it must accept and what it must refuse."""

import importlib.util
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "tools" / "check_layers.py"
spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layers)


def problems(path, include, public=False):
    return layers.check_file(path, f"#include {include}\n", public)


class Layers(unittest.TestCase):
    def test_each_layer_may_look_only_to_its_left(self):
        self.assertEqual(problems("app/window.cpp", '"render/scene.h"'), [])
        self.assertEqual(problems("io/nifti.cpp", '"compute/core/volume.h"'), [])
        for path, include in [
            ("compute/core/exec.cpp", '"io/source.h"'),
            ("compute/ops/smooth_cpu.cpp", '"compute/motion/clg.h"'),
            ("render/scene.cpp", '"compute/motion/estimator.h"'),
            ("render/scene.cpp", '"io/source.h"'),
            ("io/nifti.cpp", '"compute/ops/smooth.h"'),
            ("io/nifti.cpp", '"render/scene.h"'),
        ]:
            self.assertEqual(len(problems(path, include)), 1, (path, include))

    def test_the_phantom_alone_in_io_may_use_operations(self):
        self.assertEqual(problems("io/phantom_texture.cpp", '"compute/ops/smooth.h"'), [])

    def test_libraries_stay_in_their_files(self):
        self.assertEqual(problems("app/window.cpp", "<QMainWindow>"), [])
        self.assertEqual(problems("io/itk_image.cpp", "<itkImage.h>"), [])
        for path, include in [
            ("app/session.cpp", "<QString>"),
            ("app/window.cpp", "<vtkActor.h>"),
            ("app/window.cpp", "<imgui.h>"),
            ("compute/ops/smooth_cpu.cpp", "<itkImage.h>"),
            ("io/itk_image.h", "<itkImage.h>"),
            ("io/nifti.cpp", "<tbb/parallel_for.h>"),
            ("compute/cuda/device.h", "<cuda_runtime.h>"),
        ]:
            self.assertEqual(len(problems(path, include)), 1, (path, include))

    def test_own_includes_are_written_from_the_root(self):
        self.assertEqual(len(problems("app/window.cpp", '"viewport.h"')), 1)

    def test_a_public_header_carries_no_third_party_types(self):
        self.assertEqual(problems("render/prop.h", "<vtkProp.h>"), [])
        self.assertEqual(len(problems("render/prop.h", "<vtkProp.h>", public=True)), 1)

    def test_public_is_what_another_folder_reaches(self):
        texts = {
            "app/window.cpp": '#include "render/scene.h"\n',
            "render/scene.h": '#include "render/inner.h"\n',
            "render/inner.h": "",
            "render/prop.h": "",
            "render/prop.cpp": '#include "render/prop.h"\n',
        }
        self.assertEqual(layers.public_headers(texts), {"render/scene.h", "render/inner.h"})

    def test_the_exit_code_tells(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for layer in layers.LAYERS:
                (root / layer).mkdir()
            (root / "io" / "good.cpp").write_text('#include "io/good.h"\n')
            self.assertEqual(layers.main(root), 0)
            (root / "io" / "bad.cpp").write_text('#include "app/window.h"\n')
            self.assertEqual(layers.main(root), 1)


if __name__ == "__main__":
    unittest.main()
