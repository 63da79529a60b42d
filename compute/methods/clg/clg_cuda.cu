// CLG as an estimator on the device: the contents of its plan and of its report.
#include "compute/methods/clg/plan_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>

namespace systole {
namespace clg {

void DevicePlan::begin(const MotionInput& input, FieldView<const float> start, LaunchLog& log) {
    buffers_.pyramid().begin(input, report()->notFinite, log);
    buffers_.masks().begin(input, log);
    const Size3 coarsest = levels().back().size;
    const FieldView<float> total = buffers_.total(coarsest);
    gpu::FieldResampling how = gpu::downsampling(totalFactor(levels()));
    std::copy_n(unitScale(levels().back().scale()).fromVoxels, 3, how.copyGain.begin());
    gpu::resampleField(start, how, buffers_.field(0, coarsest),
                       p_.compositional ? total : FieldView<float>{}, log);
    if (!p_.compositional)
        log.cuda().zero(total.u, 3 * sizeof(float) * coarsest.voxels(), CudaStream::Compute);
}

MotionReport DevicePlan::read(const DeviceReport& from) const {
    MotionReport report;
    for (std::size_t level = levels().size(); level-- > 0;) {
        const DeviceState& state = from.state[level];
        const LevelFigures figures{.warps = p_.warps,
                                   .sweeps = state.sweeps,
                                   .lastChange = static_cast<double>(state.change),
                                   .energy = from.energy[level],
                                   .brightness = static_cast<double>(state.brightness),
                                   .selfSimilarity = static_cast<double>(state.selfSimilarity),
                                   .noise = state.noise};
        report.levels.push_back(figures.report(levels()[level].size));
    }
    report.comparesGrayValues = p_.features != ClgFeatures::SelfSimilarity;
    report.finish();
    return report;
}

} // namespace clg

std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters& parameters) {
    return std::make_unique<DeviceEstimator<clg::DevicePlan>>(parameters);
}

} // namespace systole
