// The transforms of ITK by name and parameters. ITK's classes make the maps of linear ones, whose
// numbers are counted before: the classes take a file's word for them. Its splines and fields are
// evaluated here, as ITK does it: ITK's own fail far from their grid.
#include "io/base/bounds.h"
#include "io/base/messages.h"
#include "io/transforms/transform_steps.h"

#include <itkAffineTransform.h>
#include <itkCenteredAffineTransform.h>
#include <itkCenteredEuler3DTransform.h>
#include <itkComposeScaleSkewVersor3DTransform.h>
#include <itkIdentityTransform.h>
#include <itkQuaternionRigidTransform.h>
#include <itkScalableAffineTransform.h>
#include <itkScaleSkewVersor3DTransform.h>
#include <itkScaleTransform.h>
#include <itkScaleVersor3DTransform.h>
#include <itkSimilarity3DTransform.h>
#include <itkTranslationTransform.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace systole::transforms {
namespace {

using ItkTransform = itk::Transform<double, 3, 3>;

template <typename Transform>
ItkTransform::Pointer make() {
    return Transform::New().GetPointer();
}

/// The linear transforms of 3D space that ITK has, and their numbers of parameters.
struct LinearKind {
    std::string_view name;
    std::size_t parameters;
    std::size_t minFixed, maxFixed; ///< the center; Euler's angles may have their order, too
    ItkTransform::Pointer (*make)();
};
constexpr LinearKind linearKinds[] = {
    {"AffineTransform", 12, 3, 3, make<itk::AffineTransform<double, 3>>},
    {"MatrixOffsetTransformBase", 12, 3, 3, make<itk::MatrixOffsetTransformBase<double, 3, 3>>},
    {"CenteredAffineTransform", 15, 3, 3, make<itk::CenteredAffineTransform<double, 3>>},
    {"ScalableAffineTransform", 12, 3, 3, make<itk::ScalableAffineTransform<double, 3>>},
    {"Euler3DTransform", 6, 3, 4, make<itk::Euler3DTransform<double>>},
    {"CenteredEuler3DTransform", 9, 3, 4, make<itk::CenteredEuler3DTransform<double>>},
    {"VersorTransform", 3, 3, 3, make<itk::VersorTransform<double>>},
    {"VersorRigid3DTransform", 6, 3, 3, make<itk::VersorRigid3DTransform<double>>},
    {"QuaternionRigidTransform", 7, 3, 3, make<itk::QuaternionRigidTransform<double>>},
    {"Similarity3DTransform", 7, 3, 3, make<itk::Similarity3DTransform<double>>},
    {"ScaleVersor3DTransform", 9, 3, 3, make<itk::ScaleVersor3DTransform<double>>},
    {"ScaleSkewVersor3DTransform", 15, 3, 3, make<itk::ScaleSkewVersor3DTransform<double>>},
    {"ComposeScaleSkewVersor3DTransform", 12, 3, 3,
     make<itk::ComposeScaleSkewVersor3DTransform<double>>},
    {"ScaleTransform", 3, 3, 3, make<itk::ScaleTransform<double, 3>>},
    {"TranslationTransform", 3, 0, 0, make<itk::TranslationTransform<double, 3>>},
    {"IdentityTransform", 0, 0, 0, make<itk::IdentityTransform<double, 3>>}};

itk::OptimizerParameters<double> arrayOf(const std::vector<double>& numbers) {
    itk::OptimizerParameters<double> array(numbers.size());
    std::copy(numbers.begin(), numbers.end(), array.begin());
    return array;
}

Vec3 pointThrough(const ItkTransform& transform, Vec3 p) {
    ItkTransform::InputPointType point;
    for (unsigned axis = 0; axis < 3; ++axis)
        point[axis] = p[static_cast<int>(axis)];
    const auto moved = transform.TransformPoint(point);
    return {moved[0], moved[1], moved[2]};
}

AffineMap mapOf(const ItkTransform& transform) {
    AffineMap map;
    if (const auto* matrix =
            dynamic_cast<const itk::MatrixOffsetTransformBase<double, 3, 3>*>(&transform)) {
        for (unsigned row = 0; row < 3; ++row) {
            for (unsigned column = 0; column < 3; ++column)
                map.matrix[row][column] = matrix->GetMatrix()[row][column];
            map.offset[static_cast<int>(row)] = matrix->GetOffset()[row];
        }
        return map;
    }
    map.offset = pointThrough(transform, {});
    for (std::size_t column = 0; column < 3; ++column) {
        Vec3 step;
        step[static_cast<int>(column)] = 1;
        const Vec3 along = pointThrough(transform, step) - map.offset;
        for (std::size_t row = 0; row < 3; ++row)
            map.matrix[row][column] = along[static_cast<int>(row)];
    }
    return map;
}

void requireCounts(const std::string& path, std::string_view name, std::size_t expected,
                   std::size_t found, const char* what) {
    if (found != expected)
        throw fileError(path, "{} has {} {}; the file gives {}", name, expected, what, found);
}

/// Trilinear within the grid and half a voxel around it, as ITK has it; points elsewhere stay.
TransformStep fieldStep(const std::string& path, const std::vector<double>& parameters,
                        const std::vector<double>& fixed) {
    const std::span<const double> all(fixed);
    const Geometry grid =
        gridOf(path, all.subspan(0, 3), all.subspan(3, 3), all.subspan(6, 3), all.subspan(9, 9));
    requireCounts(path, "DisplacementFieldTransform", 3 * grid.voxels(), parameters.size(),
                  "parameters");
    const auto vectors = std::make_shared<const std::vector<double>>(parameters);
    const auto move = [grid, vectors](Vec3 point) {
        const Vec3 index = grid.physicalToIndex(point);
        const Size3 size = grid.size();
        std::array<int, 3> low{}, high{};
        Vec3 part;
        for (int axis = 0; axis < 3; ++axis) {
            if (!(index[axis] >= -0.5 && index[axis] <= size[axis] - 0.5))
                return point;
            const double at = std::clamp(index[axis], 0.0, size[axis] - 1.0);
            const int whole = static_cast<int>(std::floor(at));
            low[static_cast<std::size_t>(axis)] = whole;
            high[static_cast<std::size_t>(axis)] = std::min(whole + 1, size[axis] - 1);
            part[axis] = at - whole;
        }
        for (int corner = 0; corner < 8; ++corner) {
            double weight = 1;
            std::array<std::size_t, 3> at{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const bool upper = (corner >> axis & 1) != 0;
                const double along = part[static_cast<int>(axis)];
                weight *= upper ? along : 1 - along;
                at[axis] = static_cast<std::size_t>(upper ? high[axis] : low[axis]);
            }
            const auto x = static_cast<std::size_t>(size.x), y = static_cast<std::size_t>(size.y);
            const double* const vector = vectors->data() + 3 * (at[0] + x * (at[1] + y * at[2]));
            point = point + weight * Vec3{vector[0], vector[1], vector[2]};
        }
        return point;
    };
    return {{}, move, grid};
}

/// The B-spline of the order at a distance from its middle, in control points.
double basis(int order, double distance) {
    const double u = std::abs(distance);
    if (order == 1)
        return std::max(1 - u, 0.0);
    if (order == 2)
        return u < 0.5 ? 0.75 - u * u : u < 1.5 ? 0.5 * (1.5 - u) * (1.5 - u) : 0;
    return u < 1   ? (4 - 6 * u * u + 3 * u * u * u) / 6
           : u < 2 ? (2 - u) * (2 - u) * (2 - u) / 6
                   : 0;
}

/// The control points along an axis that a point lies between, and what each weighs there.
struct Support {
    int first = 0;
    std::array<double, 4> weights{};
};

/// Nothing where not all control points of the order lie around the point.
std::optional<Support> supportAt(int order, double index, int points) {
    const double margin = 0.5 * (order - 1);
    if (!(index >= margin && index <= points - 1 - margin))
        return {};
    Support support;
    support.first = std::clamp(static_cast<int>(std::floor(index - margin)), 0, points - order - 1);
    for (int k = 0; k <= order; ++k)
        support.weights[static_cast<std::size_t>(k)] = basis(order, index - support.first - k);
    return support;
}

/// Displacements of control points, all x, then all y, then all z.
class Spline {
public:
    Spline(int order, const Geometry& grid, const std::vector<double>& displacements)
        : order_(order), grid_(grid), displacements_(displacements) {}

    Vec3 operator()(Vec3 point) const {
        const Vec3 index = grid_.physicalToIndex(point);
        const Size3 size = grid_.size();
        std::array<Support, 3> along{};
        for (int axis = 0; axis < 3; ++axis) {
            const std::optional<Support> support = supportAt(order_, index[axis], size[axis]);
            if (!support)
                return point;
            along[static_cast<std::size_t>(axis)] = *support;
        }
        const VolumeView<const double> x(displacements_.data(), size);
        const std::size_t points = grid_.voxels();
        for (int c = 0; c <= order_; ++c)
            for (int b = 0; b <= order_; ++b)
                for (int a = 0; a <= order_; ++a) {
                    const double weight = along[0].weights[static_cast<std::size_t>(a)] *
                                          along[1].weights[static_cast<std::size_t>(b)] *
                                          along[2].weights[static_cast<std::size_t>(c)];
                    const double* const at =
                        displacements_.data() +
                        x.offset(along[0].first + a, along[1].first + b, along[2].first + c);
                    point = point + weight * Vec3{at[0], at[points], at[2 * points]};
                }
        return point;
    }

private:
    int order_;
    Geometry grid_;
    std::vector<double> displacements_;
};

} // namespace

bool isComposite(std::string_view name) { return name.starts_with("CompositeTransform_"); }

TransformStep splineStep(const std::string& path, int order, const Geometry& grid,
                         const std::vector<double>& displacements) {
    requireCounts(path, "its B-spline", 3 * grid.voxels(), displacements.size(), "parameters");
    if (order < 1 || order > 3)
        throw fileError(path, "its B-spline has the order {}; 1, 2 or 3 is expected", order);
    for (int axis = 0; axis < 3; ++axis)
        if (grid.size()[axis] <= order)
            throw fileError(path,
                            "its B-spline has {} control points along an axis; more than {} are "
                            "expected",
                            grid.size()[axis], order);
    const auto spline = std::make_shared<const Spline>(order, grid, displacements);
    return {{}, [spline](Vec3 point) { return (*spline)(point); }, grid};
}

TransformStep itkStep(const std::string& path, std::string_view name,
                      const std::vector<double>& parameters, const std::vector<double>& fixed) {
    for (const std::vector<double>* numbers : {&parameters, &fixed})
        for (const double number : *numbers)
            requireWithin(coordinateBounds, path, number, "a parameter");
    const std::vector<std::string> parts = words(name, "_");
    if (parts.size() < 4 || parts.size() > 5 || parts[2] != "3" || parts[3] != "3" ||
        (parts[1] != "double" && parts[1] != "float"))
        throw fileError(path, "holds {}, which isn't a transform of 3D space", inQuotes(name));
    constexpr std::size_t fixedOfGrid = 18; // size, origin, spacing, direction
    if (parts[0] == "DisplacementFieldTransform") {
        requireCounts(path, parts[0], fixedOfGrid, fixed.size(), "fixed parameters");
        return fieldStep(path, parameters, fixed);
    }
    if (parts[0] == "BSplineTransform") {
        requireCounts(path, parts[0], fixedOfGrid, fixed.size(), "fixed parameters");
        const std::span<const double> all(fixed);
        return splineStep(path, parts.size() == 5 && parts[4].size() == 1 ? parts[4][0] - '0' : 3,
                          gridOf(path, all.subspan(0, 3), all.subspan(3, 3), all.subspan(6, 3),
                                 all.subspan(9, 9)),
                          parameters);
    }
    const auto* const kind = std::ranges::find(linearKinds, std::string_view(parts[0]),
                                               [](const LinearKind& each) { return each.name; });
    if (kind == std::end(linearKinds))
        throw fileError(path,
                        "holds {}, which isn't a linear transform, nor a B-spline or a field that "
                        "is read here; write it as a displacement field",
                        inQuotes(name));
    requireCounts(path, kind->name, kind->parameters, parameters.size(), "parameters");
    if (fixed.size() < kind->minFixed || fixed.size() > kind->maxFixed)
        requireCounts(path, kind->name, kind->minFixed, fixed.size(), "fixed parameters");
    const ItkTransform::Pointer transform = kind->make();
    try {
        transform->SetFixedParameters(arrayOf(fixed));
        transform->SetParametersByValue(arrayOf(parameters));
    } catch (const std::exception&) {
        throw fileError(path, "its parameters are none of {}", kind->name);
    }
    return {mapOf(*transform), {}, {}};
}

} // namespace systole::transforms
