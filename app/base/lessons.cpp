#include "app/base/lessons.h"

#include "app/base/assets.h"
#include "app/base/lesson_headlines.h"

#include <fmt/format.h>

namespace systole {
namespace {

using lab::LabAxis;
using lab::LabQuestion;

LabQuestion overBlocks(std::vector<std::string> kernels, int side) {
    LabQuestion question;
    question.kernels = std::move(kernels);
    question.side = side;
    return question;
}

LabQuestion overSides(std::vector<std::string> kernels, std::vector<int> sides) {
    LabQuestion question;
    question.kernels = std::move(kernels);
    question.axis = LabAxis::Side;
    question.sides = std::move(sides);
    return question;
}

LabQuestion overOccupancy(std::vector<std::string> kernels, int side) {
    LabQuestion question = overBlocks(std::move(kernels), side);
    question.axis = LabAxis::Padding;
    return question;
}

LabQuestion withTransfers(LabQuestion question) {
    question.withTransfers = true;
    return question;
}

} // namespace

/// Long because it is a table.
const std::vector<Lesson>& lessons() {
    static const std::vector<Lesson> all{
        {1, "01-shared-tile-or-cache.md", "Shared tile or cache?",
         "Does a tile in shared memory make a stencil faster on a GPU that has caches?",
         overBlocks({"jacobi/direct", "jacobi/shared", "jacobi/register", "jacobi/l2-only"}, 200),
         fastestHeadline},
        {2, "02-texture-fetch-or-filter.md", "Texture: fetch or filter?",
         "What does the texture unit's interpolation save, and what do its 8-bit weights cost?",
         overBlocks({"trilinear/direct", "trilinear/texture", "trilinear/texture-filter"}, 200),
         textureHeadline},
        {3, "03-constant-broadcast.md", "Constant memory and broadcast",
         "Which memory suits values that every thread reads in the same order?",
         overBlocks({"tps/global", "tps/shared", "tps/constant"}, 128), fastestHeadline},
        {4, "04-spills-and-register-caps.md", "Spills and register caps",
         "Is it worth giving each thread fewer registers so that more warps fit?",
         overBlocks({"sest/shared", "sest/shared-cap48", "sest/shared-cap40", "sest/shared-cap32"},
                    128),
         registersHeadline},
        {5, "05-occupancy-or-parallelism.md", "Occupancy or parallelism within a thread?",
         "How much occupancy does a kernel need when each thread computes several results?",
         overOccupancy({"tps/global", "tps/global-x2", "tps/global-x4"}, 128), occupancyHeadline},
        {6, "06-last-wave.md", "The last wave",
         "Why does a slightly larger volume sometimes take much longer?",
         overSides({"tps/global", "trilinear/direct"}, tailSides()), tailHeadline},
        {7, "07-resident-or-transfer.md", "Keep resident or transfer?",
         "When do the copies cost more than a fast kernel gains?",
         withTransfers(
             overSides({"trilinear/direct", "smooth/direct", "tps/global"}, {64, 128, 200})),
         transferHeadline},
        {8, "08-fused-sweeps.md", "Fused sweeps and arithmetic intensity",
         "What is gained by doing two sweeps while the coefficients are on the chip?",
         overSides({"jacobi/direct", "jacobi/register", "jacobi/fused"},
                   {32, 48, 64, 96, 128, 160, 200, 256}),
         fusedHeadline},
        {9, "09-models-and-measurement.md", "Models and measurement",
         "Can a model choose the block size of a kernel without measurements?",
         overBlocks({"sest/shared", "tps/global", "tps/shared", "trilinear/direct"}, 128),
         modelsHeadline},
        {10, "10-what-a-shared-tile-saves.md", "What a shared tile saves",
         "How much faster is a B-spline field when the voxels of a tile share their control "
         "points?",
         overBlocks({"bspline/global", "bspline/texture-1d", "bspline/thread-per-voxel",
                     "bspline/thread-per-tile", "bspline/thread-per-tile-lerp", "bspline/columns"},
                    200),
         fastestHeadline},
        {11, "11-eight-bit-weights.md", "8-bit weights in a registration",
         "What do the texture unit's 8-bit weights cost when a registration is made of them?",
         overBlocks({"bspline/global", "bspline/thread-per-tile-lerp", "bspline/texture-filter"},
                    200),
         textureHeadline},
        {12, "12-linear-textures.md", "1D textures, then and now",
         "Is it still worth it to read arrays through 1D textures, as the first GPU registrations "
         "did?",
         overBlocks({"trilinear/direct", "trilinear/texture-1d", "spatial-gradient/global",
                     "spatial-gradient/texture-1d", "similarity-gradient/global",
                     "similarity-gradient/texture-1d"},
                    200),
         againstFirstHeadline},
        {13, "13-recompute-or-remember.md", "Recompute or remember?",
         "Should neighbors share what they compute, or should each thread compute it again?",
         overBlocks({"unbiased-force/global", "unbiased-force/recompute",
                     "unbiased-force/recompute-capped", "unbiased-force/reuse",
                     "unbiased-force/fused"},
                    128),
         fastestHeadline},
        {14, "14-volume-change-from-noise.md", "Volume change from noise alone",
         "Does a registration find tissue that grew or shrank where nothing but the noise changed?",
         std::nullopt, nullptr},
        {15, "15-constant-patches.md", "Patches in constant memory",
         "Does it still matter from which memory all threads read the same patch?",
         overBlocks(
             {"nlm/global", "nlm/global-small-l1", "nlm/texture", "nlm/constant", "nlm/tile"}, 128),
         fastestHeadline},
        {16, "16-distances-on-matrix-units.md", "Distance matrices on matrix units",
         "When do matrix units pay for finding nearest neighbors?",
         overSides({"nlm/tile", "nlm/gemm", "nlm/pruned", "nlm/pruned-gemm"},
                   {64, 96, 128, 192, 200}),
         fusedHeadline},
        {17, "17-compaction.md", "Compaction of sparse work",
         "When is it worth it to list the few voxels that have work?",
         overSides({"band/volume", "band/list", "band/list-built"}, {64, 96, 128, 192, 200}),
         fusedHeadline},
        {18, "18-shared-work.md", "Shared work between neighbors",
         "How much is gained when neighboring candidates share what their descriptors have in "
         "common?",
         overBlocks({"sest/global", "sest/shared", "sest/column-sums"}, 128), fastestHeadline},
        {19, "19-matrix-units-for-sparse-work.md", "Matrix units for sparse work",
         "When do matrix units pay for a product of sparse matrices?",
         overSides({"tile-fill/rows", "tile-fill/tile-scalar", "tile-fill/tile-tensor",
                    "tile-fill/tile-accurate"},
                   {16, 32, 64, 128, 192, 256}),
         tileFillHeadline},
        {20, "20-solve-on-the-gpu.md", "Solve on the GPU or the CPU?",
         "From how many landmarks on does the GPU solve a thin-plate spline faster, copies "
         "included?",
         std::nullopt, nullptr, "systole bench landmarks"},
        {21, "21-strain-between-programs.md", "Strain between programs",
         "Why does longitudinal strain agree between programs, and radial strain doesn't?",
         std::nullopt, nullptr, "systole bench strain-definitions"},
    };
    return all;
}

UsageError noLesson(const std::string& asked) {
    return UsageError(
        fmt::format("there is no lesson {}; available: 1 to {} (`systole lab --lessons` "
                    "lists them)",
                    asked, lessons().back().number));
}

std::vector<int> tailSides() {
    std::vector<int> sides;
    for (int side = 40; side <= 160; side += 4)
        sides.push_back(side);
    return sides;
}

const Lesson& lesson(int number) {
    for (const Lesson& each : lessons())
        if (each.number == number)
            return each;
    throw noLesson(fmt::format("{}", number));
}

const lab::LabQuestion& kernelExperiment(const Lesson& lesson) {
    if (!lesson.experiment)
        throw UsageError(fmt::format(
            "the experiment of lesson {} runs no kernels of the laboratory: {}", lesson.number,
            lesson.command.empty()
                ? fmt::format("'systole view --lesson {}' runs it in the viewer, 'systole bench "
                              "bias' on phantoms",
                              lesson.number)
                : fmt::format("'{}' runs it", lesson.command)));
    return *lesson.experiment;
}

std::filesystem::path lessonPath(const Lesson& lesson) { return lessonPagePath(lesson.file); }

} // namespace systole
