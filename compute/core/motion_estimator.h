// Motion estimation between two frames: the interface of every method. The list of methods
// is compute/motion/methods.h; adding one: docs/adding/method.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/figure.h"
#include "compute/core/params.h"
#include "compute/core/volume.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// The gray values that are mapped to 0 and 255 before the estimation: the 1st and 99th
/// percentile of the whole sequence, so that one set of parameters serves every scanner.
struct IntensityScale {
    float low = 0;
    float high = 255;
};

/// The grids of both frames in space.
struct FrameGrids {
    Geometry fixed, moving;
};

struct MotionInput {
    VolumeView<const float> fixed, moving; ///< gray values as in the file, finite
    Vec3 spacing{1, 1, 1};                 ///< mm per voxel of the fixed frame
    /// Empty: both frames have one grid. Different grids require a method that allows them
    /// (MotionEstimator::allowsTwoGrids).
    std::optional<FrameGrids> grids;
    IntensityScale scale;
    /// Weight of volume preservation per voxel, from 0 (none) to 1 (full). Empty: 1 everywhere.
    VolumeView<const float> incompressibility;
    /// Where the gray values of each frame count, from 0 (ignored) to 1, on that frame's grid.
    /// Empty: everywhere.
    VolumeView<const float> fixedMask, movingMask;
    /// Memory of these voxels and the displacement. Device: on the device of ctx.cuda, ready for
    /// its Compute stream; then no volume data crosses the bus. CPU implementations accept only
    /// Host; CUDA implementations accept both and copy host data, counted and profiled.
    MemorySpace space = MemorySpace::Host;
};

/// The report of an estimation.
struct MotionReport {
    struct Level {
        Size3 size;
        int iterations = 0;          ///< iterations of the innermost loop, summed over this level
        double energy = 0;           ///< energy that the method minimizes, at the end of this level
        std::vector<Figure> figures; ///< figures per level that only this method reports
    };
    std::vector<Level> levels; ///< coarsest first
    double energy = 0;         ///< energy of the finest level
    int iterations = 0;        ///< iterations of the finest level
    int slabs = 1;             ///< number of slabs; more than 1 if memory was short
    /// False: the method matches frames of different contrast, so that what remains of the
    /// difference of their gray values doesn't tell whether the motion is right.
    bool comparesGrayValues = true;

    /// Sets the overall energy and iterations to those of the last level.
    void finish();
};

class MotionEstimator {
public:
    virtual ~MotionEstimator() = default;

    /// `displacement` (voxels, fixed → moving, on the grid of `fixed`) has the starting value on
    /// entry, zero for none, and the result on return. Throws ComputeError for sizes that don't
    /// match, for masks on the host in which nothing counts, and for values that aren't finite,
    /// Cancelled within 0.2 s of ctx.cancel, leaving `displacement` as on entry.
    MotionReport estimate(const MotionInput& input, FieldView<float> displacement,
                          const ExecContext& ctx);

    /// Bytes of scratch that estimate() takes from the pool for frames of this size and spacing
    /// (mm), which decides which axes are halved; methods on one grid need up to five volumes more
    /// with masks. For a CUDA implementation: the maximum device memory that it takes and keeps.
    virtual std::size_t memoryEstimate(Size3 size, Vec3 spacing) const = 0;

    /// Distance in voxels beyond which gray values hardly change the displacement: slabs of a
    /// volume that doesn't fit into memory overlap by this number of planes.
    virtual int reach() const = 0;

    /// Whether fixed and moving frame may have different grids.
    virtual bool allowsTwoGrids() const { return false; }

protected:
    /// Whether the implementation checks for values that aren't finite and calls throwNotFinite().
    /// Otherwise estimate() does so before run() if the frames are on the host.
    virtual bool checksValues() const { return false; }
    /// The estimation, called with checked sizes, grids and gray range.
    virtual MotionReport run(const MotionInput& input, FieldView<float> displacement,
                             const ExecContext& ctx) = 0;
};

/// Throws ComputeError for a frame ("fixed", "moving") whose values are not all finite.
[[noreturn]] void throwNotFinite(const char* frame);

/// Settings that use other code of a method than its presets do: parity test and benchmarks run
/// them in addition to the presets.
struct MethodVariation {
    std::string preset;
    std::map<std::string, std::string> parameters; ///< parameters of all implementations
    std::map<std::string, std::string> storage{};  ///< parameters of the CUDA implementation only
    bool exact = true; ///< the CUDA implementation meets the parity bounds
    /// The profile's stage whose kernels `storage` selects; empty: skipped by benchmarks that
    /// compare the variants of stages.
    std::string stage{};
};

/// How an error of the motion that an estimation starts from develops where the images don't show
/// it. See PairSettings::startError.
enum class StartError {
    Fades,       ///< the sum of start and estimate is regularized
    SmoothStays, ///< all of the sum but what is smooth on the frame's scale
    Stays,       ///< only the added motion is regularized
    Grows        ///< a fluid: smooth are its velocities alone
};

struct MotionMethod {
    std::string name;      ///< NAME in --method NAME
    std::string title;     ///< name shown to users
    std::string summary{}; ///< one sentence: what it is, and when to take it
    const ParamTable* parameters;
    std::vector<Backend> backends;
    std::vector<std::string> stages; ///< stages of its profile, in display order
    std::function<std::unique_ptr<MotionEstimator>(const ParamSet&, Backend)> make;
    /// The parameter whose term is weighted by MotionInput::incompressibility: without effect where
    /// that is 0. Empty: the method has none.
    std::string weightParameter{};
    std::vector<MethodVariation> variations{};
    StartError startError = StartError::Fades;
    /// Its iterations amplify rounding differences in the start to tenths of a voxel, so its
    /// backends agree only if they start from identical bits.
    bool magnifiesStart = false;
    /// Minimum bytes moved by a stage of a run on one level; 0: unknown. Empty: unknown for all
    /// stages.
    std::function<double(const std::string& stage, double voxels, const MotionReport&)> minBytes{};
};

/// Every stage of a frame, from reading to drawing, including the method's stages.
std::vector<std::string> frameStages(const MotionMethod& method);

} // namespace systole
