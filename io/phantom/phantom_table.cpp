#include "io/phantom/phantom.h"

namespace systole {
namespace {

using P = PhantomOptions;
using Table = BoundTable<PhantomOptions>;

/// A member of the heart's shape.
template <auto member>
constexpr auto heart = [](P& p) -> double& { return p.heart.*member; };

void addGrid(Table& table) {
    table.real(&P::fieldOfViewMillimeters, "field-of-view", 128.0, 1, 10000, "mm", "Longest side");
    table.real(&P::voxelHeight, "voxel-height", 1.0, 0.25, 8, "",
               "Height of a voxel along z in its widths. 1: voxels are cubes; nothing is averaged");
    table.integer(
        &P::planesPerSlice, "planes-per-slice", 1, 1, 64, "",
        "Number of voxel planes that are averaged to a slice, as in cine MR; z of the size counts "
        "slices");
    table.real(&P::sliceThickness, "slice-thickness", 0.0, 0, 1000, "mm",
               "Thickness of slices with gaps between them: only what lies within it, about the "
               "middle of a slice's planes, is averaged. 0: no gap");
}

void addHeart(Table& table) {
    table.real(heart<&HeartShape::endocardialRadius>, "radius", 20.0, 5, 100, "mm",
               "Radius of the cavity at end diastole");
    table.real(heart<&HeartShape::endocardialHalfLength>, "half-length", 60.0, 20, 200, "mm",
               "Half the length of the ellipsoid from which the cavity is cut");
    table.real(heart<&HeartShape::wallThickness>, "wall", 10.0, 2, 40, "mm",
               "Thickness of the wall at end diastole");
    table.real(heart<&HeartShape::baseHeight>, "base", 12.0, -10, 40, "mm",
               "Height above the middle of that ellipsoid at which the base cuts it off");
    table.real([](P& p) -> double& { return p.heart.shift.x; }, "shift-x", 0.0, -1000, 1000, "mm",
               "Position of the middle of the long axis, LPS");
    table.real([](P& p) -> double& { return p.heart.shift.y; }, "shift-y", 0.0, -1000, 1000, "mm",
               "The same along y");
    table.real([](P& p) -> double& { return p.heart.shift.z; }, "shift-z", 0.0, -1000, 1000, "mm",
               "The same along z");
    table.real(heart<&HeartShape::tiltDegrees>, "tilt", 0.0, 0, 180, "degrees",
               "Tilt of the long axis away from z");
    table.real(heart<&HeartShape::tiltDirectionDegrees>, "tilt-direction", 0.0, -360, 360,
               "degrees", "Direction of the tilt, from x towards y");
    table.real(heart<&HeartShape::shortening>, "shortening", 0.13, 0, 0.3, "",
               "Fraction of its length that the heart loses by end systole");
    table.real(heart<&HeartShape::radialShortening>, "radial-shortening", 0.20, 0, 0.45, "",
               "Fraction of its radius that the cavity loses by end systole");
    table.real(heart<&HeartShape::twistDegrees>, "twist", 10.0, -45, 45, "degrees",
               "Twist of the apex relative to the base at end systole");
    table.real(heart<&HeartShape::infarctDegrees>, "infarct", 0.0, 0, 160, "degrees",
               "Opening about the long axis of an infarct that doesn't move, from the apex up to "
               "below the middle; its border is 50 degrees wide. 0: none");
    table.real(heart<&HeartShape::infarctAngleDegrees>, "infarct-angle", 0.0, -360, 360, "degrees",
               "Where the infarct lies about the long axis");
    table.real(&P::motionScale, "motion-scale", 1.0, 0, 2, "",
               "Factor on shortening, radial shortening and twist; 0: no motion");
}

void addArtifacts(Table& table) {
    table.real(&P::amplitudeCorrelation, "correlation", 1.0, 0, 1, "",
               "Speckle correlation of each frame with frame 0, for the look echo");
    table.integer(&P::scatterersPerVoxel, "scatterers", 4, 1, 64, "",
                  "Scatterers in a voxel, for the look echo");
    table.real(
        &P::lateralGrowth, "lateral-growth", 0.0, 0, 2, "",
        "For the look echo: growth of the point spread across the beam per 100 mm of depth, as a "
        "fraction of its width at the probe");
    table.real(&P::textureGray, "texture", 2.5, 0, 50, "",
               "For the look ct: standard deviation of the tissue's gray values");
    table.real(&P::gainDrift, "gain-drift", 1.0, 0.1, 10, "",
               "Factor on the intensities of the last frame relative to the first, linear in dB "
               "in between; echo: on the envelope, before the logarithm");
    table.real(&P::biasAmplitude, "bias", 0.0, 0, 0.9, "",
               "Amplitude of a smooth factor on the intensities that differs from place to place "
               "(waves of 120 mm) and drifts over the cycle");
    table.real(&P::sectorDegrees, "sector", 0.0, 0, 150, "degrees",
               "Opening angle of the still sector of an echo probe, at least 20; the image is 0 "
               "outside it. The probe lies at LPS (12, 0, 71) mm, above the usual heart's base. "
               "Also writes visible_%04d.nii.gz: 1 where the sector shows the tissue in frame 0 "
               "and in frame t. 0: no sector");
    table.real(&P::dropout, "dropout", 0.0, 0, 1, "",
               "For the look echo: fraction of the amplitude that is lost in the middle of four "
               "regions of the wall, each in other frames");
    table.real(&P::shadow, "shadow", 0.0, 0, 1, "",
               "For the look echo: fraction of the amplitude that is lost behind two objects that "
               "block the probe's rays");
    table.onOff(&P::sliding, "sliding", false,
                "The heart slides in the tissue around it, which only makes way along the radius: "
                "the true motion is discontinuous at the epicardium");
}

} // namespace

const BoundTable<PhantomOptions>& phantomTable() {
    static const Table all = [] {
        Table table;
        addGrid(table);
        addHeart(table);
        addArtifacts(table);
        table.addPreset("default", {});
        return table;
    }();
    return all;
}

} // namespace systole
