// The device memory of a free-form deformation: pyramids, fields, control points, sums.
#pragma once

#include "compute/methods/ffd/course.h"
#include "compute/methods/ffd/quadratic_cuda.cuh"
#include "compute/methods/ffd/similarity_cuda.cuh"
#include "compute/ops/bspline_field_cuda.cuh"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/still_region_cuda.cuh"

#include <algorithm>
#include <memory>

namespace systole {

/// Memory on the device.
struct DeviceBuffers : FfdBuffers {
    DeviceBuffers(const FfdLevels& plan, const FfdParameters& p, const FfdMasks& masks, bool onHost)
        : FfdBuffers(plan, p, masks, 1) {
        const Size3 finest = plan.levels[0].image.size;
        switch (p.similarity.kind) {
        case SimilarityKind::Ssd:
            similarity = gpu::makeSsdOnDevice();
            break;
        case SimilarityKind::Nmi:
            similarity = gpu::makeNmiOnDevice(space);
            break;
        case SimilarityKind::Lncc:
            similarity = gpu::makeLnccOnDevice(p.similarity.window, finest, space);
            break;
        }
        std::size_t bandFloats = 0, gradientFloats = 0;
        for (const FfdLevel& level : plan.levels) {
            const Size3 points = level.grid.points();
            bandFloats = std::max(bandFloats, gpu::bandCount(points));
            gradientFloats = std::max(gradientFloats, bsplineGradientScratchOnDevice(level.grid));
        }
        scratchFloats = std::max(finest.voxels(), plan.moving[0].size.voxels());
        start = space.add<float>("starting field", 3 * finest.voxels());
        scratch = space.add<float>("scratch", scratchFloats);
        upload = space.add<float>("uploaded image", onHost ? scratchFloats : 0);
        uploadMask = space.add<float>("uploaded mask",
                                      onHost && (masks.fixed || masks.moving) ? scratchFloats : 0);
        bands = space.add<float>("basis integrals", bandFloats);
        gradient = space.add<float>("control point sums", gradientFloats);
        sums = space.add<gpu::FfdSums>("sums", 1);
        folds = space.add<gpu::FoldState>("folds", 1);
        perBlock = space.add<double2>(
            "sums of blocks",
            std::max<std::size_t>(gpu::sumBlocks, gpu::stillRegionBlocks(finest)));
        arrived = space.add<unsigned>("blocks that have arrived", 1);
    }
    gpu::GridSum room() const { return {space.data(perBlock), space.data(arrived)}; }

    std::unique_ptr<gpu::DeviceSimilarity> similarity;
    std::size_t scratchFloats = 0;
    Workspace::Block<float> start, scratch, upload, uploadMask, bands, gradient;
    Workspace::Block<gpu::FfdSums> sums;
    Workspace::Block<gpu::FoldState> folds;
    Workspace::Block<double2> perBlock;
    Workspace::Block<unsigned> arrived;
};

} // namespace systole
