// A registration of an image with itself, where only the noise differs: nothing has moved, so that
// any change of volume that it finds on average is the method's doing.
#pragma once

#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"
#include "compute/measures/t_test.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace systole {

/// Standard deviation of the noise as a share of the image's gray range, unless chosen.
inline constexpr double usualNoiseShare = 0.04;

/// Two copies of an image, or two images on one grid, each with Gaussian noise of its own.
struct NoisyCopies {
    /// `deviation`: of the noise, in gray values. A seed always makes the same noise.
    NoisyCopies(const Volume& image, double deviation, std::uint64_t seed, const ExecContext& ctx)
        : NoisyCopies(image, image, deviation, seed, ctx) {}
    NoisyCopies(const Volume& fixed, const Volume& moving, double deviation, std::uint64_t seed,
                const ExecContext& ctx);

    Volume fixed, moving;
};

/// Result of one registration of two noisy copies. Voxels that fold count only in `displacement`.
struct NullFigures {
    double volume = 0;       ///< mean of log |J| over the image
    double region = 0;       ///< mean of log |J| over a region; NaN: there is none
    double spread = 0;       ///< standard deviation of log |J| over the image
    double displacement = 0; ///< mean length, voxels
};

/// The figures of all repetitions.
class NullSeries {
public:
    void add(const NullFigures& figures);
    std::size_t count() const { return volume_.size(); }
    TTest volume() const { return tTestAgainstZero(volume_); }
    TTest region() const { return tTestAgainstZero(region_); }
    double spread() const;       ///< mean over the repetitions; 0: there were none
    double displacement() const; ///< mean over the repetitions, voxels; 0: there were none

private:
    std::vector<double> volume_, region_;
    double spreads_ = 0, displacements_ = 0; ///< sums
};

/// A method with its preset default; it keeps its buffers from one repetition to the next.
class NullRegistration {
public:
    /// Runs on the CPU if the method has no implementation for `backend`.
    NullRegistration(const MotionMethod& method, Backend backend, const Geometry& grid,
                     BufferPool& pool);

    /// `region`: counts where it is above 0; empty: none. Throws as MotionEstimator::estimate.
    NullFigures run(const NoisyCopies& copies, const IntensityScale& scale,
                    VolumeView<const float> region, const ExecContext& ctx);
    /// The displacement of the last run.
    FieldView<const float> field() const { return field_.view(); }

private:
    Backend backend_;
    std::unique_ptr<MotionEstimator> estimator_;
    VectorField field_;
};

/// The standard deviation of noise that is this share of the gray range.
double noiseDeviation(double share, const IntensityScale& scale);

} // namespace systole
