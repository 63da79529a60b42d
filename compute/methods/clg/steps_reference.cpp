// CLG's steps as plain loops over voxels, in the order of the formulas. Slow and easy to check; the
// reference for the other implementations.
#include "compute/methods/clg/steps.h"
#include "compute/methods/clg/tensor_math.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_cubic.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using clg::Gradient;

float sampleAt(VolumeView<const float> v, float x, float y, float z) {
    return TrilinearSample(v.size, x, y, z).of(v.data);
}

Gradient gradientAt(const TensorInput& in, int x, int y, int z) {
    const auto difference = [&](int dx, int dy, int dz) {
        const Size3 size = in.fixed.size;
        const bool ahead = x + dx < size.x && y + dy < size.y && z + dz < size.z;
        const bool behind = x - dx >= 0 && y - dy >= 0 && z - dz >= 0;
        const float factor = clg::differenceFactor(in.centralGradient, in.scale[dx != 0   ? 0
                                                                                : dy != 0 ? 1
                                                                                          : 2]);
        if (!in.centralGradient)
            return ahead ? factor * (in.fixed(x + dx, y + dy, z + dz) - in.fixed(x, y, z)) : 0.0f;
        if (!ahead || !behind)
            return 0.0f;
        const auto sum = [&](int s) {
            const int i = x + s * dx, j = y + s * dy, k = z + s * dz;
            return in.fixed(i, j, k) + in.warped(i, j, k);
        };
        return factor * (sum(1) - sum(-1));
    };
    return {difference(1, 0, 0), difference(0, 1, 0), difference(0, 0, 1),
            in.warped(x, y, z) - in.fixed(x, y, z)};
}

void smoothAlong(VolumeView<float> volume, int axis, const std::vector<float>& taps,
                 const ExecContext& ctx) {
    const int radius = static_cast<int>(taps.size() / 2);
    Buffer<float> copy = ctx.pool->acquire<float>(volume.voxels(), "smoothing");
    std::copy(volume.data, volume.data + volume.voxels(), copy.data());
    const VolumeView<const float> in(copy.data(), volume.size);
    overVoxels(volume.size, ctx, [&](int x, int y, int z) {
        double sum = 0;
        for (int k = -radius; k <= radius; ++k) {
            const auto at = [&](int i, int a) {
                return a == axis ? std::clamp(i + k, 0, volume.size[a] - 1) : i;
            };
            sum += static_cast<double>(taps[static_cast<std::size_t>(k + radius)]) *
                   static_cast<double>(in(at(x, 0), at(y, 1), at(z, 2)));
        }
        volume(x, y, z) = static_cast<float>(sum);
    });
}

class ClgReferenceForm : public ClgForm {
public:
    ClgReferenceForm() : ClgForm(true) {}

    double tensor(const TensorInput& in, const std::array<VolumeView<float>, 9>& out,
                  const ExecContext& ctx) const override {
        const Size3 size = in.fixed.size;
        const auto weightAt = [&](int x, int y, int z) {
            return in.inside.empty() ? 1.0f : in.inside(x, y, z);
        };
        overVoxels(size, ctx, [&](int x, int y, int z) {
            const Gradient g = gradientAt(in, x, y, z);
            const float weight = weightAt(x, y, z) / clg::dataNorm(g, in.epsilon);
            const std::array<float, 9> products = clg::tensorProducts(g);
            for (std::size_t k = 0; k < 9; ++k)
                out[k](x, y, z) = weight * products[k];
        });
        const double inside = sumOverVoxels(
            size, ctx, [&](int x, int y, int z) -> double { return weightAt(x, y, z); });
        const double squared = sumOverVoxels(size, ctx, [&](int x, int y, int z) -> double {
            const Gradient g = gradientAt(in, x, y, z);
            return weightAt(x, y, z) * g.t * g.t / clg::dataNorm(g, in.epsilon);
        });
        return inside > 0 ? std::sqrt(squared / inside) : 0;
    }

    void smooth(VolumeView<float> volume, const TapsOfAxes& taps,
                const ExecContext& ctx) const override {
        for (std::size_t axis = 0; axis < 3; ++axis)
            smoothAlong(volume, static_cast<int>(axis), taps[axis], ctx);
    }

    void rightHandSide(const std::array<VolumeView<float>, 9>& c, FieldView<const float> w0,
                       const ExecContext& ctx) const override {
        overVoxels(w0.size, ctx, [&](int x, int y, int z) {
            const std::size_t i = c[0].offset(x, y, z);
            const float u = w0.u[i], v = w0.v[i], w = w0.w[i];
            c[6].data[i] = c[0].data[i] * u + c[1].data[i] * v + c[2].data[i] * w - c[6].data[i];
            c[7].data[i] = c[1].data[i] * u + c[3].data[i] * v + c[4].data[i] * w - c[7].data[i];
            c[8].data[i] = c[2].data[i] * u + c[4].data[i] * v + c[5].data[i] * w - c[8].data[i];
        });
    }

    void warp(VolumeView<const float> moving, FieldView<const float> field, VolumeView<float> out,
              VolumeView<float> inside, bool cubic, const ExecContext& ctx) const override {
        overVoxels(out.size, ctx, [&](int x, int y, int z) {
            const std::size_t i = out.offset(x, y, z);
            const float px = static_cast<float>(x) + field.u[i],
                        py = static_cast<float>(y) + field.v[i],
                        pz = static_cast<float>(z) + field.w[i];
            out.data[i] =
                cubic ? cubicSample(moving.size, px, py, pz, moving) : sampleAt(moving, px, py, pz);
            if (!inside.empty())
                inside.data[i] = insideWeight(px, py, pz, out.size);
        });
    }

    void compose(FieldView<const float> w, FieldView<float> t, std::array<float, 3> scale,
                 FieldView<float> out, const ExecContext& ctx) const override {
        overVoxels(t.size, ctx, [&](int x, int y, int z) {
            const std::size_t i = t.componentView(0).offset(x, y, z);
            const float u = scale[0] * t.u[i] - w.u[i], v = scale[1] * t.v[i] - w.v[i],
                        step = scale[2] * t.w[i] - w.w[i];
            const float px = static_cast<float>(x) + u, py = static_cast<float>(y) + v,
                        pz = static_cast<float>(z) + step;
            out.u[i] = u + sampleAt(w.componentView(0), px, py, pz);
            out.v[i] = v + sampleAt(w.componentView(1), px, py, pz);
            out.w[i] = step + sampleAt(w.componentView(2), px, py, pz);
            t.u[i] = u;
            t.v[i] = v;
            t.w[i] = step;
        });
    }
};

} // namespace

std::unique_ptr<ClgForm> makeClgReferenceForm() { return std::make_unique<ClgReferenceForm>(); }

} // namespace systole
