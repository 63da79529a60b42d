#include "compute/cuda/interop.cuh"
#include "render/device_quantiles.h"
#include "render/sampling_math.h"

#include <cub/device/device_radix_sort.cuh>
#include <deque>
#include <limits>
#include <utility>

namespace systole {
namespace {

/// Sorts after all other values and is not counted.
constexpr double leftOut = std::numeric_limits<double>::infinity();

__global__ void sampleMagnitudes(FieldView<const float> field, sampling::Matrix<double> toPhysical,
                                 const float* image, float darkest, std::size_t stride, int count,
                                 double* magnitudes) {
    const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (sample >= count)
        return;
    const std::size_t voxel = static_cast<std::size_t>(sample) * stride;
    const double mm =
        sampling::magnitude<double>(toPhysical, field.u[voxel], field.v[voxel], field.w[voxel]);
    const bool dark = image && image[voxel] < darkest;
    magnitudes[sample] = dark || !isfinite(mm) ? leftOut : mm;
}

__global__ void pickQuantiles(const double* sorted, int count, MagnitudeQuantiles* quantiles) {
    int low = 0, high = count; // binary search for the first excluded value
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < leftOut)
            low = middle + 1;
        else
            high = middle;
    }
    const auto counted = static_cast<std::size_t>(low);
    const auto at = [&](double part) {
        return counted > 0 ? sorted[sampling::quantileRank(part, counted)] : 0;
    };
    quantiles->typical = at(MagnitudeQuantiles::typicalPart);
    quantiles->highest = at(MagnitudeQuantiles::highestPart);
}

} // namespace

struct DeviceQuantiles::Impl {
    explicit Impl(CudaInterop& interop)
        : cuda(interop.cuda())
        , quantiles(cuda.devicePool().acquire<MagnitudeQuantiles>(1, "color scale"))
        , log(cuda, LaunchLog::Timing::None, CudaStream::Display) {}

    /// Makes room for `count` magnitudes, their sorted copy and the sort's scratch memory.
    void reserve(int count) {
        const auto wanted = static_cast<std::size_t>(count);
        if (wanted <= magnitudes.size())
            return;
        cuda.synchronize(CudaStream::Display); // before memory in use returns to the pool
        magnitudes = cuda.devicePool().acquire<double>(wanted, "color scale");
        sorted = cuda.devicePool().acquire<double>(wanted, "color scale");
        std::size_t bytes = 0;
        cudaCheck(sort(nullptr, bytes, count), "preparing to sort magnitudes");
        sortScratch = cuda.devicePool().acquire<std::byte>(bytes, "color scale");
    }
    cudaError_t sort(void* scratch, std::size_t& bytes, int count) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, std::as_const(magnitudes).data(),
                                              sorted.data(), count, 0,
                                              8 * static_cast<int>(sizeof(double)), log.stream());
    }

    struct Question {
        ScaleTag tag;
        Buffer<MagnitudeQuantiles> answer; ///< pinned
        std::shared_ptr<const VectorField> field;
        std::shared_ptr<const Volume> image;
        std::shared_ptr<const CudaEvent> done;
    };

    CudaContext& cuda;
    Buffer<double> magnitudes, sorted;
    Buffer<std::byte> sortScratch;
    Buffer<MagnitudeQuantiles> quantiles;
    LaunchLog log;
    std::deque<Question> questions; ///< oldest first
};

DeviceQuantiles::DeviceQuantiles(CudaInterop& interop) : impl_(std::make_unique<Impl>(interop)) {}

DeviceQuantiles::~DeviceQuantiles() {
    try {
        impl_->cuda.synchronize(CudaStream::Display);
    } catch (const ComputeError&) {
        // A lost device has stopped writing, too.
    }
}

void DeviceQuantiles::ask(std::shared_ptr<const VectorField> field,
                          std::shared_ptr<const Volume> image, float darkest, ScaleTag tag) {
    Impl& m = *impl_;
    constexpr CudaStream stream = CudaStream::Display;
    const std::size_t voxels = field->geometry.voxels();
    const std::size_t stride = sampling::quantileStride(voxels);
    const int count = static_cast<int>((voxels + stride - 1) / stride);
    m.reserve(count);
    m.cuda.waitFor(stream, field->ready);
    if (image)
        m.cuda.waitFor(stream, image->ready);

    constexpr unsigned block = 128;
    const LaunchShape shape{dim3((static_cast<unsigned>(count) + block - 1) / block), dim3(block),
                            0};
    m.log.clear();
    m.log.launch({"scale/sample"}, sampleMagnitudes, shape, field->view(),
                 sampling::matrixOf<double>(field->geometry.voxelToPhysicalMatrix()),
                 image ? image->voxels.data() : nullptr, darkest, stride, count,
                 m.magnitudes.data());
    m.log.begin({"scale/sort"}, nullptr, {});
    std::size_t bytes = m.sortScratch.size();
    cudaCheck(m.sort(m.sortScratch.data(), bytes, count), "sorting magnitudes");
    m.log.end();
    m.log.launch({"scale/pick"}, pickQuantiles, {dim3(1), dim3(1), 0},
                 std::as_const(m.sorted).data(), count, m.quantiles.data());

    Impl::Question question{tag, m.cuda.pinnedPool().acquire<MagnitudeQuantiles>(1, "color scale"),
                            std::move(field), std::move(image), nullptr};
    m.cuda.download(m.quantiles.data(), question.answer.data(), sizeof(MagnitudeQuantiles), stream);
    question.done = m.cuda.record(stream);
    m.questions.push_back(std::move(question));
}

bool DeviceQuantiles::pending() const { return !impl_->questions.empty(); }

std::optional<DeviceQuantiles::Answer> DeviceQuantiles::take() {
    Impl& m = *impl_;
    if (m.questions.empty() || !m.questions.front().done->done())
        return std::nullopt;
    const Answer answer{m.questions.front().tag, *m.questions.front().answer.data()};
    m.questions.pop_front();
    return answer;
}

void DeviceQuantiles::wait() const {
    if (pending())
        impl_->questions.back().done->wait();
}

} // namespace systole
