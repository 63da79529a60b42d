#include "compute/methods/clg/solver/rows.h"
#include "compute/methods/clg/steps.h"
#include "compute/methods/clg/tensor_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>
#include <vector>

namespace systole {
namespace {

/// The four row-long arrays between gradient and products; they stay in the L1 cache.
struct GradientRows {
    explicit GradientRows(int count)
        : x(n(count)), y(n(count)), z(n(count)), t(n(count)), padded(n(count) + 2) {}
    static std::size_t n(int count) { return static_cast<std::size_t>(count); }
    std::vector<float> x, y, z, t, padded;
};

/// One row of each of nine volumes.
struct RowOfNine {
    RowOfNine(const std::array<VolumeView<float>, 9>& volumes, int y, int z) {
        for (std::size_t k = 0; k < 9; ++k)
            row[k] = volumes[k].row(y, z);
    }
    float* row[9];
};

std::array<float, 3> factors(const TensorInput& in) {
    std::array<float, 3> factor{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        factor[axis] = clg::differenceFactor(in.centralGradient, in.scale[axis]);
    return factor;
}

/// Mean of fixed and warped, central differences; zero across the border.
void centralRows(const TensorInput& in, int y, int z, GradientRows& g) {
    const Size3 size = in.fixed.size;
    const std::array<float, 3> factor = factors(in);
    const auto count = static_cast<std::size_t>(size.x);
    const float* f = in.fixed.row(y, z);
    const float* m = in.warped.row(y, z);
    for (std::size_t x = 0; x < count; ++x)
        g.padded[x + 1] = f[x] + m[x];
    // Mirrored, so that the difference at the ends is zero.
    g.padded[0] = count > 1 ? g.padded[2] : g.padded[1];
    g.padded[count + 1] = count > 1 ? g.padded[count - 1] : g.padded[1];
    rows::difference(g.padded.data() + 2, g.padded.data(), nullptr, nullptr, factor[0], size.x,
                     g.x.data());
    if (y > 0 && y < size.y - 1)
        rows::difference(in.fixed.row(y + 1, z), in.fixed.row(y - 1, z), in.warped.row(y + 1, z),
                         in.warped.row(y - 1, z), factor[1], size.x, g.y.data());
    else
        std::fill(g.y.begin(), g.y.end(), 0.0f);
    if (z > 0 && z < size.z - 1)
        rows::difference(in.fixed.row(y, z + 1), in.fixed.row(y, z - 1), in.warped.row(y, z + 1),
                         in.warped.row(y, z - 1), factor[2], size.x, g.z.data());
    else
        std::fill(g.z.begin(), g.z.end(), 0.0f);
}

void forwardRows(const TensorInput& in, int y, int z, GradientRows& g) {
    const Size3 size = in.fixed.size;
    const std::array<float, 3> factor = factors(in);
    const float* f = in.fixed.row(y, z);
    rows::difference(f + 1, f, nullptr, nullptr, factor[0], size.x - 1, g.x.data());
    g.x[static_cast<std::size_t>(size.x - 1)] = 0;
    const auto along = [&](bool there, int y1, int z1, float by, std::vector<float>& out) {
        if (there)
            rows::difference(in.fixed.row(y1, z1), f, nullptr, nullptr, by, size.x, out.data());
        else
            std::fill(out.begin(), out.end(), 0.0f);
    };
    along(y < size.y - 1, y + 1, z, factor[1], g.y);
    along(z < size.z - 1, y, z + 1, factor[2], g.z);
}

class ClgCpuForm : public ClgForm {
public:
    ClgCpuForm() : ClgForm(false) {}

    double tensor(const TensorInput& in, const std::array<VolumeView<float>, 9>& out,
                  const ExecContext& ctx) const override {
        const Size3 size = in.fixed.size;
        std::vector<rows::ResidualSum> perPlane(static_cast<std::size_t>(size.z));
        parallelFor(ctx, size.z, 1, [&](int begin, int end) {
            GradientRows g(size.x);
            for (int z = begin; z < end; ++z)
                for (int y = 0; y < size.y; ++y) {
                    if (in.centralGradient)
                        centralRows(in, y, z, g);
                    else
                        forwardRows(in, y, z, g);
                    rows::difference(in.warped.row(y, z), in.fixed.row(y, z), nullptr, nullptr, 1,
                                     size.x, g.t.data());
                    rows::ResidualSum& plane = perPlane[static_cast<std::size_t>(z)];
                    plane =
                        plane + rows::products({g.x.data(), g.y.data(), g.z.data(), g.t.data()},
                                               in.inside.empty() ? nullptr : in.inside.row(y, z),
                                               in.epsilon, size.x, RowOfNine(out, y, z).row);
                }
        });
        return rows::total(perPlane).rootMeanSquare();
    }

    void smooth(VolumeView<float> volume, const TapsOfAxes& taps,
                const ExecContext& ctx) const override {
        smoothBy(taps, volume, volume, ctx);
    }

    void rightHandSide(const std::array<VolumeView<float>, 9>& c, FieldView<const float> w0,
                       const ExecContext& ctx) const override {
        const Size3 size = w0.size;
        overRows(size, ctx, [&](int y, int z) {
            const std::size_t i = c[0].offset(0, y, z);
            rows::rightHandSide(RowOfNine(c, y, z).row, {w0.u + i, w0.v + i, w0.w + i}, size.x);
        });
    }

    void warp(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
              VolumeView<float> inside, bool cubic, const ExecContext& ctx) const override {
        (cubic ? warpVolumeCubic : warpVolume)(moving, field, out, inside, ctx);
    }

    void compose(FieldView<const float> w, FieldView<float> t, std::array<float, 3> scale,
                 FieldView<float> out, const ExecContext& ctx) const override {
        scaleField(t, scale, ctx);
        parallelFor(ctx, t.size.z, 2, [&](int begin, int end) {
            const std::size_t first = t.componentView(0).offset(0, 0, begin);
            const auto count = static_cast<int>(t.componentView(0).offset(0, 0, end) - first);
            for (int k = 0; k < 3; ++k)
                rows::difference(t.component(k) + first, w.component(k) + first, nullptr, nullptr,
                                 1, count, t.component(k) + first);
        });
        composeFields(w, t, out, ctx);
    }
};

} // namespace

std::unique_ptr<ClgForm> makeClgCpuForm() { return std::make_unique<ClgCpuForm>(); }

} // namespace systole
