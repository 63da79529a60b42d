// The map of gray values on the device: the counterpart of gray_map.cpp, with the same bits where
// the frames have them.
#include "compute/methods/clg/match_cuda.cuh"

namespace systole::clg {
namespace {

using Count = unsigned long long;

constexpr int planesPerThread = 16;

__device__ void addTo(std::uint64_t& sum, std::uint64_t value) {
    atomicAdd(reinterpret_cast<Count*>(&sum), static_cast<Count>(value));
}

__global__ void sumKernel(const __grid_constant__ GrayMapStep s) {
    __shared__ GraySums sums;
    const int thread = static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y);
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int k = thread; k < GraySums::values; k += threads)
        sums.of[k] = 0;
    __syncthreads();
    const VolumeView<const float> fixed = s.frames.fixed;
    const gpu::Column c = gpu::columnOf(fixed.size, planesPerThread);
    for (int z = c.begin; z < (c.inGrid ? c.end : c.begin); ++z) {
        const std::size_t i = fixed.offset(c.x, c.y, z);
        if (s.frames.inside[i] < minInside)
            continue;
        const GrayShare share(fixed.data[i], s.frames.warped[i]);
        for (int k = 0; k < GrayShare::count; ++k)
            addTo(sums.of[share.index[k]], share.value[k]);
    }
    __syncthreads();
    for (int k = thread; k < GraySums::values; k += threads)
        if (sums.of[k] > 0)
            addTo(s.map->sums.of[k], sums.of[k]);
}

__global__ void curveKernel(const __grid_constant__ GrayMapStep s) {
    s.map->chooseCurve([](double value) { return sqrt(value); });
    s.frames.state->brightness = 1;
}

struct ApplyMap {
    const GrayMap* map;
    MatchedFrames frames;
    float* mappedFixed;

    __device__ static bool applies() { return true; }
    __device__ float operator()(int, int, int, std::size_t i) const {
        const GrayPair pair = map->of(frames.fixed.data[i], frames.warped[i]);
        mappedFixed[i] = pair.fixed;
        frames.warped[i] = pair.warped;
        return pair.warped - pair.fixed;
    }
};

} // namespace

void mapGrayValues(const GrayMapStep& step, const gpu::GridSum& sum, LaunchLog& log) {
    const Size3 size = step.frames.fixed.size;
    const auto voxels = static_cast<double>(size.voxels());
    log.cuda().zero(&step.map->sums, sizeof(GraySums), CudaStream::Compute);
    log.launch({"joint histogram", 12 * voxels}, sumKernel, gpu::columnsOver(size, planesPerThread),
               step);
    log.launch({"curve of gray values"}, curveKernel, {dim3(1), dim3(1)}, step);
    const ApplyMap apply{step.map, step.frames, step.mappedFixed.data};
    log.launch({"map gray values", 20 * voxels}, matchKernel<ApplyMap>,
               gpu::columnsOver(size, matchedPlanes), apply, step.frames, sum);
}

} // namespace systole::clg
