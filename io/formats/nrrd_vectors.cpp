#include "io/formats/nrrd_vectors.h"

#include "io/base/data_file.h"
#include "io/base/messages.h"
#include "io/formats/header_keys.h"
#include "io/formats/nrrd_space.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace systole {
namespace {

bool isOneOf(const std::string& text, std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return text == name; });
}

/// The frame of numbers that the space names, and the matrix from them to it; nothing: another one.
std::optional<VectorFrame> frameOf(const Matrix3& toLps) {
    const auto isDiagonal = [&](double x, double y) {
        const Matrix3 wanted{{{x, 0, 0}, {0, y, 0}, {0, 0, 1}}};
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 3; ++column)
                if (!(std::abs(toLps[row][column] - wanted[row][column]) < 1e-6))
                    return false;
        return true;
    };
    return isDiagonal(1, 1)     ? std::optional(VectorFrame::Lps)
           : isDiagonal(-1, -1) ? std::optional(VectorFrame::Ras)
                                : std::nullopt;
}

/// Adds the frame of the vectors according to "space" and "measurement frame".
void addFrame(const std::string& path, const NrrdHeader& header, StatedConvention& stated) {
    const std::string space = header.field("space");
    const std::optional<Matrix3> lps = lpsOfNrrdSpace(space);
    const NrrdVectors measured = parseNrrdVectors(path, header.field("measurement frame"));
    const bool hasFrame = measured.size() == 3 && std::ranges::all_of(measured, [](const auto& v) {
                              return v && v->size() == 3;
                          });
    if (!hasFrame) {
        // ITK and Slicer take the numbers for LPS whatever the space is.
        if (space.empty() || (lps && frameOf(*lps) == VectorFrame::Lps))
            stated.frame = VectorFrame::Lps;
        else
            stated.unsaid = "its space isn't LPS, and it has no measurement frame";
        return;
    }
    const Matrix3 toSpace = lps.value_or(identity3);
    Matrix3 toLps{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            for (std::size_t i = 0; i < 3; ++i)
                toLps[row][column] += toSpace[row][i] * (*measured[column])[i];
    stated.frame = frameOf(toLps);
    if (!stated.frame)
        stated.noField = "has its vectors in a measurement frame of its own; those in LPS or RAS "
                         "are read";
}

} // namespace

NrrdVectorField nrrdVectors(const std::string& path, const NrrdHeader& header,
                            const std::string& kind) {
    NrrdVectorField field;
    StatedConvention& stated = field.stated;
    if (kind.find("color") != std::string::npos) {
        stated.noField = "holds colors, not displacements";
        return field;
    }
    if (isOneOf(kind, {"3-gradient", "3-normal", "normal"})) {
        stated.noField = "holds gradients or normals, not displacements";
        return field;
    }
    if (!isOneOf(kind, {"vector", "3-vector", "point"})) {
        stated.unsaid = "its axis of three isn't of the kind vector";
        return field;
    }
    addFrame(path, header, stated);
    stated.positions = kind == "point";
    const std::vector<std::string> units = parseNrrdStrings(header.field("sample units"));
    const std::vector<std::string> lengths = parseNrrdStrings(header.field("space units"));
    const std::string unit = units.empty() ? "" : lowerCase(units[0]);
    if (isOneOf(unit, {"voxel", "voxels", "pixel", "pixels", "index", "indices"})) {
        stated.frame = VectorFrame::Voxels;
    } else if (!unit.empty()) {
        field.millimeters = nrrdMillimeters(path, unit);
    } else if (!lengths.empty() && nrrdMillimeters(path, lengths[0]) != 1) {
        stated.frame.reset();
        stated.unsaid = "its space isn't in millimeters, and it has no sample units";
    }
    addFieldDirection(path, header.keys, stated);
    return field;
}

} // namespace systole
