// Measures of a left ventricle from its motion: strain of segments and of the whole, twist,
// volumes, and how far it keeps the wall's volume.
#pragma once

#include "compute/cardiac/aha.h"
#include "compute/cardiac/definitions.h"
#include "compute/cardiac/frame_change.h"
#include "compute/cardiac/wall_sums_math.h"

#include <array>
#include <memory>
#include <vector>

namespace systole::cardiac {

/// The motion of a ventricle: displacements from the reference, the frame of its labels, to each
/// frame. The first is end diastole: the reference itself, unless beginAt() names another.
struct VentricleMotion {
    std::vector<int> frame;                  ///< numbers of the frames in the sequence
    std::vector<double> timeSeconds;         ///< time since end diastole; NaN: unknown
    std::vector<Displacements> wall, cavity; ///< empty where changes are known (FrameChanges)

    void add(const Ventricle& ventricle, int number, double seconds, const MillimeterField& field);
    /// The reference: nothing has moved.
    void addReference(const Ventricle& ventricle, int number);
    /// Another frame is end diastole, by its place in the lists: they begin with it, and the frames
    /// before it follow the last one as those of the next beat, whose length is `beatSeconds`.
    void beginAt(std::size_t place, double beatSeconds);
};

/// Incompressibility of the wall, without the cavity (Mansi et al., International Journal of
/// Computer Vision 92 (2011)).
struct Incompressibility {
    double mean = 1, deviation = 0;  ///< mean and standard deviation of J
    double percentBeyond5 = 0;       ///< voxels with |J − 1| > 0.05
    double percentFolded = 0;        ///< voxels with J ≤ 0
    double deviationOfLogarithm = 0; ///< standard deviation of log J where J > 0
    double driftPercent = 0;         ///< change of the wall's volume since end diastole
    double product = 1;              ///< mean of (1+ε_l)(1+ε_c)(1+ε_r): 1 if shear is small
    std::array<double, jacobianBins>
        histogram{}; ///< percent of the voxels by J, from jacobianFrom on
};

/// Rotation about the long axis, degrees, counter-clockwise seen from the apex positive: the mean
/// angle by which voxels turn about the middle of their level.
struct Rotation {
    double apical = 0, mid = 0, basal = 0;
    double twist = 0;        ///< apical − basal, degrees
    double torsionPerCm = 0; ///< twist over the distance of both levels' middles, degrees/cm
    double torsionShear = 0; ///< twist (r_apical + r_basal) / (2 · distance), degrees
};

struct SegmentFrame {
    Directions strain;    ///< fractions; NaN where the definition has none
    Directions rate;      ///< 1/s; NaN where times are unknown
    double rotation = 0;  ///< degrees, as Rotation; NaN without a voxel
    double jacobian = 1;  ///< mean of J
    double thickness = 0; ///< mm; NaN without a line
};

/// Three ways to the cavity's volume, ml: Σ J over its voxels; inside the carried endocardium;
/// inside the carried surface of mid-wall, less the muscle within it in the labels, which keeps
/// its volume. The last needs no motion at the endocardium, where estimated fields are smoothed
/// most.
struct CavityVolumes {
    double voxels = 0, surface = 0, midWall = 0;
};

struct FrameMeasures {
    Directions strain, rate;            ///< global: GLS, GCS, GRS
    std::vector<SegmentFrame> segments; ///< measures of each segment, by number − 1
    Rotation rotation;
    Incompressibility volume;
    CavityVolumes cavity;
    double wallMilliliters = 0; ///< Σ J over its voxels
};

struct MeasureOptions {
    AhaModel model = AhaModel::Seventeen;
    const StrainDefinition* definition = &strainDefinitions().front();
    int order = 3; ///< order of the polynomials of motion (local_fit.h)
    bool operator==(const MeasureOptions&) const = default;
};

struct Measures {
    std::vector<FrameMeasures> frames;
    std::vector<int> segmentVoxels; ///< voxels of each segment, by number − 1
    double wallGrams = 0;           ///< 1.05 g/ml, of the labels
    /// Lines of the shell without a way through the wall, which were filled (shellOf()).
    int linesFilled = 0;
    std::vector<CarriedShell> shells; ///< place of the wall in each frame
    std::vector<int> shellSegments;   ///< number of the segment of each of their lines
};

/// Strain, rotation and J are those since end diastole, the first frame of the motion: lengths over
/// those of the same tissue there. Throws Cancelled, and what VentricleFits throws.
Measures measuresOf(const Ventricle& ventricle, const VentricleMotion& motion,
                    const MeasureOptions& options, const ExecContext& ctx);
/// Overload with fits that were made before, of the order of the options.
Measures measuresOf(const VentricleFits& fits, const VentricleMotion& motion,
                    const MeasureOptions& options, const ExecContext& ctx);

/// Change of each frame of a motion; all on the host, or all on a device.
using FrameChanges = std::vector<std::shared_ptr<const FrameChange>>;

/// Measures many motions of a ventricle with the same fits and options.
class VentricleMeter {
public:
    /// `fits`, of the order of the options, must outlive it. With ctx.cuda: of changes there.
    VentricleMeter(const VentricleFits& fits, const MeasureOptions& options,
                   const ExecContext& ctx);
    ~VentricleMeter();

    /// Measures by the displacements of the motion, on the host. Throws Cancelled.
    Measures measure(const VentricleMotion& motion, const ExecContext& ctx) const;
    /// The displacements of the motion aren't read. Throws Cancelled.
    Measures measure(const VentricleMotion& motion, const FrameChanges& changes,
                     const ExecContext& ctx) const;

private:
    struct Impl;
    Measures start() const; ///< the parts of the measures that don't depend on frames
    std::unique_ptr<const Impl> impl_;
};

/// The number of the segment of a point. Where the labels are cut at the apex there is no cap.
int segmentAt(const Ventricle& ventricle, Vec3 p, AhaModel model);

/// The number of each voxel's segment.
std::vector<int> segmentsOf(const Ventricle& ventricle, AhaModel model);

} // namespace systole::cardiac
