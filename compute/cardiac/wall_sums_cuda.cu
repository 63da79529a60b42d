#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/group_sums.cuh"
#include "compute/cardiac/rotation.h"
#include "compute/cuda/uploaded.h"

namespace systole::cardiac {
namespace {

/// A point in LPS mm.
struct Point {
    double p[3];
};
Point pointOf(Vec3 v) { return {{v.x, v.y, v.z}}; }

struct WallTerms {
    const float *diastole, *now;
    /// Places of the voxels, relative to the middle of their level: three planes.
    const float* still;
    std::size_t count;
    Point first[bands], shift[bands], about;
    int levelOf[32]; ///< level of each group
    Tensor tensor;
    int* histogram;

    __device__ VoxelState state(const float* planes, std::size_t voxel, const Point& shift) const {
        VoxelState s;
        s.jacobian = planes[jacobianPlane * count + voxel];
        for (std::size_t k = 0; k < 3; ++k) {
            s.stretch[k] = planes[(stretchPlane + k) * count + voxel];
            s.place[k] = static_cast<double>(still[k * count + voxel]) +
                         static_cast<double>(planes[k * count + voxel]) - shift.p[k];
        }
        return s;
    }
    __device__ void operator()(std::int32_t at, std::int32_t group, double* values) const {
        const auto voxel = static_cast<std::size_t>(at);
        const int level = levelOf[group];
        const VoxelState before = state(diastole, voxel, first[level]),
                         after = state(now, voxel, shift[level]);
        addVoxel(before, after, about.p, tensor, values);
        atomicAdd(histogram + jacobianBin(jacobianSince(before, after)), 1);
    }
};

} // namespace

WallOrderOnDevice::WallOrderOnDevice(const WallSumming& how, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    const TissueVoxels& wall = how.fits.ventricle().wall;
    voxel = uploaded(how.bySegment.voxel, "heart's segments", cuda);
    chunks = uploaded(how.bySegment.chunks, "heart's segments", cuda);
    std::vector<float> relative(3 * wall.count());
    for (std::size_t i = 0; i < wall.count(); ++i) {
        const auto band = static_cast<std::size_t>(how.fits.bandOf()[i]);
        const Vec3 p = wall.position(i) - how.levels.middle(how.levels.levelOfBand(band));
        for (int k = 0; k < 3; ++k)
            relative[static_cast<std::size_t>(k) * wall.count() + i] = static_cast<float>(p[k]);
    }
    still = uploaded(relative, "heart's levels", cuda);
    cuda.synchronize(CudaStream::Compute); // the vector ends here
}

WallSums wallSumsOnDevice(const WallSumming& how, const FrameChange& diastole,
                          const FrameChange& now, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    const TissueVoxels& wall = how.fits.ventricle().wall;
    const WallOrderOnDevice& order = *how.onDevice;
    Buffer<int> histogram = cuda.devicePool().acquire<int>(jacobianBins, "histogram of J");
    cuda.zero(histogram.data(), jacobianBins * sizeof(int), CudaStream::Compute);
    WallTerms terms{diastole.device->planes.data(),
                    now.device->planes.data(),
                    order.still.data(),
                    wall.count(),
                    {},
                    {},
                    pointOf(how.levels.towardsApex()),
                    {},
                    how.tensor,
                    histogram.data()};
    const BandSums first = how.levels.shift(diastole), shift = how.levels.shift(now);
    for (std::size_t level = 0; level < bands; ++level) {
        terms.first[level] = pointOf(first[level]);
        terms.shift[level] = pointOf(shift[level]);
    }
    for (int s = 0; s < how.segments; ++s)
        terms.levelOf[s] = static_cast<int>(how.levels.levelOf(static_cast<std::size_t>(s)));
    Buffer<double> sums;
    loggedCall(ctx, "strain", [&](LaunchLog& log) {
        sums = summed<wallSums>("wall-sums", terms, how.segments, order.chunks, order.voxel, log);
    });
    const std::vector<double> found = downloaded(sums, cuda);
    const std::vector<int> bins = downloaded(histogram, cuda);
    cuda.synchronize(CudaStream::Compute);
    WallSums all;
    for (std::size_t s = 0; s < static_cast<std::size_t>(how.segments); ++s)
        std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(s * wallSums), wallSums,
                    all.segments.emplace_back().begin());
    std::ranges::copy(bins, all.histogram.begin());
    return all;
}

} // namespace systole::cardiac
