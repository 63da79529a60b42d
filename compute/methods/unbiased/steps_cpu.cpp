#include "compute/methods/unbiased/rows.h"
#include "compute/methods/unbiased/steps.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace systole::unbiased {
namespace {

/// Planes of a chunk: the fluxes of the plane on either side are computed twice.
constexpr int planesOfChunk = 8;

/// The rows that M is made from, with storage for the differences along x.
class Rows {
public:
    explicit Rows(FieldView<const float> w) : w_(w) {
        for (std::vector<float>& row : alongX_)
            row.resize(static_cast<std::size_t>(w.size.x));
    }
    const rows::DeformationRow& at(int y, int z) {
        const Size3 size = w_.size;
        for (int i = 0; i < 3; ++i) {
            const VolumeView<const float> c = w_.componentView(i);
            std::vector<float>& alongX = alongX_[static_cast<std::size_t>(i)];
            rows::differences(c.row(y, z), size.x, alongX.data());
            row_.alongX[i] = alongX.data();
            row_.aheadY[i] = c.row(std::min(y + 1, size.y - 1), z);
            row_.behindY[i] = c.row(std::max(y - 1, 0), z);
            row_.aheadZ[i] = c.row(y, std::min(z + 1, size.z - 1));
            row_.behindZ[i] = c.row(y, std::max(z - 1, 0));
        }
        row_.factorY = differenceFactor(y, size.y);
        row_.factorZ = differenceFactor(z, size.z);
        return row_;
    }

private:
    FieldView<const float> w_;
    std::array<std::vector<float>, 3> alongX_;
    rows::DeformationRow row_{};
};

/// The fluxes cof(M)_ij L' and distances (|M| − 1) log |M| of three planes around the one in work.
class FluxPlanes {
public:
    explicit FluxPlanes(Size3 size)
        : size_(size)
        , pitch_(static_cast<std::size_t>(size.x) + 2)
        , values_(30 * pitch_ * static_cast<std::size_t>(size.y)) {}

    /// Component ij of a row's flux; plane z is kept until z + 3.
    float* row(int ij, int y, int z) {
        const auto plane = static_cast<std::size_t>(ij * 3 + z % 3);
        return values_.data() + 1 +
               pitch_ * (plane * static_cast<std::size_t>(size_.y) + static_cast<std::size_t>(y));
    }

    float* distance(int y, int z) { return row(9, y, z); }

    /// Returns the number of voxels that fold.
    int fill(Rows& deformation, int z) {
        const int n = size_.x;
        int folded = 0;
        for (int y = 0; y < size_.y; ++y) {
            float* flux[9];
            for (int ij = 0; ij < 9; ++ij)
                flux[ij] = row(ij, y, z);
            folded += rows::unbiasedFlux(deformation.at(y, z), n, flux, distance(y, z));
            // The values beyond the row's ends that rows::ForceRow requires.
            for (const int ij : {0, 3, 6}) {
                flux[ij][-1] = -2 * flux[ij][0];
                flux[ij][n] = -2 * flux[ij][n - 1];
                flux[ij][0] *= 2;
                if (n > 1)
                    flux[ij][n - 1] *= 2;
            }
        }
        return folded;
    }

    /// Rows that don't exist have no weight: the row itself is read in their place.
    rows::ForceRow around(int y, int z) {
        rows::ForceRow r{};
        const int above = std::min(z + 1, size_.z - 1), below = std::max(z - 1, 0);
        for (int ij = 0; ij < 9; ++ij)
            r.flux[ij] = row(ij, y, z);
        for (int i = 0; i < 3; ++i) {
            r.aheadY[i] = row(3 * i + 1, std::min(y + 1, size_.y - 1), z);
            r.behindY[i] = row(3 * i + 1, std::max(y - 1, 0), z);
            r.aheadZ[i] = row(3 * i + 2, y, above);
            r.behindZ[i] = row(3 * i + 2, y, below);
        }
        r.y = transposedDifference(y, size_.y);
        r.z = transposedDifference(z, size_.z);
        return r;
    }

private:
    Size3 size_;
    std::size_t pitch_;
    std::vector<float> values_;
};

} // namespace

Check force(const Frames& frames, FieldView<const float> w, const ForceRule& rule,
            FieldView<float> out, const ExecContext& ctx) {
    const Size3 size = w.size;
    std::vector<int> folded(static_cast<std::size_t>(size.z));
    const double unit = energyUnit(size.voxels());
    const double sum = parallelSum(ctx, size.z, planesOfChunk, [&](int begin, int end) {
        Rows deformation(w);
        FluxPlanes fluxes(size);
        const auto count = static_cast<std::size_t>(size.x);
        std::vector<float> rows(4 * count);
        float* const energy = rows.data();
        float* const data[3] = {energy + count, energy + 2 * count, energy + 3 * count};
        const rows::Volume moving(frames.moving.data, size);
        const auto fill = [&](int z) {
            if (z < 0 || z >= size.z)
                return;
            const int found = fluxes.fill(deformation, z);
            if (z >= begin && z < end)
                folded[static_cast<std::size_t>(z)] = found;
        };
        fill(begin - 1);
        fill(begin);
        double total = 0;
        for (int z = begin; z < end; ++z) {
            ctx.throwIfCancelled();
            fill(z + 1);
            for (int y = 0; y < size.y; ++y) {
                const std::size_t i = out.componentView(0).offset(0, y, z);
                rows::unbiasedData({moving,
                                    frames.fixed.data + i,
                                    static_cast<float>(y),
                                    static_cast<float>(z),
                                    {w.u + i, w.v + i, w.w + i},
                                    fluxes.distance(y, z)},
                                   rule, size.x, energy, data);
                rows::ForceRow row = fluxes.around(y, z);
                std::copy(std::begin(data), std::end(data), row.data);
                rows::unbiasedForce(deformation.at(y, z), row, rule, size.x,
                                    {out.u + i, out.v + i, out.w + i});
                for (int x = 0; x < size.x; ++x)
                    total += onSumGrid(static_cast<double>(energy[x]), unit);
            }
        }
        return total;
    });
    return {sum / static_cast<double>(size.voxels()),
            static_cast<double>(std::accumulate(folded.begin(), folded.end(), 0L))};
}

float transport(FieldView<const float> w, FieldView<const float> force, float momentum,
                FieldView<float> velocity, const float (&scale)[3], FieldView<float> out,
                const ExecContext& ctx) {
    const Size3 size = w.size;
    const float inverse[3] = {1 / scale[0], 1 / scale[1], 1 / scale[2]};
    const double squared = parallelMax(ctx, size.z, 2, [&](int begin, int end) {
        Rows deformation(w);
        float largest = 0;
        for (int z = begin; z < end; ++z)
            for (int y = 0; y < size.y; ++y) {
                const std::size_t i = out.componentView(0).offset(0, y, z);
                largest = std::max(
                    largest, rows::unbiasedTransport(
                                 deformation.at(y, z), {force.u + i, force.v + i, force.w + i},
                                 momentum, {velocity.u + i, velocity.v + i, velocity.w + i},
                                 inverse, size.x, {out.u + i, out.v + i, out.w + i}));
            }
        return static_cast<double>(largest);
    });
    return std::sqrt(static_cast<float>(squared));
}

} // namespace systole::unbiased
