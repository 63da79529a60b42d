// The device memory of a free-form deformation: pyramids, fields, control points, sums.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/levels.h"
#include "compute/methods/ffd/quadratic_cuda.cuh"
#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/still_region_cuda.cuh"

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {

/// One image, and its mask if it has one, at every resolution.
struct DeviceImage {
    /// `masked`: there is room for a mask.
    DeviceImage(const std::vector<PyramidLevel>& of, bool masked, Workspace& memory)
        : levels(of), space(memory) {
        for (const PyramidLevel& level : levels) {
            images.push_back(space.add<float>("pyramid images", level.size.voxels()));
            masks.push_back(space.add<float>("pyramid masks", masked ? level.size.voxels() : 0));
        }
    }
    VolumeView<float> image(std::size_t level) const {
        return {space.data(images[level]), levels[level].size};
    }
    /// Empty before buildMask().
    VolumeView<float> mask(std::size_t level) const {
        return hasMask ? VolumeView<float>(space.data(masks[level]), levels[level].size)
                       : VolumeView<float>();
    }
    /// The caller's image is in device memory.
    void build(const float* gray, const GrayMapping& mapping, int* notFinite,
               const gpu::Scratch& scratch, LaunchLog& log) const {
        gpu::scaleGray(gray, image(0).data, levels[0].size.voxels(), mapping.scale, mapping.offset,
                       notFinite, log);
        decimateAll(images, scratch, log);
    }
    /// So is its mask.
    void buildMask(const float* given, const gpu::Scratch& scratch, LaunchLog& log) {
        hasMask = true;
        log.cuda().copyOnDevice(given, mask(0).data, sizeof(float) * levels[0].size.voxels(),
                                CudaStream::Compute);
        decimateAll(masks, scratch, log);
    }
    void decimateAll(const std::vector<Workspace::Block<float>>& blocks,
                     const gpu::Scratch& scratch, LaunchLog& log) const {
        for (std::size_t level = 1; level < levels.size(); ++level)
            gpu::decimateStack({space.data(blocks[level - 1]), 1, levels[level - 1].size},
                               levels[level].factor,
                               {space.data(blocks[level]), 1, levels[level].size}, scratch, log);
    }

    std::vector<PyramidLevel> levels;
    Workspace& space;
    std::vector<Workspace::Block<float>> images, masks;
    bool hasMask = false;
};

inline std::vector<PyramidLevel> imagesOf(const FfdLevels& plan) {
    std::vector<PyramidLevel> images;
    for (const FfdLevel& level : plan.levels)
        images.push_back(level.image);
    return images;
}

/// Every buffer has the size of the level that needs most; the others use its beginning.
struct DeviceBuffers {
    DeviceBuffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks, bool onHost)
        : slots(descentSlots(p.descent.method))
        , fixed(imagesOf(plan), masks.fixed || masks.still, space)
        , moving(plan.moving, masks.moving, space) {
        const std::size_t n = plan.levels[0].image.size.voxels(), m = plan.moving[0].size.voxels();
        switch (p.similarity.kind) {
        case SimilarityKind::Ssd:
            similarity = gpu::makeSsdOnDevice();
            break;
        case SimilarityKind::Nmi:
            similarity = gpu::makeNmiOnDevice(space);
            break;
        case SimilarityKind::Lncc:
            similarity =
                gpu::makeLnccOnDevice(p.similarity.window, plan.levels[0].image.size, space);
            break;
        }
        pointFloats = 3 * plan.mostPoints();
        std::size_t bandFloats = 0, gradientFloats = 0;
        for (const FfdLevel& level : plan.levels) {
            const Size3 points = level.grid.points();
            bandFloats = std::max(bandFloats, gpu::bandCount(points));
            gradientFloats = std::max(gradientFloats, bsplineGradientScratchOnDevice(level.grid));
        }
        scratchFloats = std::max(n, m);
        field = space.add<float>("displacement field", 3 * n);
        start = space.add<float>("starting field", 3 * n);
        coarseStart = space.add<float>(
            "starting field", plan.levels.size() > 1 ? 3 * plan.levels[1].image.size.voxels() : 0);
        warped = space.add<float>("warped image", n);
        weight = space.add<float>("weights", n);
        derivative = space.add<float>("similarity derivative", n);
        scratch = space.add<float>("scratch", scratchFloats);
        upload = space.add<float>("uploaded image", onHost ? std::max(n, m) : 0);
        uploadMask = space.add<float>("uploaded mask",
                                      onHost && (masks.fixed || masks.moving) ? std::max(n, m) : 0);
        points =
            space.add<float>("control points", static_cast<std::size_t>(slots + 1) * pointFloats);
        bands = space.add<float>("basis integrals", bandFloats);
        gradient = space.add<float>("control point sums", gradientFloats);
        sums = space.add<gpu::FfdSums>("sums", 1);
        for (auto* block : {&kinds, &counts})
            *block = space.add<std::uint8_t>("still region", masks.still ? n : 0);
        perBlock = space.add<double2>(
            "sums of blocks",
            std::max<std::size_t>(gpu::sumBlocks,
                                  gpu::stillRegionBlocks(plan.levels[0].image.size)));
        arrived = space.add<unsigned>("blocks that have arrived", 1);
    }
    gpu::GridSum room() const { return {space.data(perBlock), space.data(arrived)}; }

    Workspace space;
    int slots;
    DeviceImage fixed, moving;
    std::unique_ptr<gpu::DeviceSimilarity> similarity;
    std::size_t pointFloats = 0, scratchFloats = 0;
    Workspace::Block<float> field, start, coarseStart, warped, weight, derivative, scratch, upload,
        uploadMask, points, bands, gradient;
    Workspace::Block<std::uint8_t> kinds, counts; ///< of a still region
    Workspace::Block<gpu::FfdSums> sums;
    Workspace::Block<double2> perBlock;
    Workspace::Block<unsigned> arrived;
};

} // namespace systole
