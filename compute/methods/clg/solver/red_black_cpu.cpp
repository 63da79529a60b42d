#include "compute/methods/clg/solver/red_black_cpu.h"

#include "compute/methods/clg/solver/block_rows.h"
#include "compute/methods/clg/solver/math.h"
#include "compute/methods/clg/solver/rows.h"
#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <mutex>

namespace systole {
namespace {

constexpr int margin = ColorSystem::margin;
constexpr std::size_t n(int count) { return static_cast<std::size_t>(count); }
int strideOf(Size3 size) { return ((size.x + 1) / 2 + margin - 1) / margin * margin; }
/// Values that are free behind a plane and behind a volume, so that rows which a sweep reads
/// together aren't a multiple of 4096 bytes apart where sides are powers of two: a cache holds few
/// such rows, and a load waits for a store to one.
constexpr std::size_t planeGap = 5 * margin, volumeGap = 17 * margin;
std::size_t planeOf(Size3 size) { return n(strideOf(size)) * n(size.y) + planeGap; }
std::size_t volumeOf(Size3 size) { return planeOf(size) * n(size.z) + volumeGap; }
/// Size in floats of volumes that are stored by parity.
std::size_t floatsOf(Size3 size, std::size_t volumes) {
    return 2 * volumes * volumeOf(size) + 2 * margin;
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
    , volume_(volumeOf(size_))
    , field_(ctx.pool->acquire<float>(floatsOf(size_, 3), "solver, field"))
    , zeros_(ctx.pool->acquire<float>(borderFloats(size_, system.beta > 0), "solver, border")) {
    std::fill_n(zeros_.data(), zeros_.size(), 0.0f);
    clearGaps(field_);
    if (system.beta > 0)
        setDivergence(system, ctx);
}

void ColorSystem::clearGaps(Buffer<float>& volumes) const {
    std::fill_n(volumes.data(), margin, 0.0f);
    std::fill_n(volumes.data() + volumes.size() - margin, margin, 0.0f);
    for (std::size_t volume = margin; volume + volume_ <= volumes.size(); volume += volume_)
        for (int z = 1; z <= size_.z; ++z)
            std::fill_n(volumes.data() + volume + plane_ * n(z) - planeGap, planeGap, 0.0f);
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

std::size_t ColorSystem::rowStart(int y, int z) const { return n(stride_) * n(y) + plane_ * n(z); }

float* ColorSystem::systemRow(int parity, int k, int y, int z) const {
    const int row = beta_ > 0 ? (y & 1) * ((size_.y + 1) / 2) + y / 2 : y;
    return system_.data() + 9 * (n(parity) * volume_ + rowStart(row, z)) + n(k) * n(stride_);
}

float* ColorSystem::fieldRow(int parity, int k, int y, int z) const {
    return field_.data() + margin + n(3 * parity + k) * volume_ + rowStart(y, z);
}

float* ColorSystem::weightRow(int parity, int y, int z) const {
    return weight_.data() + margin + n(parity) * volume_ + rowStart(y, z);
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

float ColorSystem::sweepRows(const SweepPart& part, int parity, float omega) const {
    rows::SweepPlane plane{};
    plane.weightX = weights_[0];
    plane.weightY = weights_[1];
    plane.weightZ = weights_[2];
    plane.stride = stride_;
    plane.rows = size_.y;
    plane.zeros = zeros_.data();
    plane.shift = (part.z + parity) & 1;
    const int other = 1 - parity;
    plane.system = systemRow(parity, 0, 0, part.z);
    for (int k = 0; k < 3; ++k) {
        plane.self[k] = fieldRow(parity, k, 0, part.z);
        plane.beside[k] = fieldRow(other, k, 0, part.z);
        plane.below[k] = part.z > 0 ? fieldRow(other, k, 0, part.z - 1) : nullptr;
        plane.above[k] = part.z + 1 < size_.z ? fieldRow(other, k, 0, part.z + 1) : nullptr;
    }
    return rows::sweep(plane, part.firstRow, part.endRow, omega);
}

std::vector<double> ColorSystem::sweep(int count, float omega, const ExecContext& ctx) {
    const int colors = clg::colorsOf(beta_);
    const std::size_t planeBytes = sizeof(float) * floatsOf(size_, 12) / n(size_.z);
    std::vector<double> largest(n(count), 0.0);
    std::mutex guard;
    for (int done = 0; done < count;) {
        const SweepOrder order(size_, colors, count - done, planeBytes, ctx.threads->threads());
        order.run(ctx, [&](const SweepPart& part) {
            const int color = part.step % colors;
            const double change = beta_ > 0 ? sweepRowsWithDivergence(part, color, omega)
                                            : sweepRows(part, color, omega);
            double& ofSweep = largest[n(done + part.step / colors)];
            const std::lock_guard lock(guard);
            ofSweep = std::max(ofSweep, change);
        });
        done += order.sweeps();
    }
    return largest;
}

} // namespace systole
