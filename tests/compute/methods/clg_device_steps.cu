#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"
#include "compute/ops/fill_unknown_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "tests/compute/methods/clg_device_steps.h"

#include <algorithm>

namespace systole::test {
namespace {

/// Device memory with the values of a host vector, or undefined ones.
class Memory {
public:
    Memory(CudaContext& cuda, const Values& values) : Memory(cuda, values.size()) {
        cuda.upload(values.data(), data(), values.size() * sizeof(float), CudaStream::Compute);
    }
    Memory(CudaContext& cuda, std::size_t count)
        : cuda_(cuda)
        , buffer_(cuda.devicePool().acquire<float>(std::max<std::size_t>(count, 1), "test")) {}

    float* data() { return buffer_.data(); }
    Values download(std::size_t count) {
        Values values(count);
        cuda_.download(data(), values.data(), count * sizeof(float), CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return values;
    }
    FieldView<float> field(Size3 size) { return {data(), size}; }

private:
    CudaContext& cuda_;
    Buffer<float> buffer_;
};

/// A level's state and the room for sums.
class State {
public:
    State(CudaContext& cuda, Size3 size)
        : cuda_(cuda)
        , state_(cuda.devicePool().acquire<clg::DeviceState>(1, "test, state"))
        , sums_(cuda.devicePool().acquire<double2>(clg::gridSumBlocks(size), "test, sums"))
        , arrived_(cuda.devicePool().acquire<unsigned>(1, "test, counter")) {
        cuda.zero(state_.data(), sizeof(clg::DeviceState), CudaStream::Compute);
        cuda.zero(arrived_.data(), sizeof(unsigned), CudaStream::Compute);
    }
    clg::DeviceState* device() { return state_.data(); }
    gpu::GridSum sum() { return {sums_.data(), arrived_.data()}; }
    clg::DeviceState read() {
        clg::DeviceState state{};
        cuda_.download(device(), &state, sizeof state, CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return state;
    }

private:
    CudaContext& cuda_;
    Buffer<clg::DeviceState> state_;
    Buffer<double2> sums_;
    Buffer<unsigned> arrived_;
};

/// A log whose launches all belong to one stage.
struct Launches {
    explicit Launches(CudaContext& cuda, const BlockSizes& blocks = {})
        : log(cuda, LaunchLog::Timing::None), stage(log, "test") {
        log.setBlockSizes(blocks);
    }
    LaunchLog log;
    LaunchLog::Stage stage;
};

} // namespace

Values smoothOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count, Size3 size,
                      Vec3 sigma, int slots, const BlockSizes& blocks) {
    Memory memory(cuda, volumes);
    const std::size_t floats = static_cast<std::size_t>(slots) * size.voxels();
    Memory scratch(cuda, floats);
    Launches launches(cuda, blocks);
    gpu::smoothStack(variant, {memory.data(), count, size}, gpu::gaussianTapsFor(sigma),
                     {scratch.data(), floats}, launches.log);
    return memory.download(volumes.size());
}

Values smoothedOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count,
                        Size3 size, Vec3 sigma) {
    Memory memory(cuda, volumes), scratch(cuda, volumes.size());
    Launches launches(cuda);
    const float* const smoothed =
        gpu::smoothedStack(variant, {memory.data(), count, size}, gpu::gaussianTapsFor(sigma),
                           {scratch.data(), volumes.size()}, launches.log);
    return (smoothed == memory.data() ? memory : scratch).download(volumes.size());
}

Values smoothHalvedOnDevice(CudaContext& cuda, int variant, const Values& volumes, int count,
                            Size3 size, Vec3 sigma, std::size_t floats) {
    Memory memory(cuda, volumes), scratch(cuda, floats);
    Launches launches(cuda);
    gpu::smoothStackHalved(variant, {memory.data(), count, size}, sigma, {scratch.data(), floats},
                           launches.log);
    return memory.download(volumes.size());
}

TensorOutcome tensorOnDevice(CudaContext& cuda, int variant, const Values& fixed,
                             const Values& warped, const Values& inside, Size3 size, bool central,
                             std::array<float, 3> scale, float epsilon, const BlockSizes& blocks) {
    Memory f(cuda, fixed), m(cuda, warped), mask(cuda, inside), out(cuda, 9 * size.voxels());
    State state(cuda, size);
    Launches launches(cuda, blocks);
    clg::beginLevel(state.device(), {epsilon, {1, 1, 1}}, launches.log);
    clg::TensorStep step{};
    step.fixed = {f.data(), size};
    step.warped = m.data();
    step.inside = inside.empty() ? nullptr : mask.data();
    step.central = central;
    for (std::size_t axis = 0; axis < 3; ++axis)
        step.factor[axis] = clg::differenceFactor(central, scale[axis]);
    for (std::size_t k = 0; k < 9; ++k)
        step.product[k] = out.data() + k * size.voxels();
    step.noise = true;
    step.state = state.device();
    clg::gradientProducts(variant, step, state.sum(), launches.log);
    return {out.download(9 * size.voxels()), state.read().noise};
}

TensorOutcome selfSimilarityOnDevice(CudaContext& cuda, const Values& fixed, const Values& warped,
                                     const Values& inside, Size3 size, std::array<float, 3> scale) {
    const std::size_t n = size.voxels();
    Memory f(cuda, fixed), m(cuda, warped), mask(cuda, inside), ofFixed(cuda, 3 * n),
        ofWarped(cuda, 3 * n), out(cuda, 9 * n);
    State state(cuda, size);
    Launches launches(cuda);
    cuda.zero(out.data(), 9 * n * sizeof(float), CudaStream::Compute);
    clg::SelfSimilarityStep step{};
    step.fixed = {f.data(), size};
    step.warped = m.data();
    step.inside = mask.data();
    step.ofFixed = ofFixed.field(size);
    step.ofWarped = ofWarped.field(size);
    step.axes = clg::comparedAxes(size, scale);
    for (std::size_t axis = 0; axis < 3; ++axis)
        step.factor[axis] = clg::differenceFactor(true, scale[axis]);
    step.alone = true;
    for (std::size_t k = 0; k < 9; ++k)
        step.product[k] = out.data() + k * n;
    step.state = state.device();
    for (int warp = 0; warp < 2; ++warp)
        clg::addSelfSimilarity(step, state.sum(), launches.log);
    return {out.download(9 * n), state.read().noise};
}

Values gradientConstancyOnDevice(CudaContext& cuda, const Values& fixed, const Values& warped,
                                 const Values& inside, const Values& products, Size3 size,
                                 std::array<float, 3> scale, double share, float epsilon) {
    const std::size_t n = size.voxels();
    Memory f(cuda, fixed), m(cuda, warped), mask(cuda, inside), compared(cuda, 2 * n),
        scratch(cuda, 2 * n), out(cuda, products);
    State state(cuda, size);
    Launches launches(cuda);
    clg::combineFrames({f.data(), size}, m.data(), compared.data(), compared.data() + n,
                       launches.log);
    const double sigma = clg::comparedGradientWidth;
    gpu::smoothStack(smoothFamily.named("fused"), {compared.data(), 2, size},
                     gpu::gaussianTapsFor(Vec3{sigma, sigma, sigma}), {scratch.data(), 2 * n},
                     launches.log);
    clg::beginLevel(state.device(), {epsilon, {1, 1, 1}}, launches.log);
    clg::GradientConstancyStep step{};
    step.fixed = {f.data(), size};
    step.warped = m.data();
    step.rootWeights = epsilon >= 0;
    step.sum = {compared.data(), size};
    step.difference = {compared.data() + n, size};
    step.inside = mask.data();
    std::copy_n(scale.begin(), 3, step.scale);
    step.share = share;
    for (std::size_t k = 0; k < 9; ++k)
        step.product[k] = out.data() + k * n;
    step.state = state.device();
    clg::addGradientConstancy(step, state.sum(), launches.log);
    return out.download(9 * n);
}

WarpOutcome warpOnDevice(CudaContext& cuda, int variant, const Values& moving, const Values& fixed,
                         const Values& field, Size3 size, bool cubic, const BlockSizes& blocks) {
    Memory m(cuda, moving), f(cuda, fixed), w(cuda, field), out(cuda, moving.size()),
        inside(cuda, moving.size());
    State state(cuda, size);
    Launches launches(cuda, blocks);
    gpu::DeviceTexture texture(size, clg::textureOfWarp(variant) == gpu::TextureUse::Filtered);
    texture.copyFrom(m.data(), launches.log);
    clg::WarpStep step{};
    step.moving = {m.data(), size};
    step.fixed = {f.data(), size};
    step.texture = texture.object();
    step.field = w.field(size);
    step.warped = out.data();
    step.inside = inside.data();
    step.cubic = cubic;
    step.findEpsilon = true;
    step.state = state.device();
    clg::warp(variant, step, state.sum(), launches.log);
    return {out.download(moving.size()), inside.download(moving.size()), state.read().epsilon};
}

Values rightHandSideOnDevice(CudaContext& cuda, const Values& coefficients, const Values& field,
                             Size3 size) {
    Memory c(cuda, coefficients), w(cuda, field);
    Launches launches(cuda);
    clg::DeviceSystem system{};
    system.size = size;
    for (std::size_t k = 0; k < 9; ++k)
        system.coefficient[k] = c.data() + k * size.voxels();
    clg::rightHandSide(system, field.empty() ? FieldView<float>{} : w.field(size), launches.log);
    return c.download(coefficients.size());
}

Values composeOnDevice(CudaContext& cuda, const Values& w, Values& t, std::array<float, 3> scale,
                       Size3 size) {
    Memory field(cuda, w), total(cuda, t), out(cuda, w.size());
    Launches launches(cuda);
    clg::compose(field.field(size), total.field(size), clg::unitScale(scale), out.field(size), {},
                 launches.log);
    t = total.download(t.size());
    return out.download(w.size());
}

Values composeWithoutFoldsOnDevice(CudaContext& cuda, const Values& w, Values& t,
                                   std::array<float, 3> scale, Size3 size) {
    Memory field(cuda, w), total(cuda, t), out(cuda, w.size()), step(cuda, w.size()),
        spare(cuda, w.size()), marks(cuda, size.voxels());
    Buffer<gpu::FoldState> state = cuda.devicePool().acquire<gpu::FoldState>(1, "folds");
    {
        Launches launches(cuda);
        clg::compose(field.field(size), total.field(size), clg::unitScale(scale), out.field(size),
                     {step.field(size), spare.field(size), marks.data(), state.data()},
                     launches.log);
    }
    t = total.download(t.size());
    return out.download(w.size());
}

Values addStepOnDevice(CudaContext& cuda, const Values& w, Values& t, std::array<float, 3> scale,
                       Size3 size) {
    Memory field(cuda, w), step(cuda, t);
    Launches launches(cuda);
    clg::addStep(field.field(size), step.field(size), clg::unitScale(scale), launches.log);
    t = step.download(t.size());
    return field.download(w.size());
}

Values decimateOnDevice(CudaContext& cuda, const Values& volumes, int count, Size3 size,
                        std::array<int, 3> factor, Size3 outSize) {
    const std::size_t outFloats = static_cast<std::size_t>(count) * outSize.voxels();
    Memory in(cuda, volumes), out(cuda, outFloats), scratch(cuda, volumes.size());
    Launches launches(cuda);
    gpu::decimateStack({in.data(), count, size}, factor, {out.data(), count, outSize},
                       {scratch.data(), volumes.size()}, launches.log);
    return out.download(outFloats);
}

Values fillOnDevice(CudaContext& cuda, const Values& frames, const std::vector<std::uint8_t>& known,
                    Size3 size, bool wanted) {
    const std::size_t n = size.voxels(), count = frames.size() / n;
    Memory memory(cuda, frames), scratch(cuda, count * fill::Blocks(size).total);
    Buffer<std::uint8_t> masks = cuda.devicePool().acquire<std::uint8_t>(2 * n, "test, masks");
    Buffer<int> flag = cuda.devicePool().acquire<int>(1, "test, flag");
    const int asked = wanted;
    cuda.upload(known.data(), masks.data(), n, CudaStream::Compute);
    cuda.upload(&asked, flag.data(), sizeof asked, CudaStream::Compute);
    Launches launches(cuda);
    gpu::FillStep step;
    step.frames = {memory.data(), static_cast<int>(count), size};
    step.known = {masks.data(), size};
    step.next = {masks.data() + n, size};
    step.scratch = scratch.data();
    step.wanted = flag.data();
    gpu::fillUnknown(step, launches.log);
    return memory.download(frames.size());
}

namespace {

Values resampled(CudaContext& cuda, const Values& field, Size3 size,
                 const gpu::FieldResampling& how, Size3 outSize) {
    Memory in(cuda, field), out(cuda, 3 * outSize.voxels()), copy(cuda, 3 * outSize.voxels());
    Launches launches(cuda);
    gpu::resampleField(in.field(size), how, out.field(outSize), copy.field(outSize), launches.log);
    const Values values = out.download(3 * outSize.voxels());
    return values == copy.download(values.size()) ? values : Values{};
}

} // namespace

Values upsampleOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                        std::array<int, 3> factor, Size3 outSize) {
    return resampled(cuda, field, size, gpu::upsampling(factor), outSize);
}

Values downsampleOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                          std::array<int, 3> factor, Size3 outSize) {
    return resampled(cuda, field, size, gpu::downsampling(factor), outSize);
}

std::array<float, 3> smoothnessOnDevice(CudaContext& cuda, const Values& field, Size3 size,
                                        std::array<float, 3> scale, std::array<float, 3> weights) {
    Memory w(cuda, field);
    State state(cuda, size);
    Launches launches(cuda);
    const clg::LevelStart start{
        1, {weights[0], weights[1], weights[2]}, {scale[0], scale[1], scale[2]}};
    clg::beginLevel(state.device(), start, launches.log);
    clg::findSmoothness(w.field(size), start, true, state.device(), state.sum(), launches.log);
    const clg::DeviceState read = state.read();
    return {read.smoothness[0], read.smoothness[1], read.smoothness[2]};
}

PrefilterOutcome prefilterOnDevice(CudaContext& cuda, const Values& volume, Size3 size,
                                   std::array<float, 3> scale, double least) {
    Memory v(cuda, volume), scratch(cuda, 2 * volume.size());
    State state(cuda, size);
    Buffer<float> correlation =
        cuda.devicePool().acquire<float>(clg::correlationRoom, "test, correlation");
    Buffer<gpu::DeviceTaps> taps = cuda.devicePool().acquire<gpu::DeviceTaps>(3, "test, taps");
    Launches launches(cuda);
    clg::findPrefilter({v.data(), size}, scale, least, correlation.data(), taps.data(),
                       state.device(), launches.log);
    gpu::smoothStackBy(taps.data(), {v.data(), 1, size}, {scratch.data(), 2 * volume.size()},
                       launches.log);
    return {state.read().prefilterSigma, v.download(volume.size())};
}

} // namespace systole::test
