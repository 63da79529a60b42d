#include "io/phantom/texture.h"

#include "compute/core/random.h"
#include "compute/ops/smooth.h"
#include "io/phantom/artifacts.h"
#include "io/phantom/lattice_noise.h"
#include "io/phantom/random_streams.h"
#include "io/phantom/voxels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

constexpr Vec3 pointSpreadVoxels{1.5, 1.5, 1.0};
constexpr double dynamicRangeDecibels = 50;
constexpr int splatTaps = 4;
/// A cubic B-spline has this variance at every sub-voxel position: what the splat adds to the
/// point-spread function and the Gaussian must leave to it.
constexpr double splatVariance = 1.0 / 3;

/// Echogenicity relative to the wall, and gray value in CT, per PhantomTissue.
constexpr float amplitudes[] = {0.4f, 1.0f, 0.08f}, grays[] = {50, 110, 190};

float amplitudeOf(PhantomTissue tissue) { return amplitudes[static_cast<std::size_t>(tissue)]; }
float grayOf(PhantomTissue tissue) { return grays[static_cast<std::size_t>(tissue)]; }

/// Gain and bias of the scanner.
class Sensitivity {
public:
    explicit Sensitivity(const PhantomScene& scene)
        : gain_(static_cast<float>(phantomGain(scene.options, scene.frame)))
        , bias_(scene.options, scene.geometry, scene.frame) {}
    float at(int x, int y, int z) const { return gain_ * bias_.at(x, y, z); }

private:
    float gain_;
    PhantomBias bias_;
};

struct Scatterer {
    float x, y, z; ///< index coordinates in this frame
    float re, im;
};

/// The scatterers of one layer of material cells, moved to this frame. The cells reach a margin
/// beyond the volume, for material that moves or spreads into it.
constexpr int marginCells = 6;
void moveLayer(const PhantomScene& scene, int cellZ, std::vector<Scatterer>& out) {
    const PhantomOptions& options = scene.options;
    const Size3 size = scene.geometry.size();
    const float kept = static_cast<float>(options.amplitudeCorrelation);
    const float renewed = scene.frame == 0 ? 0 : std::sqrt(1 - kept * kept);
    const PhantomDropout dropout(options, scene.frame);
    for (int cellY = -marginCells; cellY < size.y + marginCells; ++cellY)
        for (int cellX = -marginCells; cellX < size.x + marginCells; ++cellX)
            for (int n = 0; n < options.scatterersPerVoxel; ++n) {
                const std::uint64_t id = ((static_cast<std::uint64_t>(cellZ + marginCells) << 40) ^
                                          (static_cast<std::uint64_t>(cellY + marginCells) << 20) ^
                                          static_cast<std::uint64_t>(cellX + marginCells)) *
                                             64 +
                                         static_cast<std::uint64_t>(n);
                const std::uint64_t bits = randomBits(options.seed, scattererPosition, id);
                const auto part = [&](int shift) {
                    return static_cast<double>((bits >> shift) & 0x1fffff) / 0x200000 - 0.5;
                };
                const Vec3 index{cellX + part(0), cellY + part(21), cellZ + part(42)};
                Vec3 material = scene.geometry.indexToPhysical(index);
                material = scene.pose.toOwn(material);
                const Vec3 moved = scene.pose.fromOwn(scene.motion.forward(material));
                const Vec3 now = scene.geometry.physicalToIndex(moved);
                auto [re, im] = normalPair(randomBits(options.seed, scattererAmplitude, id));
                if (renewed > 0) {
                    const std::uint64_t stream =
                        renewedAmplitude + 16 * static_cast<std::uint64_t>(scene.frame);
                    const auto [a, b] = normalPair(randomBits(options.seed, stream, id));
                    re = kept * re + renewed * a;
                    im = kept * im + renewed * b;
                }
                float a = amplitudeOf(options.heart.tissue(material));
                if (options.dropout > 0)
                    a *= dropout.amplitude(material);
                out.push_back({static_cast<float>(now.x), static_cast<float>(now.y),
                               static_cast<float>(now.z), a * re, a * im});
            }
}

void splat(const Scatterer& s, VolumeView<float> re, VolumeView<float> im, int zBegin, int zEnd) {
    const float fx = std::floor(s.x), fy = std::floor(s.y), fz = std::floor(s.z);
    const auto wx = cubicWeights(s.x - fx), wy = cubicWeights(s.y - fy),
               wz = cubicWeights(s.z - fz);
    const int x0 = static_cast<int>(fx) - 1, y0 = static_cast<int>(fy) - 1,
              z0 = static_cast<int>(fz) - 1;
    for (int k = 0; k < splatTaps; ++k) {
        const int z = z0 + k;
        if (z < zBegin || z >= zEnd)
            continue;
        for (int j = 0; j < splatTaps; ++j) {
            const int y = y0 + j;
            if (y < 0 || y >= re.size.y)
                continue;
            const float w = wz[static_cast<std::size_t>(k)] * wy[static_cast<std::size_t>(j)];
            float* reRow = re.row(y, z);
            float* imRow = im.row(y, z);
            for (int i = 0; i < splatTaps; ++i) {
                const int x = x0 + i;
                if (x < 0 || x >= re.size.x)
                    continue;
                const float weight = w * wx[static_cast<std::size_t>(i)];
                reRow[x] += weight * s.re;
                imRow[x] += weight * s.im;
            }
        }
    }
}

/// The point spread in voxels, at the depth of a plane.
Vec3 pointSpread(const PhantomScene& scene, int z) {
    const double depth = probe.z - scene.geometry.indexToPhysical(indexOf(0, 0, z)).z;
    const double lateral = 1 + scene.options.lateralGrowth * std::max(0.0, depth) / 100;
    return {lateral * pointSpreadVoxels.x, lateral * pointSpreadVoxels.y, pointSpreadVoxels.z};
}

/// Gives splatted scatterers the point spread, whose width across the beam differs between planes.
void spread(const PhantomScene& scene, VolumeView<float> image, const ExecContext& ctx) {
    const auto missing = [](double sigma) { return std::sqrt(sigma * sigma - splatVariance); };
    const double along = missing(pointSpreadVoxels.z);
    if (scene.options.lateralGrowth == 0) {
        const double across = missing(pointSpreadVoxels.x);
        smoothGaussian(image, image, {across, across, along}, ctx);
        return;
    }
    for (int z = 0; z < image.size.z; ++z) {
        const VolumeView<float> plane(image.row(0, z), {image.size.x, image.size.y, 1});
        const double across = missing(pointSpread(scene, z).x);
        smoothGaussian(plane, plane, {across, across, 0}, ctx);
    }
    smoothGaussian(image, image, {0, 0, along}, ctx);
}

/// The envelope in a plane that is mapped to white. The mean power of the wall's speckle is known:
/// scatterers per voxel times the point-spread function's energy. The brightest speckle, 8 dB above
/// the mean, becomes white.
float whiteReference(const PhantomScene& scene, int z) {
    const Vec3 sigma = pointSpread(scene, z);
    const double energy = 1 / (std::pow(4 * 3.14159265358979, 1.5) * sigma.x * sigma.y * sigma.z);
    const double meanPower = 2 * scene.options.scatterersPerVoxel * energy;
    return static_cast<float>(std::sqrt(meanPower) * std::pow(10.0, 8.0 / 20));
}

} // namespace

void paintEcho(const PhantomScene& scene, VolumeView<float> voxels, const ExecContext& ctx) {
    const Size3 size = voxels.size;
    const int layers = size.z + 2 * marginCells;
    // Layers of material that can reach a slab lie within the largest displacement along z of it.
    std::vector<std::vector<Scatterer>> moved(static_cast<std::size_t>(layers));
    parallelFor(ctx, layers, 1, [&](int begin, int end) {
        for (int layer = begin; layer < end; ++layer)
            moveLayer(scene, layer - marginCells, moved[static_cast<std::size_t>(layer)]);
    });
    std::vector<std::pair<float, float>> reach;
    for (const auto& layer : moved) {
        const auto [low, high] = std::minmax_element(
            layer.begin(), layer.end(), [](const auto& a, const auto& b) { return a.z < b.z; });
        reach.emplace_back(low->z - splatTaps, high->z + splatTaps);
    }

    Buffer<float> imaginary = ctx.pool->acquire<float>(size.voxels(), "phantom, imaginary part");
    const VolumeView<float> im(imaginary.data(), size);
    constexpr int slab = 8;
    parallelFor(ctx, size.z, slab, [&](int begin, int end) {
        std::fill(voxels.row(0, begin), voxels.row(0, begin) + voxels.offset(0, 0, end - begin),
                  0.0f);
        std::fill(im.row(0, begin), im.row(0, begin) + im.offset(0, 0, end - begin), 0.0f);
        for (std::size_t layer = 0; layer < moved.size(); ++layer)
            if (reach[layer].second >= static_cast<float>(begin) &&
                reach[layer].first <= static_cast<float>(end))
                for (const Scatterer& s : moved[layer])
                    splat(s, voxels, im, begin, end);
    });
    spread(scene, voxels, ctx);
    spread(scene, im, ctx);

    std::vector<float> references;
    for (int z = 0; z < size.z; ++z)
        references.push_back(whiteReference(scene, z));
    const PhantomShadow shadow(scene.options);
    const bool hasShadow = scene.options.shadow > 0;
    const float noise = static_cast<float>(scene.options.multiplicativeNoise);
    const std::uint64_t stream = speckleNoise + 16 * static_cast<std::uint64_t>(scene.frame);
    const Sensitivity sensitivity(scene);
    forEachVoxel(size, ctx, [&](std::size_t i, int x, int y, int z) {
        float envelope = std::hypot(voxels.data[i], im.data[i]) * sensitivity.at(x, y, z);
        if (hasShadow)
            envelope *= shadow.amplitude(scene.geometry.indexToPhysical(indexOf(x, y, z)));
        const float factor =
            1 + noise * normalPair(randomBits(scene.options.seed, stream, i)).first;
        const float relative = std::max(1e-6f, envelope * std::max(factor, 0.02f) /
                                                   references[static_cast<std::size_t>(z)]);
        const float decibels = 20 * std::log10(relative);
        voxels.data[i] = std::clamp(255 * (1 + decibels / static_cast<float>(dynamicRangeDecibels)),
                                    0.0f, 255.0f);
    });
}

void paintCt(const PhantomScene& scene, VolumeView<float> voxels, const ExecContext& ctx) {
    const Size3 size = voxels.size;
    constexpr double latticeMillimeters = 6;
    const float textureGray = static_cast<float>(scene.options.textureGray);
    // Value noise on a lattice fixed to the material, cubic B-spline between the nodes.
    const auto texture = [&](Vec3 p) {
        std::array<std::array<float, 4>, 3> w;
        std::array<std::int64_t, 3> first;
        for (int axis = 0; axis < 3; ++axis) {
            const double q = p[axis] / latticeMillimeters;
            const double f = std::floor(q);
            w[static_cast<std::size_t>(axis)] = cubicWeights(static_cast<float>(q - f));
            first[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(f) - 1;
        }
        float sum = 0;
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t j = 0; j < 4; ++j)
                for (std::size_t i = 0; i < 4; ++i) {
                    const auto node = [&](std::size_t axis, std::size_t n) {
                        return static_cast<std::uint64_t>(first[axis] +
                                                          static_cast<std::int64_t>(n) + (1 << 19));
                    };
                    const std::uint64_t id = node(0, i) | node(1, j) << 20 | node(2, k) << 40;
                    sum += w[0][i] * w[1][j] * w[2][k] *
                           normalPair(randomBits(scene.options.seed, textureLattice, id)).first;
                }
        return 2.5f * sum;
    };
    forEachVoxel(size, ctx, [&](std::size_t i, int x, int y, int z) {
        const Vec3 p = scene.geometry.indexToPhysical(indexOf(x, y, z));
        const Vec3 material = scene.motion.inverse(scene.pose.toOwn(p));
        voxels.data[i] =
            grayOf(scene.options.heart.tissue(material)) + textureGray * texture(material);
    });
    smoothGaussian(voxels, voxels, {1, 1, 1}, ctx);
    const float noise = static_cast<float>(scene.options.additiveNoise);
    const std::uint64_t stream = ctNoise + 16 * static_cast<std::uint64_t>(scene.frame);
    const Sensitivity sensitivity(scene);
    forEachVoxel(size, ctx, [&](std::size_t i, int x, int y, int z) {
        voxels.data[i] =
            std::clamp(voxels.data[i] * sensitivity.at(x, y, z) +
                           noise * normalPair(randomBits(scene.options.seed, stream, i)).first,
                       0.0f, 255.0f);
    });
}

} // namespace systole
