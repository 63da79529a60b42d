// NIfTI-1 and NIfTI-2, single file or .hdr/.img, plain or gzip. RAS becomes LPS here.
#include "io/formats/image_formats.h"
#include "io/formats/nifti_header.h"
#include "io/formats/nifti_vectors.h"
#include "io/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr double worthANote = 0.01;
constexpr double slowestFrameOfAHeart = 0.5;

constexpr std::pair<int, VoxelType> datatypes[] = {
    {2, VoxelType::UInt8},    {4, VoxelType::Int16},    {8, VoxelType::Int32},
    {16, VoxelType::Float32}, {64, VoxelType::Float64}, {256, VoxelType::Int8},
    {512, VoxelType::UInt16}, {768, VoxelType::UInt32}, {1024, VoxelType::Int64},
    {1280, VoxelType::UInt64}};

/// Position and axes of a grid in RAS; columns hold the directions with their lengths.
struct RasFrame {
    Matrix3 columns{};
    Vec3 origin;

    Vec3 column(std::size_t axis) const {
        return {columns[0][axis], columns[1][axis], columns[2][axis]};
    }
};

RasFrame fromSform(const NiftiHeader& h) {
    RasFrame frame;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            frame.columns[row][column] = h.srow[row][column];
        frame.origin[static_cast<int>(row)] = h.srow[row][3];
    }
    return frame;
}

RasFrame fromQform(const NiftiHeader& h, Vec3 spacing) {
    auto [b, c, d] = h.quaternion;
    double a = 1 - (b * b + c * c + d * d);
    if (a < 1e-7) { // a half turn, up to rounding
        const double scale = 1 / std::sqrt(b * b + c * c + d * d);
        b *= scale;
        c *= scale;
        d *= scale;
        a = 0;
    } else {
        a = std::sqrt(a);
    }
    RasFrame frame;
    frame.columns = {{{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                      {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
                      {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}}};
    const double handedness = h.pixdim[0] < 0 ? -1 : 1;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t axis = 0; axis < 3; ++axis)
            frame.columns[row][axis] *=
                spacing[static_cast<int>(axis)] * (axis == 2 ? handedness : 1);
    frame.origin = {h.qoffset[0], h.qoffset[1], h.qoffset[2]};
    return frame;
}

/// One line listing where the header's spacing, qform and sform differ by more than 1 %.
void noteDisagreement(const NiftiHeader& h, const RasFrame& used, Vec3 spacing, Size3 size,
                      std::vector<std::string>& notes) {
    std::string said;
    Vec3 norms;
    bool lengthsDiffer = false;
    for (int axis = 0; axis < 3; ++axis) {
        norms[axis] = length(used.column(static_cast<std::size_t>(axis)));
        lengthsDiffer |= std::abs(norms[axis] / spacing[axis] - 1) > worthANote;
    }
    if (lengthsDiffer)
        said = fmt::format("the sform's axes are {:.4g} × {:.4g} × {:.4g} mm long but pixdim says "
                           "{:.4g} × {:.4g} × {:.4g}; pixdim is used",
                           norms.x, norms.y, norms.z, spacing.x, spacing.y, spacing.z);
    if (h.qformCode > 0) {
        const RasFrame other = fromQform(h, spacing);
        double turn = 0, extent = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double along = spacing[static_cast<int>(axis)];
            turn = std::max(turn, length((1 / norms[static_cast<int>(axis)]) * used.column(axis) -
                                         (1 / along) * other.column(axis)));
            extent = std::max(extent, along * size[static_cast<int>(axis)]);
        }
        if (turn > worthANote || length(used.origin - other.origin) > worthANote * extent)
            said += fmt::format("{}sform and qform place the grid differently; the sform is used",
                                said.empty() ? "" : "; ");
    }
    if (!said.empty())
        notes.push_back(said);
}

Geometry geometryOf(const std::string& path, const NiftiHeader& h, Size3 size,
                    std::vector<std::string>& notes) {
    constexpr double millimetersOf[] = {1, 1000, 1, 0.001}; // nothing stated, m, mm, µm
    const auto unit = static_cast<std::size_t>(h.units & 7);
    if (unit >= std::size(millimetersOf))
        throw fileError(path, "the unit of length has code {}, which NIfTI does not define", unit);
    if (unit == 0)
        notes.push_back("the unit of length is not stated; millimeters are assumed");
    const double millimeters = millimetersOf[unit];
    const Vec3 stated{h.pixdim[1], h.pixdim[2], h.pixdim[3]};
    // Refuses unusable spacing before anything is divided by it.
    checkedGeometry(path, size, millimeters * stated, {}, identity3, notes);

    RasFrame ras;
    if (h.sformCode > 0) {
        ras = fromSform(h);
    } else if (h.qformCode > 0) {
        ras = fromQform(h, stated);
    } else {
        ras.columns = {{{stated.x, 0, 0}, {0, stated.y, 0}, {0, 0, stated.z}}};
        notes.push_back("position and orientation are not stated; the axes are shown as if they "
                        "ran right, anterior, superior");
    }
    Matrix3 columns = ras.columns;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        columns[0][axis] = -columns[0][axis];
        columns[1][axis] = -columns[1][axis];
    }
    const Vec3 origin{0 - ras.origin.x, 0 - ras.origin.y, ras.origin.z};
    Geometry geometry =
        checkedGeometry(path, size, millimeters * stated, millimeters * origin, columns, notes);
    if (h.sformCode > 0)
        noteDisagreement(h, ras, stated, size, notes);
    return geometry;
}

void setTimes(const NiftiHeader& h, StoredImage& image) {
    const int unit = h.units & 0x38;
    const double perSecond = unit == 0x08 ? 1 : unit == 0x10 ? 1e3 : unit == 0x18 ? 1e6 : 0;
    const double seconds = perSecond > 0 ? h.pixdim[4] / perSecond : 0;
    setUniformTimes(image, seconds,
                    perSecond > 0
                        ? fmt::format("the header gives a frame time of {}", h.pixdim[4])
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
}

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
    throw fileError(headerPath,
                    "is the header of a .hdr/.img pair, but no .img file lies beside it");
}

void findVoxels(const NiftiHeader& h, StoredImage& image, const OpenOptions& options) {
    const double smallest = h.voxelsInOtherFile ? 0 : h.version == 2 ? 540 : 348;
    // Some writers leave 0 for "right after the header".
    const double offset = h.voxelOffset == 0 && !h.voxelsInOtherFile ? smallest + 4 : h.voxelOffset;
    if (!(offset >= smallest) || offset > static_cast<double>(options.maximumFileBytes) ||
        offset != std::floor(offset))
        throw fileError(image.path,
                        "the header says that voxels begin at byte {}, which is not possible",
                        h.voxelOffset);
    const auto start = static_cast<std::uint64_t>(offset);
    const std::string file = h.voxelsInOtherFile ? voxelFileOf(image.path) : image.path;
    // Bare voxels may begin like a gzip file by chance.
    const bool compressed =
        InputFile(file).isGzip() && (!h.voxelsInOtherFile || lowerCase(file).ends_with(".gz"));
    const std::uint64_t bytes = image.storedBytes();
    image.bytes = compressed ? openInflatedBytes(file, 0, start, bytes, options.headerAlone)
                             : openPlainBytes(file, start, bytes);
}

/// The path of the header when the user names the .img of a pair.
std::string headerFileOf(const std::string& path) {
    fs::path named(path);
    if (lowerCase(named.extension().string()) == ".gz")
        named.replace_extension();
    if (lowerCase(named.extension().string()) != ".img")
        return path;
    const fs::path header = fs::path(named).replace_extension(".hdr");
    std::error_code ignored;
    return fs::exists(header, ignored) ? header.string() : path;
}

} // namespace

bool recognizesNifti(const std::string& path, std::string_view beginning) {
    if (parseNiftiHeader(beginning))
        return true;
    const std::string lower = lowerCase(path);
    for (const char* extension : {".nii", ".nii.gz", ".hdr", ".img", ".img.gz"})
        if (lower.ends_with(extension))
            return true;
    return false;
}

StoredImage readNifti(const std::string& named, const OpenOptions& options) {
    const std::string path = headerFileOf(named);
    const auto header = parseNiftiHeader(readBeginning(path, largestNiftiHeader));
    if (!header)
        throw fileError(
            path, "is named like a NIfTI file but does not begin with a NIfTI-1 or NIfTI-2 header");
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

    const auto extent = [&](std::size_t axis) {
        return dimensions >= static_cast<std::int64_t>(axis) ? h.dim[axis] : 1;
    };
    if (extent(6) > 1 || extent(7) > 1 || (extent(4) > 1 && extent(5) > 1))
        throw fileError(path,
                        "the header gives {} dimensions of more than one element; a volume has 3, "
                        "a sequence of volumes 4",
                        dimensions);
    const bool vectors = extent(5) > 1;
    const DeclaredSizes sizes{{extent(1), extent(2), extent(3)},
                              vectors ? extent(5) : extent(4),
                              vectors ? "components" : "frames"};
    const Size3 size = checkedSize(path, sizes, bytesOf(image.type), options);
    (vectors ? image.components : image.frames) = static_cast<int>(sizes.samples);
    image.interleaving = size.voxels();
    if (image.samples() == 3)
        image.vectors = niftiVectors(h);

    image.geometry = geometryOf(path, h, size, image.notes);
    if (h.slope != 0 && std::isfinite(h.slope) && std::isfinite(h.intercept))
        image.rescale = {h.slope, h.intercept};
    setTimes(h, image);
    image.modality = modalityNamedIn(h.description);
    findVoxels(h, image, options);
    return image;
}

} // namespace systole
