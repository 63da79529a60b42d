// Free-form deformation: a cubic B-spline over a grid of control points, moved until a similarity
// of the images minus penalties of the deformation is largest.
//
//     E(φ) = S(fixed, moving ∘ (start + spline(φ))) + Σ weight · penalty(start + spline(φ))
//
// Rueckert et al., IEEE TMI 18(8), 1999; in levels, with analytic gradients: Modat et al., Computer
// Methods and Programs in Biomedicine 98(3), 2010.
#pragma once

#include "compute/core/control_grid.h"
#include "compute/core/motion_estimator.h"
#include "compute/methods/ffd/optimizer.h"
#include "compute/methods/ffd/similarity.h"
#include "compute/ops/bspline_field.h"

namespace systole {

struct FfdParameters {
    SimilarityOptions similarity;
    double spacing = 5; ///< distance of control points, in smallest voxels of each level
    int levels = 3;     ///< maximum number of pyramid levels, of small images (ffdLevels())
    DescentOptions descent;
    bool compensated = false; ///< the noise that interpolation removes is compensated (lncc)
    double bending = 0;       ///< weight of the bending energy
    double elasticity = 0;    ///< weight of the linear elastic energy
    double jacobian = 0;      ///< weight of the squared logarithm of the Jacobian determinant

    static FfdParameters from(const ParamSet& values);
};

/// Estimates on images whose grids may differ: MotionInput::grids. `displacement` on entry is the
/// motion to start from, in voxels of the fixed image: the point of the fixed image at index
/// p + d(p) is looked up in the moving image's grid. On return it is start + spline. Without a
/// start or with an affine one that doesn't nearly fold itself, this folds nowhere in the image
/// (unfold()). With any other start it is averaged where it folds at a voxel, then no longer start
/// + spline, and may fold between voxels; it stays as it is if the start folds or averaging doesn't
/// help (unfoldSum()).
///
/// IterationState::energy and MotionReport::Level::energy are what falls: −NMI, −LNCC or the
/// squared difference, plus the weighted penalties.
class FfdEstimator : public MotionEstimator {
public:
    bool allowsTwoGrids() const override { return true; }
    /// The spline of the last estimate() on the finest level, on the host; empty before one.
    /// Valid until the next.
    virtual ControlPointsView<const float> controlPoints() const = 0;
    /// The weighted penalties within the energy that ctx.iteration was last given.
    virtual double observedPenalty() const = 0;
};

MotionMethod ffdMethod();
/// Throws ComputeError for Backend::Cuda in a build without CUDA.
std::unique_ptr<FfdEstimator> makeFfd(const FfdParameters& parameters, Backend backend);

/// Voxels along an axis beyond which gray values hardly change the displacement.
inline constexpr int ffdReach = 48;

/// How an estimation gets the field of its control points: bsplineField(), or a less exact one for
/// measuring what that costs.
using FieldOfPoints = void (*)(ControlPointsView<const float>, FieldView<float>,
                               const ExecContext&);

/// Backend::Cpu and Backend::CpuReference, by the context's backend.
std::unique_ptr<FfdEstimator> makeFfdCpu(const FfdParameters& parameters,
                                         FieldOfPoints fieldOf = bsplineField);
/// Defined in builds with CUDA (cudaIsBuilt).
std::unique_ptr<FfdEstimator> makeFfdCuda(const FfdParameters& parameters);

} // namespace systole
