#include "compute/methods/clg/plan_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>

namespace systole::clg {
namespace {

constexpr std::size_t smallAlignment = 64;

std::size_t rounded(std::size_t bytes) {
    return std::max(smallAlignment, (bytes + smallAlignment - 1) / smallAlignment * smallAlignment);
}

/// Named buffers, acquired or only counted.
struct Need {
    const char* name;
    std::size_t bytes;
};

std::vector<Need> needs(const std::vector<ClgLevel>& levels, bool weighted) {
    const std::size_t n = levels[0].size.voxels(), volume = sizeof(float) * n;
    std::size_t pyramid = 0;
    for (const ClgLevel& level : levels)
        pyramid += sizeof(float) * level.size.voxels();
    return {{"pyramid images", 2 * pyramid},
            {"volume-preservation weight", weighted ? pyramid : 0},
            {"warped frame", volume},
            {"inside", volume},
            {"structure tensor", 9 * volume},
            {"motion field", 3 * volume},
            {"motion field, next", 3 * volume},
            {"solver, total", 3 * volume},
            {"sums of blocks", sizeof(double2) * gridSumBlocks(levels[0].size) + smallAlignment},
            {"neighbour correlation", sizeof(float) * correlationRoom},
            {"prefilter", sizeof(gpu::DeviceTaps) * mostLevels},
            {"report", sizeof(DeviceReport)}};
}

DeviceSolveOptions solveOptions(const ClgParameters& p) {
    DeviceSolveOptions options;
    options.solver = p.solver;
    options.sweeps = p.sweeps;
    options.tolerance = p.tolerance;
    options.omega = p.omega;
    options.jacobi = p.variants.sweep;
    options.halfTensor = p.variants.halfTensor;
    options.withBeta = p.beta > 0;
    return options;
}

FieldView<float> fieldAt(float* data, Size3 size) {
    const std::size_t n = size.voxels();
    return {data, data + n, data + 2 * n, size};
}

bool isWeighted(const ClgParameters& p, const PlanShape& shape) {
    return shape.weighted && p.beta > 0;
}

} // namespace

std::size_t PlanBuffers::bytes(const std::vector<ClgLevel>& levels, bool weighted) {
    std::size_t sum = 0;
    for (const Need& need : needs(levels, weighted))
        if (need.bytes > 0)
            sum += rounded(need.bytes);
    return sum;
}

PlanBuffers::PlanBuffers(BufferPool& pool, const std::vector<ClgLevel>& levels, bool weighted)
    : levels_(levels) {
    std::vector<std::byte*> at;
    for (const Need& need : needs(levels, weighted)) {
        blocks_.push_back(need.bytes > 0 ? pool.acquire<std::byte>(need.bytes, need.name)
                                         : Buffer<std::byte>());
        at.push_back(blocks_.back().data());
    }
    const auto floats = [&](std::size_t i) { return reinterpret_cast<float*>(at[i]); };
    std::size_t before = 0;
    for (const ClgLevel& level : levels) {
        images_.push_back(floats(0) + 2 * before);
        weights_.push_back(weighted ? floats(1) + before : nullptr);
        before += level.size.voxels();
    }
    warped_ = floats(2);
    inside_ = floats(3);
    tensor_ = floats(4);
    fields_[0] = floats(5);
    fields_[1] = floats(6);
    total_ = floats(7);
    sum_.arrived = reinterpret_cast<unsigned*>(at[8]);
    sum_.perBlock = reinterpret_cast<double2*>(at[8] + smallAlignment);
    correlation_ = floats(9);
    taps_ = reinterpret_cast<gpu::DeviceTaps*>(at[10]);
    report_ = reinterpret_cast<DeviceReport*>(at[11]);
}

gpu::VolumeStack PlanBuffers::images(std::size_t level) const {
    return {images_[level], 2, levels_[level].size};
}
float* PlanBuffers::weight(std::size_t level) const { return weights_[level]; }
FieldView<float> PlanBuffers::field(int which, Size3 size) const {
    return fieldAt(fields_[which], size);
}
FieldView<float> PlanBuffers::total(Size3 size) const { return fieldAt(total_, size); }

DevicePlan::DevicePlan(CudaContext& cuda, const ClgParameters& parameters, const PlanShape& shape)
    : p_(parameters)
    , shape_(shape)
    , levels_(clgLevels(shape.size, shape.spacing, parameters.levels))
    , rho_(gpu::gaussianTapsFor(parameters.rho))
    , buffers_(cuda.devicePool(), levels_, isWeighted(parameters, shape)) {
    for (const ClgLevel& level : levels_) {
        solvers_.push_back(std::make_unique<DeviceSolver>(cuda, level.size, solveOptions(p_)));
        if (p_.variants.warp != WarpVariant::Direct)
            textures_.push_back(std::make_unique<gpu::DeviceTexture>(
                level.size, p_.variants.warp == WarpVariant::TextureFilter));
    }
    cuda.zero(buffers_.sum().arrived, smallAlignment, CudaStream::Compute);
}

std::size_t DevicePlan::bytes(const ClgParameters& parameters, const PlanShape& shape) {
    const std::vector<ClgLevel> levels = clgLevels(shape.size, shape.spacing, parameters.levels);
    std::size_t sum = PlanBuffers::bytes(levels, isWeighted(parameters, shape));
    for (const ClgLevel& level : levels) {
        sum += DeviceSolver::scratchBytes(level.size, solveOptions(parameters));
        if (parameters.variants.warp != WarpVariant::Direct)
            sum += sizeof(float) * level.size.voxels();
    }
    return sum;
}

LevelStart DevicePlan::startOf(std::size_t level) const {
    LevelStart start{};
    start.epsilon = p_.normalised ? 1.0f : -1.0f;
    const std::array<float, 3> scale = levels_[level].scale();
    for (std::size_t axis = 0; axis < 3; ++axis)
        start.smoothness[axis] = levels_[level].size[static_cast<int>(axis)] > 1
                                     ? static_cast<float>(p_.alpha) * scale[axis] * scale[axis]
                                     : 0;
    return start;
}

DeviceSystem DevicePlan::systemOf(std::size_t level) const {
    DeviceSystem system{};
    system.size = levels_[level].size;
    for (std::size_t k = 0; k < 9; ++k)
        system.coefficient[k] = buffers_.tensor() + k * system.voxels();
    std::copy_n(levels_[level].scale().begin(), 3, system.scale);
    system.beta = static_cast<float>(p_.beta);
    system.stencil = p_.compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
    system.incompressibility = buffers_.weight(level);
    system.state = buffers_.report()->state + level;
    return system;
}

void DevicePlan::buildPyramid(LaunchLog& log) {
    const LaunchLog::Stage stage(log, "pyramid");
    const gpu::Scratch scratch{buffers_.tensor(), buffers_.tensorFloats()};
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        gpu::decimateStack(buffers_.images(level - 1), levels_[level].factor,
                           buffers_.images(level), scratch, log);
        if (buffers_.weight(level))
            gpu::decimateStack({buffers_.weight(level - 1), 1, levels_[level - 1].size},
                               levels_[level].factor,
                               {buffers_.weight(level), 1, levels_[level].size}, scratch, log);
    }
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const gpu::VolumeStack images = buffers_.images(level);
        if (p_.adaptive) {
            findPrefilter({images.data, images.size}, p_.prefilter, buffers_.correlation(),
                          buffers_.taps(level), buffers_.report()->state + level, log);
            gpu::smoothStackBy(buffers_.taps(level), images, scratch, log);
        } else if (p_.prefilter > 0) {
            gpu::smoothStack(MemoryVariant::Fused, images, gpu::gaussianTapsFor(p_.prefilter),
                             scratch, log);
        }
        if (!textures_.empty())
            textures_[level]->copyFrom(images.data + images.volume(), log);
    }
}

void DevicePlan::warpAndTensor(std::size_t level, FieldView<const float> field, bool last,
                               LaunchLog& log) {
    const Size3 size = levels_[level].size;
    const gpu::VolumeStack images = buffers_.images(level);
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
        step.findEpsilon = p_.normalised && p_.adaptive;
        step.state = system.state;
        warp(p_.variants.warp, step, buffers_.sum(), log);
    }
    {
        const LaunchLog::Stage stage(log, "gradient");
        TensorStep step{};
        step.fixed = fixed;
        step.warped = buffers_.warped();
        step.inside = p_.compositional ? buffers_.inside() : nullptr;
        step.central = p_.centralGradient;
        std::copy_n(system.coefficient, 9, step.product);
        step.noise = last;
        step.state = system.state;
        gradientProducts(p_.variants.gradient, step, buffers_.sum(), log);
    }
}

int DevicePlan::estimateLevel(std::size_t level, int current, LaunchLog& log,
                              const std::function<void()>& between) {
    const Size3 size = levels_[level].size;
    const DeviceSystem system = systemOf(level);
    const FieldView<float> total = buffers_.total(size);
    float* const t[3] = {total.u, total.v, total.w};
    {
        const LaunchLog::Stage stage(log, "gradient");
        const LevelStart start = startOf(level);
        beginLevel(system.state, start, log);
        if (p_.adaptive)
            findSmoothness(buffers_.field(current, size), start, system.state, buffers_.sum(), log);
    }
    for (int n = 0; n < p_.warps; ++n) {
        const bool last = n + 1 == p_.warps;
        const FieldView<float> field = buffers_.field(current, size),
                               other = buffers_.field(1 - current, size);
        warpAndTensor(level, field, last, log);
        {
            const LaunchLog::Stage stage(log, "smooth");
            // The other field is free until the step is composed.
            gpu::smoothStack(p_.variants.smooth, {buffers_.tensor(), 9, size}, rho_,
                             {other.u, 3 * shape_.size.voxels()}, log);
        }
        {
            const LaunchLog::Stage stage(log, "solve");
            rightHandSide(system, p_.compositional ? field : FieldView<float>{}, log);
            if (p_.compositional && p_.beta > 0) {
                const float* const w0[3] = {field.u, field.v, field.w};
                addDivergenceOf(system, w0, log);
            }
            solvers_[level]->solve(system, t, log);
            if (last) {
                const float* const solved[3] = {total.u, total.v, total.w};
                energy(system, solved, buffers_.report()->energy + level, log);
            }
        }
        {
            const LaunchLog::Stage stage(log, "warp");
            if (p_.compositional) {
                compose(field, total, other, log);
                current = 1 - current;
            } else {
                addStep(field, total, log);
            }
        }
        between();
    }
    return current;
}

void DevicePlan::enqueue(LaunchLog& log, const std::function<void(double)>& between) {
    buildPyramid(log);
    int current = 0;
    const auto steps = static_cast<double>(levels_.size()) * p_.warps;
    double done = 0;
    const auto afterWarp = [&] { between(++done / steps); };
    for (std::size_t level = levels_.size(); level-- > 0;) {
        current = estimateLevel(level, current, log, afterWarp);
        if (level == 0)
            continue;
        const LaunchLog::Stage stage(log, "pyramid");
        const Size3 finer = levels_[level - 1].size;
        const FieldView<float> total = buffers_.total(finer);
        gpu::resampleField(
            buffers_.field(current, levels_[level].size), gpu::upsampling(levels_[level].factor),
            buffers_.field(1 - current, finer), p_.compositional ? total : FieldView<float>{}, log);
        current = 1 - current;
        // Steps that add up start at zero; the solver's field has another size now.
        if (!p_.compositional)
            log.cuda().zero(total.u, 3 * sizeof(float) * finer.voxels(), CudaStream::Compute);
    }
    result_ = current;
}

FieldView<const float> DevicePlan::result() const { return buffers_.field(result_, shape_.size); }

} // namespace systole::clg
