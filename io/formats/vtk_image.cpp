// VTK legacy files of structured points. Their headers are read here: ITK and VTK scan a line for
// three numbers and take whatever memory holds where one is missing.
#include "io/base/data_file.h"
#include "io/base/messages.h"
#include "io/formats/image_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace systole {
namespace {

constexpr std::size_t largestHeader = 4096;
constexpr int maxComponents = 4;

/// ITK writes and reads a "long" with 8 bytes.
constexpr std::pair<std::string_view, VoxelType> typeNames[] = {
    {"char", VoxelType::Int8},
    {"signed_char", VoxelType::Int8},
    {"unsigned_char", VoxelType::UInt8},
    {"short", VoxelType::Int16},
    {"unsigned_short", VoxelType::UInt16},
    {"int", VoxelType::Int32},
    {"unsigned_int", VoxelType::UInt32},
    {"long", VoxelType::Int64},
    {"long_long", VoxelType::Int64},
    {"vtktypeint64", VoxelType::Int64},
    {"unsigned_long", VoxelType::UInt64},
    {"unsigned_long_long", VoxelType::UInt64},
    {"vtktypeuint64", VoxelType::UInt64},
    {"float", VoxelType::Float32},
    {"double", VoxelType::Float64}};

class VtkHeader {
public:
    explicit VtkHeader(const std::string& path)
        : path_(path)
        , text_(lowerCase(readBeginning(path, largestHeader)))
        , lineEnd_(lineEndOf(text_)) {
        std::string_view rest = text_;
        readBeginningLines(rest);
        while (!complete())
            readLine(lineOf(rest), rest);
        end = text_.size() - rest.size();
    }

    bool isText = false;
    VoxelType type = VoxelType::UInt8;
    int components = 0;
    std::uint64_t end = 0; ///< the byte behind the header
    std::optional<std::array<std::int64_t, 3>> dimensions;
    std::optional<Vec3> spacing, origin;

private:
    /// VECTORS ends the header, or LOOKUP_TABLE after SCALARS.
    bool complete() const { return components > 0 && !needsTable_; }

    /// The next line that isn't empty.
    std::vector<std::string> lineOf(std::string_view& rest) const {
        while (rest.find(lineEnd_) != std::string_view::npos) {
            line_ = nextLine(rest, lineEnd_);
            if (std::vector<std::string> found = words(line_); !found.empty())
                return found;
        }
        throw fileError(path_,
                        "a VTK header that ends with VECTORS, or with SCALARS and LOOKUP_TABLE, "
                        "was expected within {} bytes, but was not found",
                        largestHeader);
    }

    void readBeginningLines(std::string_view& rest) {
        if (!text_.starts_with("# vtk"))
            throw fileError(path_, "is named like a VTK file but doesn't begin with '# vtk', as a "
                                   "VTK header does");
        nextLine(rest, lineEnd_);
        nextLine(rest, lineEnd_); // the title, which may be empty
        const std::string coding = lineOf(rest).front();
        isText = coding == "ascii";
        if (!isText && coding != "binary")
            throw fileError(path_, "the VTK header gives {}; ASCII or BINARY is expected",
                            inQuotes(line_));
        const std::vector<std::string> set = lineOf(rest);
        if (set.size() != 2 || set[0] != "dataset" || set[1] != "structured_points")
            throw fileError(
                path_, "the VTK header gives {}; DATASET STRUCTURED_POINTS is expected{}",
                inQuotes(line_),
                set.size() == 2 && (set[1] == "polydata" || set[1] == "unstructured_grid")
                    ? " of an image; a surface is read by 'systole denoise' and shown by --surface"
                    : "");
    }

    void readLine(const std::vector<std::string>& parts, std::string_view& rest) {
        const std::string& key = parts.front();
        if (needsTable_ && key != "lookup_table")
            throw fileError(path_, "after SCALARS the line LOOKUP_TABLE is expected, not {}",
                            inQuotes(line_));
        if (key == "lookup_table") {
            needsTable_ = false;
        } else if (key == "dimensions") {
            requireOnce(dimensions.has_value());
            const auto sizes = threeOf(parts, parseInteger);
            dimensions = {sizes[0], sizes[1], sizes[2]};
        } else if (key == "spacing" || key == "aspect_ratio") {
            requireOnce(spacing.has_value());
            const auto lengths = threeOf(parts, parseReal);
            spacing = {lengths[0], lengths[1], lengths[2]};
        } else if (key == "origin") {
            requireOnce(origin.has_value());
            const auto place = threeOf(parts, parseReal);
            origin = {place[0], place[1], place[2]};
        } else if (key == "scalars" || key == "vectors") {
            readVoxelType(parts, key == "vectors");
        } else if (key == "field") {
            skipField(parts, rest);
        } else if (key == "metadata") {
            while (!words(nextLine(rest, lineEnd_)).empty()) {
            } // lines of names and numbers, which end with an empty line
        } else if (key != "point_data") {
            throw fileError(path_,
                            "has a line {}, which isn't read here: VECTORS, or SCALARS and "
                            "LOOKUP_TABLE, are expected as the only data of the points",
                            inQuotes(line_));
        }
    }

    /// Arrays of the whole data set, such as a time: "FIELD name count", then for each a line of
    /// name, components, tuples and type, and the values.
    void skipField(const std::vector<std::string>& parts, std::string_view& rest) const {
        const auto numberOf = [&](const std::vector<std::string>& line, std::size_t at) {
            const std::optional<std::int64_t> number =
                at < line.size() ? parseInteger(line[at]) : std::nullopt;
            if (!number || *number < 0 || *number > static_cast<std::int64_t>(largestHeader))
                throw fileError(path_, "the VTK header gives {}, which is no sound field",
                                inQuotes(line_));
            return static_cast<std::size_t>(*number);
        };
        const std::size_t arrays = numberOf(parts, 2);
        for (std::size_t n = 0; n < arrays; ++n) {
            const std::vector<std::string> array = lineOf(rest);
            const std::size_t values = numberOf(array, 1) * numberOf(array, 2);
            const auto* const type = std::ranges::find(typeNames, std::string_view(array.back()),
                                                       [](const auto& each) { return each.first; });
            if (array.size() != 4 || type == std::end(typeNames))
                throw fileError(path_, "the VTK header gives {}, which is no sound field",
                                inQuotes(line_));
            if (isText)
                for (std::size_t read = 0; read < values;)
                    read += lineOf(rest).size();
            else
                rest.remove_prefix(std::min(rest.size(), values * bytesOf(type->second)));
        }
    }

    void requireOnce(bool found) const {
        if (found)
            throw fileError(path_, "the VTK header repeats itself at {}", inQuotes(line_));
    }

    template <typename Number>
    std::array<Number, 3> threeOf(const std::vector<std::string>& parts,
                                  std::optional<Number> (*parse)(std::string_view)) const {
        std::array<Number, 3> numbers{};
        bool sound = parts.size() == 4;
        for (std::size_t i = 0; i < 3 && sound; ++i) {
            const std::optional<Number> number = parse(parts[i + 1]);
            sound = number.has_value();
            numbers[i] = number.value_or(Number{});
        }
        if (!sound)
            throw fileError(path_, "the VTK header gives {}; three numbers are expected{}",
                            inQuotes(line_),
                            line_.find(',') != line_.npos
                                ? ", with points as decimal points and blanks between them"
                                : "");
        return numbers;
    }

    /// "scalars NAME TYPE [COMPONENTS]" or "vectors NAME TYPE".
    void readVoxelType(const std::vector<std::string>& parts, bool vectors) {
        const std::string stated = parts.size() > 2 ? parts[2] : std::string();
        const auto* const named =
            std::ranges::find(typeNames, stated, [](const auto& row) { return row.first; });
        if (named == std::end(typeNames))
            throw fileError(path_,
                            "the voxels have the type {}, which is not a number of 8 to 64 "
                            "bits",
                            inQuotes(stated));
        type = named->second;
        const auto count = vectors            ? std::optional<long long>(3)
                           : parts.size() > 3 ? parseInteger(parts[3])
                                              : std::optional<long long>(1);
        if (!count || *count < 1 || *count > maxComponents)
            throw fileError(path_,
                            "holds {} numbers per voxel; gray values or vectors are expected",
                            parts.size() > 3 ? parts[3] : stated);
        components = static_cast<int>(*count);
        needsTable_ = !vectors;
    }

    const std::string& path_;
    std::string text_;
    char lineEnd_;
    mutable std::string line_; ///< the last one, for messages
    bool needsTable_ = false;
};

} // namespace

bool recognizesVtk(const std::string& path, std::string_view) {
    return lowerCase(path).ends_with(".vtk");
}

StoredImage readVtk(const std::string& path, const OpenOptions& options) {
    const VtkHeader header(path);
    if (!header.dimensions)
        throw fileError(path, "the VTK header has no line DIMENSIONS");
    StoredImage image;
    image.path = path;
    image.format = "VTK legacy";
    image.type = header.type;
    image.bigEndian = true;
    image.components = header.components;
    const Size3 size = checkedSize(path, {*header.dimensions, header.components, "components"},
                                   bytesOf(image.type), options);
    image.vectors = {VectorFrame::Lps, false}; // ITK writes fields in LPS
    image.interleaving = image.components > 1 ? 1 : size.voxels();
    if (!header.spacing)
        image.notes.push_back("the voxel spacing is not stated; 1 mm is assumed");
    image.geometry = checkedGeometry(path, size, header.spacing.value_or(Vec3{1, 1, 1}),
                                     header.origin.value_or(Vec3{}), identity3, image.notes);
    image.assumedOrientation = "VTK states no direction of the axes: they are taken to run left, "
                               "posterior and superior";
    image.notes.push_back(image.assumedOrientation);
    openVoxels(
        image,
        {{path}, header.end, header.isText ? VoxelPlace::Coding::Text : VoxelPlace::Coding::Raw},
        options);
    return image;
}

} // namespace systole
