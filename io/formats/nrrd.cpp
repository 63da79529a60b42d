// NRRD and Slicer's .seq.nrrd, with the list axis anywhere, attached or with a data file beside it.
#include "io/base/data_file.h"
#include "io/base/data_names.h"
#include "io/base/messages.h"
#include "io/formats/header_keys.h"
#include "io/formats/image_formats.h"
#include "io/formats/nrrd_header.h"
#include "io/formats/nrrd_space.h"
#include "io/formats/nrrd_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace systole {
namespace {

constexpr std::size_t maxAxes = 16;

/// The names of each type, between bars.
constexpr std::pair<std::string_view, VoxelType> typeNames[] = {
    {"signed char|int8|int8_t", VoxelType::Int8},
    {"uchar|unsigned char|uint8|uint8_t", VoxelType::UInt8},
    {"short|short int|signed short|signed short int|int16|int16_t", VoxelType::Int16},
    {"ushort|unsigned short|unsigned short int|uint16|uint16_t", VoxelType::UInt16},
    {"int|signed int|int32|int32_t", VoxelType::Int32},
    {"uint|unsigned int|uint32|uint32_t", VoxelType::UInt32},
    {"longlong|long long|long long int|signed long long|signed long long int|int64|int64_t",
     VoxelType::Int64},
    {"ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t", VoxelType::UInt64},
    {"float", VoxelType::Float32},
    {"double", VoxelType::Float64}};

/// Kinds of an axis along which whole images follow one another; other kinds count components.
bool isListKind(const std::string& kind) {
    static const std::set<std::string> kinds = {"",    "list", "time",   "none",
                                                "???", "stub", "domain", "space"};
    return kinds.contains(kind);
}

struct Axes {
    std::vector<std::size_t> spatial; ///< three, in the order of the file
    std::optional<std::size_t> other; ///< the axis that counts frames or components
};

class NrrdReader {
public:
    NrrdReader(const std::string& path, const OpenOptions& options)
        : path_(path)
        , options_(options)
        , header_(parseNrrdHeader(path, InputFile(path).text(0, longestHeader))) {}

    StoredImage read() {
        image_.path = path_;
        image_.type = type();
        readAxes();
        const Axes axes = chooseAxes();
        const bool components = axes.other && !isListKind(kind(*axes.other));
        const std::int64_t samples = axes.other ? sizes_[*axes.other] : 1;
        const DeclaredSizes declared{
            {sizes_[axes.spatial[0]], sizes_[axes.spatial[1]], sizes_[axes.spatial[2]]},
            samples,
            components ? "components" : "frames"};
        const Size3 size = checkedSize(path_, declared, bytesOf(image_.type), options_);
        (components ? image_.components : image_.frames) = static_cast<int>(samples);
        image_.format = image_.frames > 1 ? "NRRD sequence" : "NRRD";
        image_.interleaving = 1;
        for (const std::size_t axis : axes.spatial)
            if (!axes.other || axis < *axes.other)
                image_.interleaving *= static_cast<std::size_t>(sizes_[axis]);

        const NrrdPlace place =
            nrrdPlace(path_, header_, axes_, {axes.spatial[0], axes.spatial[1], axes.spatial[2]},
                      directions_, image_.notes);
        image_.assumedOrientation = place.assumedOrientation;
        image_.geometry =
            checkedGeometry(path_, size, place.spacing, place.origin, place.columns, image_.notes);
        if (image_.components == 3) {
            const NrrdVectorField field = nrrdVectors(path_, header_, kind(*axes.other));
            image_.vectors = field.stated;
            image_.rescale.slope = field.millimeters;
        }
        if (image_.frames > 1)
            requireFrames(path_, header_.keys);
        if (axes.other && !components)
            setTimes(*axes.other);
        if (const auto segments = segmentsIn(header_.keys); !segments.empty())
            addNote(image_.notes, "labels are named: {}", segmentNames(segments));
        for (const char* key : {"modality", "DICOM.Modality", "Modality"})
            if (image_.modality.empty())
                image_.modality = modalityNamedIn(header_.key(key));
        findVoxels();
        return std::move(image_);
    }

private:
    VoxelType type() const {
        const std::string stated = lowerCase(header_.field("type"));
        for (const auto& [names, type] : typeNames)
            if (std::ranges::count(words(names, "|"), stated) > 0)
                return type;
        throw fileError(path_, "the voxels have type {}, which is not a number of 8 to 64 bits",
                        inQuotes(stated));
    }

    void readAxes() {
        const auto dimension = parseInteger(header_.field("dimension"));
        if (!dimension || *dimension < 3 || *dimension > static_cast<long long>(maxAxes))
            throw fileError(
                path_,
                "the header gives {} as its dimension; a volume has 3, a sequence of volumes 4",
                inQuotes(header_.field("dimension")));
        const std::vector<std::string> stated = words(header_.field("sizes"));
        for (const std::string& word : stated) {
            const auto size = parseInteger(word);
            if (!size || *size < 1)
                throw fileError(
                    path_, "the header gives {} as a size; it must be a whole number of at least 1",
                    inQuotes(word));
            sizes_.push_back(*size);
        }
        const auto count = static_cast<std::size_t>(*dimension);
        if (sizes_.size() != count)
            throw fileError(path_, "the header gives {} sizes for {} dimensions", sizes_.size(),
                            count);
        for (const std::string& kind : words(header_.field("kinds")))
            kinds_.push_back(lowerCase(kind));
        if (!kinds_.empty() && kinds_.size() != count)
            throw fileError(path_, "the header gives {} kinds for {} dimensions", kinds_.size(),
                            count);
        directions_ = parseNrrdVectors(path_, header_.field("space directions"));
        if (!directions_.empty() && directions_.size() != count)
            throw fileError(path_, "the header gives {} space directions for {} dimensions",
                            directions_.size(), count);
        axes_ = nrrdAxes(path_, header_, sizes_);
    }

    std::string kind(std::size_t axis) const { return axis < kinds_.size() ? kinds_[axis] : ""; }

    bool isSpatial(std::size_t axis) const {
        if (!directions_.empty()) {
            const auto& vector = directions_[axis];
            // The axis of time in a space with time points along no axis of space.
            return vector && !(vector->size() == 4 && (*vector)[3] != 0);
        }
        if (!kinds_.empty())
            return kind(axis) == "domain" || kind(axis) == "space";
        return axis < 3;
    }

    Axes chooseAxes() {
        Axes axes;
        for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
            if (isSpatial(axis))
                axes.spatial.push_back(axis);
            else if (sizes_[axis] > 1 && axes.other && sizes_[*axes.other] > 1)
                throw fileError(path_, "has more than one axis beside the three of space; a "
                                       "sequence of volumes has one");
            else if (sizes_[axis] > 1 || (!axes.other && isListKind(kind(axis))))
                axes.other = axis;
        }
        if (axes.spatial.size() != 3)
            throw fileError(path_, "{} of its axes lie in space; a volume has 3",
                            axes.spatial.size());
        if (directions_.empty() && kinds_.empty() && axes.other)
            image_.notes.push_back("the header does not say which axis is time; the last is taken");
        return axes;
    }

    /// Slicer's sequences list their times under the number of the axis, its older multi-volumes
    /// under a name of their own.
    void setTimes(std::size_t axis) {
        if (const std::string quantity = quantityOf(axis); !quantity.empty()) {
            setUniformTimes(image_, 0,
                            fmt::format("the frames are told apart by {}", inQuotes(quantity)));
            return;
        }
        if (std::vector<double> stamps = frameTimestamps(header_.keys, image_.frames);
            !stamps.empty()) {
            setListedTimes(image_, std::move(stamps));
            noteFrameStates(header_.keys, image_);
            return;
        }
        const std::vector<std::string> units = parseNrrdStrings(header_.field("units"));
        std::string unit = axis < units.size() ? units[axis] : "";
        std::string values = header_.key(fmt::format("axis {} index values", axis));
        if (values.empty()) {
            values = header_.key("MultiVolume.FrameLabels");
            if (unit.empty())
                unit = header_.key("MultiVolume.FrameIdentifyingDICOMTagUnits");
        }
        const double seconds = secondsPerUnit(unit);
        if (values.empty()) {
            setTimesFromStep(axis, seconds);
            return;
        }
        if (seconds == 0) {
            setUniformTimes(image_, 0,
                            unit.empty()
                                ? "the listed times have no unit"
                                : fmt::format("the listed times are in {}", inQuotes(unit)));
            return;
        }
        std::vector<double> times;
        for (const std::string& word : words(values, " \t,"))
            times.push_back(seconds * parseReal(word).value_or(unknownTime));
        setListedTimes(image_, std::move(times));
    }

    /// Another quantity than time by which the frames differ; empty: none is named.
    std::string quantityOf(std::size_t axis) const {
        const std::vector<std::string> labels = parseNrrdStrings(header_.field("labels"));
        const std::string label = axis < labels.size() ? labels[axis] : "";
        const std::string other = otherQuantityThanTime(label);
        return other.empty()
                   ? otherQuantityThanTime(header_.key("MultiVolume.FrameIdentifyingDICOMTagName"))
                   : other;
    }

    void setTimesFromStep(std::size_t axis, double secondsPerStepUnit) {
        double step = samplesOf(path_, axes_[axis]).step;
        if (axis < directions_.size() && directions_[axis] && directions_[axis]->size() == 4) {
            step = (*directions_[axis])[3];
            const auto units = parseNrrdStrings(header_.field("space units"));
            secondsPerStepUnit = units.size() > 3 ? secondsPerUnit(units[3]) : 0;
        }
        const bool none = std::isnan(step) || step == 0;
        setUniformTimes(image_, none ? 0 : step * secondsPerStepUnit,
                        none ? "the header lists no times"
                             : "the header gives a frame step without a unit of time");
    }

    /// "LIST", "LIST 2" or "f%d.raw 1 4 1 2": each file holds the axes up to that one.
    std::vector<std::string> severalFiles(const std::string& named) const {
        std::vector<std::string> names = header_.listed;
        std::vector<std::string> rest = words(named);
        std::optional<NamePattern> pattern;
        if (names.empty() && isNamePattern(named)) {
            pattern = parseNamePattern(path_, named);
            rest = pattern->rest;
        } else {
            rest.erase(rest.begin()); // LIST
        }
        const std::size_t axes = sizes_.size();
        const auto each = rest.empty() ? std::optional(static_cast<long long>(axes) - 1)
                                       : parseInteger(rest.front());
        if (rest.size() > 1 || !each || *each < 1 || *each > static_cast<long long>(axes))
            throw fileError(path_,
                            "names its data files by {}; the axes that each file holds are "
                            "expected as its last number, from 1 to {}",
                            inQuotes(named), axes);
        std::uint64_t expected = 1;
        for (auto axis = static_cast<std::size_t>(*each); axis < axes; ++axis)
            expected *= static_cast<std::uint64_t>(sizes_[axis]);
        // Files that hold all axes are slabs along the last axis.
        const std::uint64_t listed = pattern ? pattern->count : names.size();
        const bool slabs = static_cast<std::size_t>(*each) == axes && listed > 0 &&
                           static_cast<std::uint64_t>(sizes_.back()) % listed == 0;
        if (!slabs && listed != expected)
            throw fileError(path_, "names {} data files; {} are expected", listed, expected);
        if (pattern)
            return pattern->filesBeside(path_);
        for (std::string& name : names)
            name = besideHeader(path_, name);
        return names;
    }

    void findVoxels() {
        const std::string file = header_.field("data file");
        VoxelPlace place{{path_}, header_.end};
        if (!header_.listed.empty() || file.starts_with("LIST") || isNamePattern(file)) {
            place = {severalFiles(file)};
        } else if (!file.empty()) {
            place = {{besideHeader(path_, file)}};
        }
        place.skip = skip("byte skip");
        place.skipLines = static_cast<std::uint64_t>(std::max(skip("line skip"), 0LL));

        const std::string encoding = lowerCase(header_.field("encoding"));
        if (encoding == "gzip" || encoding == "gz") {
            place.coding = VoxelPlace::Coding::Deflated;
            if (place.skip < 0 || place.skipLines > 0)
                throw fileError(path_, "asks to skip lines, or bytes from the end, of compressed "
                                       "voxels, which is not supported");
        } else if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
            place.coding = VoxelPlace::Coding::Text;
        } else if (encoding != "raw") {
            throw fileError(path_, "the voxels have encoding {}; raw, gzip and ascii are read here",
                            inQuotes(encoding));
        }
        openVoxels(image_, place, options_);
        if (place.coding != VoxelPlace::Coding::Text)
            image_.bigEndian = isBigEndian();
    }

    long long skip(const char* name) const {
        const std::string text = header_.field(name);
        if (text.empty())
            return 0;
        const auto value = parseInteger(text);
        if (!value || *value < -1 || *value > static_cast<long long>(options_.maximumFileBytes))
            throw fileError(path_, "the header gives {} as its {}", inQuotes(text), name);
        return *value;
    }

    bool isBigEndian() const {
        const std::string endian = lowerCase(header_.field("endian"));
        if (endian != "little" && endian != "big" && bytesOf(image_.type) > 1)
            throw fileError(path_, "the byte order of {} voxels must be little or big, not {}",
                            name(image_.type), inQuotes(endian));
        return endian == "big";
    }

    std::string path_;
    OpenOptions options_;
    NrrdHeader header_;
    StoredImage image_;
    std::vector<std::int64_t> sizes_;
    std::vector<NrrdAxis> axes_;
    std::vector<std::string> kinds_;
    NrrdVectors directions_;
};

} // namespace

bool recognizesNrrd(const std::string& path, std::string_view beginning) {
    const std::string lower = lowerCase(path);
    return beginning.starts_with("NRRD000") || lower.ends_with(".nrrd") || lower.ends_with(".nhdr");
}

StoredImage readNrrd(const std::string& path, const OpenOptions& options) {
    return NrrdReader(path, options).read();
}

} // namespace systole
