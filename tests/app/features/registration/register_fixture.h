// Images of an organ on different grids, for tests of `systole register`.
#pragma once

#include "tests/app/features/registration/register_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace systole::testing {

inline const AffineMap shift{identity3, {3, -2, 4}};
inline const AffineMap turned{
    {{{std::cos(0.12), -std::sin(0.12), 0}, {std::sin(0.12), std::cos(0.12), 0}, {0, 0, 1}}},
    {2, -1.5, 1}};

/// A turn after a smooth deformation of some millimeters.
inline Vec3 deformed(Vec3 p) {
    return turned(p +
                  Vec3{2.5 * std::sin(p.y / 11), 2 * std::sin(p.z / 10), 2 * std::cos(p.x / 12)});
}

class Register : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        const Geometry fixed = gridAround({0, 0, 0}, {36, 34, 30}, {1.8, 1.8, 2});
        const Geometry moving = gridAround({3, -2, 4}, {30, 40, 38}, {2, 1.6, 1.7}, sagittal);
        writeOrgan(path("fixed.nii.gz"), fixed);
        writeOrgan(path("shifted.nii.gz"), moving, shift);
        writeOrgan(path("turned.mha"), moving, turned);
        // The tissue at p in this image lies at deformed(p) in the organ.
        const std::vector<float> gray = sampled(fixed, [](Vec3 p) { return organAt(deformed(p)); });
        writeVolume(path("deformed.nii.gz"), fixed, {gray.data(), fixed.size()});
        writeOrgan(path("organ.nii.gz"),
                   gridAround({0, 0, 0}, {30, 40, 38}, {2, 1.6, 1.7}, sagittal));
        writeOrganLabels(path("fixed_labels.nii.gz"), fixed);
        writeOrganLabels(path("shifted_labels.nii.gz"), moving, shift);
        writeText(path("shift.txt"), "1 0 0 3\n0 1 0 -2\n0 0 1 4\n0 0 0 1\n");
    }
    static void TearDownTestSuite() { folder_.reset(); }
    static std::string path(const std::string& name) { return *folder_ / name; }

    static Outcome reg(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "register");
        return run(arguments);
    }

    inline static std::unique_ptr<TemporaryFolder> folder_;
    BufferPool pool;
};

} // namespace systole::testing
