// elastix' transform parameters (TransformParameters.0.txt): lines "(Key value value)", and the
// name of the file with what comes before. Points are LPS mm, from the fixed to the moving image.
// The format is that of elastix 4.3 to 5.2 (the manual's chapter on transform parameter files).
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/spelling.h"
#include "io/transforms/transform_steps.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace systole::transforms {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t maxBytes = std::size_t{64} << 20;
/// Rigid, affine and some B-splines; more, or a circle, isn't elastix'.
constexpr std::size_t maxFiles = 20;

/// The line up to a comment that begins with // outside of quotes.
std::string_view withoutComment(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        quoted = line[i] == '"' ? !quoted : quoted;
        if (!quoted && line.substr(i).starts_with("//"))
            return line.substr(0, i);
    }
    return line;
}

/// The keys of one file and the text of their values.
class Parameters {
public:
    explicit Parameters(const std::string& path) : path_(path) {
        const InputFile file(path);
        if (file.size() > maxBytes)
            throw fileError(path, "is too large for elastix' transform parameters");
        const std::string text = plainText(file.text(0, file.size()));
        for (std::string_view rest = text; !rest.empty();) {
            std::string_view line = trimmed(withoutComment(nextLine(rest)));
            if (!line.starts_with('('))
                continue;
            line = trimmed(line.substr(1, std::min(line.rfind(')'), line.size()) - 1));
            const std::string key(nextWord(line));
            if (!values_.emplace(key, std::string(trimmed(line))).second)
                throw fileError(path, "gives {} more than once", inQuotes(key));
        }
    }

    bool has(const std::string& key) const { return values_.contains(key); }

    /// The value of a key, without quotes around it; empty: the key is missing.
    std::string text(const std::string& key) const {
        const auto found = values_.find(key);
        if (found == values_.end())
            return {};
        const std::string& value = found->second;
        return value.size() >= 2 && value.front() == '"' && value.back() == '"'
                   ? value.substr(1, value.size() - 2)
                   : value;
    }

    std::vector<double> numbers(const std::string& key) const {
        const auto found = values_.find(key);
        if (found == values_.end())
            throw fileError(path_, "has no {}, which elastix writes", inQuotes(key));
        return parametersIn(path_, found->second);
    }

    /// Throws FileError unless there are so many.
    std::vector<double> numbers(const std::string& key, std::size_t count) const {
        std::vector<double> found = numbers(key);
        if (found.size() != count)
            throw fileError(path_, "{} has {} numbers; {} are expected", inQuotes(key),
                            found.size(), count);
        return found;
    }

    bool isOn(const std::string& key) const { return lowerCase(text(key)) == "true"; }

    /// Nine numbers, the columns behind each other, as elastix has them; of a file without them
    /// the identity.
    std::vector<double> directionRows(const std::string& key) const {
        if (!has(key))
            return {1, 0, 0, 0, 1, 0, 0, 0, 1};
        const std::vector<double> columns = numbers(key, 9);
        std::vector<double> rows(9);
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 3; ++column)
                rows[3 * row + column] = columns[3 * column + row];
        return rows;
    }

private:
    const std::string& path_;
    std::map<std::string, std::string> values_;
};

void requireSpace(const std::string& path, const Parameters& file) {
    for (const char* key : {"FixedImageDimension", "MovingImageDimension"})
        if (file.has(key) && file.text(key) != "3")
            throw fileError(path, "{} is {}; 3 is expected", key, inQuotes(file.text(key)));
    // The images' directions were ignored, and with them the place of the points.
    if (lowerCase(file.text("UseDirectionCosines")) == "false" && file.has("Direction") &&
        file.directionRows("Direction") != std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1})
        throw fileError(path,
                        "was made without the images' directions (UseDirectionCosines \"false\"), "
                        "so its coordinates are none of their space; register again with \"true\"");
    if (file.isOn("UseBinaryFormatForTransformationParameters"))
        throw fileError(path, "has its parameters in another, binary file; write them as text "
                              "(UseBinaryFormatForTransformationParameters \"false\")");
}

/// A linear transform of elastix, by ITK's class of the same parameters.
struct LinearKind {
    const char* name;
    const char* itk;
    std::size_t parameters;
    bool centered;
};
constexpr std::array<LinearKind, 4> linearKinds{
    {{"TranslationTransform", "TranslationTransform_double_3_3", 3, false},
     {"EulerTransform", "Euler3DTransform_double_3_3", 6, true},
     {"SimilarityTransform", "Similarity3DTransform_double_3_3", 7, true},
     {"AffineTransform", "AffineTransform_double_3_3", 12, true}}};

TransformStep splineOf(const std::string& path, const Parameters& file) {
    if (file.isOn("UseCyclicTransform"))
        throw fileError(path, "has a cyclic B-spline, which isn't read");
    const std::string order = file.text("BSplineTransformSplineOrder");
    if (!order.empty() && order != "1" && order != "2" && order != "3")
        throw fileError(path, "its B-spline has the order {}; 1, 2 or 3 is expected",
                        inQuotes(order));
    const std::vector<double> spacing = file.numbers("GridSpacing", 3);
    const std::vector<double> origin = file.numbers("GridOrigin", 3);
    Geometry grid = gridOf(path, file.numbers("GridSize", 3), origin, spacing,
                           file.directionRows("GridDirection"));
    if (file.has("GridIndex")) {
        const std::vector<double> first = file.numbers("GridIndex", 3);
        const Vec3 begin = grid.indexToPhysical({first[0], first[1], first[2]});
        grid = Geometry(grid.size(), grid.spacing(), begin, grid.direction());
    }
    return splineStep(path, order.empty() ? 3 : order[0] - '0', grid,
                      file.numbers("TransformParameters"));
}

TransformStep stepOf(const std::string& path, const Parameters& file) {
    const std::string name = file.text("Transform");
    if (name == "BSplineTransform" || name == "RecursiveBSplineTransform")
        return splineOf(path, file);
    const auto kind = std::ranges::find(linearKinds, name, &LinearKind::name);
    if (kind == linearKinds.end())
        throw fileError(path,
                        "holds elastix' {}; Translation-, Euler-, Similarity-, Affine- and "
                        "BSplineTransform are read; 'transformix -def all' makes a displacement "
                        "field of others",
                        inQuotes(name));
    std::vector<double> fixed;
    if (kind->centered) {
        if (!file.has("CenterOfRotationPoint"))
            throw fileError(path, "has no CenterOfRotationPoint; files of elastix before 4.3 "
                                  "aren't read");
        fixed = file.numbers("CenterOfRotationPoint", 3);
    }
    if (name == "EulerTransform")
        fixed.push_back(file.isOn("ComputeZYX") ? 1 : 0);
    return itkStep(path, kind->itk, file.numbers("TransformParameters", kind->parameters), fixed);
}

/// The grid of the fixed image, on which elastix registered; nothing if the file doesn't say it.
std::optional<Geometry> fixedGrid(const std::string& path, const Parameters& file) {
    for (const char* key : {"Size", "Spacing", "Origin"})
        if (!file.has(key))
            return {};
    return gridOf(path, file.numbers("Size", 3), file.numbers("Origin", 3),
                  file.numbers("Spacing", 3), file.directionRows("Direction"));
}

/// The file with what comes before; empty: there is none. It lies beside this one, or where its
/// name leads from there or from the working directory.
std::string initialOf(const std::string& path, const Parameters& file) {
    // Its name changed with elastix 5.1.
    std::string name = file.text("InitialTransformParameterFileName");
    if (const std::string old = file.text("InitialTransformParametersFileName"); name.empty())
        name = old;
    else if (!old.empty() && old != name)
        throw fileError(path, "names two files with what comes before: {} and {}", inQuotes(old),
                        inQuotes(name));
    if (name.empty() || name == "NoInitialTransform")
        return {};
    const fs::path folder = fs::path(path).parent_path();
    std::error_code ignored;
    for (const fs::path& place :
         {folder / name, fs::path(name), folder / fs::path(name).filename()})
        if (fs::is_regular_file(place, ignored) && !fs::equivalent(place, path, ignored))
            return place.string();
    throw fileError(path, "goes on from {}, which isn't there", inQuotes(name));
}

/// The combination "Add": the sum of the displacements of both from the same point.
TransformStep sumOf(std::vector<TransformStep> before, TransformStep own) {
    const std::optional<Geometry> grid = own.grid;
    if (own.affine && before.size() == 1 && before.front().affine) {
        AffineMap sum = *own.affine;
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 3; ++column)
                sum.matrix[row][column] +=
                    before.front().affine->matrix[row][column] - identity3[row][column];
        sum.offset = sum.offset + before.front().affine->offset;
        return {sum, {}, grid};
    }
    const auto through = [](const TransformStep& step, Vec3 point) {
        return step.affine ? (*step.affine)(point) : step.move(point);
    };
    const auto move = [before = std::move(before), own = std::move(own), through](Vec3 point) {
        Vec3 first = point;
        for (const TransformStep& step : before)
            first = through(step, first);
        return first + (through(own, point) - point);
    };
    return {{}, move, grid};
}

} // namespace

bool isElastixTransform(const std::string& path) {
    constexpr std::size_t enough = 4096;
    const std::string begin = plainText(readBeginning(path, enough));
    for (std::string_view rest = begin; !rest.empty();) {
        const std::string_view line = trimmed(nextLine(rest));
        if (line.empty() || line.starts_with("//"))
            continue;
        return line.starts_with('(') && begin.find("(Transform ") != std::string::npos;
    }
    return false;
}

std::vector<TransformStep> readElastixTransform(const std::string& path) {
    std::vector<std::string> paths{path};
    std::vector<TransformStep> steps; // steps of the files so far, the last file's first
    struct Link {
        TransformStep own;
        bool adds = false;
    };
    std::vector<Link> links;
    while (true) {
        const std::string& file = paths.back();
        const Parameters parameters(file);
        requireSpace(file, parameters);
        Link link{stepOf(file, parameters), false};
        if (links.empty())
            if (const std::optional<Geometry> grid = fixedGrid(file, parameters))
                link.own.grid = grid;
        std::string before = initialOf(file, parameters);
        const std::string how = parameters.text("HowToCombineTransforms");
        if (!before.empty() && how != "Compose" && how != "Add")
            throw fileError(file, "HowToCombineTransforms is {}; Compose or Add is expected",
                            inQuotes(how));
        link.adds = how == "Add";
        links.push_back(std::move(link));
        if (before.empty())
            break;
        if (paths.size() == maxFiles || std::ranges::count(paths, before) > 0)
            throw fileError(path, "its chain of files has no end");
        paths.push_back(std::move(before));
    }
    std::ranges::reverse(links);
    for (Link& link : links) {
        if (link.adds && !steps.empty())
            steps = {sumOf(std::exchange(steps, {}), std::move(link.own))};
        else
            steps.push_back(std::move(link.own));
    }
    return steps;
}

} // namespace systole::transforms
