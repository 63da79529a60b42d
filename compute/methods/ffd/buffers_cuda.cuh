// The device memory of a free-form deformation: pyramids, fields, control points, sums.
#pragma once

#include "compute/methods/ffd/ffd.h"
#include "compute/methods/ffd/levels.h"
#include "compute/methods/ffd/quadratic_cuda.cuh"
#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"

#include <algorithm>
#include <memory>
#include <vector>

namespace systole {

/// One image, and its mask if it has one, at every resolution.
struct DeviceImage {
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
    VolumeView<float> mask(std::size_t level) const {
        return {space.data(masks[level]), levels[level].size};
    }
    /// The caller's image is in device memory.
    void build(const float* gray, const GrayMapping& mapping, const float* caller, int* notFinite,
               const gpu::Scratch& scratch, LaunchLog& log) const {
        const std::size_t n = levels[0].size.voxels();
        gpu::scaleGray(gray, image(0).data, n, mapping.scale, mapping.offset, notFinite, log);
        if (caller)
            log.cuda().copyOnDevice(caller, mask(0).data, sizeof(float) * n, CudaStream::Compute);
        for (std::size_t level = 1; level < levels.size(); ++level)
            for (const auto& blocks : {images, masks})
                if (float* const to = space.data(blocks[level]))
                    gpu::decimateStack({space.data(blocks[level - 1]), 1, levels[level - 1].size},
                                       levels[level].factor, {to, 1, levels[level].size}, scratch,
                                       log);
    }

    std::vector<PyramidLevel> levels;
    Workspace& space;
    std::vector<Workspace::Block<float>> images, masks;
};

inline std::vector<PyramidLevel> imagesOf(const FfdLevels& plan) {
    std::vector<PyramidLevel> images;
    for (const FfdLevel& level : plan.levels)
        images.push_back(level.image);
    return images;
}

/// Every buffer has the size of the level that needs most; the others use its beginning.
struct DeviceBuffers {
    DeviceBuffers(const FfdLevels& plan, const FfdParameters& p, bool fixedMask, bool movingMask,
                  bool onHost)
        : slots(descentSlots(p.descent.method))
        , fixed(imagesOf(plan), fixedMask, space)
        , moving(plan.moving, movingMask, space) {
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
                                      onHost && (fixedMask || movingMask) ? std::max(n, m) : 0);
        points =
            space.add<float>("control points", static_cast<std::size_t>(slots + 1) * pointFloats);
        bands = space.add<float>("basis integrals", bandFloats);
        gradient = space.add<float>("control point sums", gradientFloats);
        sums = space.add<gpu::FfdSums>("sums", 1);
        perBlock = space.add<double2>("sums of blocks", gpu::sumBlocks);
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
    Workspace::Block<gpu::FfdSums> sums;
    Workspace::Block<double2> perBlock;
    Workspace::Block<unsigned> arrived;
};

} // namespace systole
