// Colors of a surface, as places in a color map at its points, and their scales: plain mathematics,
// no OpenGL.
#pragma once

#include "compute/core/volume.h"
#include "render/color_bar.h"
#include "render/deformation.h"
#include "render/scene_surface.h"
#include "render/standard_error.h"

#include <vector>

namespace systole {

/// The scale of a quantity: its ticks, and the largest value of the colors.
struct SurfaceScale {
    ColorScale colors;
    double maximum = 1;
};

/// |J| between 1/maximum and `maximum`, by its logarithm: diverging about 1. ln |J| and strain
/// between −maximum and `maximum`. The red end is contraction. `wanted` 0: chosen, for motion from
/// frame to frame or since the first one.
SurfaceScale deformationScale(Deformation quantity, double wanted, bool sinceFirst);
/// The value of the quantity, as deformation.h has it, at the red end of such a scale; the blue one
/// has the opposite.
double redEnd(Deformation quantity, double maximum);
/// Values from −maximum to `maximum`, diverging about 0.
SurfaceScale divergingScale(const char* caption, const char* unit, double maximum);
/// Diverging scale of a quantity that can contract; contraction is red.
SurfaceScale contractionScale(const char* caption, const char* unit, double maximum,
                              const Contraction& contraction);
/// Mean curvature from −maximum to `maximum`, in 1/mm.
SurfaceScale curvatureScale(double maximum);
/// Distance from the original, 0 to `maximum` mm.
SurfaceScale distanceScale(double maximum, ColorMap map);

/// The motion's standard error, 0 to `wanted` mm; 0: half the smallest spacing, rounded up. In a
/// map beside that of the motion.
SurfaceScale standardErrorScale(const ErrorComponent& component, double wanted,
                                const Geometry& grid, ColorMap motion);

/// Parts of the color map, 0–1, one per point. −1: the value isn't known there.
std::vector<float> displacementParts(const TriangleMesh& mesh, const VectorField& motion,
                                     double maximumMillimeters);
/// Parts by the deformation; −1 where the motion folds the tissue.
std::vector<float> deformationParts(const TriangleMesh& mesh, const VectorField& motion,
                                    Deformation quantity, double maximum);
/// Parts by the standard error of the nearest voxel.
std::vector<float> standardErrorParts(const TriangleMesh& mesh, const VectorField& error,
                                      const ErrorComponent& component, double maximum);
std::vector<float> curvatureParts(const std::vector<float>& curvature, double maximum);
std::vector<float> distanceParts(const std::vector<float>& millimeters, double maximum);

} // namespace systole
