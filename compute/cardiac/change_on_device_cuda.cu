#include "compute/cardiac/axis_strain_math.h"
#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/group_sums.cuh"
#include "compute/core/error.h"
#include "compute/cuda/uploaded.h"

#include <cmath>

namespace systole::cardiac {
namespace {

struct ToPhysical {
    float m[3][3];
};
ToPhysical toPhysical(const Geometry& grid) {
    ToPhysical to{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            to.m[i][j] = static_cast<float>(grid.voxelToPhysicalMatrix()[i][j]);
    return to;
}

struct TissueView {
    int count;
    const std::int32_t* at;
    const TissueFits::Range* range;
    const std::uint8_t* neighbor;
    const float* weight[3];
    const std::int32_t* stencil;
    FieldView<const float> motion;
    AxisScale scale;
};

/// The sum over a warp, the same in every lane and every run.
__device__ float warpSum(float value) {
    for (int lane = 16; lane > 0; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

/// The differences of the motion in a voxel, by the lanes of a warp together.
__device__ FieldGradient gradientAt(const TissueView& t, int voxel, int lane) {
    const std::int32_t here = t.at[voxel];
    const TissueFits::Range range = t.range[voxel];
    FieldGradient g{};
    float own[3];
    for (int c = 0; c < 3; ++c)
        own[c] = t.motion.component(c)[here];
    for (unsigned k = range.first + static_cast<unsigned>(lane); k < range.first + range.count;
         k += 32) {
        const std::int32_t other = here + t.stencil[t.neighbor[k]];
        for (int c = 0; c < 3; ++c) {
            const float d = t.motion.component(c)[other] - own[c];
            for (int a = 0; a < 3; ++a)
                g.m[c][a] += d * t.weight[a][k];
        }
    }
    for (auto& row : g.m)
        for (float& sum : row)
            sum = warpSum(sum);
    return g;
}

__device__ int warpOfGrid() {
    return static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
}

/// A warp per voxel of the wall.
__global__ void wallChange(const __grid_constant__ TissueView t, const float* axes, ToPhysical to,
                           float* out) {
    const int voxel = warpOfGrid(), lane = static_cast<int>(threadIdx.x % 32);
    if (voxel >= t.count)
        return;
    const FieldGradient g = gradientAt(t, voxel, lane);
    if (lane > 0)
        return;
    const std::size_t n = static_cast<std::size_t>(t.count);
    float l[3], r[3];
    for (std::size_t k = 0; k < 3; ++k) {
        l[k] = axes[k * n + static_cast<std::size_t>(voxel)];
        r[k] = axes[(3 + k) * n + static_cast<std::size_t>(voxel)];
    }
    float* const to0 = out + voxel;
    const VoxelStrain strain = voxelStrain(g, l, r, t.scale, Tensor::GreenLagrange);
    to0[jacobianPlane * n] = strain.jacobian;
    for (int k = 0; k < 3; ++k) {
        to0[static_cast<std::size_t>(stretchPlane + k) * n] = 2 * strain.along[k] + 1;
        float moved = 0;
        for (int c = 0; c < 3; ++c)
            moved += to.m[k][c] * t.motion.component(c)[t.at[voxel]];
        to0[static_cast<std::size_t>(k) * n] = moved;
    }
}

/// J, a warp per voxel of the cavity.
__global__ void cavityChange(const __grid_constant__ TissueView t, float* jacobian) {
    const int voxel = warpOfGrid(), lane = static_cast<int>(threadIdx.x % 32);
    if (voxel >= t.count)
        return;
    const FieldGradient g = gradientAt(t, voxel, lane);
    const float none[3] = {0, 0, 0};
    if (lane == 0)
        jacobian[voxel] = voxelStrain(g, none, none, t.scale, Tensor::Engineering).jacobian;
}

struct PointsView {
    int count;
    const TissueFits::Range* range;
    const std::int32_t* at;
    const float* weight;
    FieldView<const float> motion;
};

/// Displacements in LPS mm, a warp per point.
__global__ void carryPoints(const __grid_constant__ PointsView p, ToPhysical to, float* out) {
    const int point = warpOfGrid(), lane = static_cast<int>(threadIdx.x % 32);
    if (point >= p.count)
        return;
    const TissueFits::Range range = p.range[point];
    float moved[3] = {0, 0, 0};
    for (unsigned k = range.first + static_cast<unsigned>(lane); k < range.first + range.count;
         k += 32)
        for (int c = 0; c < 3; ++c)
            moved[c] += p.weight[k] * p.motion.component(c)[p.at[k]];
    for (float& sum : moved)
        sum = warpSum(sum);
    if (lane == 0)
        for (int i = 0; i < 3; ++i)
            out[3 * point + i] =
                to.m[i][0] * moved[0] + to.m[i][1] * moved[1] + to.m[i][2] * moved[2];
}

struct MovedTerms {
    const float* planes;
    std::size_t count;
    __device__ void operator()(std::int32_t voxel, std::int32_t, double* values) const {
        for (std::size_t k = 0; k < 3; ++k)
            values[k] = planes[k * count + static_cast<std::size_t>(voxel)];
    }
};

struct VolumeTerms {
    const float* jacobian;
    __device__ void operator()(std::int32_t voxel, std::int32_t, double* values) const {
        values[0] = jacobian[voxel];
    }
};

LaunchShape warpsOver(int items, const LaunchLog& log, const char* name) {
    return gpu::threadsOver(32 * static_cast<std::size_t>(items), log, name, 128);
}

} // namespace

FitsOnDevice::Tissue FitsOnDevice::tissueOnDevice(const TissueVoxels& voxels,
                                                  const TissueFits& fits, CudaContext& cuda) {
    std::vector<std::int32_t> at;
    const Size3 size = voxels.grid.size();
    for (const auto& [x, y, z] : voxels.index)
        at.push_back(x + size.x * (y + size.y * z));
    const std::size_t entries = fits.neighbors().size();
    std::vector<float> weight(3 * entries);
    const Matrix3& to = voxels.grid.voxelToPhysicalMatrix();
    for (std::size_t k = 0; k < entries; ++k)
        for (std::size_t a = 0; a < 3; ++a) {
            double sum = 0;
            for (std::size_t i = 0; i < 3; ++i)
                sum += to[i][a] * static_cast<double>(fits.weights()[k][i]);
            weight[a * entries + k] = static_cast<float>(sum);
        }
    return {static_cast<int>(voxels.count()),
            entries,
            uploaded(at, "heart's voxels", cuda),
            uploaded(fits.ranges(), "heart's fits", cuda),
            uploaded(fits.neighbors(), "heart's fits", cuda),
            uploaded(weight, "heart's fits", cuda)};
}

FitsOnDevice::FitsOnDevice(const VentricleFits& fits, const ExecContext& ctx) : fits_(fits) {
    CudaContext& cuda = *ctx.cuda;
    const Ventricle& v = fits.ventricle();
    const Geometry& grid = v.wall.grid;
    wall_ = tissueOnDevice(v.wall, fits.wall(), cuda);
    cavity_ = tissueOnDevice(v.cavity, fits.cavity(), cuda);
    std::vector<float> axes;
    for (const auto axis : {&HeartAxes::longitudinal, &HeartAxes::radial})
        for (std::size_t k = 0; k < 3; ++k)
            for (const HeartAxes& of : v.axes)
                axes.push_back(static_cast<float>(
                    dot(of.*axis, Vec3{grid.direction()[0][k], grid.direction()[1][k],
                                       grid.direction()[2][k]})));
    axes_ = uploaded(axes, "heart's axes", cuda);
    std::vector<std::int32_t> stencil;
    for (const std::ptrdiff_t offset : stencilOf(grid.size()))
        stencil.push_back(static_cast<std::int32_t>(offset));
    stencil_ = uploaded(stencil, "heart's fits", cuda);
    std::vector<TissueFits::Range> range;
    std::vector<std::int32_t> at;
    std::vector<float> weight;
    const Size3 size = grid.size();
    for (const TransmuralLine& line : fits.shell().lines)
        for (const FitWeights& point : line.weights) {
            range.push_back({static_cast<std::uint32_t>(at.size()),
                             static_cast<std::uint32_t>(point.place.size())});
            for (std::size_t k = 0; k < point.place.size(); ++k) {
                const auto [x, y, z] = v.wall.index[static_cast<std::size_t>(point.place[k])];
                at.push_back(x + size.x * (y + size.y * z));
                weight.push_back(static_cast<float>(point.weight[k][0]));
            }
        }
    pointRange_ = uploaded(range, "lines across the wall", cuda);
    pointAt_ = uploaded(at, "lines across the wall", cuda);
    pointWeight_ = uploaded(weight, "lines across the wall", cuda);
    bandVoxel_ = uploaded(fits.byBand().voxel, "heart's bands", cuda);
    bandChunk_ = uploaded(fits.byBand().chunks, "heart's bands", cuda);
    const std::vector<int> one(v.cavity.count(), 0);
    const GroupedVoxels cavity = GroupedVoxels::of(one, 1);
    cavityVoxel_ = uploaded(cavity.voxel, "heart's cavity", cuda);
    cavityChunk_ = uploaded(cavity.chunks, "heart's cavity", cuda);
    cuda.synchronize(CudaStream::Compute); // the vectors end here
}

FrameChange FitsOnDevice::change(const VectorField& motion, const ExecContext& ctx) const {
    const Ventricle& v = fits_.ventricle();
    const Geometry& grid = v.wall.grid;
    if (motion.geometry.size() != grid.size())
        throw ComputeError("the motion and the heart's labels must be of one size");
    CudaContext& cuda = *ctx.cuda;
    cuda.waitFor(CudaStream::Compute, motion.ready);
    const auto views = [&](const Tissue& t) {
        return TissueView{
            t.count,
            t.at.data(),
            t.range.data(),
            t.neighbor.data(),
            {t.weight.data(), t.weight.data() + t.entries, t.weight.data() + 2 * t.entries},
            stencil_.data(),
            motion.view(),
            axisScale(grid)};
    };
    auto frame = std::make_shared<FrameOnDevice>();
    const auto voxels = static_cast<std::size_t>(wall_.count);
    frame->planes = cuda.devicePool().acquire<float>(planesOfFrame * voxels, "heart's change");
    Buffer<float> jacobian = cuda.devicePool().acquire<float>(
        static_cast<std::size_t>(cavity_.count), "cavity's change");
    Buffer<float> points =
        cuda.devicePool().acquire<float>(3 * pointRange_.size(), "lines across the wall");
    const ToPhysical to = toPhysical(grid);
    Buffer<double> moved, volume;
    loggedCall(ctx, "strain", [&](LaunchLog& log) {
        const auto n = [](std::size_t count) { return static_cast<double>(count); };
        log.launch({"wall-change", 13 * n(wall_.entries) + 64 * n(voxels), 27 * n(wall_.entries)},
                   wallChange, warpsOver(wall_.count, log, "wall-change"), views(wall_),
                   axes_.data(), to, frame->planes.data());
        log.launch({"cavity-change", 13 * n(cavity_.entries) + 16 * n(jacobian.size()),
                    27 * n(cavity_.entries)},
                   cavityChange, warpsOver(cavity_.count, log, "cavity-change"), views(cavity_),
                   jacobian.data());
        const PointsView lines{static_cast<int>(pointRange_.size()), pointRange_.data(),
                               pointAt_.data(), pointWeight_.data(), motion.view()};
        log.launch({"carry-lines", 8 * n(pointAt_.size()), 6 * n(pointAt_.size())}, carryPoints,
                   warpsOver(lines.count, log, "carry-lines"), lines, to, points.data());
        moved = summed<3>("band-sums", MovedTerms{frame->planes.data(), voxels},
                          static_cast<int>(bands), bandChunk_, bandVoxel_, log);
        volume = summed<1>("cavity-sum", VolumeTerms{jacobian.data()}, 1, cavityChunk_,
                           cavityVoxel_, log);
    });
    const std::vector<float> lines = downloaded(points, cuda);
    const std::vector<double> sums = downloaded(moved, cuda), ofCavity = downloaded(volume, cuda);
    cuda.synchronize(CudaStream::Compute);
    FrameChange change{CarriedShell(fits_.shell(), lines),
                       ofCavity[0] * v.cavity.voxelMilliliters(),
                       {},
                       {},
                       {},
                       std::move(frame)};
    double all = ofCavity[0];
    for (std::size_t band = 0; band < bands; ++band) {
        change.moved[band] = {sums[3 * band], sums[3 * band + 1], sums[3 * band + 2]};
        all += change.moved[band].x + change.moved[band].y + change.moved[band].z;
    }
    if (!std::isfinite(all))
        throw ComputeError("the field isn't finite in the heart");
    return change;
}

FrameChange FitsOnDevice::atRest(const ExecContext& ctx) const {
    const Geometry& grid = fits_.ventricle().wall.grid;
    VectorField still(grid, ctx.cuda->devicePool(), "no motion");
    ctx.cuda->zero(still.components.data(), still.components.size() * sizeof(float),
                   CudaStream::Compute);
    return change(still, ctx);
}

} // namespace systole::cardiac
