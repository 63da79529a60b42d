#include "compute/methods/clg/solver/red_black_cpu.h"

#include "compute/methods/clg/solver/rows.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// Rows are whole vectors of the widest instruction set; x-neighbors may read a vector before the
/// first row and one after the last, which are masked out.
constexpr int vectorFloats = 16;
int strideOf(Size3 size) {
    return ((size.x + 1) / 2 + vectorFloats - 1) / vectorFloats * vectorFloats;
}
std::size_t planeOf(Size3 size) {
    return static_cast<std::size_t>(strideOf(size)) * static_cast<std::size_t>(size.y) *
           static_cast<std::size_t>(size.z);
}
std::size_t systemFloats(Size3 size) { return 18 * planeOf(size) + 2 * vectorFloats; }
std::size_t fieldFloats(Size3 size) { return 6 * planeOf(size) + 2 * vectorFloats; }

} // namespace

ColorSystem::ColorSystem(Size3 size, const ExecContext& ctx)
    : size_(size)
    , stride_(strideOf(size))
    , plane_(planeOf(size))
    , system_(ctx.pool->acquire<float>(systemFloats(size), "solver, system"))
    , field_(ctx.pool->acquire<float>(fieldFloats(size), "solver, field"))
    , zeros_(ctx.pool->acquire<float>(static_cast<std::size_t>(stride_), "solver, border")) {
    std::fill(zeros_.data(), zeros_.data() + stride_, 0.0f);
    for (int end = 0; end < vectorFloats; ++end) {
        field_.data()[end] = 0;
        field_.data()[field_.size() - 1 - static_cast<std::size_t>(end)] = 0;
    }
}

std::size_t ColorSystem::bytes(Size3 size) {
    std::size_t sum = 0;
    for (const std::size_t floats :
         {systemFloats(size), fieldFloats(size), static_cast<std::size_t>(strideOf(size))})
        sum += BufferPool::blockBytes(sizeof(float) * floats);
    return sum;
}

double ColorSystem::sweepBytes(Size3 size) {
    // Per voxel: nine coefficients, own field read and written, the other color's field read.
    return 4.0 * (9 + 3 + 3 + 3) * static_cast<double>(size.voxels());
}

double ColorSystem::sweepFlops(Size3 size) {
    // Per voxel: 3 × (6 neighbors: 3 adds, 3 fma) and 3 × (3 fma, 3 for the relaxation).
    return (3 * 9 + 3 * 9) * static_cast<double>(size.voxels());
}

std::size_t ColorSystem::rowStart(int y, int z) const {
    return static_cast<std::size_t>(stride_) *
           (static_cast<std::size_t>(y) +
            static_cast<std::size_t>(size_.y) * static_cast<std::size_t>(z));
}

float* ColorSystem::systemRow(int color, int k, int y, int z) {
    return system_.data() + static_cast<std::size_t>(9 * color + k) * plane_ + rowStart(y, z);
}

float* ColorSystem::fieldRow(int color, int k, int y, int z) const {
    return field_.data() + vectorFloats + static_cast<std::size_t>(3 * color + k) * plane_ +
           rowStart(y, z);
}

void ColorSystem::setSystem(const ClgSystem& system, const ExecContext& ctx) {
    weights_ = system.smoothness;
    parallelFor(ctx, size_.z, 1, [&](int begin, int end) {
        std::vector<float> neighbors(static_cast<std::size_t>(size_.x));
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size_.y; ++y) {
                const auto count = [](int i, int n) { return (i > 0) + (i < n - 1); };
                const float across = weights_[1] * static_cast<float>(count(y, size_.y)) +
                                     weights_[2] * static_cast<float>(count(z, size_.z));
                for (int x = 0; x < size_.x; ++x)
                    neighbors[static_cast<std::size_t>(x)] =
                        across + weights_[0] * static_cast<float>(count(x, size_.x));
                const float* in[9];
                float *even[9], *odd[9];
                const int evenColor = (y + z) & 1;
                for (int k = 0; k < 9; ++k) {
                    in[k] = system.coefficient[static_cast<std::size_t>(k)].row(y, z);
                    even[k] = systemRow(evenColor, k, y, z);
                    odd[k] = systemRow(1 - evenColor, k, y, z);
                }
                rows::splitSystem(in, neighbors.data(), size_.x, stride_, even, odd);
            }
    });
}

void ColorSystem::load(FieldView<const float> t, const ExecContext& ctx) {
    parallelFor(ctx, size_.z, 2, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size_.y; ++y) {
                const int evenColor = (y + z) & 1;
                for (int k = 0; k < 3; ++k)
                    rows::splitRow(t.componentView(k).row(y, z), size_.x, stride_,
                                   fieldRow(evenColor, k, y, z), fieldRow(1 - evenColor, k, y, z));
            }
    });
}

void ColorSystem::store(FieldView<float> t, const ExecContext& ctx) const {
    parallelFor(ctx, size_.z, 2, [&](int begin, int end) {
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size_.y; ++y) {
                const int evenColor = (y + z) & 1;
                for (int k = 0; k < 3; ++k)
                    rows::mergeRow(fieldRow(evenColor, k, y, z), fieldRow(1 - evenColor, k, y, z),
                                   size_.x, t.componentView(k).row(y, z));
            }
    });
}

double ColorSystem::sweep(float omega, bool measure, const ExecContext& ctx) {
    double largest = 0;
    for (int color = 0; color < 2; ++color)
        largest = std::max(largest, parallelMax(ctx, size_.z, 2, [&](int begin, int end) {
                               float slab = 0;
                               rows::SweepRow row{};
                               row.weightX = weights_[0];
                               row.weightY = weights_[1];
                               row.weightZ = weights_[2];
                               row.stride = stride_;
                               for (int z = begin; z < end; ++z)
                                   for (int y = 0; y < size_.y; ++y) {
                                       row.shift = (y + z + color) & 1;
                                       for (int k = 0; k < 9; ++k)
                                           row.system[k] = systemRow(color, k, y, z);
                                       const int other = 1 - color;
                                       for (int k = 0; k < 3; ++k) {
                                           row.self[k] = fieldRow(color, k, y, z);
                                           row.besideX[k] = fieldRow(other, k, y, z);
                                           row.neighbor[0][k] =
                                               y > 0 ? fieldRow(other, k, y - 1, z) : zeros_.data();
                                           row.neighbor[1][k] = y < size_.y - 1
                                                                    ? fieldRow(other, k, y + 1, z)
                                                                    : zeros_.data();
                                           row.neighbor[2][k] =
                                               z > 0 ? fieldRow(other, k, y, z - 1) : zeros_.data();
                                           row.neighbor[3][k] = z < size_.z - 1
                                                                    ? fieldRow(other, k, y, z + 1)
                                                                    : zeros_.data();
                                       }
                                       slab = std::max(slab, rows::sweep(row, omega, measure));
                                   }
                               return static_cast<double>(slab);
                           }));
    return largest;
}

} // namespace systole
