#include "compute/surface/nonlocal_means.h"

#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/cuda/device.h"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nonlocal_heat.h"

#include <algorithm>
#include <cmath>

namespace systole {

const ParamTable& nonlocalMeansTable() {
    static const ParamTable table = [] {
        const NonlocalMeansParameters d;
        ParamTable rows({
            realParam("delta", d.delta, 0.5, 20, "voxel",
                      "Half the width of the band around the surface that is denoised, in mean "
                      "voxel sides.")
                .titled("band half-width"),
            integerParam("patch", d.patchRadius, 1, 2, "voxel",
                         "Radius of the compared patches: 2 compares 5×5×5 voxels."),
            integerParam("neighbors", d.neighbors, 2, nlm::maxNeighbors, "",
                         "Elements kept for each: those with the most similar patches."),
            realParam("c1", d.c1, 0.01, 1e9, "voxel²",
                      "How far away neighbors may be: their weight falls by exp(-|x-y|²/c1), in "
                      "mean voxel sides.")
                .usually(1, 1000)
                .titled("reach of weights"),
            realParam("c2", d.c2, 0.001, 1e6, "",
                      "How different neighbors may be: their weight falls by exp(-D/c2), relative "
                      "to the mean D of all that are kept.")
                .usually(0.01, 100)
                .titled("similarity scale"),
            integerParam("iterations", d.iterations, 0, 1000, "",
                         "Steps of the nonlocal heat equation in a round.")
                .usually(0, 200),
            integerParam("window", d.window, 0, 64, "voxel",
                         "How far along each axis neighbors are sought; 0: in the whole band."),
            integerParam("rounds", d.rounds, 1, 20, "",
                         "How often band and neighbors are found again from the result."),
            realParam("grid", d.grid, 0, 4, "voxel",
                      "Spacing of the grid on which patches are compared, in sides of the smallest "
                      "voxel; 0: by the noise found in the surface.")
                .titled("grid spacing"),
            choiceParam(nlmSearchFamily.stage, nlmSearchFamily.standard, nlmSearchFamily.names(),
                        nlmSearchFamily.help)
                .forCudaOnly(),
        });
        rows.addPreset("default", {});
        rows.addPreset("live", // a grid by the noise would be another one from frame to frame
                       {{"window", 3},
                        {"patch", 1},
                        {"delta", 1.5},
                        {"neighbors", 32},
                        {"iterations", 3},
                        {"grid", 1}});
        return rows;
    }();
    return table;
}

NonlocalMeansParameters NonlocalMeansParameters::from(const ParamSet& values) {
    NonlocalMeansParameters p;
    p.delta = values.real("delta");
    p.patchRadius = values.integer("patch");
    p.neighbors = values.integer("neighbors");
    p.c1 = values.real("c1");
    p.c2 = values.real("c2");
    p.iterations = values.integer("iterations");
    p.window = values.integer("window");
    p.rounds = values.integer("rounds");
    p.grid = values.real("grid");
    p.search = values.choice(nlmSearchFamily.stage);
    return p;
}

int nlm::keptNeighbors(const NonlocalMeansParameters& parameters, std::size_t elements) {
    return static_cast<int>(std::min(static_cast<std::size_t>(parameters.neighbors), elements));
}

double nlm::meanVoxelSide(Vec3 spacing) { return std::cbrt(spacing.x * spacing.y * spacing.z); }

namespace {

/// Rounds that are restored on the host go there and back.
DenoiseReport denoiseThroughDevice(VolumeView<float> phi, Vec3 spacing,
                                   const NonlocalMeansParameters& parameters,
                                   const ExecContext& ctx, const Redistance& redistance) {
    if constexpr (cudaIsBuilt) {
        CudaContext& cuda = *ctx.cuda;
        const std::size_t bytes = phi.voxels() * sizeof(float);
        Buffer<float> onDevice = cuda.devicePool().acquire<float>(phi.voxels(), "signed distance");
        const auto toHost = [&] {
            cuda.download(onDevice.data(), phi.data, bytes, CudaStream::Compute);
            cuda.synchronize(CudaStream::Compute);
        };
        cuda.upload(phi.data, onDevice.data(), bytes, CudaStream::Compute);
        Redistance through;
        if (redistance)
            through = [&](VolumeView<float>) {
                toHost();
                redistance(phi);
                cuda.upload(phi.data, onDevice.data(), bytes, CudaStream::Compute);
            };
        const DenoiseReport report =
            denoiseSurfaceOnDevice({onDevice.data(), phi.size}, spacing, parameters, ctx, through);
        toHost();
        return report;
    } else {
        throw ComputeError("surfaces can't be denoised with CUDA: this build has none");
    }
}

} // namespace

DenoiseReport denoiseSurface(VolumeView<float> phi, Vec3 spacing,
                             const NonlocalMeansParameters& parameters, const ExecContext& ctx,
                             const Redistance& redistance) {
    if (ctx.backend == Backend::Cuda)
        return denoiseThroughDevice(phi, spacing, parameters, ctx, redistance);
    const auto delta = static_cast<float>(parameters.delta * nlm::meanVoxelSide(spacing));
    DenoiseReport report;
    for (int round = 0; round < parameters.rounds; ++round) {
        if (round > 0 && redistance)
            redistance(phi);
        Buffer<int> band;
        {
            const ScopedSpan span(ctx.profile, "band", "narrow band");
            band = narrowBand(phi, delta, ctx);
        }
        report.elements = static_cast<int>(band.size());
        const int m = nlm::keptNeighbors(parameters, band.size());
        const std::size_t entries = band.size() * static_cast<std::size_t>(m);
        Buffer<int> elements = ctx.pool->acquire<int>(entries, "neighbors");
        Buffer<float> distances = ctx.pool->acquire<float>(entries, "neighbors' distances");
        const NeighborView lists{elements.data(), distances.data(), m};
        {
            const ScopedSpan span(ctx.profile, "search", "nonlocal search");
            findNeighbors(phi, band.span(), parameters, lists, ctx);
        }
        const ScopedSpan span(ctx.profile, "iterate", "nonlocal heat");
        report.meanDistance = nlm::meanDistance(lists, report.elements, ctx);
        const float largestSum =
            nlm::weigh(phi.size, band.span(), lists,
                       nlm::weightScale(parameters, spacing, report.meanDistance), ctx);
        report.largestChange = static_cast<double>(
            nlm::iterateHeat(phi, band.span(), lists, largestSum, parameters.iterations, ctx));
    }
    return report;
}

} // namespace systole
