// A breathing chest with exact ground truth, seen by CT: lungs with vessels that slide along the
// wall of ribs, up to 30 mm, for landmarks and registrations of large motion. Gray values are
// Hounsfield units.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "io/phantom/lung_motion.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace systole {

struct LungOptions {
    /// Axes along those of the patient. The chest is fitted into it.
    Geometry grid{{128, 128, 80}, {2, 2, 3}};
    /// Frames of one breath; frame 0 is breathed in, the middle one out.
    int frames = 10;
    double breathMillimeters = 25; ///< largest motion along z, 0 to what the grid's height allows
    /// 0 to 0.5: share of the breath by which neighboring parts of a lung breathe unevenly
    double unevenness = 0;
    /// The lungs keep their mass, so that they are the denser the less air they hold; vessels keep
    /// their density.
    bool keepsMass = false;
    double noiseHounsfield = 20; ///< standard deviation, new in every frame
    std::uint64_t seed = 1;
};

class LungTissue;

class LungPhantom {
public:
    /// Throws ComputeError.
    explicit LungPhantom(const LungOptions& options);
    ~LungPhantom();

    const LungOptions& options() const { return options_; }
    const Geometry& geometry() const { return options_.grid; }
    /// 0 breathed in (frame 0), 1 breathed out.
    double exhalation(int frame) const;

    /// Position, LPS mm, at an exhalation of the material point at a position of frame 0, and back.
    Vec3 forward(Vec3 lpsMillimeters, double exhalation) const;
    Vec3 inverse(Vec3 lpsMillimeters, double exhalation) const;

    /// Hounsfield units, whole numbers from −1024 to 3071. A thick slice is the mean of three
    /// planes.
    void image(int frame, VolumeView<float> voxels, const ExecContext& ctx) const;
    /// Displacement fixed → moving in voxels on the grid of the fixed frame, exact.
    VectorField truth(int fixedFrame, int movingFrame, const ExecContext& ctx) const;
    /// 1 in the lungs of the given frame, else 0.
    std::vector<std::uint8_t> lungs(int frame, const ExecContext& ctx) const;

    /// Up to `count` points of frame 0, LPS mm: centers of voxels where vessels meet, in the lungs,
    /// at least 5 mm apart and 4 mm from the wall. The clearest first; always the same ones.
    std::vector<Vec3> landmarks(int count, const ExecContext& ctx) const;

private:
    Vec3 toOwn(Vec3 lpsMillimeters) const { return lpsMillimeters - center_; }
    LungMotion motionTo(double exhalation) const;

    LungOptions options_;
    Vec3 center_;
    LungShape shape_;
    std::unique_ptr<const LungTissue> tissue_;
};

} // namespace systole
