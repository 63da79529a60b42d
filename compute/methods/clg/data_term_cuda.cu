#include "compute/methods/clg/data_term_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"
#include "compute/ops/smooth_cuda.cuh"

#include <algorithm>

namespace systole::clg {

void treatBrightness(const ClgParameters& p, const Warp& w, const MatchedFrames& frames,
                     const gpu::GridSum& sum, LaunchLog& log) {
    const LevelBuffers& b = w.b;
    const BrightnessCells cells(b.size(), b.grid.scale());
    if (p.matchesBrightness() || p.fitsGain())
        matchBrightness({frames, cells, b.brightness, b.level == 0 && w.index == 0,
                         p.matchesBrightness(), b.level > 0 ? coarseShares : finestShares},
                        sum, log);
    if (p.fitsGain()) {
        GainStep step{frames, BrightnessCells(b.size(), b.grid.scale(), gainCell), b.gain, {}};
        for (std::size_t axis = 0; axis < 3; ++axis)
            step.factor[axis] = differenceFactor(true, b.grid.scale()[axis]);
        fitGain(step, sum, log);
    }
    if (p.mapsGrayValues())
        mapGrayValues({frames, b.mappedFixed, b.grayMap}, sum, log);
}

void compareGradients(const ClgParameters& p, const Warp& w, const TensorStep& tensor,
                      const gpu::GridSum& room, LaunchLog& log) {
    const LevelBuffers& b = w.b;
    const auto [sum, difference] = b.gradientFrames;
    combineFrames(b.compared(), tensor.warped, sum.data, difference.data, log);
    gpu::smoothStack(smoothFamily.named("fused"), {sum.data, 2, b.size()},
                     gpu::gaussianTapsFor(b.grid.alongAxes(comparedGradientWidth)),
                     {w.other.u, 3 * b.size().voxels()}, log);
    GradientConstancyStep step{};
    step.fixed = b.compared();
    step.warped = tensor.warped;
    step.sum = sum;
    step.difference = difference;
    step.inside = b.inside.data;
    std::copy_n(b.grid.scale().begin(), 3, step.scale);
    step.share = p.gradientConstancy;
    step.adaptive = p.adaptive;
    step.rootWeights = p.usesRootWeights();
    std::copy_n(tensor.product, 9, step.product);
    step.state = tensor.state;
    addGradientConstancy(step, room, log);
}

} // namespace systole::clg
