#include "io/formats/nifti_place.h"

#include "io/base/bounds.h"
#include "io/base/messages.h"
#include "io/base/stored_image.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole {
namespace {

constexpr double worthANote = 0.01;
/// The square of a unit quaternion's b, c and d, with the rounding of its numbers.
constexpr double longestQuaternion = 1.001;

/// Position and axes of a grid in RAS; columns hold the directions with their lengths.
struct RasFrame {
    Matrix3 columns{};
    Vec3 origin;

    Vec3 column(std::size_t axis) const {
        return {columns[0][axis], columns[1][axis], columns[2][axis]};
    }
};

RasFrame fromSform(const NiftiHeader& h) {
    RasFrame frame;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            frame.columns[row][column] = h.srow[row][column];
        frame.origin[static_cast<int>(row)] = h.srow[row][3];
    }
    return frame;
}

RasFrame fromQform(const NiftiHeader& h, Vec3 spacing) {
    auto [b, c, d] = h.quaternion;
    double a = 1 - (b * b + c * c + d * d);
    if (a < 1e-7) { // a half turn, up to rounding
        const double scale = 1 / std::sqrt(b * b + c * c + d * d);
        b *= scale;
        c *= scale;
        d *= scale;
        a = 0;
    } else {
        a = std::sqrt(a);
    }
    RasFrame frame;
    frame.columns = {{{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                      {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
                      {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}}};
    const double handedness = h.pixdim[0] < 0 ? -1 : 1;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            frame.columns[row][axis] *=
                spacing[static_cast<int>(axis)] * (axis == 2 ? handedness : 1);
    frame.origin = {h.qoffset[0], h.qoffset[1], h.qoffset[2]};
    return frame;
}

bool isSpacing(double length) { return length >= spacingBounds.min && length <= spacingBounds.max; }

/// Empty: the numbers place a grid. Else a clause that says why they don't. `millimeters` is the
/// unit.
std::string faultOf(const RasFrame& frame, double millimeters) {
    Matrix3 directions{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double along = length(frame.column(axis));
        if (!isSpacing(millimeters * along))
            return fmt::format("axis {} is ({:g}, {:g}, {:g})", axis + 1, frame.columns[0][axis],
                               frame.columns[1][axis], frame.columns[2][axis]);
        for (std::size_t row = 0; row < 3; ++row)
            directions[row][axis] = frame.columns[row][axis] / along;
        const double offset = millimeters * frame.origin[static_cast<int>(axis)];
        if (!(std::abs(offset) <= coordinateBounds.max))
            return fmt::format("the offset of row {} is {:g}", axis + 1,
                               frame.origin[static_cast<int>(axis)]);
    }
    if (std::abs(determinant(directions)) < smallestGridDeterminant)
        return "its matrix is singular";
    return {};
}

std::string faultOfQform(const NiftiHeader& h, Vec3 spacing, double millimeters) {
    const auto& [b, c, d] = h.quaternion;
    if (!(b * b + c * c + d * d <= longestQuaternion))
        return fmt::format("its quaternion is ({:g}, {:g}, {:g})", b, c, d);
    return faultOf(fromQform(h, spacing), millimeters);
}

/// One line listing where the header's spacing, qform and sform differ by more than 1 %.
void noteDisagreement(const RasFrame& used, const RasFrame* other, Vec3 spacing, Size3 size,
                      std::vector<std::string>& notes) {
    std::string said;
    Vec3 norms;
    bool lengthsDiffer = false;
    for (int axis = 0; axis < 3; ++axis) {
        norms[axis] = length(used.column(static_cast<std::size_t>(axis)));
        lengthsDiffer |= std::abs(norms[axis] / spacing[axis] - 1) > worthANote;
    }
    if (lengthsDiffer)
        said = fmt::format("the sform's axes are {:.4g} × {:.4g} × {:.4g} mm long but pixdim says "
                           "{:.4g} × {:.4g} × {:.4g}; pixdim is used",
                           norms.x, norms.y, norms.z, spacing.x, spacing.y, spacing.z);
    if (other) {
        double turn = 0, extent = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double along = spacing[static_cast<int>(axis)];
            turn = std::max(turn, length((1 / norms[static_cast<int>(axis)]) * used.column(axis) -
                                         (1 / along) * other->column(axis)));
            extent = std::max(extent, along * size[static_cast<int>(axis)]);
        }
        if (turn > worthANote || length(used.origin - other->origin) > worthANote * extent)
            said += fmt::format("{}sform and qform place the grid differently; the sform is used",
                                said.empty() ? "" : "; ");
    }
    if (!said.empty())
        notes.push_back(said);
}

/// Three lengths from voxel to voxel: pixdim, without signs; where it is unusable, those of the
/// sform's axes.
Vec3 spacingOf(const NiftiHeader& h, double millimeters, const std::optional<RasFrame>& sform,
               std::vector<std::string>& notes) {
    const Vec3 stated{h.pixdim[1], h.pixdim[2], h.pixdim[3]};
    Vec3 spacing;
    bool usable = true, negative = false;
    for (int axis = 0; axis < 3; ++axis) {
        spacing[axis] = std::abs(stated[axis]);
        negative |= stated[axis] < 0;
        usable &= isSpacing(millimeters * spacing[axis]);
    }
    if (usable && negative)
        addNote(notes, "pixdim is {:g} × {:g} × {:g}; its signs say nothing and are left out",
                stated.x, stated.y, stated.z);
    if (usable || !sform)
        return usable ? spacing : stated;
    addNote(notes,
            "pixdim is {:g} × {:g} × {:g}, which isn't usable; the lengths of the sform's axes are "
            "used",
            stated.x, stated.y, stated.z);
    return {length(sform->column(0)), length(sform->column(1)), length(sform->column(2))};
}

/// The statement that is used, and a sound second one.
struct Chosen {
    RasFrame frame;
    bool isSform = false;
    std::optional<RasFrame> second;
};

Chosen chosenOf(const std::string& path, const NiftiHeader& h, Vec3 spacing, double millimeters,
                std::vector<std::string>& notes) {
    const RasFrame sform = fromSform(h);
    const std::string sformFault = faultOf(sform, millimeters),
                      qformFault = faultOfQform(h, spacing, millimeters);
    const bool hasQform = h.qformCode > 0 && qformFault.empty();
    if (h.sformCode > 0 && sformFault.empty()) {
        if (h.qformCode > 0 && !hasQform)
            addNote(notes, "the qform isn't usable ({}); the sform is used", qformFault);
        return {sform, true, hasQform ? std::optional(fromQform(h, spacing)) : std::nullopt};
    }
    if (hasQform) {
        if (h.sformCode > 0)
            addNote(notes, "the sform isn't usable ({}); the qform is used", sformFault);
        return {fromQform(h, spacing), false, {}};
    }
    if (h.sformCode > 0)
        throw fileError(path, "the sform isn't usable ({}), and {}", sformFault,
                        h.qformCode > 0 ? fmt::format("nor is the qform ({})", qformFault)
                                        : std::string("there is no qform (its code is 0)"));
    if (h.qformCode > 0)
        throw fileError(path, "the qform isn't usable ({}), and there is no sform (its code is 0)",
                        qformFault);
    notes.push_back(assumedNiftiOrientation(h));
    return {{{{{spacing.x, 0, 0}, {0, spacing.y, 0}, {0, 0, spacing.z}}}, {}}, false, {}};
}

double millimetersOfUnit(const std::string& path, const NiftiHeader& h,
                         std::vector<std::string>& notes) {
    constexpr double millimetersOf[] = {1, 1000, 1, 0.001}; // nothing stated, m, mm, µm
    const auto unit = static_cast<std::size_t>(h.units & 7);
    if (unit >= std::size(millimetersOf))
        throw fileError(path, "the unit of length has code {}, which NIfTI does not define", unit);
    if (unit == 0)
        notes.push_back("the unit of length is not stated; millimeters are assumed");
    return millimetersOf[unit];
}

} // namespace

std::string assumedNiftiOrientation(const NiftiHeader& header) {
    return header.sformCode > 0 || header.qformCode > 0
               ? ""
               : "position and orientation are not stated; the axes are shown as if they ran "
                 "right, anterior, superior";
}

Geometry niftiGeometry(const std::string& path, const NiftiHeader& h, Size3 size,
                       std::vector<std::string>& notes) {
    const double millimeters = millimetersOfUnit(path, h, notes);
    const RasFrame sform = fromSform(h);
    const bool hasSform = h.sformCode > 0 && faultOf(sform, millimeters).empty();
    const Vec3 spacing =
        spacingOf(h, millimeters, hasSform ? std::optional(sform) : std::nullopt, notes);
    // Refuses unusable spacing before anything is divided by it.
    checkedGeometry(path, size, millimeters * spacing, {}, identity3, notes);

    const Chosen chosen = chosenOf(path, h, spacing, millimeters, notes);
    Matrix3 columns = chosen.frame.columns;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        columns[0][axis] = -columns[0][axis];
        columns[1][axis] = -columns[1][axis];
    }
    const Vec3 origin{0 - chosen.frame.origin.x, 0 - chosen.frame.origin.y, chosen.frame.origin.z};
    Geometry geometry =
        checkedGeometry(path, size, millimeters * spacing, millimeters * origin, columns, notes);
    if (chosen.isSform)
        noteDisagreement(chosen.frame, chosen.second ? &*chosen.second : nullptr, spacing, size,
                         notes);
    return geometry;
}

} // namespace systole
