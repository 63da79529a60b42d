// NIfTI-1 and NIfTI-2, single file or .hdr/.img, plain or gzip. RAS becomes LPS here.
#include "io/base/messages.h"
#include "io/formats/image_formats.h"
#include "io/formats/nifti_header.h"
#include "io/formats/nifti_place.h"
#include "io/formats/nifti_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr double slowestFrameOfAHeart = 0.5;
constexpr int timeSeriesIntent = 2001;

constexpr std::pair<int, VoxelType> datatypes[] = {
    {2, VoxelType::UInt8},    {4, VoxelType::Int16},    {8, VoxelType::Int32},
    {16, VoxelType::Float32}, {64, VoxelType::Float64}, {256, VoxelType::Int8},
    {512, VoxelType::UInt16}, {768, VoxelType::UInt32}, {1024, VoxelType::Int64},
    {1280, VoxelType::UInt64}};

/// Sets the frames' times from `axis` of the header: 4 unless a writer put the frames elsewhere.
void setTimes(const NiftiHeader& h, std::size_t axis, StoredImage& image) {
    const int unit = h.units & 0x38;
    const double perSecond = unit == 0x08 ? 1 : unit == 0x10 ? 1e3 : unit == 0x18 ? 1e6 : 0;
    const double seconds = perSecond > 0 ? h.pixdim[axis] / perSecond : 0;
    setUniformTimes(image, seconds,
                    perSecond > 0
                        ? fmt::format("the header gives a frame time of {}", h.pixdim[axis])
                        : std::string(unit == 0 ? "the header gives no unit of time"
                                                : "the header's fourth axis is not a time"));
    if (image.timesSeconds.empty())
        return;
    if (seconds > slowestFrameOfAHeart)
        addNote(
            image.notes,
            "the header gives {:g} s a frame, which is slow for a heart and perhaps a placeholder",
            seconds);
    if (h.timeOffset != 0 && std::isfinite(h.timeOffset))
        addNote(image.notes,
                "the header starts its clock at {:g}; times are counted from the first frame",
                h.timeOffset);
    if (h.sliceCode != 0 && h.sliceDuration > 0)
        image.notes.push_back("the header says that the slices of a frame were taken one after the "
                              "other; a frame is shown as if it were of one moment");
}

/// Empty: none lies beside it.
std::string voxelFileOf(const std::string& headerPath) {
    for (const char* extension : {".img", ".img.gz", ".IMG"}) {
        fs::path candidate(headerPath);
        if (lowerCase(candidate.extension().string()) == ".gz")
            candidate.replace_extension();
        candidate.replace_extension(extension);
        std::error_code ignored;
        if (fs::exists(candidate, ignored))
            return candidate.string();
    }
    return {};
}

/// Whether the voxels are in a file beside the header: as the magic says, unless name and files say
/// the contrary.
bool isPair(const NiftiHeader& h, const std::string& path, std::vector<std::string>& notes) {
    constexpr std::uint64_t longestLoneHeader = 4096; // bytes, extensions included
    const std::string lower = lowerCase(path);
    const bool holdsOnlyHeader = InputFile(path).size() <= longestLoneHeader;
    const bool hasVoxelFile = !voxelFileOf(path).empty();
    if (h.voxelsInOtherFile && (lower.ends_with(".nii") || lower.ends_with(".nii.gz") ||
                                (!hasVoxelFile && !holdsOnlyHeader))) {
        notes.push_back("the header's magic says that the voxels are in another file (ni1), but "
                        "they are read from this one, as its name or size says");
        return false;
    }
    if (!h.voxelsInOtherFile && lower.ends_with(".hdr") && hasVoxelFile && holdsOnlyHeader) {
        notes.push_back("the header's magic says that the voxels are in the same file (n+1), but "
                        "they are read from the .img file beside it");
        return true;
    }
    return h.voxelsInOtherFile;
}

void findVoxels(const NiftiHeader& h, bool pair, StoredImage& image, const OpenOptions& options) {
    const double smallest = pair ? 0 : h.version == 2 ? 540 : 348;
    // Some writers leave 0 for "right after the header".
    const double stated = h.voxelOffset == 0 && !pair ? smallest + 4 : h.voxelOffset;
    if (!(stated >= smallest) || stated > static_cast<double>(options.maximumFileBytes) ||
        stated != std::floor(stated))
        throw fileError(image.path,
                        "the header says that voxels begin at byte {}, which is not possible",
                        h.voxelOffset);
    const std::string file = pair ? voxelFileOf(image.path) : image.path;
    if (pair && file.empty())
        throw fileError(image.path,
                        "is the header of a .hdr/.img pair, but no .img file lies beside it");
    // Bare voxels may begin like a gzip file by chance.
    const bool compressed = InputFile(file).isGzip() && (!pair || lowerCase(file).ends_with(".gz"));
    const bool noneBefore = pair && !compressed && InputFile(file).size() == image.storedBytes();
    if (noneBefore && stated > 0)
        addNote(image.notes,
                "the header says that voxels begin at byte {:g} of {}, which holds nothing else: "
                "they are read from its beginning",
                stated, fileNameOf(file));
    const auto start = noneBefore ? 0 : static_cast<std::uint64_t>(stated);
    image.bytes = compressed
                      ? openInflatedBytes(file, 0, start, image.storedBytes(), options.headerAlone)
                      : openPlainBytes(file, start, image.storedBytes());
}

std::int64_t extentOf(const NiftiHeader& h, std::size_t axis) {
    return h.dim[0] >= static_cast<std::int64_t>(axis) ? h.dim[axis] : 1;
}

/// The one beyond the axes of space that has several elements; 4: none.
std::size_t sampleAxis(const std::string& path, const NiftiHeader& h) {
    std::size_t found = 4;
    for (std::size_t axis = 5; axis <= 7; ++axis) {
        if (extentOf(h, axis) <= 1)
            continue;
        if (extentOf(h, found) > 1)
            throw fileError(path,
                            "the header gives {} dimensions, of which axis {} has {} elements and "
                            "axis {} has {}; a volume has 3 dimensions, a sequence of volumes 4",
                            h.dim[0], found, extentOf(h, found), axis, extentOf(h, axis));
        found = axis;
    }
    return found;
}

/// Whether the fifth axis counts numbers of a voxel: by the intent; without one three numbers are a
/// vector, unless a time from one to the next is stated.
bool holdsComponents(const NiftiHeader& h) {
    constexpr std::pair<int, int> ofSeveralNumbers[] = {
        {1004, 1010}, {2003, 2004}, {2006, 2018}}; // matrices, vectors, colors; FSL's fields
    for (const auto& [first, last] : ofSeveralNumbers)
        if (h.intentCode >= first && h.intentCode <= last)
            return true;
    const bool timed = (h.units & 0x38) != 0 && h.pixdim[5] > 0 && h.pixdim[5] != 1;
    const bool said = h.intentCode != 0 || !h.intentName.empty();
    return h.dim[5] == 3 && (said || !timed) && h.intentCode != timeSeriesIntent;
}

void setScale(const NiftiHeader& h, StoredImage& image) {
    if (h.slope == 0 || std::isnan(h.slope)) // writers leave 0 or NaN for "no scaling"
        return;
    if (!std::isfinite(h.slope) || !std::isfinite(h.intercept))
        throw fileError(image.path,
                        "the header scales its voxels by scl_slope {:g} and scl_inter {:g}, which "
                        "isn't possible",
                        h.slope, h.intercept);
    image.rescale = {h.slope, h.intercept};
}

/// The path of the header when the user names the .img of a pair.
std::string headerFileOf(const std::string& path) {
    fs::path named(path);
    if (lowerCase(named.extension().string()) == ".gz")
        named.replace_extension();
    if (lowerCase(named.extension().string()) != ".img")
        return path;
    std::error_code ignored;
    for (const char* extension : {".hdr", ".hdr.gz", ".HDR"})
        if (const fs::path header = fs::path(named).replace_extension(extension);
            fs::exists(header, ignored))
            return header.string();
    return path;
}

} // namespace

bool recognizesNifti(const std::string& path, std::string_view beginning) {
    if (parseNiftiHeader(beginning))
        return true;
    const std::string lower = lowerCase(path);
    for (const char* extension : {".nii", ".nii.gz", ".hdr", ".hdr.gz", ".img", ".img.gz"})
        if (lower.ends_with(extension))
            return true;
    return false;
}

StoredImage readNifti(const std::string& named, const OpenOptions& options) {
    const std::string path = headerFileOf(named);
    const std::string beginning = readBeginning(path, largestNiftiHeader);
    const auto header = parseNiftiHeader(beginning);
    if (!header)
        throw fileError(path, isAnalyzeHeader(beginning)
                                  ? "is a header of Analyze 7.5, which states no orientation; "
                                    "convert it into NIfTI by a program that knows how it lies"
                                  : "is named like a NIfTI file but does not begin with a NIfTI-1 "
                                    "or NIfTI-2 header");
    const NiftiHeader& h = *header;
    const auto dimensions = h.dim[0];
    if (dimensions < 3 || dimensions > 7)
        throw fileError(path,
                        "the header gives {} dimensions; a volume has 3, a sequence of volumes 4",
                        dimensions);
    StoredImage image;
    image.path = path;
    image.format = fmt::format("NIfTI-{}", h.version);
    image.bigEndian = h.bigEndian;
    const auto type = std::find_if(std::begin(datatypes), std::end(datatypes),
                                   [&](const auto& entry) { return entry.first == h.datatype; });
    if (type == std::end(datatypes))
        throw fileError(
            path, "the voxels have NIfTI data type {}, which is not a gray value of 8 to 64 bits",
            h.datatype);
    image.type = type->second;
    if (h.bitsPerVoxel != static_cast<int>(8 * bytesOf(image.type)))
        throw fileError(path, "the header gives {} bits for a voxel of type {}", h.bitsPerVoxel,
                        name(image.type));

    const auto extent = [&](std::size_t i) { return extentOf(h, i); };
    const std::size_t axis = sampleAxis(path, h);
    const bool vectors = axis == 5 && holdsComponents(h);
    const DeclaredSizes sizes{
        {extent(1), extent(2), extent(3)}, extent(axis), vectors ? "components" : "frames"};
    const Size3 size = checkedSize(path, sizes, bytesOf(image.type), options);
    (vectors ? image.components : image.frames) = static_cast<int>(sizes.samples);
    image.interleaving = size.voxels();
    if (image.samples() == 3)
        image.vectors = niftiVectors(h);
    if (!vectors && axis > 4)
        addNote(image.notes,
                "the images are along axis {} of the file, where no intent says that they are "
                "components of vectors: they are taken as frames",
                axis);

    image.geometry = niftiGeometry(path, h, size, image.notes);
    image.assumedOrientation = assumedNiftiOrientation(h);
    setScale(h, image);
    setTimes(h, axis, image);
    image.modality = modalityNamedIn(h.description);
    findVoxels(h, isPair(h, path, image.notes), image, options);
    return image;
}

} // namespace systole
