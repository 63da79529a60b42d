#include "io/byte_source.h"
#include "io/messages.h"
#include "io/output_file.h"
#include "io/transforms/affine_file.h"

#include <itkMatrixOffsetTransformBase.h>
#include <itkTransformFileReader.h>
#include <itkTxtTransformIO.h>

#include <cmath>
#include <optional>
#include <string_view>

namespace systole {
namespace {

using ItkTransform = itk::Transform<double, 3, 3>;

constexpr std::string_view itkBeginning = "#Insight Transform File";
/// A composite of some transforms takes a few kilobytes.
constexpr std::size_t mostBytes = std::size_t{1} << 20;

/// ITK's messages have lines of file names and addresses before what they say.
std::string lastLineOf(const std::string& text) {
    std::string last;
    for (const std::string& line : words(text, "\n"))
        if (!trimmed(line).empty())
            last = std::string(trimmed(line));
    return last;
}

/// The linear transforms of 3D space that ITK has, and their numbers of parameters.
struct LinearKind {
    std::string_view name;
    std::size_t parameters;
};
constexpr LinearKind linearKinds[] = {
    {"AffineTransform", 12},         {"MatrixOffsetTransformBase", 12},
    {"CenteredAffineTransform", 15}, {"ScalableAffineTransform", 12},
    {"Euler3DTransform", 6},         {"CenteredEuler3DTransform", 9},
    {"VersorTransform", 3},          {"VersorRigid3DTransform", 6},
    {"QuaternionRigidTransform", 7}, {"Similarity3DTransform", 7},
    {"ScaleTransform", 3},           {"TranslationTransform", 3},
    {"IdentityTransform", 0},        {"CompositeTransform", 0}};

/// ITK believes the numbers of parameters that a file has and reads beyond their end: every
/// transform must be one of the known kinds with its number of finite parameters.
class TransformText {
public:
    explicit TransformText(const std::string& path) : path_(path) {
        const std::string text = readBeginning(path, mostBytes + 1);
        if (text.size() > mostBytes)
            throw fileError(path, "is too large for an ITK transform file in text");
        for (const std::string& line : words(text, "\n\r"))
            read(trimmed(line));
        finishTransform();
    }

private:
    void read(std::string_view line) {
        const auto after = [&](std::string_view key) -> std::optional<std::string_view> {
            return line.starts_with(key) ? std::optional(trimmed(line.substr(key.size())))
                                         : std::nullopt;
        };
        if (const auto name = after("Transform:")) {
            finishTransform();
            kind_ = &kindOf(*name);
            parameters_ = 0;
        } else if (const auto numbers = after("Parameters:")) {
            parameters_ = count(*numbers);
        } else if (const auto center = after("FixedParameters:")) {
            count(*center);
        }
    }

    const LinearKind& kindOf(std::string_view name) const {
        const std::vector<std::string> parts = words(name, "_");
        if (parts.size() != 4 || parts[2] != "3" || parts[3] != "3")
            throw fileError(path_, "holds {}, which isn't a transform of 3D space", inQuotes(name));
        for (const LinearKind& kind : linearKinds)
            if (parts[0] == kind.name)
                return kind;
        throw fileError(path_,
                        "holds {}, which isn't a linear transform that is read here; write it as a "
                        "displacement field",
                        inQuotes(name));
    }

    std::size_t count(std::string_view numbers) const {
        const std::vector<std::string> list = words(numbers);
        for (const std::string& word : list)
            if (const auto number = parseReal(word); !number || !std::isfinite(*number))
                throw fileError(path_, "the parameter {} is no finite number", inQuotes(word));
        return list.size();
    }

    void finishTransform() const {
        if (kind_ && parameters_ != kind_->parameters)
            throw fileError(path_, "{} has {} parameters; the file gives {}", kind_->name,
                            kind_->parameters, parameters_);
    }

    const std::string& path_;
    const LinearKind* kind_ = nullptr;
    std::size_t parameters_ = 0;
};

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
    const auto at = [&](double x, double y, double z) {
        ItkTransform::InputPointType point;
        point[0] = x;
        point[1] = y;
        point[2] = z;
        const auto mapped = transform.TransformPoint(point);
        return Vec3{mapped[0], mapped[1], mapped[2]};
    };
    map.offset = at(0, 0, 0);
    const Vec3 columns[3] = {at(1, 0, 0) - map.offset, at(0, 1, 0) - map.offset,
                             at(0, 0, 1) - map.offset};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[row][column] = columns[column][static_cast<int>(row)];
    return map;
}

} // namespace

bool isItkTransform(const std::string& path) {
    return readBeginning(path, itkBeginning.size()) == itkBeginning;
}

AffineMap readItkAffine(const std::string& path) {
    const TransformText checked(path);
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(path);
    try {
        reader->Update();
    } catch (const std::exception& error) { // ITK's own, and those of the library
        throw fileError(path, "ITK can't read the transform: {}",
                        inQuotes(lastLineOf(error.what())));
    }
    const auto& transforms = *reader->GetTransformList();
    if (transforms.size() != 1)
        throw fileError(path, "holds {} transforms; one is expected, or a composite",
                        transforms.size());
    const auto* transform = dynamic_cast<const ItkTransform*>(transforms.front().GetPointer());
    if (!transform)
        throw fileError(path, "holds a transform that isn't one of 3D space");
    if (!transform->IsLinear())
        throw fileError(path, "holds a transform that isn't linear");
    const AffineMap map = mapOf(*transform);
    if (!map.inverse() || !std::isfinite(length(map.offset)))
        throw fileError(path, "holds a transform that can't be inverted");
    return map;
}

void writeItkAffine(const std::string& path, const AffineMap& map) {
    std::string text = std::string(itkBeginning) +
                       " V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters:";
    for (const auto& row : map.matrix)
        text += fmt::format(" {} {} {}", row[0], row[1], row[2]);
    writeTextAtomically(path, text + fmt::format(" {} {} {}\nFixedParameters: 0 0 0\n",
                                                 map.offset.x, map.offset.y, map.offset.z));
}

} // namespace systole
