#include "app/bench/peers.h"

#include "io/writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// Runs a program without its output; true when it ended with 0.
bool runQuietly(const std::vector<std::string>& arguments, int threads) {
    std::vector<char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<std::string> environment{
        fmt::format("OMP_NUM_THREADS={}", threads),
        fmt::format("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS={}", threads)};
    for (char** entry = environ; *entry; ++entry)
        environment.emplace_back(*entry);
    std::vector<char*> envp;
    for (std::string& entry : environment)
        envp.push_back(entry.data());
    envp.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    return failure == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

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

std::optional<std::string> plastimatchBspline(const PeerJob& job) {
    std::string stages;
    for (const auto& [resolution, grid] : {std::pair{4, 24}, {2, 16}, {1, 10}})
        stages +=
            fmt::format("[STAGE]\nxform=bspline\noptim=lbfgsb\nimpl=plastimatch\nthreading=openmp\n"
                        "metric=mse\nmax_its=40\nres_vox={0} {0} {0}\ngrid_spac={1} {1} {1}\n"
                        "regularization_lambda=0.005\n",
                        resolution, grid);
    return plastimatch(job, stages);
}

std::optional<std::string> elastix(const PeerJob& job) {
    const std::string parameters = job.folder + "/elastix.txt";
    writeTextAtomically(
        parameters,
        "(Registration \"MultiResolutionRegistration\")\n(FixedImagePyramid "
        "\"FixedSmoothingImagePyramid\")\n(MovingImagePyramid \"MovingSmoothingImagePyramid\")\n"
        "(Interpolator \"LinearInterpolator\")\n(ResampleInterpolator "
        "\"FinalBSplineInterpolator\")\n(Resampler \"DefaultResampler\")\n(Metric "
        "\"AdvancedMeanSquares\")\n(Optimizer \"AdaptiveStochasticGradientDescent\")\n(Transform "
        "\"BSplineTransform\")\n(ImageSampler \"RandomCoordinate\")\n(NewSamplesEveryIteration "
        "\"true\")\n(NumberOfSpatialSamples 4096)\n(NumberOfResolutions 4)\n"
        "(MaximumNumberOfIterations 500)\n(FinalGridSpacingInPhysicalUnits 8)\n"
        "(FixedInternalImagePixelType \"float\")\n(MovingInternalImagePixelType \"float\")\n"
        "(WriteResultImage \"false\")\n(AutomaticTransformInitialization \"false\")\n");
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
