#include "bench/benchmarks.h"

#include "io/phantom/family.h"

#include <fmt/ranges.h>

namespace systole {
namespace {

constexpr const char* accuracyOptions =
#ifdef SYSTOLE_VIEWER
    "method set cases data seeds peer-seeds against page";
#else
    "method set cases data seeds peer-seeds against";
#endif

} // namespace

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> list{
        {"memory", "bandwidth of the main memory: the floor under everything else", benchMemory,
         ""},
        {"method-memory", "bytes per voxel of every method and preset, on host and device",
         benchMethodMemory, "sides"},
        {"parity", "a method's CUDA implementation against its CPU one, every variant", benchParity,
         "method file"},
        {"clg-table", "the paper's table: cubes of growing sides, each variant, each stage",
         benchClgTable, "sides cpu-seconds"},
        {"clg-stages", "clg's preset default kernel by kernel: time over what its bytes take",
         benchClgStages, "sides"},
        {"floors", "a method's stages and variants against what the memory allows", benchFloors,
         "method sides"},
        {"landmark-tasks",
         "tracking, transform and interpolation: each variant compared with the CPU",
         benchLandmarkTasks, "sides"},
        {"landmarks", "points found and followed on the CPU: rates, live frame rate, errors",
         benchLandmarks, "sides cpu-seconds"},
        {"landmark-motion", "motion through landmarks: its transform, and large breathing motion",
         benchLandmarkMotion, ""},
        {"lungs",
         "breathing chests whose lungs slide: every method and program, with and without masks",
         benchLungs, "method set cases seeds", 128, 1},
        {"bspline", "B-spline fields: error of every variant, time over what writing them takes",
         benchBspline, "sides cpu-seconds"},
        {"pictures", "pictures of a registration: slices and volume, CPU and device", benchPictures,
         "sides"},
        {"weights", "free-form deformation with fields of a texture unit's 8-bit weights",
         benchWeights, "cases"},
        {"bias", "the same image twice with fresh noise: which methods find a change of volume",
         benchBias, "cases"},
        {"ffd", "an iteration of the free-form deformation: each stage against its floor", benchFfd,
         "sides"},
        {"unbiased",
         "the unbiased method: an iteration's stages, 300 iterations, every force kernel",
         benchUnbiased, "sides"},
        {"surface", "denoising a surface by non-local means: bands of the paper, every variant",
         benchSurface, "cpu-seconds"},
        {"isosurface", "a surface as triangles: the CPU, and the device kernel by kernel",
         benchIsosurface, "sides cpu-seconds"},
        {"surface-in-time",
         "flicker of a still surface, ejection fraction of a beating one, denoised in time",
         benchSurfaceInTime, "sides seeds"},
        {"spgemm", "products of sparse matrices: every variant, cuSPARSE, the CPU", benchSpgemm,
         "cases data file cpu-seconds"},
        {"wall", "the elastic wall: solvers at several sizes, and motion carried into it",
         benchWall, "sides seeds"},
        {"pairs", "pairs per second and endpoint error of a method's default preset", benchPairs,
         "method set sides cpu-seconds against"},
#ifdef SYSTOLE_VIEWER
        {"live", "file to pixels while it estimates: rates, latencies, bytes", benchLive,
         "file play-seconds"},
#endif
        {"motion", "phantoms: accuracy, stages against the floor, all methods, peers", benchMotion,
         "method cases seeds peer-seeds"},
        {"accuracy",
         "20 random hearts a look, and labelled real images: errors, amplitude, noise, folds",
         benchAccuracy, accuracyOptions, 64, familySeeds},
        {"certainty", "how often the error lies within the interval that the standard error gives",
         benchCertainty, "method set cases seeds", 64, familySeeds},
        {"strain", "the left ventricle's measures from estimated motion against the exact ones",
         benchStrain, "method cases seeds", 64, familySeeds},
        {"ventricle", "time to measure the left ventricle: once, per field, all frames",
         benchVentricle, "sides", 64},
        {"strain-definitions",
         "global strain of one heart by every definition and method: where programs agree",
         benchStrainDefinitions, "", 48},
        {"real", "real images of --data: labels, similarity, folding, drift; all methods, peers",
         benchReal, "method cases data"},
        {"registration", "two images: affine and every method, next to other programs, one table",
         benchRegistration, "cases data"},
        {"goals", "where the goals stand by RECORD.json..., files of earlier --json", benchGoals,
         "page", 128, 1, false},
    };
    return list;
}

bool takes(const Benchmark& benchmark, std::string_view option) {
    const std::string all = fmt::format(" {} ", benchmark.options);
    return !option.empty() && all.find(fmt::format(" {} ", option)) != std::string::npos;
}

std::string takersOf(std::string_view option) {
    std::vector<std::string_view> names;
    for (const Benchmark& benchmark : benchmarks())
        if (takes(benchmark, option))
            names.push_back(benchmark.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace systole
