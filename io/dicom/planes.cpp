#include "io/dicom/planes.h"

#include "io/base/messages.h"
#include "io/dicom/codestream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace systole {
namespace {

constexpr DicomTag modality{0x0008, 0x0060, "CS"}, cycleInterval{0x0018, 0x1062, "IS"},
    frameTime{0x0018, 0x1063, "DS"}, heartRate{0x0018, 0x1088, "IS"},
    nominalInterval{0x0020, 0x9251, "FD"}, seriesUid{0x0020, 0x000e, "UI"},
    studyUid{0x0020, 0x000d, "UI"}, instanceUid{0x0008, 0x0018, "UI"},
    classUid{0x0008, 0x0016, "UI"}, spaceUid{0x0020, 0x0052, "UI"}, imageType{0x0008, 0x0008, "CS"},
    seriesNumber{0x0020, 0x0011, "IS"}, position{0x0020, 0x0032, "DS"},
    orientation{0x0020, 0x0037, "DS"}, volumePosition{0x0020, 0x9301, "FD"},
    volumeOrientation{0x0020, 0x9302, "FD"}, samplesPerPixel{0x0028, 0x0002, "US"},
    photometric{0x0028, 0x0004, "CS"}, frameCount{0x0028, 0x0008, "IS"}, rows{0x0028, 0x0010, "US"},
    columns{0x0028, 0x0011, "US"}, pixelSpacing{0x0028, 0x0030, "DS"},
    detectorSpacing{0x0018, 0x1164, "DS"}, bitsAllocated{0x0028, 0x0100, "US"},
    bitsStored{0x0028, 0x0101, "US"}, highBit{0x0028, 0x0102, "US"},
    pixelRepresentation{0x0028, 0x0103, "US"}, intercept{0x0028, 0x1052, "DS"},
    slope{0x0028, 0x1053, "DS"}, modalityTable{0x0028, 0x3000, "SQ"},
    sharedGroups{0x5200, 0x9229, "SQ"}, perFrameGroups{0x5200, 0x9230, "SQ"},
    dimensions{0x0020, 0x9222, "SQ"}, dimensionPointer{0x0020, 0x9165, "AT"};

constexpr int maxFrames = 100'000; ///< each has attributes in memory

constexpr std::string_view nuclearClass = "1.2.840.10008.5.1.4.1.1.20",
                           doseClass = "1.2.840.10008.5.1.4.1.1.481.2";

/// Indices of dimensions are numbers of frames, slices or stacks.
constexpr double maxDimensionIndex = 1e5;
/// Max dimensions whose indices combine to one exact number.
constexpr std::size_t maxDimensions = 3;

/// Looks where an attribute of a frame may stand: in its own functional groups, in those that all
/// frames share, or at the top.
class FrameAttributes {
public:
    FrameAttributes(const DicomFile& file, std::size_t frame) : top_(file.elements) {
        const auto& perFrame = top_.items(perFrameGroups);
        const auto& shared = top_.items(sharedGroups);
        own_ = frame < perFrame.size() ? &perFrame[frame] : nullptr;
        shared_ = shared.empty() ? nullptr : &shared.front();
    }

    std::vector<double> numbers(DicomTag tag) const {
        std::vector<double> found;
        if (own_)
            found = own_->numbersAnywhere(tag);
        if (found.empty() && shared_)
            found = shared_->numbersAnywhere(tag);
        return found.empty() ? top_.numbers(tag) : found;
    }
    std::optional<double> number(DicomTag tag) const {
        const std::vector<double> found = numbers(tag);
        return found.empty() ? std::nullopt : std::optional(found.front());
    }
    std::string text(DicomTag tag) const {
        std::string found;
        if (own_)
            found = own_->textAnywhere(tag);
        if (found.empty() && shared_)
            found = shared_->textAnywhere(tag);
        return found.empty() ? top_.text(tag) : found;
    }

private:
    const DicomItem& top_;
    const DicomItem* own_ = nullptr;
    const DicomItem* shared_ = nullptr;
};

/// The words behind the first two of the image type say what the numbers are; vendors add a
/// contrast to them ("M_FFE") or spell them out.
std::string componentNamedIn(const std::vector<std::string>& type) {
    for (std::size_t i = 2; i < type.size(); ++i) {
        const std::string& word = type[i];
        const auto is = [&](const char* letter, std::initializer_list<const char*> names) {
            return word == letter || word.starts_with(std::string(letter) + "_") ||
                   std::find(names.begin(), names.end(), word) != names.end();
        };
        if (is("M", {"MAGNITUDE", "MAG"}))
            return "magnitude";
        if (is("P", {"PHASE", "PHASE MAP", "VELOCITY MAP", "VELOCITY"}))
            return "phase";
        if (is("R", {"REAL"}))
            return "real";
        if (is("I", {"IMAGINARY"}))
            return "imaginary";
    }
    return {};
}

std::string componentOf(const FrameAttributes& attributes, const std::string& type) {
    if (const std::string stated = attributes.text({0x0008, 0x9208, "CS"});
        !stated.empty() && stated != "MIXED")
        return lowerCase(stated);
    // GE doesn't say it in the image type.
    constexpr const char* ofGe[] = {"magnitude", "phase", "real", "imaginary"};
    if (const auto code = attributes.number({0x0043, 0x102f, "SS"});
        attributes.text({0x0043, 0x0010, "LO"}) == "GEMS_PARM_01" && code &&
        (*code == 0 || *code == 1 || *code == 2 || *code == 3))
        return ofGe[static_cast<int>(*code)];
    return componentNamedIn(words(type, "\\"));
}

/// Kinds of an image, in the order of kindKeys.
std::array<std::string, kindKeys.size()> kindsOf(const FrameAttributes& attributes) {
    const auto first = [&](DicomTag tag, DicomTag ofFrames) {
        const std::string text = attributes.text(tag);
        if (!text.empty() && std::string_view(ofFrames.representation) != "FD")
            return text;
        const auto number = attributes.number(text.empty() ? ofFrames : tag);
        return number ? fmt::format("{:g}", *number) : text;
    };
    const std::string ofFrame = attributes.text({0x0008, 0x9007, "CS"}),
                      type = ofFrame.empty() ? attributes.text(imageType) : ofFrame;
    return {componentOf(attributes, type),
            type,
            attributes.text({0x0018, 0x0086, "IS"}),
            first({0x0018, 0x0081, "DS"}, {0x0018, 0x9082, "FD"}),
            first({0x0018, 0x1210, "SH"}, {0x0018, 0x9316, "CS"}),
            first({0x0018, 0x0082, "DS"}, {0x0018, 0x9079, "FD"}),
            attributes.text({0x0018, 0x1314, "DS"}),
            first({0x0018, 0x9087, "FD"}, {0x0018, 0x9087, "FD"}),
            attributes.text({0x0020, 0x0012, "IS"})};
}

std::optional<Vec3> threeFrom(const std::vector<double>& numbers, std::size_t at) {
    if (numbers.size() < at + 3 || !std::isfinite(numbers[at] + numbers[at + 1] + numbers[at + 2]))
        return std::nullopt;
    return Vec3{numbers[at], numbers[at + 1], numbers[at + 2]};
}

/// Whether the attribute that a dimension counts the values of is one of time.
bool isOfTime(const std::vector<double>& pointer) {
    constexpr DicomTag temporal[] = {{0x0020, 0x930d}, {0x0020, 0x9128}, {0x0020, 0x9241},
                                     {0x0020, 0x9153}, {0x0020, 0x9252}, {0x0018, 0x1060},
                                     {0x0020, 0x0100}, {0x0018, 0x9074}, {0x0018, 0x9151}};
    return pointer.size() == 2 && std::ranges::any_of(temporal, [&](DicomTag tag) {
               return pointer[0] == tag.group && pointer[1] == tag.element;
           });
}

/// The indices of a frame in the dimensions of time, as one number that grows as they do. Where the
/// file doesn't say what its dimensions are, those of place count too: they are equal at one place.
std::optional<double> orderInDimensions(const DicomFile& file, const FrameAttributes& attributes) {
    const std::vector<double> indices = attributes.numbers(dimensionIndexValues);
    const std::vector<DicomItem>& stated = file.elements.items(dimensions);
    std::vector<double> counted;
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (stated.empty() || (i < stated.size() && isOfTime(stated[i].numbers(dimensionPointer))))
            counted.push_back(indices[i]);
    if (counted.empty() || counted.size() > maxDimensions)
        return std::nullopt;
    double order = 0;
    for (const double index : counted) {
        if (!(index >= 0 && index < maxDimensionIndex))
            return std::nullopt;
        order = order * maxDimensionIndex + index;
    }
    return order;
}

std::optional<double> valueOf(const TimeKey& key, const DicomFile& file,
                              const FrameAttributes& attributes) {
    if (key.tag.code() == dimensionIndexValues.code())
        return orderInDimensions(file, attributes);
    if (key.unit == TimeUnit::Clock)
        return clockSeconds(attributes.text(key.tag));
    if (key.unit == TimeUnit::DateAndClock)
        return dateAndClockSeconds(attributes.text(key.tag));
    if (key.tag.code() != seriesDescription.code())
        return attributes.number(key.tag);
    if (key.unit == TimeUnit::PercentOfCycle)
        return numberBefore("%", attributes.text(key.tag));
    // Milliseconds in descriptions of MR series can also be echo or inversion times.
    return attributes.text(modality) == "CT" ? numberBefore("ms", attributes.text(key.tag))
                                             : std::nullopt;
}

/// Refuses objects whose planes of pixels aren't slices with a position each.
void refuseOtherObjects(const DicomFile& file) {
    const std::string stated = file.elements.text(classUid);
    if (stated == doseClass)
        throw fileError(file.path, "holds the planes of a radiotherapy dose, not a heart image; "
                                   "they aren't read here");
    if (stated == nuclearClass && (file.elements.numbers(position).empty() ||
                                   file.elements.number(frameCount).value_or(1) > 1))
        throw fileError(file.path,
                        "is an image of nuclear medicine (NM, as gated SPECT), whose frames are "
                        "ordered by tables of windows, detectors and slices that aren't read here; "
                        "write it as NIfTI, one file a phase");
}

std::shared_ptr<const DicomImageFile> describe(const DicomFile& file, std::size_t maximumBytes) {
    const DicomItem& e = file.elements;
    const auto integer = [&](DicomTag tag, int missing) {
        const double value = e.number(tag).value_or(missing);
        return value >= 0 && value <= maxFrames ? static_cast<int>(value) : -1;
    };
    auto image = std::make_shared<DicomImageFile>(identityOf(file));
    image->rows = integer(rows, 0);
    image->columns = integer(columns, 0);
    image->bitsAllocated = integer(bitsAllocated, 0);
    image->bitsStored = integer(bitsStored, image->bitsAllocated);
    image->highBit = integer(highBit, image->bitsStored - 1);
    image->isSigned = integer(pixelRepresentation, 0) == 1;
    image->frames = integer(frameCount, 1);
    image->enhanced = !e.items(perFrameGroups).empty();
    image->hasModalityTable = !e.items(modalityTable).empty();
    image->frameMilliseconds = e.number(frameTime).value_or(0);

    refuseOtherObjects(file);
    if (isColor(file))
        throw fileError(file.path, "this DICOM image is {}, not one of gray values",
                        inQuotes(e.text(photometric)));
    if (image->bitsAllocated != 8 && image->bitsAllocated != 16)
        throw fileError(file.path, "this DICOM image has {} bits a pixel; 8 and 16 are read here",
                        image->bitsAllocated);
    if (image->bitsStored < 1 || image->bitsStored > image->bitsAllocated)
        throw fileError(file.path, "this DICOM image stores {} bits in {}", image->bitsStored,
                        image->bitsAllocated);
    if (image->highBit < image->bitsStored - 1 || image->highBit >= image->bitsAllocated)
        throw fileError(file.path,
                        "this DICOM image stores {} bits in {}, the highest of which can't be bit "
                        "{} (0028,0102)",
                        image->bitsStored, image->bitsAllocated, e.number(highBit).value_or(0));
    if (image->encapsulated && image->highBit != image->bitsStored - 1)
        throw fileError(file.path,
                        "the compressed pixels of this DICOM image begin above their lowest bit "
                        "(0028,0102), which isn't read here");
    if (e.number(frameCount).value_or(1) > maxFrames)
        throw fileError(file.path, "this DICOM image states {} frames; at most {} are read",
                        inQuotes(e.text(frameCount)), maxFrames);
    if (image->rows < 1 || image->columns < 1 || image->frames < 1)
        throw fileError(file.path, "this DICOM image has {} rows, {} columns and {} frames",
                        image->rows, image->columns, image->frames);
    if (image->encapsulated && codingOf(file.transferSyntax) == DicomCoding::Other)
        throw fileError(
            file.path,
            "the pixels of this DICOM image are compressed in a way ({}) that is not read here",
            syntaxName(file.transferSyntax));
    const std::uint64_t promised =
        std::uint64_t{image->planeBytes()} * static_cast<std::uint64_t>(image->frames);
    if (promised > maximumBytes)
        throw fileError(
            file.path,
            "this DICOM image has {} × {} pixels and {} frames, which is more than a file may hold",
            image->columns, image->rows, image->frames);
    const std::uint64_t held = file.fileBytes - std::min(file.fileBytes, file.pixelOffset);
    if (!file.encapsulated && (held < promised || file.pixelBytes < promised))
        throw fileError(file.path,
                        "the header of this DICOM image promises {} bytes of pixels, the file "
                        "holds {}; it is cut off or damaged",
                        promised, std::min(held, file.pixelBytes));
    if (file.encapsulated && file.fragments.size() < static_cast<std::size_t>(image->frames))
        throw fileError(file.path,
                        "the header of this DICOM image promises {} compressed frames, the file "
                        "holds {}; it is cut off or damaged",
                        image->frames, file.fragments.size());
    image->inProbeSpace = FrameAttributes(file, 0).numbers(position).empty() &&
                          !FrameAttributes(file, 0).numbers(volumePosition).empty();
    return image;
}

DicomPlane planeOf(const DicomFile& file, std::shared_ptr<const DicomImageFile> image,
                   std::size_t frame) {
    const FrameAttributes attributes(file, frame);
    DicomPlane plane;
    plane.file = std::move(image);
    plane.frame = static_cast<int>(frame);
    const bool probe = plane.file->inProbeSpace;
    plane.position = threeFrom(attributes.numbers(probe ? volumePosition : position), 0);
    const std::vector<double> axes = attributes.numbers(probe ? volumeOrientation : orientation);
    const auto row = threeFrom(axes, 0), column = threeFrom(axes, 3);
    if (!row || !column)
        plane.position.reset();
    plane.alongRow = row.value_or(Vec3{});
    plane.alongColumn = column.value_or(Vec3{});
    const std::vector<double> spacing = attributes.numbers(pixelSpacing);
    plane.hasDetectorSpacing = attributes.numbers(detectorSpacing).size() == 2;
    plane.hasSpacing = spacing.size() == 2;
    if (plane.hasSpacing) {
        plane.rowSpacing = spacing[0]; // distance between rows, mm
        plane.columnSpacing = spacing[1];
    }
    plane.rescale = {attributes.number(slope).value_or(1),
                     attributes.number(intercept).value_or(0)};
    plane.rescalesToNothing = plane.rescale.slope == 0;
    if (plane.rescalesToNothing)
        plane.rescale = {1, 0};
    for (std::size_t key = 0; key < timeKeys.size(); ++key) {
        std::optional<double>& time = plane.times[key];
        time = valueOf(timeKeys[key], file, attributes);
        if (time && !std::isfinite(*time))
            time.reset();
    }
    for (const DicomTag tag : {nominalInterval, cycleInterval})
        if (plane.cycleMilliseconds <= 0)
            plane.cycleMilliseconds = attributes.number(tag).value_or(0);
    if (const double rate = attributes.number(heartRate).value_or(0);
        plane.cycleMilliseconds <= 0 && rate > 0)
        plane.cycleMilliseconds = 60'000 / rate;
    plane.kinds = kindsOf(attributes);
    return plane;
}

} // namespace

DicomImageFile identityOf(const DicomFile& file) {
    const DicomItem& e = file.elements;
    DicomImageFile image;
    static_cast<DicomPixels&>(image) = static_cast<const DicomPixels&>(file);
    image.series = e.text(seriesUid);
    image.study = e.text(studyUid);
    image.instance = e.text(instanceUid);
    image.sopClass = e.text(classUid);
    image.frameOfReference = e.text(spaceUid);
    image.seriesNumber = e.text(seriesNumber);
    image.seriesDescription = e.text(seriesDescription);
    image.modality = e.text(modality);
    image.imageType = e.text(imageType);
    return image;
}

bool isColor(const DicomFile& file) {
    return file.elements.number(samplesPerPixel).value_or(1) != 1 ||
           !file.elements.text(photometric).starts_with("MONOCHROME");
}

std::string seriesName(const DicomImageFile& file) {
    std::string name =
        file.seriesNumber.empty() ? "without a number" : "number " + inQuotes(file.seriesNumber);
    if (!file.seriesDescription.empty())
        name += " " + inQuotes(file.seriesDescription);
    return name;
}

std::string seriesTitle(const DicomImageFile& file) {
    if (file.seriesNumber.empty() && file.seriesDescription.empty())
        return "";
    const std::string number = inQuotes(file.seriesNumber);
    std::string title = "series";
    if (!file.seriesNumber.empty())
        title += " " + number.substr(1, number.size() - 2);
    if (!file.seriesDescription.empty())
        title += " " + inQuotes(file.seriesDescription);
    return title;
}

VoxelType DicomImageFile::voxelType() const {
    if (bitsAllocated == 8)
        return isSigned ? VoxelType::Int8 : VoxelType::UInt8;
    return isSigned ? VoxelType::Int16 : VoxelType::UInt16;
}

Vec3 DicomPlane::normal() const {
    const Vec3 r = alongRow, c = alongColumn;
    return {r.y * c.z - r.z * c.y, r.z * c.x - r.x * c.z, r.x * c.y - r.y * c.x};
}

std::vector<DicomPlane> planesOf(const DicomFile& file, std::size_t maximumBytes) {
    if (!file.damage.empty())
        throw FileError(file.damage);
    if (!file.hasPixels || !file.elements.number(rows))
        return {};
    const auto image = describe(file, maximumBytes);
    std::vector<DicomPlane> planes;
    planes.reserve(static_cast<std::size_t>(std::max(image->frames, 0)));
    for (int frame = 0; frame < image->frames; ++frame)
        planes.push_back(planeOf(file, image, static_cast<std::size_t>(frame)));
    return planes;
}

} // namespace systole
