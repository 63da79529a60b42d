// The similarity gradient as a task of the laboratory: two smooth images with noise, which decides
// how far apart the entries of the table lie that neighboring voxels read, a gradient of random
// numbers and weights of one.
#include "compute/lab/kernels/similarity_gradient_cuda.cuh"
#include "compute/lab/kernels/similarity_gradient_math.h"
#include "compute/lab/kernels/tasks.cuh"

#include <algorithm>
#include <cmath>

namespace systole::lab {
using namespace gpu;
namespace {

struct SlopeData {
    Size3 size;
    BinScale fixedBins, warpedBins;
    std::vector<float> host; ///< fixed, warped, weight, three of the gradient, the table
    Buffer<float> values;    ///< copy of `host`, and the result
    std::vector<std::unique_ptr<NmiTextures>> variants;

    NmiSlope slope(const float* all) const {
        const std::size_t n = size.voxels();
        return {{{all, size}, {all + n, size}, {all + 2 * n, size}},
                {all + 3 * n, size},
                fixedBins,
                warpedBins,
                all + 6 * n};
    }
    float* result() { return values.data() + host.size(); }
};

/// Whole gray values of a tissue that changes over some 20 voxels, with a tenth of noise. Whole, so
/// that none lies at the border of two bins, where rounding would choose.
void fillImage(VolumeView<float> image, double phase, std::uint64_t seed) {
    std::vector<double> alongX;
    for (int x = 0; x < image.size.x; ++x)
        alongX.push_back(100 * std::sin(0.31 * x + phase));
    for (int z = 0; z < image.size.z; ++z)
        for (int y = 0; y < image.size.y; ++y) {
            const double inRow = std::cos(0.23 * y) * std::cos(0.27 * z - phase);
            for (int x = 0; x < image.size.x; ++x) {
                const std::size_t i = image.offset(x, y, z);
                const auto noise = static_cast<double>(
                    uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 1, i))));
                image.data[i] = static_cast<float>(
                    std::floor(115 + alongX[static_cast<std::size_t>(x)] * inRow + 25 * noise));
            }
        }
}

/// The table of the images' own joint histogram.
std::array<float, nmiBins * nmiBins> tableOf(const SlopeData& d) {
    JointHistogram histogram{};
    const NmiSlope slope = d.slope(d.host.data());
    for (std::size_t i = 0; i < d.size.voxels(); ++i) {
        const TablePlace place(d.fixedBins, d.warpedBins, slope.images.fixed.data[i],
                               slope.images.warped.data[i]);
        const ParzenWindow window(place.part);
        for (int k = 0; k < 4; ++k)
            histogram[static_cast<std::size_t>(place.first + k)] +=
                static_cast<std::uint64_t>(nmiUnit * window.weight[k] + 0.5f);
    }
    return nmiOf(histogram).derivative;
}

} // namespace

KernelTask makeSimilarityGradientTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels(), inputs = 6 * n + nmiBins * nmiBins;
    const std::shared_ptr<SlopeData> d(new SlopeData{
        size,
        {},
        {},
        std::vector<float>(inputs),
        cuda.devicePool().acquire<float>(inputs + 3 * n, "laboratory, similarity gradient"),
        {}});
    float* const first = d->host.data();
    fillImage({first, size}, 0, 8);
    fillImage({first + n, size}, 0.2, 9);
    std::fill_n(first + 2 * n, n, 1.0f);
    std::ranges::copy(randomValues(3 * n, 10, 20, -10), first + 3 * n);
    d->fixedBins = fixedBins({0, 255});
    d->warpedBins = warpedBins({0, 255});
    const auto table = tableOf(*d);
    std::copy(table.begin(), table.end(), first + 6 * n);
    cuda.upload(first, d->values.data(), inputs * sizeof(float), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    for (int variant = 0; variant < similarityGradientFamily.count(); ++variant)
        d->variants.push_back(
            std::make_unique<NmiTextures>(variant, d->slope(d->values.data()), log));
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->result(), 3 * n, inputs * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        similarityGradient(variant, d->variants[static_cast<std::size_t>(variant)]->source(),
                           {d->result(), d->size}, to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> values(3 * d->size.voxels());
        similarityGradient(d->slope(d->host.data()), {values.data(), d->size}, ctx);
        return values;
    };
    return task;
}

} // namespace systole::lab
