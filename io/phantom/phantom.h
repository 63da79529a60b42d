// A beating left ventricle with exact ground truth (spec/benchmarks.md): a truncated thick-walled
// prolate shell whose wall deforms by an exactly volume-preserving map, seen as echo (scatterers
// carried by the motion through a point-spread function, log-compressed) or as CT (smooth texture).
#pragma once

#include "compute/core/bound_params.h"
#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "io/phantom/heart.h"

#include <cstdint>
#include <vector>

namespace systole {

enum class PhantomLook { Echo, Ct };

struct PhantomOptions {
    Size3 size{128, 128, 128};
    double fieldOfViewMillimeters = 128; ///< extent along the longest axis
    /// Height of a voxel along z, in its widths; nothing is averaged.
    double voxelHeight = 1;
    /// More than 1: `size` counts slices along z, each the mean of so many planes of voxels, as in
    /// cine MR.
    int planesPerSlice = 1;
    double sliceThickness = 0; ///< thickness of which a slice is the mean, mm; 0: no gap
    int frames = 20;
    double cycleSeconds = 0.8;
    PhantomLook look = PhantomLook::Echo;
    HeartShape heart;
    /// Factor on the heart's shortening, radial shortening and twist.
    double motionScale = 1;
    double amplitudeCorrelation = 1;  ///< correlation of scatterers between frame 0 and others
    double multiplicativeNoise = 0.1; ///< standard deviation of the factor before the logarithm
    double additiveNoise = 12;        ///< CT look: standard deviation, gray values of 0–255
    double textureGray = 2.5;         ///< CT look: standard deviation of the tissue's texture
    int scatterersPerVoxel = 4;
    double lateralGrowth = 0; ///< echo: the point spread across the beam, per 100 mm of depth
    // Imperfections of real images (artifacts.h, sliding.h); the true motion stays exact.
    double gainDrift = 1;     ///< factor on the last frame's intensities, 0.1 to 10; echo: envelope
    double biasAmplitude = 0; ///< 0 to 0.9, of a smooth factor that drifts over the cycle
    double sectorDegrees = 0; ///< opening of the probe's still sector, 20 to 150; 0: sees all
    double dropout = 0;       ///< echo: amplitude lost in the middle of a faded region, 0 to 1
    double shadow = 0;        ///< echo: amplitude lost in the middle of a shadow, 0 to 1
    bool sliding = false;     ///< the heart slides within the tissue around it
    std::uint64_t seed = 1;
};

/// Every number above that a user chooses, with its range: all but size, frames, cycle, look, noise
/// and seed.
const BoundTable<PhantomOptions>& phantomTable();

class Phantom {
public:
    explicit Phantom(const PhantomOptions& options);

    const PhantomOptions& options() const { return options_; }
    const Geometry& geometry() const { return geometry_; }
    /// 0 at end diastole (frame 0), 1 at end systole.
    double contraction(int frame) const;

    /// Position, LPS mm, at a contraction of the material point at a position of frame 0, and back.
    Vec3 forward(Vec3 lpsMillimeters, double contraction) const;
    Vec3 inverse(Vec3 lpsMillimeters, double contraction) const;

    /// 0–255 gray values.
    void image(int frame, VolumeView<float> voxels, const ExecContext& ctx) const;
    /// Displacement fixed → moving in voxels on the grid of the fixed frame, exact.
    VectorField truth(int fixedFrame, int movingFrame, const ExecContext& ctx) const;
    /// 0 surroundings, 1 wall, 2 blood, in the given frame.
    std::vector<std::uint8_t> labels(int frame, const ExecContext& ctx) const;
    /// Mask on the grid of the fixed frame: 1 where a voxel's center lies in the sector and the
    /// material seen there lies in it in the moving frame as well, else 0. All 1 without a sector.
    std::vector<std::uint8_t> visible(int fixedFrame, int movingFrame,
                                      const ExecContext& ctx) const;

private:
    PhantomOptions options_;
    Geometry geometry_;
    HeartPose pose_;
};

/// A phantom for benchmarks: two frames, frame 1 at end systole.
PhantomOptions phantomPair(Size3 size);

} // namespace systole
