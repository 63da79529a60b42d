// Motion estimation between two frames of one grid: the interface that every method keeps, and the
// one list of methods. Adding a method: docs/adding.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/params.h"
#include "compute/core/volume.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The grey values that are brought to 0 and 255 before anything is computed: the 1st and 99th
/// percentile of the whole sequence, so that one set of parameters serves every scanner.
struct IntensityScale {
    float low = 0;
    float high = 255;
};

struct MotionInput {
    VolumeView<const float> fixed, moving; ///< same size; the file's grey values, finite
    Vec3 spacing{1, 1, 1};                 ///< mm per voxel
    IntensityScale scale;
    /// Where volume is kept: 0 nowhere to 1 fully. Empty: 1 everywhere.
    VolumeView<const float> incompressibility;
    /// Where these voxels and the displacement lie. Device: on the device of ctx.cuda, ready for
    /// its Compute stream; then nothing of voxel size goes over the bus. The CPU forms take Host
    /// alone; the CUDA form takes both and copies what lies on the host, counted and profiled.
    MemorySpace space = MemorySpace::Host;
};

/// What an estimation says of itself.
struct MotionReport {
    struct Level {
        Size3 size;
        int warps = 0;
        int sweeps = 0;        ///< sum over the warps; a V-cycle counts its fine sweeps
        double lastChange = 0; ///< largest change of the last sweep, voxel of this level
        double energy = 0;     ///< of the linearised energy after the last sweep, without It²
        double noise = 0;      ///< estimated noise of the normal displacement, voxel of this level
    };
    std::vector<Level> levels; ///< coarsest first
    double energy = 0;         ///< of the finest level
    int sweeps = 0;            ///< of the finest level
    int slabs = 1;             ///< that the volume was cut into for want of memory
};

class MotionEstimator {
public:
    virtual ~MotionEstimator() = default;

    /// `displacement` (voxels, fixed → moving) holds the starting value on entry, zero for none,
    /// and the result on return. Throws ComputeError for unequal sizes or values that are not
    /// finite, Cancelled within 0.2 s of ctx.cancel, after which `displacement` holds what it held
    /// on entry.
    virtual MotionReport estimate(const MotionInput& input, FieldView<float> displacement,
                                  const ExecContext& ctx) = 0;

    /// Bytes of scratch that estimate() takes from the pool for this size, spacing alike along all
    /// axes; of the CUDA form: that it takes on the device at most, and keeps.
    virtual std::size_t memoryEstimate(Size3 size) const = 0;
};

struct MotionMethod {
    std::string name;  ///< as in --method
    std::string title; ///< for people
    const ParamTable* parameters;
    std::vector<Backend> backends;
    std::function<std::unique_ptr<MotionEstimator>(const ParamSet&, Backend)> make;
};

/// Every method, the default one first.
const std::vector<MotionMethod>& motionMethods();
/// Throws ComputeError naming the methods that there are.
const MotionMethod& motionMethod(const std::string& name);

} // namespace systole
