// Motion estimation between two frames: the interface that every method keeps. The list of methods
// is compute/motion/methods.h; adding one: docs/adding.md.
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

/// The gray values that are mapped to 0 and 255 before anything is computed: the 1st and 99th
/// percentile of the whole sequence, so that one set of parameters serves every scanner.
struct IntensityScale {
    float low = 0;
    float high = 255;
};

/// Where the voxels of both frames lie.
struct FrameGrids {
    Geometry fixed, moving;
};

struct MotionInput {
    VolumeView<const float> fixed, moving; ///< the file's gray values, finite
    Vec3 spacing{1, 1, 1};                 ///< mm per voxel of the fixed frame
    /// Empty: both frames have one grid. Grids that differ are for methods that allow it
    /// (MotionEstimator::allowsTwoGrids).
    std::optional<FrameGrids> grids;
    IntensityScale scale;
    /// Where volume is preserved: 0 nowhere to 1 fully. Empty: 1 everywhere.
    VolumeView<const float> incompressibility;
    /// Where these voxels and the displacement lie. Device: on the device of ctx.cuda, ready for
    /// its Compute stream; then nothing of voxel size goes over the bus. CPU implementations take
    /// Host alone; CUDA implementations take both and copy what lies on the host, counted and
    /// profiled.
    MemorySpace space = MemorySpace::Host;
};

/// What an estimation reports.
struct MotionReport {
    struct Level {
        Size3 size;
        int iterations = 0;          ///< of the method's innermost loop, summed over this level
        double energy = 0;           ///< that the method minimizes, at the end of this level
        std::vector<Figure> figures; ///< what this method alone reports of a level
    };
    std::vector<Level> levels; ///< coarsest first
    double energy = 0;         ///< of the finest level
    int iterations = 0;        ///< of the finest level
    int slabs = 1;             ///< that the volume was cut into because memory was short

    /// Takes energy and iterations of the whole from the last level.
    void finish();
};

class MotionEstimator {
public:
    virtual ~MotionEstimator() = default;

    /// `displacement` (voxels, fixed → moving, on the grid of `fixed`) holds the starting value on
    /// entry, zero for none, and the result on return. Throws ComputeError for sizes that don't fit
    /// and for values that aren't finite, Cancelled within 0.2 s of ctx.cancel, after which
    /// `displacement` holds what it held on entry.
    MotionReport estimate(const MotionInput& input, FieldView<float> displacement,
                          const ExecContext& ctx);

    /// Bytes of scratch that estimate() takes from the pool for this size and equal spacing along
    /// all axes. A CUDA implementation: the device memory that it takes at most, and keeps.
    virtual std::size_t memoryEstimate(Size3 size) const = 0;

    /// Voxels along an axis beyond which gray values hardly change the displacement: slabs of a
    /// volume that doesn't fit into memory overlap by so many planes.
    virtual int reach() const = 0;

    /// Fixed and moving frame may lie on different grids.
    virtual bool allowsTwoGrids() const { return false; }

protected:
    /// The implementation looks for values that aren't finite itself, and calls throwNotFinite().
    /// Else estimate() has done so before run() where the frames lie on the host.
    virtual bool checksValues() const { return false; }
    /// The estimation itself; sizes, grids and gray range are checked.
    virtual MotionReport run(const MotionInput& input, FieldView<float> displacement,
                             const ExecContext& ctx) = 0;
};

/// For a frame ("fixed", "moving") whose values are not all finite.
[[noreturn]] void throwNotFinite(const char* frame);

/// Settings that take another way through a method's code than its presets do: what parity test and
/// benchmarks run besides these.
struct MethodVariation {
    std::string preset;
    std::map<std::string, std::string> parameters; ///< of all implementations
    std::map<std::string, std::string> storage{};  ///< of the CUDA implementation alone
    bool exact = true; ///< the CUDA implementation keeps the bounds of parity
    /// The stage of the profile whose kernels `storage` chooses; empty: benchmarks that compare the
    /// variants of stages pass it over.
    std::string stage{};
};

struct MotionMethod {
    std::string name;  ///< as in --method
    std::string title; ///< for people
    const ParamTable* parameters;
    std::vector<Backend> backends;
    std::vector<std::string> stages; ///< of its profile, in the order in which panels show them
    std::function<std::unique_ptr<MotionEstimator>(const ParamSet&, Backend)> make;
    /// The parameter whose term MotionInput::incompressibility weighs: it has no effect where that
    /// is 0. Empty: the method has none.
    std::string weightParameter{};
    std::vector<MethodVariation> variations{};
    /// Bytes that a stage of a run on one level moves at the least; 0: unknown. Empty: unknown for
    /// all.
    std::function<double(const std::string& stage, double voxels, const MotionReport&)>
        leastBytes{};
};

/// Every stage of a frame, from reading to drawing, with the method's own between.
std::vector<std::string> frameStages(const MotionMethod& method);

} // namespace systole
