// Helpers that the readers of transforms share: the steps of a chain, and their composition.
#pragma once

#include "io/transforms/transform_file.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace systole::transforms {

/// One of several transforms after each other, of points in LPS mm; one of the first two members.
struct TransformStep {
    std::optional<AffineMap> affine{};
    std::function<Vec3(Vec3)> move{};
    std::optional<Geometry> grid{}; ///< grid on which `move` was stored
};

/// A transform by ITK's name, "AffineTransform_double_3_3", with its parameters: a linear one, a
/// cubic B-spline or a displacement field of 3D space. Throws FileError for others, for other
/// numbers of parameters, and for values beyond bounds.
TransformStep itkStep(const std::string& path, std::string_view name,
                      const std::vector<double>& parameters, const std::vector<double>& fixed);
/// Whether it is the name of ITK's list of transforms, of which the last is applied first.
bool isComposite(std::string_view name);

/// A B-spline of the order 1, 2 or 3 by its control points: the grid that they lie on, and their
/// displacements, all x, then all y, then all z. What lies outside its region stays. Throws
/// FileError.
TransformStep splineStep(const std::string& path, int order, const Geometry& grid,
                         const std::vector<double>& displacements);

/// The steps in the order in which points go through them. All affine: a map. Else displacements on
/// `grid`; without one, on that of the last step that has one. Throws FileError for none.
StoredTransform storedSteps(const std::string& path, const std::vector<TransformStep>& steps,
                            const std::optional<Geometry>& grid, BufferPool& pool,
                            std::string description);

/// A grid of size, origin and spacing, and of a direction whose rows follow each other. Throws
/// FileError for what is no grid.
Geometry gridOf(const std::string& path, std::span<const double> size,
                std::span<const double> origin, std::span<const double> spacing,
                std::span<const double> direction);

/// Whether the content is MATLAB's format of version 4 that ITK writes (.mat of ANTs), HDF5 (.h5,
/// .hdf5), or elastix' parameters.
bool isMatlabTransform(const std::string& path);
bool isHdf5(const std::string& path);
bool isElastixTransform(const std::string& path);

/// The steps of such files, in the order in which points go through them. Throw FileError.
std::vector<TransformStep> readItkText(const std::string& path);
std::vector<TransformStep> readMatlabTransform(const std::string& path);
std::vector<TransformStep> readHdf5Transform(const std::string& path);
/// Also reads the files that the parameters name; their steps come first.
std::vector<TransformStep> readElastixTransform(const std::string& path);

/// Whole and parted numbers of a text. Throws FileError for what is none, and beyond the bounds of
/// coordinates.
std::vector<double> parametersIn(const std::string& path, std::string_view text);

/// An ITK file's transforms as they are listed: turned around if they belong to a composite.
/// Throws FileError for several that don't, and for none.
std::vector<TransformStep> inOrder(const std::string& path, bool composite,
                                   std::vector<TransformStep> listed);

} // namespace systole::transforms
