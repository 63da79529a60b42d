// A heart moves the same however its image is stored: along every axis forwards or backwards, and
// with the axes in any order.
#include "compute/core/voxel.h"
#include "compute/motion/methods.h"
#include "tests/compute/motion/processor_methods.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

using test::Implementation, test::TestField, test::TestVolume;

/// Axis a of the stored image is axis `axis[a]` of the heart's, backwards if `back[a]`.
struct Orientation {
    std::array<int, 3> axis;
    std::array<bool, 3> back;

    Size3 stored(Size3 size) const { return {size[axis[0]], size[axis[1]], size[axis[2]]}; }
    /// The heart's voxel at a stored one.
    Voxel voxel(Size3 size, int x, int y, int z) const {
        const int at[3] = {x, y, z};
        int of[3]{};
        for (std::size_t a = 0; a < 3; ++a)
            of[axis[a]] = back[a] ? size[axis[a]] - 1 - at[a] : at[a];
        return {of[0], of[1], of[2]};
    }
};

std::vector<Orientation> everyOrientation() {
    std::vector<Orientation> all;
    std::array<int, 3> axis{0, 1, 2};
    do
        for (int signs = 0; signs < 8; ++signs)
            all.push_back({axis, {(signs & 1) != 0, (signs & 2) != 0, (signs & 4) != 0}});
    while (std::next_permutation(axis.begin(), axis.end()));
    return all;
}

class EveryOrientation : public testing::TestWithParam<Implementation> {
protected:
    /// The motion of the heart, in its own axes, from images stored in an orientation.
    TestField motion(const Orientation& how) {
        const Size3 stored = how.stored(size);
        const auto turned = [&](TestVolume& heart) {
            return TestVolume(stored, [&](double x, double y, double z) {
                const Voxel p =
                    how.voxel(size, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
                return heart.view()(p.x, p.y, p.z);
            });
        };
        TestVolume still = turned(fixed), moved = turned(moving);
        MotionInput input;
        input.fixed = still.view();
        input.moving = moved.view();
        for (int a = 0; a < 3; ++a)
            input.spacing[a] = spacing[how.axis[static_cast<std::size_t>(a)]];
        TestField found(stored), result(size);
        const MotionMethod& method = *GetParam().method;
        ExecContext ctx = resources.context();
        ctx.backend = GetParam().backend;
        method.make(ParamSet(*method.parameters, "default"), GetParam().backend)
            ->estimate(input, found.view(), ctx);
        for (int z = 0; z < stored.z; ++z)
            for (int y = 0; y < stored.y; ++y)
                for (int x = 0; x < stored.x; ++x) {
                    const Voxel p = how.voxel(size, x, y, z);
                    for (std::size_t a = 0; a < 3; ++a) {
                        const float along =
                            found.view().componentView(static_cast<int>(a))(x, y, z);
                        result.view().componentView(how.axis[a])(p.x, p.y, p.z) =
                            how.back[a] ? -along : along;
                    }
                }
        return result;
    }

    /// Mean length of the difference, mm.
    double meanDifference(const TestField& a, const TestField& b) const {
        double sum = 0;
        const std::size_t n = size.voxels();
        for (std::size_t i = 0; i < n; ++i) {
            double squared = 0;
            for (std::size_t c = 0; c < 3; ++c)
                squared += std::pow(
                    spacing[static_cast<int>(c)] * (a.values[c * n + i] - b.values[c * n + i]), 2);
            sum += std::sqrt(squared);
        }
        return sum / static_cast<double>(n);
    }

    // Axes of even and odd length; the pyramid's levels have both, too.
    Size3 size{36, 33, 26};
    Vec3 spacing{1.5, 1.5, 1.8};
    TestVolume fixed{size, test::waves};
    TestVolume moving{size, [](double x, double y, double z) {
                          const double dx = x - 17, dy = y - 17, dz = z - 12;
                          const double near = std::exp(-(dx * dx + dy * dy + dz * dz) / 120);
                          return test::waves(x - 1.6 * near, y + 0.9 * near, z - 0.5 * near);
                      }};
    ExecResources resources{2};
};

TEST_P(EveryOrientation, GivesTheSameMotion) {
    const std::vector<Orientation> all = everyOrientation();
    const TestField asItIs = motion(all.front());
    double worst = 0;
    for (const Orientation& how : all)
        worst = std::max(worst, meanDifference(motion(how), asItIs));
    EXPECT_LT(worst, 0.01); // mm
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryOrientation,
                         testing::ValuesIn(test::onTheProcessor({Backend::Cpu})),
                         [](const auto& each) { return each.param.label(); });

} // namespace
} // namespace systole
