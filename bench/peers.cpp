#include "bench/peers.h"

#include "bench/other_program.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace systole {
namespace {

std::optional<std::string> plastimatch(const PeerJob& job, const std::string& stages) {
    const std::string parameters = job.folder + "/plastimatch.txt";
    const std::string field = job.folder + "/plastimatch.mha";
    writeTextAtomically(parameters,
                        fmt::format("[GLOBAL]\nfixed={0}/fixed.mha\nmoving={0}/moving.mha\n"
                                    "vf_out={1}\n{2}",
                                    job.folder, field, stages));
    if (!runQuietly({"plastimatch", "register", parameters}, job.threads))
        return std::nullopt;
    return field;
}

/// Factors by which a level with so many smallest spacings per voxel shrinks the axes: a slice
/// counts as as many voxels as its thickness.
std::array<int, 3> shrinkFactors(const Geometry& grid, int level) {
    const Vec3 spacing = grid.spacing();
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    std::array<int, 3> factors{};
    for (int axis = 0; axis < 3; ++axis)
        factors[static_cast<std::size_t>(axis)] =
            std::max(1, static_cast<int>(std::lround(level * smallest / spacing[axis])));
    return factors;
}

/// Control points no closer than 10 mm, four voxels, or a slice.
std::optional<std::string> plastimatchBspline(const PeerJob& job) {
    const Vec3 spacing = job.grid.spacing();
    const double finest = std::max(10.0, 4 * std::min({spacing.x, spacing.y, spacing.z}));
    std::string stages;
    for (const auto& [level, wider] : {std::pair{4, 2.4}, {2, 1.6}, {1, 1.0}}) {
        const auto [x, y, z] = shrinkFactors(job.grid, level);
        const double grid = wider * finest;
        stages +=
            fmt::format("[STAGE]\nxform=bspline\noptim=lbfgsb\nimpl=plastimatch\nthreading=openmp\n"
                        "metric=mse\nmax_its=40\nres_vox={} {} {}\ngrid_spac={} {} {}\n"
                        "regularization_lambda=0.005\n",
                        x, y, z, grid, grid, std::max(grid, spacing.z));
    }
    return plastimatch(job, stages);
}

/// Control points no closer than 8 mm, three voxels, or a slice.
std::optional<std::string> elastix(const PeerJob& job) {
    const std::string parameters = job.folder + "/elastix.txt";
    const Vec3 spacing = job.grid.spacing();
    const double grid = std::max(8.0, 3 * std::min({spacing.x, spacing.y, spacing.z}));
    std::string pyramid;
    for (const int level : {8, 4, 2, 1}) {
        const auto [x, y, z] = shrinkFactors(job.grid, level);
        pyramid += fmt::format(" {} {} {}", x, y, z);
    }
    writeTextAtomically(
        parameters,
        fmt::format(
            "(Registration \"MultiResolutionRegistration\")\n(FixedImagePyramid "
            "\"FixedSmoothingImagePyramid\")\n(MovingImagePyramid "
            "\"MovingSmoothingImagePyramid\")\n"
            "(ImagePyramidSchedule{})\n"
            "(Interpolator \"LinearInterpolator\")\n(ResampleInterpolator "
            "\"FinalBSplineInterpolator\")\n(Resampler \"DefaultResampler\")\n(Metric "
            "\"AdvancedMeanSquares\")\n(Optimizer "
            "\"AdaptiveStochasticGradientDescent\")\n(Transform "
            "\"BSplineTransform\")\n(ImageSampler \"RandomCoordinate\")\n(NewSamplesEveryIteration "
            "\"true\")\n(NumberOfSpatialSamples 4096)\n(NumberOfResolutions 4)\n"
            "(MaximumNumberOfIterations 500)\n(FinalGridSpacingInPhysicalUnits {} {} {})\n"
            "(FixedInternalImagePixelType \"float\")\n(MovingInternalImagePixelType \"float\")\n"
            "(WriteResultImage \"false\")\n(AutomaticTransformInitialization \"false\")\n",
            pyramid, grid, grid, std::max(grid, spacing.z)));
    const std::string threads = std::to_string(job.threads);
    if (!runQuietly({"elastix", "-f", job.folder + "/fixed.mha", "-m", job.folder + "/moving.mha",
                     "-p", parameters, "-out", job.folder, "-threads", threads},
                    job.threads) ||
        !runQuietly({"transformix", "-def", "all", "-tp", job.folder + "/TransformParameters.0.txt",
                     "-out", job.folder, "-threads", threads},
                    job.threads))
        return std::nullopt;
    return job.folder + "/deformationField.mhd";
}

/// Four levels and a step of two voxels, as our own demons has them.
std::optional<std::string> itkDemons(const PeerJob& job) {
    const std::string field = job.folder + "/itk_demons.mha";
    if (!runQuietly({"itk_demons", job.folder + "/fixed.mha", job.folder + "/moving.mha", field,
                     "4", "30", "1", "1"},
                    job.threads))
        return std::nullopt;
    return field;
}

} // namespace

bool onPath(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/" + program).c_str(), X_OK) == 0)
            return true;
    return false;
}

const std::vector<Peer>& peers() {
    static const std::vector<Peer> list{
        {"plastimatch B-spline", "plastimatch", plastimatchBspline},
        {"elastix B-spline", "elastix", elastix},
        {"ITK diffeomorphic demons", "itk_demons", itkDemons}, // tests/peers
    };
    return list;
}

const std::vector<RecordedPeer>& recordedPeers() {
    static const std::vector<RecordedPeer> list{
        {"plastimatch B-spline", 20.9, 0.173, 0.556, 0.456, NAN},
        {"greedy SSD", 7.7, 0.183, 0.536, 0.385, 2.17},
        {"NiftyReg LNCC", 43.0, 0.200, 0.570, NAN, NAN},
        {"ITK diffeomorphic demons", 21.5, 0.200, 0.506, 0.422, 1.30},
        {"ITK fast symmetric demons", 10.3, 0.207, 0.537, 0.490, NAN},
        {"greedy NCC", 15.4, 0.216, 0.585, 0.554, NAN},
        {"elastix B-spline", 27.7, 0.227, 0.452, 0.307, NAN},
        {"plastimatch demons", 7.8, 0.329, 0.747, 0.622, NAN},
        {"convexAdam", 19.2, 0.346, 4.4, 23.8, NAN},
        {"scikit-image ILK 3D", 17.1, 0.347, 0.726, 0.190, NAN},
        {"NiftyReg SSD", 9.2, 0.393, 0.836, 0.293, NAN},
        {"deeds", 14.5, 0.424, 0.821, NAN, NAN},
        {"NiftyReg default (NMI)", 14.2, 0.714, 0.463, 0.395, NAN},
        {"scikit-image TV-L1 3D", 17.5, 1.260, 2.503, 0.283, NAN},
    };
    return list;
}

} // namespace systole
