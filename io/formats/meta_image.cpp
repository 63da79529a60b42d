// MetaImage: .mha with the voxels behind the header, .mhd with one or several data files beside it.
#include "io/data_file.h"
#include "io/formats/image_formats.h"
#include "io/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
        if (dimensions_ == 4) {
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
        for (std::string_view rest = text_; !rest.empty();) {
            const std::string_view line = nextLine(rest);
            if (trimmed(line).empty())
                continue;
            const std::size_t equals = line.find('=');
            if (equals == std::string_view::npos)
                throw fileError(
                    path_, "a header line of the form Key = Value was expected, but {} was found",
                    inQuotes(line));
            const std::string key(trimmed(line.substr(0, equals)));
            values_[key] = trimmed(line.substr(equals + 1));
            if (key == "ElementDataFile") {
                headerEnd_ = text_.size() - rest.size();
                return;
            }
        }
        throw fileError(path_,
                        "the header has no ElementDataFile, which must say where the voxels are");
    }

    std::string value(const std::string& key) const {
        const auto found = values_.find(key);
        return found == values_.end() ? std::string() : found->second;
    }
    /// The first of several names by which MetaIO knows a field.
    std::string value(std::initializer_list<const char*> keys) const {
        for (const char* key : keys)
            if (!value(key).empty())
                return value(key);
        return {};
    }
    bool isTrue(std::initializer_list<const char*> keys) const {
        const std::string text = lowerCase(value(keys));
        return text == "true" || text == "1" || text == "yes";
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
    /// Those of the first of several names that is there; empty: none is.
    std::vector<double> numbers(std::initializer_list<const char*> keys, std::size_t count) const {
        std::vector<double> found;
        for (const char* key : keys) {
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
            if (!found.empty())
                break;
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
        for (const auto& [name, type] : elementTypes)
            if (stated == name)
                return type;
        throw fileError(path_,
                        "the voxels have ElementType {}, which is not a number of 8 to 64 bits",
                        inQuotes(stated));
    }

    Geometry geometry(Size3 size) {
        const std::size_t n = dimensions_;
        double unit = 1;
        if (const std::string stated = value("DistanceUnits"); !stated.empty() && stated != "?") {
            unit = millimetersPerUnit(stated);
            if (unit == 0)
                throw fileError(path_, "the unit of length is {}, which is not known here",
                                inQuotes(stated));
        }
        Vec3 spacing{1, 1, 1}, origin;
        const std::vector<double> stated = numbers({"ElementSpacing", "ElementSize"}, n);
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
        }
        return checkedGeometry(path_, size, spacing, origin, columns, image_.notes);
    }

    void findVoxels() {
        const std::string named = value("ElementDataFile");
        image_.bigEndian = isTrue({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"});
        const bool compressed = isTrue({"CompressedData"});
        if (named.starts_with("LIST")) {
            readList(named, compressed);
            return;
        }
        const bool local = named == "LOCAL" || named == "Local" || named == "local";
        VoxelPlace place{local ? path_ : besideHeader(path_, named), local ? headerEnd_ : 0};
        const std::string binary = lowerCase(value("BinaryData"));
        if (binary == "false" || binary == "0") {
            place.coding = VoxelPlace::Coding::Text;
        } else if (compressed) {
            place.coding = VoxelPlace::Coding::Deflated;
            // Nothing else rests on it, and older MetaIO has a floating number there.
            place.deflatedBytes = static_cast<std::uint64_t>(
                std::max(parseInteger(value("CompressedDataSize")).value_or(0), 0LL));
        } else {
            place.skip = integer("HeaderSize", 0);
            if (place.skip < -1 || place.skip > static_cast<long long>(options_.maximumFileBytes))
                throw fileError(path_, "the header gives {} as HeaderSize", place.skip);
        }
        openVoxels(image_, place, options_);
    }

    /// One file for each slice or volume, named line by line behind the header.
    void readList(const std::string& listWord, bool compressed) {
        const std::vector<std::string> parts = words(listWord);
        const auto dimension = parts.size() > 1
                                   ? parseInteger(parts[1])
                                   : std::optional(static_cast<long long>(dimensions_) - 1);
        const auto pieces =
            static_cast<std::uint64_t>(dimensions_ == 4 ? image_.frames : image_.geometry.size().z);
        if (compressed || image_.components > 1 || !dimension ||
            *dimension != static_cast<long long>(dimensions_) - 1)
            throw fileError(path_,
                            "lists its data files in a way that is not supported: uncompressed "
                            "slices of a volume or volumes of a sequence are expected");
        std::vector<std::string> files;
        for (const std::string& line : words(std::string_view(text_).substr(headerEnd_), "\r\n"))
            if (!trimmed(line).empty())
                files.push_back(besideHeader(path_, std::string(trimmed(line))));
        if (files.size() != pieces)
            throw fileError(path_, "lists {} data files; {} are expected", files.size(), pieces);
        image_.bytes = openConcatenatedBytes(files, image_.storedBytes() / pieces);
    }

    std::string path_;
    OpenOptions options_;
    std::string text_;
    std::map<std::string, std::string> values_;
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
