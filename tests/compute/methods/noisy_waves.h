// A pair of moving waves with normal noise, less and more than parts the widths of demons'
// smoothing.
#pragma once

#include "compute/methods/demons/demons.h"
#include "tests/support/compute_support.h"
#include "tests/support/normal_noise.h"
#include "tests/support/waves.h"

#include <vector>

namespace systole::test {

struct NoisyWaves {
    struct Case {
        float first, second; ///< deviations, gray values
        bool noisy;
    };
    static constexpr Case cases[] = {{0, 0, false}, {8.5f, 8.5f, false},  {12, 0, false},
                                     {0, 16, true}, {11.5f, 11.5f, true}, {25, 25, true}};

    explicit NoisyWaves(const Case& noise, Size3 grid = {32, 28, 24})
        : size(grid)
        , fixed(size, waves)
        , moving(size, [](double x, double y, double z) { return waves(x - 0.8, y + 0.5, z); }) {
        const std::size_t n = size.voxels();
        const std::vector<float> first = normalNoise(n, 5, noise.first),
                                 second = normalNoise(n, 6, noise.second);
        for (std::size_t i = 0; i < n; ++i) {
            fixed.voxels[i] += first[i];
            moving.voxels[i] += second[i];
        }
    }

    struct Found {
        std::vector<float> field;
        double width; ///< as reported
    };
    /// Motion by the default preset; `width`: of the step smoothing, whatever the noise; null: the
    /// preset's.
    Found byDemons(const char* width, Backend backend, const ExecContext& ctx,
                   const char* maxStep = "2") {
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.spacing = spacing;
        ParamSet parameters(*demonsMethod().parameters, "default");
        if (width)
            for (const char* const id : {"fluid", "fluid-in-noise"})
                parameters.setText(id, width);
        parameters.setText("max-step", maxStep);
        TestField field(size);
        const MotionReport report =
            makeDemons(parameters, backend)->estimate(input, field.view(), ctx);
        const Figure* const reported = findFigure(report.levels.back().figures, "step smoothing");
        return {field.values, reported ? reported->value : 0};
    }

    Size3 size;
    Vec3 spacing{1, 1, 1};
    TestVolume fixed, moving;
};

} // namespace systole::test
