// ITK's transform files in text, parsed here: ITK's own reader takes a file's word for how many
// numbers it holds, and reads beyond their end. ITK's classes make the maps of the numbers.
#include "io/bounds.h"
#include "io/byte_source.h"
#include "io/messages.h"
#include "io/output_file.h"
#include "io/transforms/affine_file.h"

#include <itkAffineTransform.h>
#include <itkCenteredAffineTransform.h>
#include <itkCenteredEuler3DTransform.h>
#include <itkCompositeTransform.h>
#include <itkIdentityTransform.h>
#include <itkQuaternionRigidTransform.h>
#include <itkScalableAffineTransform.h>
#include <itkScaleTransform.h>
#include <itkSimilarity3DTransform.h>
#include <itkTranslationTransform.h>

#include <optional>
#include <string_view>
#include <vector>

namespace systole {
namespace {

using ItkTransform = itk::Transform<double, 3, 3>;
using ItkComposite = itk::CompositeTransform<double, 3>;

constexpr std::string_view itkBeginning = "#Insight Transform File";
constexpr std::string_view compositeName = "CompositeTransform";
/// A composite of some transforms takes a few kilobytes.
constexpr std::size_t mostBytes = std::size_t{1} << 20;

template <typename Transform>
ItkTransform::Pointer make() {
    return Transform::New().GetPointer();
}

/// The linear transforms of 3D space that ITK has, and their numbers of parameters.
struct LinearKind {
    std::string_view name;
    std::size_t parameters;
    std::size_t leastFixed, mostFixed; ///< the center; Euler's angles may have their order, too
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
    {"ScaleTransform", 3, 3, 3, make<itk::ScaleTransform<double, 3>>},
    {"TranslationTransform", 3, 0, 0, make<itk::TranslationTransform<double, 3>>},
    {"IdentityTransform", 0, 0, 0, make<itk::IdentityTransform<double, 3>>}};

/// The transforms of a file, in their order; the composite that they belong to isn't among them.
class TransformText {
public:
    explicit TransformText(const std::string& path) : path_(path) {
        const std::string text = readBeginning(path, mostBytes + 1);
        if (text.size() > mostBytes)
            throw fileError(path, "is too large for an ITK transform file in text");
        for (const std::string& line : words(text, "\n\r"))
            if (const std::string_view content = trimmed(line);
                !content.empty() && content.front() != '#')
                read(content);
        finishTransform();
    }

    bool isComposite() const { return composite_; }
    const std::vector<ItkTransform::Pointer>& transforms() const { return transforms_; }

private:
    void read(std::string_view line) {
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view key = trimmed(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(std::min(colon + 1, line.size())));
        if (key == "Transform")
            begin(value);
        else if (key == "Parameters")
            take(key, value, parameters_);
        else if (key == "FixedParameters")
            take(key, value, fixed_);
        else
            throw fileError(path_, "has a line {}, which isn't one of an ITK transform file",
                            inQuotes(line));
    }

    void begin(std::string_view name) {
        finishTransform();
        const std::vector<std::string> parts = words(name, "_");
        if (parts.size() != 4 || parts[2] != "3" || parts[3] != "3" ||
            (parts[1] != "double" && parts[1] != "float"))
            throw fileError(path_, "holds {}, which isn't a transform of 3D space", inQuotes(name));
        if (parts[0] == compositeName) {
            if (composite_ || !transforms_.empty())
                throw fileError(path_, "holds a composite that isn't its first transform");
            composite_ = true;
            return;
        }
        for (const LinearKind& kind : linearKinds)
            if (parts[0] == kind.name) {
                kind_ = &kind;
                return;
            }
        throw fileError(path_,
                        "holds {}, which isn't a linear transform that is read here; write it as a "
                        "displacement field",
                        inQuotes(name));
    }

    using Numbers = std::optional<std::vector<double>>; ///< nothing: no line has given them

    void take(std::string_view key, std::string_view text, Numbers& numbers) const {
        if (!kind_)
            throw fileError(path_, "has a line {} that belongs to no transform", inQuotes(key));
        if (numbers)
            throw fileError(path_, "gives {} of {} more than once", inQuotes(key), kind_->name);
        numbers.emplace();
        for (const std::string& word : words(text)) {
            const auto number = parseReal(word);
            if (!number)
                throw fileError(path_, "the parameter {} is no number", inQuotes(word));
            numbers->push_back(requireWithin(coordinateBounds, path_, *number, "a parameter"));
        }
    }

    static itk::OptimizerParameters<double> arrayOf(const std::vector<double>& numbers) {
        itk::OptimizerParameters<double> array(numbers.size());
        std::copy(numbers.begin(), numbers.end(), array.begin());
        return array;
    }

    void finishTransform() {
        if (!kind_)
            return;
        const std::vector<double> parameters = parameters_.value_or(std::vector<double>());
        const std::vector<double> fixed = fixed_.value_or(std::vector<double>());
        if (parameters.size() != kind_->parameters)
            throw fileError(path_, "{} has {} parameters; the file gives {}", kind_->name,
                            kind_->parameters, parameters.size());
        if (fixed.size() < kind_->leastFixed || fixed.size() > kind_->mostFixed)
            throw fileError(path_, "{} has {} fixed parameters; the file gives {}", kind_->name,
                            kind_->leastFixed, fixed.size());
        ItkTransform::Pointer transform = kind_->make();
        try {
            transform->SetFixedParameters(arrayOf(fixed));
            transform->SetParametersByValue(arrayOf(parameters));
        } catch (const std::exception&) { // whose text names lines and addresses in ITK
            throw fileError(path_, "its parameters are none of {}", kind_->name);
        }
        transforms_.push_back(transform);
        kind_ = nullptr;
        parameters_.reset();
        fixed_.reset();
    }

    const std::string& path_;
    bool composite_ = false;
    std::vector<ItkTransform::Pointer> transforms_;
    const LinearKind* kind_ = nullptr; ///< of the transform whose lines are being read
    Numbers parameters_, fixed_;
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
    const TransformText text(path);
    const std::vector<ItkTransform::Pointer>& transforms = text.transforms();
    if (transforms.empty() || (!text.isComposite() && transforms.size() > 1))
        throw fileError(path, "holds {} transforms; one is expected, or a composite",
                        transforms.size());
    const auto composite = ItkComposite::New();
    for (const ItkTransform::Pointer& transform : transforms)
        composite->AddTransform(transform);
    return checkedMap(path, mapOf(text.isComposite() ? *composite : *transforms.front()));
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
