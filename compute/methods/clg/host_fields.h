// Operations of the steps on the host on whole fields.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"

#include <array>

namespace systole::clg {

inline std::array<float, 3> inverse(std::array<float, 3> scale) {
    return {1 / scale[0], 1 / scale[1], 1 / scale[2]};
}

/// to[i] = change(to[i], field[i])
template <typename Change>
void changeBy(FieldView<const float> field, FieldView<float> to, const ExecContext& ctx,
              const Change& change) {
    constexpr int chunk = 1 << 16;
    const auto values = static_cast<int>(3 * to.size.voxels());
    parallelFor(ctx, values, chunk, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            to.u[i] = change(to.u[i], field.u[i]);
    });
}

} // namespace systole::clg
