#include "compute/cuda/launch.cuh"

#include <algorithm>
#include <exception>

namespace systole {

struct LaunchLog::Stretch {
    std::string stage;
    cudaEvent_t first = nullptr, last = nullptr;
    std::size_t firstRecord = 0, endRecord = 0;
};

struct LaunchLog::Record {
    std::string kernel;
    LaunchShape shape;
    cudaFuncAttributes attributes{};
    double bytes = 0, flops = 0;
    KernelCost cost;
    int activeBlocks = 0;
    cudaEvent_t first = nullptr, last = nullptr;

    ProfileSpan span() const;
};

namespace {

/// Single-precision operations of one thread; a fused multiply-add counts as two.
double floatOperations(const KernelCost& cost) {
    return cost.add + cost.multiply + 2 * cost.fusedMultiplyAdd + cost.divide + cost.squareRoot +
           cost.exponential + cost.logarithm;
}

double secondsBetween(cudaEvent_t first, cudaEvent_t last) {
    if (!first || !last)
        return 0;
    float milliseconds = 0;
    cudaCheck(cudaEventElapsedTime(&milliseconds, first, last), "reading an event's time");
    return 1e-3 * static_cast<double>(milliseconds);
}

} // namespace

ProfileSpan LaunchLog::Record::span() const {
    ProfileSpan span;
    span.kernel = kernel;
    span.seconds = span.launchSeconds = secondsBetween(first, last);
    span.bytes = span.launchBytes = bytes;
    span.flops = span.launchFlops = flops;
    const dim3 extents[] = {shape.grid, shape.block};
    int* const to[] = {span.grid, span.block};
    for (int which = 0; which < 2; ++which) {
        to[which][0] = static_cast<int>(extents[which].x);
        to[which][1] = static_cast<int>(extents[which].y);
        to[which][2] = static_cast<int>(extents[which].z);
    }
    span.registers = attributes.numRegs;
    span.sharedBytes = static_cast<int>(attributes.sharedSizeBytes + shape.sharedBytes);
    span.localBytes = static_cast<int>(attributes.localSizeBytes);
    span.activeBlocks = activeBlocks;
    span.cost = cost;
    return span;
}

LaunchLog::LaunchLog(CudaContext& cuda, Timing timing, CudaStream stream)
    : cuda_(cuda), timing_(timing), stream_(streamOf(cuda, stream)) {}

LaunchLog::~LaunchLog() {
    for (cudaEvent_t event : events_)
        cudaEventDestroy(event);
}

LaunchLog::Stage::Stage(LaunchLog& log, const char* stage) : log_(log) {
    Stretch stretch;
    stretch.stage = stage;
    stretch.firstRecord = log_.records_.size();
    if (log_.timing_ != Timing::None)
        stretch.first = log_.mark();
    log_.stretches_.push_back(std::move(stretch));
}

LaunchLog::Stage::~Stage() {
    Stretch& stretch = log_.stretches_.back();
    stretch.endRecord = log_.records_.size();
    try {
        if (log_.timing_ != Timing::None)
            stretch.last = log_.mark();
    } catch (const std::exception&) {
        stretch.first =
            nullptr; // no time rather than a wrong one; the next check reports the cause
    }
}

/// Sums a kernel's launches and reports the shape of the largest one, that of the finest level.
ProfileSpan LaunchLog::sum(const std::vector<const Record*>& records) {
    const auto blocks = [](const Record* record) {
        const dim3& grid = record->shape.grid;
        return static_cast<double>(grid.x) * grid.y * grid.z;
    };
    const Record* largest = records.front();
    for (const Record* record : records)
        if (blocks(record) >= blocks(largest))
            largest = record;
    ProfileSpan sum = largest->span();
    std::vector<double> seconds;
    for (const Record* record : records)
        if (blocks(record) == blocks(largest))
            seconds.push_back(secondsBetween(record->first, record->last));
    std::sort(seconds.begin(), seconds.end());
    // The longest launches may have been delayed by other work on the device, such as drawing.
    const double undisturbed = seconds[(seconds.size() - 1) * 9 / 10];
    const auto whole = std::lower_bound(seconds.begin(), seconds.end(), 0.5 * undisturbed);
    sum.launchSeconds = whole[(seconds.end() - whole) / 2];
    sum.launches = static_cast<int>(records.size());
    sum.seconds = sum.bytes = sum.flops = 0;
    for (const Record* record : records) {
        sum.seconds += secondsBetween(record->first, record->last);
        sum.bytes += record->bytes;
        sum.flops += record->flops;
    }
    return sum;
}

/// Records an event in the stream, also into a graph while the stream is being captured.
cudaEvent_t LaunchLog::mark() {
    if (usedEvents_ == events_.size()) {
        cudaEvent_t event = nullptr;
        cudaCheck(cudaEventCreate(&event), "making an event");
        events_.push_back(event);
    }
    cudaEvent_t event = events_[usedEvents_++];
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaCheck(cudaStreamIsCapturing(stream_, &capture), "asking whether a graph is captured");
    const unsigned flags =
        capture == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    cudaCheck(cudaEventRecordWithFlags(event, stream_, flags), "recording an event");
    return event;
}

void LaunchLog::begin(const KernelNote& note, const void* kernel, const LaunchShape& shape) {
    Record record;
    record.kernel = note.kernel;
    record.shape = shape;
    record.bytes = note.bytes;
    const auto volume = [](const dim3& extent) {
        return static_cast<double>(extent.x) * extent.y * extent.z;
    };
    record.flops = note.flops > 0
                       ? note.flops
                       : floatOperations(note.cost) * volume(shape.grid) * volume(shape.block);
    record.cost = note.cost;
    if (kernel) {
        auto known = attributes_.find(kernel);
        if (known == attributes_.end()) {
            cudaFuncAttributes attributes{};
            cudaCheck(cudaFuncGetAttributes(&attributes, kernel), note.kernel.c_str());
            known = attributes_.emplace(kernel, attributes).first;
        }
        record.attributes = known->second;
        record.activeBlocks = activeBlocks(kernel, shape);
    }
    if (timing_ == Timing::Kernels)
        record.first = mark();
    records_.push_back(std::move(record));
}

int LaunchLog::activeBlocks(const void* kernel, const LaunchShape& shape) {
    const unsigned threads = shape.block.x * shape.block.y * shape.block.z;
    const auto [known, isNew] = activeBlocks_.try_emplace({kernel, threads, shape.sharedBytes}, 0);
    if (isNew)
        cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                      &known->second, kernel, static_cast<int>(threads), shape.sharedBytes),
                  "asking for the active blocks of a kernel");
    return known->second;
}

void LaunchLog::addPadding(const void* kernel, LaunchShape& shape) {
    shape.sharedBytes += padding_;
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shape.sharedBytes)),
              "asking for more shared memory");
}

void LaunchLog::end() {
    if (timing_ == Timing::Kernels)
        records_.back().last = mark();
}

void LaunchLog::resolve(KernelProfile& profile) const {
    // Stages in the order of their first scope, each followed by its kernels.
    std::vector<std::string> stages;
    for (const Stretch& stretch : stretches_)
        if (std::find(stages.begin(), stages.end(), stretch.stage) == stages.end())
            stages.push_back(stretch.stage);
    for (const std::string& stage : stages) {
        ProfileSpan whole;
        whole.stage = whole.kernel = stage;
        whole.startSeconds = profile.now();
        std::vector<std::pair<std::string, std::vector<const Record*>>> kernels;
        for (const Stretch& stretch : stretches_) {
            if (stretch.stage != stage)
                continue;
            whole.seconds += secondsBetween(stretch.first, stretch.last);
            for (std::size_t i = stretch.firstRecord; i < stretch.endRecord; ++i) {
                const Record& record = records_[i];
                whole.bytes += record.bytes;
                whole.flops += record.flops;
                auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const auto& known) {
                    return known.first == record.kernel;
                });
                if (kernel == kernels.end())
                    kernel = kernels.insert(kernels.end(), {record.kernel, {}});
                kernel->second.push_back(&record);
            }
        }
        const double start = whole.startSeconds;
        profile.add(std::move(whole));
        for (const auto& [name, records] : kernels) {
            ProfileSpan kernel = sum(records);
            kernel.startSeconds = start;
            profile.add(std::move(kernel));
        }
    }
}

std::vector<ProfileSpan> LaunchLog::resolveLaunches() const {
    std::vector<ProfileSpan> spans;
    for (const Record& record : records_)
        spans.push_back(record.span());
    return spans;
}

void LaunchLog::clear() {
    stretches_.clear();
    records_.clear();
    usedEvents_ = 0;
}

} // namespace systole
