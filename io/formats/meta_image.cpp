// MetaImage: .mha with the voxels behind the header, .mhd with one or several data files beside it.
#include "io/base/data_file.h"
#include "io/base/data_names.h"
#include "io/base/messages.h"
#include "io/formats/header_keys.h"
#include "io/formats/image_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace systole {
namespace {

constexpr std::pair<const char*, VoxelType> elementTypes[] = {
    {"MET_CHAR", VoxelType::Int8},       {"MET_UCHAR", VoxelType::UInt8},
    {"MET_SHORT", VoxelType::Int16},     {"MET_USHORT", VoxelType::UInt16},
    {"MET_INT", VoxelType::Int32},       {"MET_UINT", VoxelType::UInt32},
    {"MET_LONG", VoxelType::Int32},      {"MET_ULONG", VoxelType::UInt32},
    {"MET_LONG_LONG", VoxelType::Int64}, {"MET_ULONG_LONG", VoxelType::UInt64},
    {"MET_FLOAT", VoxelType::Float32},   {"MET_DOUBLE", VoxelType::Float64}};

class MetaImageReader {
public:
    MetaImageReader(const std::string& path, const OpenOptions& options)
        : path_(path), options_(options), text_(InputFile(path).text(0, longestHeader)) {
        parse();
    }

    StoredImage read() {
        image_.path = path_;
        image_.format = "MetaImage";
        const std::string object = value("ObjectType");
        if (!object.empty() && object != "Image")
            throw fileError(path_, "holds a MetaIO object of type {}, not an image",
                            inQuotes(object));
        const long long dimensions = integer("NDims", 0);
        if (dimensions != 3 && dimensions != 4)
            throw fileError(path_,
                            "the header gives {} as NDims; a volume has 3, a sequence of volumes 4",
                            inQuotes(value("NDims")));
        dimensions_ = static_cast<std::size_t>(dimensions);
        image_.type = elementType();
        const std::vector<double> sizes = numbers({"DimSize"}, dimensions_);
        if (sizes.empty())
            throw fileError(path_, "the header gives no DimSize");
        const long long channels = integer("ElementNumberOfChannels", 1);
        requireKinds();
        if (channels > 1 && dimensions_ == 4)
            throw fileError(path_,
                            "holds {} numbers per voxel of a sequence (vectors or colors); one "
                            "gray value per voxel is needed",
                            channels);
        DeclaredSizes declared;
        for (std::size_t axis = 0; axis < 3; ++axis)
            declared.grid[axis] = wholeSize(sizes[axis]);
        declared.samples = dimensions_ == 4 ? wholeSize(sizes[3]) : channels;
        declared.sampleWord = dimensions_ == 4 ? "frames" : "channels";
        const Size3 size = checkedSize(path_, declared, bytesOf(image_.type), options_);
        (dimensions_ == 4 ? image_.frames : image_.components) = static_cast<int>(declared.samples);
        image_.interleaving = dimensions_ == 4 ? size.voxels() : 1;
        image_.geometry = geometry(size);
        if (image_.components == 3)
            addVectors();
        if (dimensions_ == 4 && !readTimestamps()) {
            const std::vector<double> spacing = numbers({"ElementSpacing"}, 4);
            setUniformTimes(
                image_, 0,
                spacing.empty()
                    ? std::string("the header gives no frame time")
                    : fmt::format("the header gives a frame step of {:g} without a unit of time",
                                  spacing[3]));
        }
        image_.rescale.slope = real("ElementToIntensityFunctionSlope", 1);
        image_.rescale.intercept = real("ElementToIntensityFunctionOffset", 0);
        image_.modality = modalityNamedIn(value("Modality"));
        findVoxels();
        return std::move(image_);
    }

private:
    void parse() {
        const char lineEnd = lineEndOf(text_);
        for (std::string_view rest = text_; !rest.empty();) {
            const std::string_view line = nextLine(rest, lineEnd);
            if (trimmed(line).empty())
                continue;
            const std::size_t equals = line.find('=');
            if (equals == std::string_view::npos)
                throw fileError(
                    path_, "a header line of the form Key = Value was expected, but {} was found",
                    inQuotes(line));
            const std::string key(trimmed(line.substr(0, equals)));
            const std::string_view value = trimmed(line.substr(equals + 1));
            const auto [found, isNew] = values_.try_emplace(key, value);
            if (!isNew && found->second != value)
                throw fileError(path_, "the header gives {} twice, as {} and as {}", inQuotes(key),
                                inQuotes(found->second), inQuotes(value));
            if (key == "ElementDataFile") {
                headerEnd_ = text_.size() - rest.size();
                return;
            }
        }
        throw fileError(path_,
                        "the header has no ElementDataFile, which must say where the voxels are");
    }

    std::string value(const std::string& key) const { return textOf(values_, key); }
    /// Whether a setting with any of several names is true. Throws FileError where they contradict
    /// each other.
    bool isTrue(std::initializer_list<const char*> keys) const {
        std::optional<bool> found;
        for (const char* key : keys) {
            const std::string text = lowerCase(value(key));
            const bool here =
                text == "true" || text == "1" || text == "yes" || text == "t" || text == "y";
            if (!text.empty() && found.value_or(here) != here)
                throw fileError(path_, "the header's {} and {} name the same, but differ",
                                *keys.begin(), key);
            if (!text.empty())
                found = here;
        }
        return found.value_or(false);
    }
    long long integer(const char* key, long long missing) const {
        if (value(key).empty())
            return missing;
        const auto number = parseInteger(value(key));
        if (!number)
            throw fileError(path_, "the header gives {} as {}; a whole number was expected",
                            inQuotes(value(key)), key);
        return *number;
    }
    double real(const char* key, double missing) const {
        const std::vector<double> found = numbers({key}, 1);
        return found.empty() ? missing : found[0];
    }
    std::vector<double> numbersOf(const char* key, std::size_t count) const {
        std::vector<double> found;
        for (const std::string& word : words(value(key))) {
            const auto number = parseReal(word);
            if (!number)
                throw fileError(path_, "the header gives {} in {}; a number was expected",
                                inQuotes(word), key);
            found.push_back(*number);
        }
        if (!found.empty() && found.size() != count)
            throw fileError(path_, "the header gives {} numbers as {}; {} are expected",
                            found.size(), key, count);
        return found;
    }
    /// The values of a setting with any of several names; empty: the header has none of them.
    std::vector<double> numbers(std::initializer_list<const char*> keys, std::size_t count) const {
        std::vector<double> found;
        const char* first = nullptr;
        for (const char* key : keys) {
            std::vector<double> here = numbersOf(key, count);
            if (!here.empty() && first && here != found)
                throw fileError(path_, "the header's {} and {} name the same, but differ", first,
                                key);
            if (!here.empty() && !first) {
                found = std::move(here);
                first = key;
            }
        }
        return found;
    }
    std::int64_t wholeSize(double size) const {
        constexpr double largestExact = 9007199254740992.0;
        if (!(size >= 1) || size > largestExact ||
            size != static_cast<double>(static_cast<std::int64_t>(size)))
            throw fileError(
                path_, "the header gives {} as a size; it must be a whole number of at least 1",
                size);
        return static_cast<std::int64_t>(size);
    }

    VoxelType elementType() const {
        const std::string stated = value("ElementType");
        for (const auto& [name, type] : elementTypes) // _ARRAY: of several channels, in old files
            if (stated == name || stated == std::string(name) + "_ARRAY")
                return type;
        throw fileError(path_,
                        "the voxels have ElementType {}, which is not a number of 8 to 64 bits",
                        inQuotes(stated));
    }

    /// Checks the kinds of the axes as Plus and Slicer write them: three of space, then at most one
    /// of frames.
    void requireKinds() const {
        const std::vector<std::string> kinds = words(lowerCase(value("Kinds")));
        for (std::size_t axis = 0; axis < kinds.size(); ++axis) {
            const bool space = kinds[axis] == "domain" || kinds[axis] == "space";
            const bool frames = kinds[axis] == "list" || kinds[axis] == "time";
            if (axis < 3 ? !space : !frames && !space)
                throw fileError(path_,
                                "its axes are {}; three of space (domain), then one of frames "
                                "(list), are read",
                                inQuotes(value("Kinds")));
        }
    }

    /// Adds the convention in which ITK writes fields, unless the image is colors or states another
    /// direction.
    void addVectors() {
        if (image_.type == VoxelType::UInt8)
            image_.vectors.noField = "holds colors, not displacements";
        image_.vectors.frame = VectorFrame::Lps;
        image_.vectors.positions = false;
        if (!value("DistanceUnits").empty() && millimeters() != 1) {
            image_.vectors.frame.reset();
            image_.vectors.unsaid = "its distances aren't in millimeters, which its vectors may be";
        }
        addFieldDirection(path_, values_, image_.vectors);
    }

    /// Reads Plus' timestamps of frames; false: the header has none.
    bool readTimestamps() {
        noteFrameStates(values_, image_);
        std::vector<double> stamps = frameTimestamps(values_, image_.frames);
        if (stamps.empty())
            return false;
        setListedTimes(image_, std::move(stamps));
        return true;
    }

    double millimeters() const {
        const std::string stated = value("DistanceUnits");
        if (stated.empty() || stated == "?")
            return 1;
        const double unit = millimetersPerUnit(stated);
        if (unit == 0)
            throw fileError(path_, "the unit of length is {}, which is not known here",
                            inQuotes(stated));
        return unit;
    }

    Geometry geometry(Size3 size) {
        const std::size_t n = dimensions_;
        const double unit = millimeters();
        Vec3 spacing{1, 1, 1}, origin;
        std::vector<double> stated = numbers({"ElementSpacing"}, n);
        if (stated.empty())
            // Size of a voxel, which is smaller than the spacing where voxels have gaps.
            stated = numbers({"ElementSize"}, n);
        if (stated.empty())
            image_.notes.push_back("the voxel spacing is not stated; 1 mm is assumed");
        const std::vector<double> offset = numbers({"Offset", "Position", "Origin"}, n);
        const std::vector<double> matrix =
            numbers({"TransformMatrix", "Rotation", "Orientation"}, n * n);
        Matrix3 columns = identity3;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!stated.empty())
                spacing[static_cast<int>(axis)] = unit * stated[axis];
            if (!offset.empty())
                origin[static_cast<int>(axis)] = unit * offset[axis];
            for (std::size_t row = 0; row < 3 && !matrix.empty(); ++row)
                columns[row][axis] = matrix[axis * n + row]; // each axis in turn
            if (spacing[static_cast<int>(axis)] < 0) {       // as ITK does
                spacing[static_cast<int>(axis)] *= -1;
                for (std::size_t row = 0; row < 3; ++row)
                    columns[row][axis] *= -1;
            }
        }
        const std::string letters = value("AnatomicalOrientation");
        if (matrix.empty() && !letters.empty() && letters != "RAI" && letters != "?" &&
            letters != "???")
            addNote(image_.notes,
                    "the header has no TransformMatrix: the axes are taken to run left, posterior "
                    "and superior, as ITK does, though it gives {} as AnatomicalOrientation",
                    inQuotes(letters));
        return checkedGeometry(path_, size, spacing, origin, columns, image_.notes);
    }

    void findVoxels() {
        const Size3 size = image_.geometry.size();
        const std::string named = completedNamePattern(
            path_, value("ElementDataFile"),
            static_cast<std::uint64_t>(dimensions_ == 4 ? image_.frames : size.z));
        image_.bigEndian = isTrue({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"});
        const bool compressed = isTrue({"CompressedData"});
        const bool local = named == "LOCAL" || named == "Local" || named == "local";
        VoxelPlace place{{path_}, local ? headerEnd_ : 0};
        if (named.starts_with("LIST") || isNamePattern(named))
            place.files = severalFiles(named);
        else if (!local)
            place.files = {besideHeader(path_, named)};
        const std::string binary = lowerCase(value("BinaryData"));
        if (binary == "false" || binary == "0") {
            place.coding = VoxelPlace::Coding::Text;
        } else if (compressed) {
            place.coding = VoxelPlace::Coding::Deflated;
            // Nothing else rests on it, and older MetaIO has a floating number there.
            if (place.files.size() == 1)
                place.deflatedBytes = static_cast<std::uint64_t>(
                    std::max(parseInteger(value("CompressedDataSize")).value_or(0), 0LL));
        } else {
            place.skip = integer("HeaderSize", 0);
            if (place.skip < -1 || place.skip > static_cast<long long>(options_.maximumFileBytes))
                throw fileError(path_, "the header gives {} as HeaderSize", place.skip);
        }
        openVoxels(image_, place, options_);
    }

    /// One file for each slice or volume: "LIST", "LIST 2" with names line by line behind the
    /// header, or "slice%03d.raw 1 20 1".
    std::vector<std::string> severalFiles(const std::string& named) const {
        std::vector<std::string> names, rest;
        std::optional<NamePattern> pattern;
        if (isNamePattern(named)) {
            pattern = parseNamePattern(path_, named);
            rest = pattern->rest;
        } else {
            rest = words(named);
            rest.erase(rest.begin()); // LIST
            std::string_view lines = std::string_view(text_).substr(headerEnd_);
            for (const char lineEnd = lineEndOf(text_); !lines.empty();)
                if (const auto line = trimmed(nextLine(lines, lineEnd)); !line.empty())
                    names.emplace_back(line);
        }
        const auto axes = static_cast<long long>(dimensions_);
        const auto each = rest.empty() ? std::optional(axes - 1) : parseInteger(rest.front());
        const Size3 size = image_.geometry.size();
        const auto slices = static_cast<std::uint64_t>(size.z),
                   frames = static_cast<std::uint64_t>(image_.frames);
        if (rest.size() > 1 || !each || (*each != axes - 1 && *each != 2))
            throw fileError(path_,
                            "names its data files by {}; a file for each slice or volume is "
                            "expected",
                            inQuotes(named));
        const std::uint64_t expected = *each == 2 ? slices * frames : frames;
        const std::uint64_t listed = pattern ? pattern->count : names.size();
        if (listed != expected)
            throw fileError(path_, "lists {} data files; {} are expected", listed, expected);
        if (pattern)
            return pattern->filesBeside(path_);
        for (std::string& name : names)
            name = besideHeader(path_, name);
        return names;
    }

    std::string path_;
    OpenOptions options_;
    std::string text_;
    HeaderKeys values_;
    std::size_t headerEnd_ = 0;
    std::size_t dimensions_ = 0;
    StoredImage image_;
};

} // namespace

bool recognizesMetaImage(const std::string& path, std::string_view beginning) {
    const std::string lower = lowerCase(path);
    return beginning.starts_with("ObjectType") || beginning.starts_with("NDims") ||
           lower.ends_with(".mha") || lower.ends_with(".mhd");
}

StoredImage readMetaImage(const std::string& path, const OpenOptions& options) {
    return MetaImageReader(path, options).read();
}

} // namespace systole
