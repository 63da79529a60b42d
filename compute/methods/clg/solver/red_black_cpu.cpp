#include "compute/methods/clg/solver/red_black_cpu.h"

#include "compute/methods/clg/solver/block_rows.h"
#include "compute/methods/clg/solver/math.h"
#include "compute/methods/clg/solver/rows.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>

namespace systole {
namespace {

constexpr int margin = ColorSystem::margin;
int strideOf(Size3 size) { return ((size.x + 1) / 2 + margin - 1) / margin * margin; }
std::size_t planeOf(Size3 size) {
    return static_cast<std::size_t>(strideOf(size)) * static_cast<std::size_t>(size.y) *
           static_cast<std::size_t>(size.z);
}
/// Of volumes that are stored by parity.
std::size_t floatsOf(Size3 size, std::size_t volumes) {
    return 2 * volumes * planeOf(size) + 2 * margin;
}
/// Zeros for a missing row; with beta, whose rows are taken several at once, for those of a plane.
std::size_t borderFloats(Size3 size, bool withBeta) {
    return static_cast<std::size_t>(strideOf(size)) *
           (withBeta ? static_cast<std::size_t>(size.y) : 1);
}

} // namespace

ColorSystem::ColorSystem(const ClgSystem& system, const ExecContext& ctx)
    : size_(system.size())
    , stride_(strideOf(size_))
    , plane_(planeOf(size_))
    , field_(ctx.pool->acquire<float>(floatsOf(size_, 3), "solver, field"))
    , zeros_(ctx.pool->acquire<float>(borderFloats(size_, system.beta > 0), "solver, border")) {
    std::fill_n(zeros_.data(), zeros_.size(), 0.0f);
    clearMargins(field_);
    if (system.beta > 0)
        setDivergence(system, ctx);
}

void ColorSystem::clearMargins(Buffer<float>& volumes) {
    std::fill_n(volumes.data(), margin, 0.0f);
    std::fill_n(volumes.data() + volumes.size() - margin, margin, 0.0f);
}

std::size_t ColorSystem::bytes(Size3 size, bool withBeta) {
    return productBytes(size, withBeta) + BufferPool::blockBytes(sizeof(float) * floatsOf(size, 9));
}

std::size_t ColorSystem::productBytes(Size3 size, bool withBeta) {
    std::size_t sum = 0;
    for (const std::size_t floats :
         {floatsOf(size, 3), borderFloats(size, withBeta), withBeta ? floatsOf(size, 1) : 0})
        sum += floats > 0 ? BufferPool::blockBytes(sizeof(float) * floats) : 0;
    return sum;
}

std::size_t ColorSystem::rowStart(int y, int z) const {
    return static_cast<std::size_t>(stride_) *
           (static_cast<std::size_t>(y) +
            static_cast<std::size_t>(size_.y) * static_cast<std::size_t>(z));
}

float* ColorSystem::systemRow(int parity, int k, int y, int z) {
    const int row = beta_ > 0 ? (y & 1) * ((size_.y + 1) / 2) + y / 2 : y;
    return system_.data() + static_cast<std::size_t>(9 * parity + k) * plane_ + rowStart(row, z);
}

float* ColorSystem::fieldRow(int parity, int k, int y, int z) const {
    return field_.data() + margin + static_cast<std::size_t>(3 * parity + k) * plane_ +
           rowStart(y, z);
}

float* ColorSystem::weightRow(int parity, int y, int z) const {
    return weight_.data() + margin + static_cast<std::size_t>(parity) * plane_ + rowStart(y, z);
}

void ColorSystem::setSystem(const ClgSystem& system, const ExecContext& ctx) {
    system_ = ctx.pool->acquire<float>(floatsOf(size_, 9), "solver, system");
    weights_ = system.smoothness;
    parallelFor(ctx, size_.z, 1, [&](int begin, int end) {
        BlockRows blocks(size_.x);
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size_.y; ++y) {
                const float* in[9];
                float *even[9], *odd[9];
                const int evenParity = (y + z) & 1;
                for (int k = 0; k < 9; ++k) {
                    in[k] = system.coefficient[static_cast<std::size_t>(k)].row(y, z);
                    even[k] = systemRow(evenParity, k, y, z);
                    odd[k] = systemRow(1 - evenParity, k, y, z);
                }
                blocks.addSmoothness(weights_, size_, y, z);
                if (beta_ > 0)
                    blocks.addDivergence(system, y, z, in);
                rows::splitSystem(in, blocks.neighbors(), size_.x, stride_, even, odd);
            }
    });
}

void ColorSystem::load(FieldView<const float> t, const ExecContext& ctx) {
    overRows(size_, ctx, [&](int y, int z) {
        const int evenParity = (y + z) & 1;
        for (int k = 0; k < 3; ++k)
            rows::splitRow(t.componentView(k).row(y, z), size_.x, stride_,
                           fieldRow(evenParity, k, y, z), fieldRow(1 - evenParity, k, y, z));
    });
}

void ColorSystem::store(FieldView<float> t, const ExecContext& ctx) const {
    overRows(size_, ctx, [&](int y, int z) {
        const int evenParity = (y + z) & 1;
        for (int k = 0; k < 3; ++k)
            rows::mergeRow(fieldRow(evenParity, k, y, z), fieldRow(1 - evenParity, k, y, z),
                           size_.x, t.componentView(k).row(y, z));
    });
}

float ColorSystem::sweepPlane(int z, int parity, float omega, bool measure) {
    float largest = 0;
    rows::SweepRow row{};
    row.weightX = weights_[0];
    row.weightY = weights_[1];
    row.weightZ = weights_[2];
    row.stride = stride_;
    const int other = 1 - parity;
    const float* const none = zeros_.data();
    for (int y = 0; y < size_.y; ++y) {
        row.shift = (y + z + parity) & 1;
        for (int k = 0; k < 9; ++k)
            row.system[k] = systemRow(parity, k, y, z);
        for (int k = 0; k < 3; ++k) {
            row.self[k] = fieldRow(parity, k, y, z);
            row.besideX[k] = fieldRow(other, k, y, z);
            row.neighbor[0][k] = y > 0 ? fieldRow(other, k, y - 1, z) : none;
            row.neighbor[1][k] = y < size_.y - 1 ? fieldRow(other, k, y + 1, z) : none;
            row.neighbor[2][k] = z > 0 ? fieldRow(other, k, y, z - 1) : none;
            row.neighbor[3][k] = z < size_.z - 1 ? fieldRow(other, k, y, z + 1) : none;
        }
        largest = std::max(largest, rows::sweep(row, omega, measure));
    }
    return largest;
}

double ColorSystem::sweep(float omega, bool measure, const ExecContext& ctx) {
    if (beta_ > 0)
        return sweepWithDivergence(omega, measure, ctx);
    double largest = 0;
    for (int color = 0; color < clg::colorsOf(0); ++color)
        largest = std::max(largest, parallelMax(ctx, size_.z, 2, [&](int begin, int end) {
                               float slab = 0;
                               for (int z = begin; z < end; ++z)
                                   slab = std::max(slab, sweepPlane(z, color, omega, measure));
                               return static_cast<double>(slab);
                           }));
    return largest;
}

} // namespace systole
