#include "app/bench/benchmarks.h"

#include "io/phantom/family.h"

namespace systole {

const std::vector<Benchmark>& benchmarks() {
    static const std::vector<Benchmark> list{
        {"memory", "bandwidth of the main memory: the floor under everything else", benchMemory},
        {"method-memory", "bytes per voxel of every method and preset, on host and device",
         benchMethodMemory},
        {"parity", "a method's CUDA implementation against its CPU one, every variant",
         benchParity},
        {"clg-table", "the paper's table: cubes of growing sides, each variant, each stage",
         benchClgTable},
        {"clg-stages", "clg's preset default kernel by kernel: time over what its bytes take",
         benchClgStages},
        {"floors", "a method's stages and variants against what the memory allows", benchFloors},
        {"landmark-tasks",
         "tracking, transform and interpolation: each variant compared with the CPU",
         benchLandmarkTasks},
        {"landmarks", "points found and followed on the CPU: rates, live frame rate, errors",
         benchLandmarks},
        {"landmark-motion", "motion through landmarks: its transform, and large breathing motion",
         benchLandmarkMotion},
        {"lungs",
         "breathing chests whose lungs slide: every method and program, with masks and not",
         benchLungs, 128, 1},
        {"bspline", "B-spline fields: error of every variant, time over what writing them takes",
         benchBspline},
        {"pictures", "pictures of a registration: slices and volume, CPU and device",
         benchPictures},
        {"weights", "free-form deformation with fields of a texture unit's 8-bit weights",
         benchWeights},
        {"bias", "the same image twice with fresh noise: who finds a change of volume", benchBias},
        {"ffd", "an iteration of the free-form deformation: each stage against its floor",
         benchFfd},
        {"unbiased",
         "the unbiased method: an iteration's stages, 300 iterations, every force kernel",
         benchUnbiased},
        {"surface", "denoising a surface by non-local means: bands of the paper, every variant",
         benchSurface},
        {"isosurface", "a surface as triangles: the CPU, and the device kernel by kernel",
         benchIsosurface},
        {"surface-in-time",
         "flicker of a still surface, ejection fraction of a beating one, denoised in time",
         benchSurfaceInTime},
        {"spgemm", "products of sparse matrices: every variant, cuSPARSE, the CPU", benchSpgemm},
        {"wall", "the elastic wall: solvers at several sizes, and motion carried into it",
         benchWall},
        {"pairs", "pairs per second and endpoint error of a method's default preset", benchPairs},
#ifdef SYSTOLE_VIEWER
        {"live", "file to pixels while it estimates: rates, latencies, bytes", benchLive},
#endif
        {"motion", "phantoms: accuracy, stages against the floor, all methods, peers", benchMotion},
        {"accuracy",
         "20 random hearts a look, and labelled real images: errors, amplitude, noise, folds",
         benchAccuracy, 64, familySeeds},
        {"certainty", "how often the error lies within what the standard error says",
         benchCertainty, 64, familySeeds},
        {"strain", "the left ventricle's measures from estimated motion against the exact ones",
         benchStrain, 64, familySeeds},
        {"ventricle", "what measuring the left ventricle costs: once, a field, all frames",
         benchVentricle, 64},
        {"strain-definitions",
         "global strain of one heart by every definition and method: where programs agree",
         benchStrainDefinitions, 48},
        {"real", "real images of --data: labels, similarity, folding, drift; all methods, peers",
         benchReal},
        {"registration", "two images: affine and every method, next to other programs, one table",
         benchRegistration},
    };
    return list;
}

} // namespace systole
