#include "compute/core/unroll.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/methods/ffd/similarity_lncc.h"
#include "compute/ops/smooth_cuda.cuh"

#include <algorithm>
#include <utility>

namespace systole::gpu {
namespace {

/// The three volumes that are summed: counted · (b, b² + lost, a · b), or counted · (1, a, a²) if b
/// is null; `lost` may be null; if `counted` is null, every voxel counts once. If `volumes` isn't
/// null, it holds the three volumes.
struct WindowInput {
    const float* counted = nullptr;
    const float* a = nullptr;
    const float* b = nullptr;
    const float* lost = nullptr;
    const float* volumes = nullptr;
};

constexpr int volumes = 3, lineThreads = 128, ahead = 4;

/// Source of a volume's values: counted · first · second, of which any may be null (1).
/// Loading and multiplying are apart, so that the loads of several voxels are under way at once.
struct ProductSource {
    const float* counted;
    const float* first;
    const float* second;
    const float* lost;

    struct Loaded {
        float counted = 0, first = 0, second = 0, lost = 0;
        __device__ float value() const { return fused(counted * first, second, counted * lost); }
    };
    __device__ ProductSource(const WindowInput& in, int volume, std::size_t)
        : counted(in.counted)
        , first(in.b          ? in.b
                : volume == 0 ? nullptr
                              : in.a)
        , second(volume == 0           ? nullptr
                 : in.b && volume == 1 ? in.b
                 : in.b || volume == 2 ? in.a
                                       : nullptr)
        , lost(volume == 1 ? in.lost : nullptr) {}
    __device__ Loaded load(std::size_t i) const {
        return {counted ? counted[i] : 1.0f, first ? first[i] : 1.0f, second ? second[i] : 1.0f,
                lost ? lost[i] : 0.0f};
    }
};
struct VolumeSource {
    const float* values;

    struct Loaded {
        float one = 0;
        __device__ float value() const { return one; }
    };
    __device__ VolumeSource(const WindowInput& in, int volume, std::size_t voxels)
        : values(in.volumes + static_cast<std::size_t>(volume) * voxels) {}
    __device__ Loaded load(std::size_t i) const { return {values[i]}; }
};

/// The sums of the voxels whose windows begin before the last value and end after it.
template <int R>
struct OpenSums {
    float of[2 * R]{};

    /// Adds the next value; returns the sum that it completes, that of R voxels before.
    __device__ float feed(float value, const Taps& taps) {
        const float complete = fmaf(taps.weight[2 * R], value, of[0]);
        SYSTOLE_UNROLL
        for (int k = 0; k + 1 < 2 * R; ++k)
            of[k] = fmaf(taps.weight[2 * R - 1 - k], value, of[k + 1]);
        of[2 * R - 1] = taps.weight[0] * value;
        return complete;
    }
};

/// Lines along y or z: line i of a volume begins at (i / inner) · outer + i % inner.
struct WindowLines {
    std::size_t count, inner, outer, stride;
    int length, stretch; ///< voxels of a line, and of what one thread takes
};

/// A thread marches along its stretch of a line of one volume; the next values are on their way
/// while the last are added. Blocks of the three volumes alternate, so that they find the images
/// that all of them read in the cache.
template <int R, typename Source>
__global__ void __launch_bounds__(lineThreads)
    linesKernel(const __grid_constant__ WindowInput in, float* __restrict__ out,
                const WindowLines lines, std::size_t voxels, const __grid_constant__ Taps taps) {
    const int volume = static_cast<int>(blockIdx.x % volumes);
    const std::size_t line =
        blockIdx.x / volumes * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (line >= lines.count)
        return;
    const std::size_t start = line / lines.inner * lines.outer + line % lines.inner;
    const int begin = static_cast<int>(blockIdx.y) * lines.stretch;
    const int end = min(begin + lines.stretch, lines.length);
    const Source source(in, volume, voxels);
    const auto loaded = [&](int i) {
        return i < 0 || i >= lines.length
                   ? typename Source::Loaded()
                   : source.load(start + static_cast<std::size_t>(i) * lines.stride);
    };
    float* const to = out + static_cast<std::size_t>(volume) * voxels + start;
    OpenSums<R> sums;
    typename Source::Loaded now[ahead], next[ahead];
    SYSTOLE_UNROLL
    for (int n = 0; n < ahead; ++n)
        now[n] = loaded(begin - R + n);
    for (int i = begin - R; i < end + R; i += ahead) {
        SYSTOLE_UNROLL
        for (int n = 0; n < ahead; ++n)
            next[n] = loaded(i + ahead + n);
        SYSTOLE_UNROLL
        for (int n = 0; n < ahead; ++n) {
            const int done = i + n - R;
            const float sum = sums.feed(now[n].value(), taps);
            if (done >= begin && done < end)
                to[static_cast<std::size_t>(done) * lines.stride] = sum;
            now[n] = next[n];
        }
    }
}

constexpr int outputs = 4, rowPart = 32 * outputs, rowWarps = 8;

/// Sums along x: a warp keeps a part of a row and its neighborhood in shared memory; a lane has
/// four neighboring sums, so that it reads a value once for all of them.
template <int R>
__global__ void __launch_bounds__(32 * rowWarps)
    rowsKernel(const float* __restrict__ in, float* __restrict__ out, int nx, std::size_t rows,
               const __grid_constant__ Taps taps) {
    static_assert(R % 2 == 0); // so that the last group of four values ends with the window
    constexpr int held = rowPart + 2 * R;
    __shared__ float4 parts[rowWarps][held / 4];
    float* const own = reinterpret_cast<float*>(parts[threadIdx.y]);
    const int lane = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(blockIdx.y) * rowPart;
    const std::size_t row = blockIdx.x * static_cast<std::size_t>(rowWarps) + threadIdx.y;
    if (row >= rows)
        return; // whole warps return
    const float* const from = in + row * static_cast<std::size_t>(nx);
    for (int i = lane; i < held; i += 32) {
        const int x = first - R + i;
        own[i] = x < 0 || x >= nx ? 0.0f : from[x];
    }
    __syncwarp();
    float sums[outputs]{};
    SYSTOLE_UNROLL
    for (int group = 0; group <= R / 2; ++group) {
        const float4 four = parts[threadIdx.y][lane + group];
        const float values[4] = {four.x, four.y, four.z, four.w};
        SYSTOLE_UNROLL
        for (int n = 0; n < 4; ++n)
            SYSTOLE_UNROLL
        for (int o = 0; o < outputs; ++o) {
            const int k = 4 * group + n - o;
            if (k >= 0 && k <= 2 * R)
                sums[o] = fmaf(taps.weight[k], values[n], sums[o]);
        }
    }
    __syncwarp();
    parts[threadIdx.y][lane] = {sums[0], sums[1], sums[2], sums[3]};
    __syncwarp();
    float* const to = out + row * static_cast<std::size_t>(nx);
    for (int i = lane; i < rowPart && first + i < nx; i += 32)
        to[first + i] = own[i];
}

/// Calls body(std::integral_constant<int, R>{}, taps with zeros up to R) for the least radius that
/// kernels are built for.
template <int R, int... Wider, typename Body>
void withRadius(const Taps& taps, const Body& body) {
    if constexpr (sizeof...(Wider) > 0)
        if (taps.radius > R)
            return withRadius<Wider...>(taps, body);
    Taps wide;
    wide.radius = R;
    wide.weight[0] = 0;
    std::copy_n(taps.weight, 2 * taps.radius + 1, wide.weight + R - taps.radius);
    body(std::integral_constant<int, R>(), wide);
}
template <typename Body>
void withBuiltRadius(const Taps& taps, const Body& body) {
    withRadius<4, 8, 12, 20, Taps::widest>(taps, body);
}

WindowLines linesOf(Size3 size, int axis, int radius) {
    const auto nx = static_cast<std::size_t>(size.x), ny = static_cast<std::size_t>(size.y),
               nz = static_cast<std::size_t>(size.z);
    WindowLines lines = axis == 1 ? WindowLines{nx * nz, nx, nx * ny, nx, size.y, 0}
                                  : WindowLines{nx * ny, nx * ny, 0, nx * ny, size.z, 0};
    // Lines are cut while there are too few to fill a device; each cut reads 2 · radius values
    // twice.
    constexpr std::size_t enough = 132 * 1024;
    const auto wanted = static_cast<int>(enough / (volumes * lines.count) + 1);
    const int maxParts = std::max(1, lines.length / (2 * radius));
    lines.stretch = divideUp(lines.length, std::clamp(wanted, 1, maxParts));
    return lines;
}

template <typename Source>
void alongLines(const WindowInput& in, float* out, Size3 size, int axis, const Taps& taps,
                double bytesRead, LaunchLog& log) {
    const std::size_t n = size.voxels();
    withBuiltRadius(taps, [&](auto radius, const Taps& wide) {
        constexpr int R = decltype(radius)::value;
        const WindowLines lines = linesOf(size, axis, R);
        const std::size_t blocks = (lines.count + lineThreads - 1) / lineThreads;
        log.launch({"window sums", (bytesRead + 12) * static_cast<double>(n),
                    2.0 * (2 * R + 1) * volumes * static_cast<double>(n)},
                   linesKernel<R, Source>,
                   {dim3(static_cast<unsigned>(volumes * blocks),
                         static_cast<unsigned>(divideUp(lines.length, lines.stretch))),
                    dim3(lineThreads)},
                   in, out, lines, n, wide);
    });
}

void alongRows(const float* in, float* out, Size3 size, const Taps& taps, LaunchLog& log) {
    const std::size_t rows = static_cast<std::size_t>(volumes) * static_cast<std::size_t>(size.y) *
                             static_cast<std::size_t>(size.z);
    withBuiltRadius(taps, [&](auto radius, const Taps& wide) {
        constexpr int R = decltype(radius)::value;
        log.launch({"window sums", 24.0 * static_cast<double>(size.voxels()),
                    2.0 * (2 * R + 1) * volumes * static_cast<double>(size.voxels())},
                   rowsKernel<R>,
                   {dim3(static_cast<unsigned>((rows + rowWarps - 1) / rowWarps),
                         static_cast<unsigned>(divideUp(size.x, rowPart))),
                    dim3(32, rowWarps)},
                   in, out, size.x, rows, wide);
    });
}

/// out = the sums, nothing beyond the border; three volumes of this size. `middle`, as large, is
/// overwritten and may be the input's volumes. The sums of a voxel have a fixed order.
void windowSums(const WindowInput& input, float* middle, float* out, Size3 size,
                const AxisTaps& taps, LaunchLog& log) {
    if (input.volumes)
        alongLines<VolumeSource>(input, out, size, 1, taps.along[1], 12, log);
    else
        alongLines<ProductSource>(
            input, out, size, 1, taps.along[1],
            4 + (input.b ? 4 : 0) + (input.counted ? 4 : 0) + (input.lost ? 4 : 0), log);
    alongRows(out, middle, size, taps.along[0], log);
    alongLines<VolumeSource>({.volumes = middle}, out, size, 2, taps.along[2], 12, log);
}

__device__ inline std::size_t voxel() {
    return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}

/// Sums of (1, a, a²) become 1 / sum, mean, variance.
__global__ void describeKernel(std::size_t n, float* sums) {
    const std::size_t i = voxel();
    if (i >= n)
        return;
    const float inverse = sums[i] > 1e-6f ? 1 / sums[i] : 0.0f;
    const float mean = sums[n + i] * inverse;
    sums[i] = inverse;
    sums[n + i] = mean;
    sums[2 * n + i] = fmaxf(0.0f, sums[2 * n + i] * inverse - mean * mean);
}

/// The sums become the derivative's factors.
__global__ void correlationKernel(const float* fixed, const float* weight, std::size_t n,
                                  float* sums, GridSum room, double2* out) {
    double2 total{0, 0};
    for (std::size_t i = voxel(); i < n; i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
        const float w = weight[i];
        const LnccTerms terms(
            {fixed[i], fixed[n + i], fixed[2 * n + i], sums[i], sums[n + i], sums[2 * n + i]}, w);
        sums[i] = terms.ofA;
        sums[n + i] = terms.ofB;
        sums[2 * n + i] = terms.ofOne;
        total.x += static_cast<double>(terms.counted);
        total.y += static_cast<double>(onSumGrid(w));
    }
    double2 all;
    if (gridSum(total, room, all))
        *out = all;
}

/// Factors of b become those of what is lost, unless nothing is.
__global__ void derivativeKernel(const WindowInput in, float* factors, float scale, std::size_t n,
                                 float* out) {
    const std::size_t i = voxel();
    if (i >= n)
        return;
    const float by = scale * (in.counted ? in.counted[i] : 1.0f), ofB = factors[n + i];
    out[i] = by * fused(in.b[i], ofB, fused(in.a[i], factors[i], -factors[2 * n + i]));
    if (in.lost)
        factors[n + i] = 0.5f * by * ofB;
}

class Lncc : public DeviceSimilarity {
public:
    Lncc(double window, Size3 finest, Workspace& space) : window_(window), space_(space) {
        for (auto* block : {&fixed_, &sums_, &scratch_})
            *block = space.add<float>("windows of the correlation", 3 * finest.voxels());
    }

    void begin(const Similarity::Level& level, FfdSums*, const GridSum&, LaunchLog& log) override {
        level_ = level;
        if (!level_.movingMasked)
            describeFixed(level_.fixedMask.data, log);
    }

    void enqueue(const ComparedImages& images, FfdSums* sums, const GridSum& room,
                 LaunchLog& log) override {
        const std::size_t n = images.fixed.voxels();
        if (level_.movingMasked)
            describeFixed(countedIn(images), log);
        sumWindows(inputOf(images), sums_, log);
        log.launch({"local correlation", 40.0 * static_cast<double>(n)}, correlationKernel,
                   stridesOver(n), space_.data(fixed_), images.weight.data, n, space_.data(sums_),
                   room, &sums->similarity);
    }

    double value(const FfdSums& sums) override {
        totalWeight_ = sums.similarity.y;
        return totalWeight_ > 0 ? -sums.similarity.x / totalWeight_ : 0;
    }

    void derivative(const ComparedImages& images, VolumeView<float> out, LaunchLog& log) override {
        const std::size_t n = out.voxels();
        sumWindows({.volumes = space_.data(sums_)}, sums_, log);
        const auto scale = static_cast<float>(totalWeight_ > 0 ? -1 / totalWeight_ : 0);
        log.launch({"derivative of lncc", 28.0 * static_cast<double>(n)}, derivativeKernel,
                   threadsOver(n), inputOf(images), space_.data(sums_), scale, n, out.data);
    }

    double known(double energy) const override { return -energy; }
    double unexplained(double energy) const override { return unexplainedShare(energy); }
    bool seesLoss() const override { return true; }
    VolumeView<const float> ofLost() const override {
        const Size3 size = level_.fixed.size;
        return {space_.data(sums_) + size.voxels(), size};
    }

private:
    WindowInput inputOf(const ComparedImages& images) const {
        return {countedIn(images), images.fixed.data, images.warped.data, images.lost.data};
    }
    const float* countedIn(const ComparedImages& images) const {
        return level_.movingMasked ? images.weight.data : level_.fixedMask.data;
    }

    void sumWindows(const WindowInput& input, Workspace::Block<float>& sums, LaunchLog& log) {
        const Vec3 sigma{window_ * level_.unit.x, window_ * level_.unit.y, window_ * level_.unit.z};
        windowSums(input, space_.data(sums), space_.data(scratch_), level_.fixed.size,
                   gaussianTapsFor(sigma), log);
        std::swap(sums, scratch_);
    }

    void describeFixed(const float* counted, LaunchLog& log) {
        const std::size_t n = level_.fixed.voxels();
        sumWindows({counted, level_.fixed.data}, fixed_, log);
        log.launch({"describe windows", 24.0 * static_cast<double>(n)}, describeKernel,
                   threadsOver(n), n, space_.data(fixed_));
    }

    double window_;
    Workspace& space_;
    Workspace::Block<float> fixed_, sums_, scratch_;
    Similarity::Level level_;
    double totalWeight_ = 0;
};

} // namespace

std::unique_ptr<DeviceSimilarity> makeLnccOnDevice(double window, Size3 finest, Workspace& space) {
    return std::make_unique<Lncc>(window, finest, space);
}

} // namespace systole::gpu
