// The image steps of CLG on the device: warp, gradient and products, right-hand side, step. Each
// enqueues kernels inside a stage that the caller opened; all pointers are to device memory.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/texture.cuh"
#include "compute/methods/clg/brightness.h"
#include "compute/methods/clg/gain_field.h"
#include "compute/methods/clg/gradient_constancy_math.h"
#include "compute/methods/clg/gray_map.h"
#include "compute/methods/clg/self_similarity_math.h"
#include "compute/methods/clg/solver/solver_cuda.cuh"
#include "compute/methods/clg/variants.h"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/frame_masks_math.h"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/smooth_cuda.cuh"
#include "compute/ops/still_region_cuda.cuh"

namespace systole::clg {

using gpu::StillRegion;
using gpu::StillState;

/// warped(p) = moving(p + field(p)); inside becomes that position's insideWeight, 0 where the still
/// region doesn't count.
struct WarpStep {
    VolumeView<const float> moving, fixed;
    cudaTextureObject_t texture = 0; ///< texture of `moving`, made for the variant's use
    FieldView<const float> field;
    /// Sampling of the field if its grid isn't the frames'.
    gpu::FieldResampling between{};
    float *warped, *inside;
    bool cubic; ///< cubicSample(), else trilinear; a filtered texture is trilinear always
    StillRegion still;
    /// state->epsilon becomes 1 + the mean squared residual inside (meanSquaredResidual).
    bool findEpsilon;
    DeviceState* state;
};
/// Runs a variant of warpFamily.
void warp(int variant, const WarpStep& step, const gpu::GridSum& sum, LaunchLog& log);
/// Multiplies step.inside by the masks' weights after a warp that was launched without findEpsilon;
/// with findEpsilon, finds state->epsilon.
void weighInside(const FrameMasks& masks, const WarpStep& step, const gpu::GridSum& sum,
                 LaunchLog& log);
gpu::TextureUse textureOfWarp(int variant);
std::vector<CompiledCost> compiledWarpCosts();

/// The frames whose brightness is treated. With findEpsilon, state->epsilon follows from what they
/// become.
struct MatchedFrames {
    VolumeView<const float> fixed;
    float* warped;
    const float* inside;
    bool findEpsilon;
    DeviceState* state;
};

/// The sum over the lanes of a warp of threads.
__device__ inline float laneSum(float value) {
    for (int lane = 16; lane > 0; lane /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

/// matchBrightness() on the device; state->brightness holds how far frames have been matched before
/// and becomes how far they are now. With onlyIfBefore, nothing happens where frames haven't been
/// matched before; without `apply` frames stay as they are.
struct BrightnessStep {
    MatchedFrames frames;
    BrightnessCells cells;
    BrightnessScratch scratch;
    bool onlyIfBefore, apply;
    BrightnessShares shares;
};
void matchBrightness(const BrightnessStep& step, const gpu::GridSum& sum, LaunchLog& log);

/// fitGain() on the device, with state->epsilon.
struct GainStep {
    MatchedFrames frames;
    BrightnessCells cells;
    GainScratch scratch;
    float factor[3]; ///< differenceFactor along each axis
};
void fitGain(const GainStep& step, const gpu::GridSum& sum, LaunchLog& log);

/// mapGrayValues() on the device; state->brightness becomes 1.
struct GrayMapStep {
    MatchedFrames frames;
    VolumeView<float> mappedFixed;
    GrayMap* map;
};
void mapGrayValues(const GrayMapStep& step, const gpu::GridSum& sum, LaunchLog& log);

/// Arguments of the products, see ClgForm::tensor. The noise goes to state->noise when `noise` is
/// set.
struct TensorStep {
    VolumeView<const float> fixed;
    const float *warped, *inside; ///< warped values, and where they are data (null: everywhere)
    bool central;                 ///< gradient of the mean of both, else forward, of fixed
    float factor[3];              ///< differenceFactor along each axis
    float* product[9];
    bool noise;
    DeviceState* state; ///< its epsilon is read
};
/// Runs a variant of gradientFamily.
void gradientProducts(int variant, const TensorStep& step, const gpu::GridSum& sum, LaunchLog& log);
std::vector<CompiledCost> compiledGradientCosts();
/// The means of the products over cells of two voxels along each axis; `product` has the cells'
/// grid. For central differences of frames with an even number of voxels along each axis.
void productsOfCells(const TensorStep& step, const gpu::GridSum& sum, LaunchLog& log);
/// addSelfSimilarity() of self_similarity.h, and what comes before it, as far as dataWeights() of
/// the state gives it weight.
struct SelfSimilarityStep {
    VolumeView<const float> fixed;
    const float *warped, *inside;
    FieldView<float> ofFixed, ofWarped; ///< their differences (describe); ofFixed lasts for a level
    ComparedAxes axes;
    float factor[3]; ///< differenceFactor along each axis
    bool finest;     ///< whether this level is
    bool alone;      ///< gray values have no weight, whatever the state
    float* product[9];
    /// Room for 2 maxChannels volumes, or null: channels are found anew where they are needed.
    float* kept;
    /// Not null: the means over cells (productsOfCells) of what `product` would become are added
    /// here, and `product` is scratch.
    float* ofCells;
    DeviceState* state;
};
void addSelfSimilarity(const SelfSimilarityStep& step, const gpu::GridSum& sum, LaunchLog& log);
/// sum = fixed + warped, difference = warped − fixed.
void combineFrames(VolumeView<const float> fixed, const float* warped, float* sum,
                   float* difference, LaunchLog& log);
/// addGradientConstancy() of gradient_constancy.h, with the share that follows from
/// state->prefilterSigma if `adaptive`.
struct GradientConstancyStep {
    VolumeView<const float> fixed;
    const float* warped;
    VolumeView<const float> sum, difference; ///< combineFrames(), smoothed
    const float* inside;
    float scale[3]; ///< PyramidLevel::scale() of the level
    double share;   ///< ClgParameters::gradientConstancy
    bool adaptive;
    bool rootWeights; ///< see GradientConstancyInput::epsilon; state->epsilon is read
    float* product[9];
    DeviceState* state;
};
void addGradientConstancy(const GradientConstancyStep& step, const gpu::GridSum& sum,
                          LaunchLog& log);
/// Maximum number of blocks in a grid of these steps: the room that a GridSum needs.
std::size_t gridSumBlocks(Size3 size);

/// coefficient[6..8] ← J·w0 − coefficient[6..8]; without a field: negated.
void rightHandSide(const DeviceSystem& system, FieldView<const float> w0, LaunchLog& log);

/// Converts between the solver's unit, smallest spacings, and voxels, per axis (PyramidLevel::scale
/// and its inverse).
struct UnitScale {
    float toVoxels[3], fromVoxels[3];
};
UnitScale unitScale(std::array<float, 3> scale);

/// out = d + w∘(id + d), d = toVoxels·t − w; t becomes fromVoxels·out. If `folds` has memory, d is
/// kept in its step, and where out folds, out becomes what composeWithoutFolds() makes of it.
void compose(FieldView<const float> w, FieldView<float> t, const UnitScale& scale,
             FieldView<float> out, const gpu::FoldBuffers& folds, LaunchLog& log);
/// Adds a field: to += factor·field.
void add(FieldView<const float> field, float factor, FieldView<float> to, LaunchLog& log);
/// Blends two fields: to += share·(field − to); `fresh`: as if `to` were zero.
void blend(FieldView<const float> field, float share, bool fresh, FieldView<float> to,
           LaunchLog& log);
/// w += toVoxels·t; t becomes 0.
void addStep(FieldView<float> w, FieldView<float> t, const UnitScale& scale, LaunchLog& log);

// Finding the balance (balance.h) without waiting for the host.

/// Sets field and total to zero unless the field helps (warpHelps); *helps becomes 1 or 0.
struct StartCheck {
    VolumeView<const float> fixed, moving;
    StillRegion still;
    FrameMasks masks;
    FieldView<float> field, total;
    int* helps;
};
void checkStart(const StartCheck& start, const gpu::GridSum& sum, LaunchLog& log);

/// Initial values of a level.
struct LevelStart {
    float epsilon;
    float smoothness[3];        ///< smoothness for a gain of 1
    float scale[3] = {1, 1, 1}; ///< PyramidLevel::scale() of the level
    /// State of the next coarser level; null: none.
    const DeviceState* coarser = nullptr;
};
void beginLevel(DeviceState* state, const LevelStart& start, LaunchLog& log);
/// Sets state->smoothness from start.smoothness by warpGain(): from the field's roughness and
/// state->noise. `first`: the field is the one that the level begins with.
void findSmoothness(FieldView<const float> field, const LevelStart& start, bool first,
                    DeviceState* state, const gpu::GridSum& sum, LaunchLog& log);
/// Maximum number of blocks of findSmoothness(): the room that its GridSum needs.
std::size_t roughnessBlocks(Size3 size);
/// taps[axis] ← the larger of `minimum` and the sigma that follows from the volume's neighbor
/// correlation, in smallest spacings; `scale` is that of the volume's grid. `correlation` has room
/// for correlationRoom values.
inline constexpr int correlationRoom = 2048;
void findPrefilter(VolumeView<const float> volume, std::array<float, 3> scale, double minimum,
                   float* correlation, gpu::DeviceTaps* taps, DeviceState* state, LaunchLog& log);

} // namespace systole::clg
