// The lines of a grid along one axis, in parallel: what transforms by axes go over.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/geometry.h"

#include <array>
#include <cstddef>

namespace systole {

/// A line of voxels: voxel i of the line is voxel first + i · stride of the volume.
struct GridLine {
    std::size_t first = 0, stride = 1;
    int count = 0;
    std::array<int, 3> start{}; ///< its first voxel

    std::size_t at(int i) const { return first + static_cast<std::size_t>(i) * stride; }
};

/// Calls makeBody() once for each chunk of lines, and the body that it returns for each line of the
/// chunk. Neighboring lines follow one another, so that lines across x share their cache lines.
template <typename MakeBody>
void overLines(Size3 size, int axis, const ExecContext& ctx, const MakeBody& makeBody) {
    const int outer = axis == 2 ? 1 : 2, inner = axis == 0 ? 1 : 0;
    const auto nx = static_cast<std::size_t>(size.x);
    const std::array<std::size_t, 3> strides{1, nx, nx * static_cast<std::size_t>(size.y)};
    parallelFor(ctx, size[outer], 1, [&](int begin, int end) {
        ctx.throwIfCancelled();
        auto body = makeBody();
        for (int o = begin; o < end; ++o)
            for (int i = 0; i < size[inner]; ++i) {
                GridLine line;
                line.start[static_cast<std::size_t>(outer)] = o;
                line.start[static_cast<std::size_t>(inner)] = i;
                line.stride = strides[static_cast<std::size_t>(axis)];
                line.count = size[axis];
                for (std::size_t a = 0; a < 3; ++a)
                    line.first += strides[a] * static_cast<std::size_t>(line.start[a]);
                body(line);
            }
    });
}

} // namespace systole
