#include "compute/methods/clg/plan_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

DeviceSolveOptions solveOptions(const ClgParameters& p) {
    DeviceSolveOptions options;
    options.solver = p.solver;
    options.sweeps = p.sweeps;
    options.tolerance = p.tolerance;
    options.omega = p.omega;
    options.jacobi = p.variants.sweep;
    options.halfTensor = p.variants.halfTensor;
    options.withBeta = p.beta > 0;
    options.stencil = p.compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
    return options;
}

bool isWeighted(const ClgParameters& p, const PlanShape& shape) {
    return shape.weighted && p.beta > 0;
}

} // namespace

PlanBuffers::PlanBuffers(const PlanShape& shape, const ClgParameters& p)
    : pyramid_(pyramidLevels(shape.size, shape.spacing, p.levels), isWeighted(p, shape), space_)
    , masks_(pyramid_.levels(), shape.fixedMask, shape.movingMask, space_) {
    const Size3 finest = pyramid_.levels()[0].size;
    const std::size_t n = finest.voxels();
    warped_ = space_.add<float>("warped frame", n);
    inside_ = space_.add<float>("inside", n);
    tensor_ = space_.add<float>("structure tensor", 9 * n);
    fields_[0] = space_.add<float>("motion field", 3 * n);
    fields_[1] = space_.add<float>("motion field, next", 3 * n);
    total_ = space_.add<float>("solver, total", 3 * n);
    sums_ = space_.add<double2>("sums of blocks", gridSumBlocks(finest));
    arrived_ = space_.add<unsigned>("blocks that have arrived", 1);
    correlation_ = space_.add<float>("neighbor correlation", correlationRoom);
    folds_ = space_.add<gpu::FoldState>("folds", 1);
    taps_ = space_.add<gpu::DeviceTaps>("prefilter", 3 * mostLevels);
    report_ = space_.add<DeviceReport>("report", 1);
    if (p.usesSelfSimilarity())
        differences_ = space_.add<float>("self-similarity", 3 * n);
    if (p.adaptive)
        for (const PyramidLevel& level : pyramid_.levels())
            counts_.push_back(space_.add<std::uint8_t>("still region", level.size.voxels()));
    const std::size_t cells = brightnessCells(pyramid_.levels());
    brightnessSums_ = space_.add<BrightnessSums>("brightness of cells", cells);
    brightness_ = space_.add<BrightnessCoefficients>("brightness of cells", cells);
}

FieldView<float> PlanBuffers::field(int which, Size3 size) const {
    return {space_.data(fields_[which]), size};
}
FieldView<float> PlanBuffers::total(Size3 size) const { return {space_.data(total_), size}; }

FieldView<float> PlanBuffers::differences(Size3 size) const {
    return {space_.data(differences_), size};
}

VolumeView<std::uint8_t> PlanBuffers::counts(std::size_t level) const {
    return {space_.data(counts_[level]), pyramid_.levels()[level].size};
}

gpu::FoldBuffers PlanBuffers::folds(Size3 size) const {
    const std::size_t n = size.voxels();
    return {{tensor(), size}, {tensor() + 3 * n, size}, tensor() + 6 * n, space_.data(folds_)};
}

DevicePlan::DevicePlan(CudaContext& cuda, const ClgParameters& parameters, const PlanShape& shape)
    : p_(parameters), shape_(shape), buffers_(shape, parameters) {
    buffers_.acquire(cuda.devicePool());
    for (const PyramidLevel& level : levels()) {
        solvers_.push_back(std::make_unique<DeviceSolver>(cuda, level.size, solveOptions(p_)));
        const gpu::TextureUse use = textureOfWarp(p_.variants.warp);
        if (use != gpu::TextureUse::None)
            textures_.push_back(
                std::make_unique<gpu::DeviceTexture>(level.size, use == gpu::TextureUse::Filtered));
    }
    cuda.zero(buffers_.sum().arrived, sizeof(unsigned), CudaStream::Compute);
}

std::size_t DevicePlan::bytes(const ClgParameters& parameters, const PlanShape& shape) {
    const PlanBuffers buffers(shape, parameters);
    std::size_t sum = buffers.bytes();
    for (const PyramidLevel& level : buffers.pyramid().levels()) {
        sum += DeviceSolver::scratchBytes(level.size, solveOptions(parameters));
        if (textureOfWarp(parameters.variants.warp) != gpu::TextureUse::None)
            sum += sizeof(float) * level.size.voxels();
    }
    return sum;
}

LevelStart DevicePlan::startOf(std::size_t level) const {
    LevelStart start{};
    start.epsilon = p_.normalized ? 1.0f : -1.0f;
    const std::array<float, 3> scale = levels()[level].scale();
    for (std::size_t axis = 0; axis < 3; ++axis)
        start.smoothness[axis] = levels()[level].size[static_cast<int>(axis)] > 1
                                     ? static_cast<float>(p_.alpha) * scale[axis] * scale[axis]
                                     : 0;
    std::copy_n(scale.begin(), 3, start.scale);
    if (level + 1 < levels().size())
        start.coarser = report()->state + level + 1;
    return start;
}

gpu::AxisTaps DevicePlan::tapsOf(std::size_t level, double smallestSpacings) const {
    return gpu::gaussianTapsFor(levels()[level].alongAxes(smallestSpacings));
}

DeviceSystem DevicePlan::systemOf(std::size_t level) const {
    DeviceSystem system{};
    system.size = levels()[level].size;
    for (std::size_t k = 0; k < 9; ++k)
        system.coefficient[k] = buffers_.tensor() + k * system.voxels();
    std::copy_n(levels()[level].scale().begin(), 3, system.scale);
    system.beta = static_cast<float>(p_.beta);
    system.stencil = p_.compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
    system.incompressibility = buffers_.pyramid().weight(level);
    system.state = buffers_.report()->state + level;
    return system;
}

void DevicePlan::buildPyramid(LaunchLog& log) {
    const LaunchLog::Stage stage(log, "pyramid");
    const gpu::Scratch scratch{buffers_.tensor(), buffers_.tensorFloats()};
    if (p_.adaptive)
        findStill(log);
    buffers_.pyramid().decimate(scratch, log);
    buffers_.masks().decimate(scratch, log);
    for (std::size_t level = 0; level < levels().size(); ++level) {
        const gpu::VolumeStack images = buffers_.pyramid().images(level);
        if (p_.adaptive) {
            findPrefilter({images.data, images.size}, levels()[level].scale(), p_.prefilter,
                          buffers_.correlation(), buffers_.taps(level),
                          buffers_.report()->state + level, log);
            gpu::smoothStackBy(buffers_.taps(level), images, scratch, log);
        } else if (p_.prefilter > 0) {
            gpu::smoothStack(smoothFamily.named("fused"), images, tapsOf(level, p_.prefilter),
                             scratch, log);
        }
        if (!textures_.empty())
            textures_[level]->copyFrom(images.data + images.volume(), log);
    }
}

void DevicePlan::findStill(LaunchLog& log) {
    const gpu::VolumeStack images = buffers_.pyramid().images(0);
    const VolumeView<std::uint8_t> kinds(reinterpret_cast<std::uint8_t*>(buffers_.tensor()),
                                         images.size);
    gpu::findStillRegion({{images.data, images.size},
                          {images.data + images.volume(), images.size},
                          kinds,
                          &report()->still},
                         buffers_.sum(), log);
    gpu::StillExtension extension{};
    extension.frames = images;
    extension.kinds = kinds;
    extension.scratch = buffers_.tensor() + images.volume();
    extension.state = &report()->still;
    int factor[3] = {1, 1, 1};
    for (std::size_t level = 0; level < levels().size(); ++level) {
        gpu::StillMarks::Level& marks = extension.marks.level[extension.marks.levels++];
        marks.counts = buffers_.counts(level);
        for (std::size_t axis = 0; axis < 3; ++axis)
            marks.factor[axis] = factor[axis] *= levels()[level].factor[axis];
    }
    gpu::extendIntoStillRegion(extension, log);
}

StillRegion DevicePlan::stillRegion(std::size_t level) const {
    if (!p_.adaptive)
        return {};
    return {buffers_.counts(level).data, &report()->still};
}

void DevicePlan::mendFolds(std::size_t level, FieldView<float> field, LaunchLog& log) {
    if (!p_.compositional)
        return;
    const gpu::FoldBuffers folds = buffers_.folds(field.size);
    std::array<float, 3> gain;
    std::copy_n(unitScale(levels()[level].scale()).fromVoxels, 3, gain.begin());
    gpu::clearFolds(folds, log);
    gpu::findFolds(field, folds, log);
    gpu::mendFolds({}, field, buffers_.total(field.size), gain, folds, log);
}

void DevicePlan::checkStart(LaunchLog& log) {
    const LaunchLog::Stage stage(log, "warp");
    const std::size_t level = levels().size() - 1;
    const Size3 size = levels()[level].size;
    mendFolds(level, buffers_.field(0, size), log);
    const gpu::VolumeStack images = buffers_.pyramid().images(level);
    clg::checkStart({images.data, size}, {images.data + images.volume(), size}, stillRegion(level),
                    buffers_.masks().at(level), buffers_.field(0, size), buffers_.total(size),
                    &report()->startHelped, buffers_.sum(), log);
}

void DevicePlan::warpAndTensor(std::size_t level, FieldView<const float> field,
                               FieldView<float> spare, int warp, bool noise, LaunchLog& log) {
    const Size3 size = levels()[level].size;
    const gpu::VolumeStack images = buffers_.pyramid().images(level);
    const VolumeView<const float> fixed(images.data, size),
        moving(images.data + images.volume(), size);
    const DeviceSystem system = systemOf(level);
    {
        const LaunchLog::Stage stage(log, "warp");
        WarpStep step{};
        step.moving = moving;
        step.fixed = fixed;
        step.texture = textures_.empty() ? 0 : textures_[level]->object();
        step.field = field;
        step.warped = buffers_.warped();
        step.inside = buffers_.inside();
        step.cubic = p_.samplesCubically(warp);
        step.still = stillRegion(level);
        const bool findEpsilon = p_.normalized && p_.adaptive, masked = !buffers_.masks().empty();
        step.findEpsilon = findEpsilon && !masked;
        step.state = system.state;
        clg::warp(p_.variants.warp, step, buffers_.sum(), log);
        step.findEpsilon = findEpsilon;
        if (masked)
            weighInside(buffers_.masks().at(level), step, buffers_.sum(), log);
        if (p_.matchesBrightness())
            matchBrightness({fixed, buffers_.warped(), buffers_.inside(),
                             BrightnessCells(size, levels()[level].scale()), buffers_.brightness(),
                             level == 0 && warp == 0, step.findEpsilon,
                             level > 0 ? coarseShares : finestShares, system.state},
                            buffers_.sum(), log);
    }
    {
        const LaunchLog::Stage stage(log, "gradient");
        TensorStep step{};
        step.fixed = fixed;
        step.warped = buffers_.warped();
        step.inside = p_.compositional || !buffers_.masks().empty() ? buffers_.inside() : nullptr;
        step.central = p_.centralGradient;
        for (std::size_t axis = 0; axis < 3; ++axis)
            step.factor[axis] = differenceFactor(p_.centralGradient, system.scale[axis]);
        std::copy_n(system.coefficient, 9, step.product);
        step.noise = noise;
        step.state = system.state;
        gradientProducts(p_.variants.gradient, step, buffers_.sum(), log);
        if (p_.usesSelfSimilarity())
            addFeatures(level, step, spare, log);
    }
}

void DevicePlan::addFeatures(std::size_t level, const TensorStep& tensor, FieldView<float> spare,
                             LaunchLog& log) {
    SelfSimilarityStep step{};
    step.fixed = tensor.fixed;
    step.warped = tensor.warped;
    step.inside = buffers_.inside();
    step.ofFixed = buffers_.differences(tensor.fixed.size);
    step.ofWarped = spare;
    for (std::size_t axis = 0; axis < 3; ++axis)
        step.factor[axis] = differenceFactor(true, levels()[level].scale()[axis]);
    step.finest = level == 0;
    step.alone = p_.features == ClgFeatures::SelfSimilarity;
    step.axes =
        comparedAxes(tensor.fixed.size, levels()[level].scale(), step.alone ? 2 : leastCompared);
    std::copy_n(tensor.product, 9, step.product);
    step.state = tensor.state;
    if (step.axes.count > 0)
        addSelfSimilarity(step, buffers_.sum(), log);
    else if (step.alone)
        log.cuda().zero(buffers_.tensor(), 9 * sizeof(float) * step.fixed.voxels(),
                        CudaStream::Compute);
}

int DevicePlan::estimateLevel(std::size_t level, int current, bool watched, LaunchLog& log,
                              const std::function<void(int, FieldView<const float>)>& afterWarp) {
    const Size3 size = levels()[level].size;
    const DeviceSystem system = systemOf(level);
    const FieldView<float> total = buffers_.total(size);
    float* const t[3] = {total.u, total.v, total.w};
    const UnitScale scale = unitScale(levels()[level].scale());
    {
        const LaunchLog::Stage stage(log, "gradient");
        const LevelStart start = startOf(level);
        beginLevel(system.state, start, log);
    }
    for (int n = 0; n < p_.warps; ++n) {
        const bool last = n + 1 == p_.warps;
        const FieldView<float> field = buffers_.field(current, size),
                               other = buffers_.field(1 - current, size);
        warpAndTensor(level, field, other, n, p_.adaptive || last, log);
        if (p_.adaptive) {
            const LaunchLog::Stage stage(log, "gradient");
            findSmoothness(field, startOf(level), n == 0, system.state, buffers_.sum(), log);
        }
        {
            const LaunchLog::Stage stage(log, "smooth");
            // The other field is free until the step is composed.
            gpu::smoothStack(p_.variants.smooth, {buffers_.tensor(), 9, size},
                             tapsOf(level, p_.rho), {other.u, 3 * shape_.size.voxels()}, log);
        }
        {
            const LaunchLog::Stage stage(log, "solve");
            rightHandSide(system, p_.compositional ? total : FieldView<float>{}, log);
            if (p_.compositional && p_.beta > 0) {
                const float* const w0[3] = {total.u, total.v, total.w};
                addDivergenceOf(system, w0, log);
            }
            solvers_[level]->solve(system, t, log);
            if (last || watched) {
                const float* const solved[3] = {total.u, total.v, total.w};
                energy(system, solved, buffers_.report()->energy + level, log);
            }
        }
        {
            const LaunchLog::Stage stage(log, "warp");
            if (p_.compositional) {
                compose(field, total, scale, other, buffers_.folds(size), log);
                current = 1 - current;
            } else {
                addStep(field, total, scale, log);
            }
        }
        afterWarp(n + 1, buffers_.field(current, size));
    }
    return current;
}

void DevicePlan::enqueue(LaunchLog& log, bool watched,
                         const std::function<void(const PlanStep&)>& between) {
    buildPyramid(log);
    checkStart(log);
    int current = 0;
    const auto steps = static_cast<double>(levels().size()) * p_.warps;
    double done = 0;
    for (std::size_t level = levels().size(); level-- > 0;) {
        const double* const energy = report()->energy + level;
        current = estimateLevel(level, current, watched, log,
                                [&](int warp, FieldView<const float> field) {
                                    between({++done / steps, static_cast<int>(level), warp, field,
                                             watched ? energy : nullptr});
                                });
        if (level == 0)
            continue;
        const LaunchLog::Stage stage(log, "pyramid");
        const Size3 finer = levels()[level - 1].size;
        const FieldView<float> total = buffers_.total(finer);
        gpu::FieldResampling how = gpu::upsampling(levels()[level].factor);
        std::copy_n(unitScale(levels()[level - 1].scale()).fromVoxels, 3, how.copyGain.begin());
        gpu::resampleField(buffers_.field(current, levels()[level].size), how,
                           buffers_.field(1 - current, finer),
                           p_.compositional ? total : FieldView<float>{}, log);
        current = 1 - current;
        mendFolds(level - 1, buffers_.field(current, finer), log);
        // Steps that add up start at zero; the solver's field has another size now.
        if (!p_.compositional)
            log.cuda().zero(total.u, 3 * sizeof(float) * finer.voxels(), CudaStream::Compute);
    }
    result_ = current;
}

FieldView<const float> DevicePlan::result() const { return buffers_.field(result_, shape_.size); }

} // namespace systole::clg
