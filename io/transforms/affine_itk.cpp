// ITK's transform files in text, parsed here: ITK's own reader takes a file's word for how many
// numbers it holds, and reads beyond their end.
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/output_file.h"
#include "io/base/spelling.h"
#include "io/transforms/affine_file.h"
#include "io/transforms/transform_steps.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {

using transforms::TransformStep;

namespace {

constexpr std::string_view itkBeginning = "#Insight Transform File";
/// A fine grid of control points: three million numbers.
constexpr std::size_t maxBytes = std::size_t{64} << 20;

/// The transforms of a file, in their order; the composite that they belong to isn't among them.
class TransformText {
public:
    explicit TransformText(const std::string& path) : path_(path) {
        const InputFile file(path);
        if (file.size() > maxBytes)
            throw fileError(path, "is too large for an ITK transform file in text");
        const std::string text = plainText(file.text(0, file.size()));
        for (std::string_view rest = text; !rest.empty();)
            if (const std::string_view content = trimmed(nextLine(rest));
                !content.empty() && content.front() != '#')
                read(content);
        finishTransform();
    }

    std::vector<TransformStep> inOrder() {
        return transforms::inOrder(path_, composite_, std::move(steps_));
    }

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
        if (transforms::isComposite(name)) {
            if (composite_ || !steps_.empty())
                throw fileError(path_, "holds a composite that isn't its first transform");
            composite_ = true;
            return;
        }
        name_ = name;
    }

    using Numbers = std::optional<std::vector<double>>; ///< nothing: no line has given them

    void take(std::string_view key, std::string_view text, Numbers& numbers) const {
        if (name_.empty())
            throw fileError(path_, "has a line {} that belongs to no transform", inQuotes(key));
        if (numbers)
            throw fileError(path_, "gives {} of {} more than once", inQuotes(key), name_);
        numbers = transforms::parametersIn(path_, text);
    }

    void finishTransform() {
        if (name_.empty())
            return;
        steps_.push_back(transforms::itkStep(path_, name_,
                                             parameters_.value_or(std::vector<double>()),
                                             fixed_.value_or(std::vector<double>())));
        name_.clear();
        parameters_.reset();
        fixed_.reset();
    }

    const std::string& path_;
    bool composite_ = false;
    std::vector<TransformStep> steps_;
    std::string name_; ///< name of the transform whose lines are being read
    Numbers parameters_, fixed_;
};

} // namespace

bool isItkTransform(const std::string& path) {
    constexpr std::size_t byteOrderMark = 3;
    return plainText(readBeginning(path, byteOrderMark + itkBeginning.size()))
        .starts_with(itkBeginning);
}

std::vector<TransformStep> transforms::readItkText(const std::string& path) {
    return TransformText(path).inOrder();
}

AffineMap readItkAffine(const std::string& path) {
    AffineMap map;
    for (const TransformStep& step : transforms::readItkText(path)) {
        if (!step.affine)
            throw fileError(path, "holds a transform that isn't linear");
        map = compose(*step.affine, map);
    }
    return checkedMap(path, map);
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
