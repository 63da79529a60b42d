// Cartesian 3D+t echo as Philips QLAB exports it: one multi-frame of whole volumes whose third
// dimension stands in private elements of group 3001. Not quite valid DICOM, but plain.
#include "io/base/messages.h"
#include "io/base/stored_image.h"
#include "io/dicom/dicom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr DicomTag modality{0x0008, 0x0060, "CS"}, frameTime{0x0018, 0x1063, "DS"},
    unitX{0x0018, 0x6024, "US"}, unitY{0x0018, 0x6026, "US"}, deltaX{0x0018, 0x602c, "FD"},
    deltaY{0x0018, 0x602e, "FD"}, frames{0x0028, 0x0008, "IS"}, rows{0x0028, 0x0010, "US"},
    columns{0x0028, 0x0011, "US"}, bitsAllocated{0x0028, 0x0100, "US"}, depth{0x3001, 0x1001, "UL"},
    unitZ{0x3001, 0x1002, "US"}, deltaZ{0x3001, 0x1003, "FD"};

constexpr double codeCentimeters = 3;
constexpr double millimetersPerCentimeter = 10;
constexpr double widestEcho = 500; ///< mm; no ultrasound sees as far

/// Reads the file, and zeros beyond its end.
class ZeroPaddedBytes final : public ByteSource {
public:
    ZeroPaddedBytes(const std::string& path, std::uint64_t start) : file_(path), start_(start) {}
    void read(std::uint64_t offset, std::span<std::byte> out) override {
        const std::size_t held = file_.readSome(start_ + offset, out);
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(held), out.end(), std::byte{});
    }

private:
    InputFile file_;
    std::uint64_t start_;
};

std::int64_t wholeNumber(const DicomFile& file, DicomTag tag, const char* what) {
    const auto number = file.elements.number(tag);
    if (!number || *number != std::floor(*number) || std::abs(*number) > 1e9)
        throw fileError(file.path, "this Philips echo does not state its {}", what);
    return static_cast<std::int64_t>(*number);
}

/// Sets the number of complete frames. The export is sometimes cut short, while its header keeps
/// the number of the original.
void takeFramesHeld(const DicomFile& file, std::int64_t promised, Size3 size, StoredImage& image) {
    const std::uint64_t frameBytes = size.voxels();
    const std::uint64_t rowBytes = static_cast<std::uint64_t>(size.x);
    const std::uint64_t held = file.fileBytes - std::min(file.fileBytes, file.pixelOffset);
    image.frames = static_cast<int>(promised);
    image.bytes = std::make_unique<ZeroPaddedBytes>(file.path, file.pixelOffset);
    if (held >= frameBytes * static_cast<std::uint64_t>(promised))
        return;
    std::uint64_t whole = held / frameBytes;
    const std::uint64_t missing = (frameBytes - held % frameBytes) % frameBytes;
    std::string tail;
    if (missing > 0 && missing < rowBytes) {
        ++whole;
        tail = fmt::format("; the last {} voxels of the last frame are missing and read as 0",
                           missing);
    }
    if (whole == 0)
        throw fileError(file.path,
                        "the header promises {} frames of {} bytes, but the file holds {}",
                        promised, frameBytes, held);
    image.frames = static_cast<int>(whole);
    addNote(image.notes, "the header promises {} frames, but the file ends after {}{}", promised,
            whole, tail);
}

Vec3 spacingOf(const DicomFile& file, Size3 size, std::vector<std::string>& notes) {
    const Vec3 stated{file.elements.number(deltaX).value_or(unknownTime),
                      file.elements.number(deltaY).value_or(unknownTime),
                      file.elements.number(deltaZ).value_or(unknownTime)};
    for (const DicomTag unit : {unitX, unitY, unitZ})
        if (file.elements.number(unit).value_or(codeCentimeters) != codeCentimeters)
            throw fileError(
                file.path, "this Philips echo states its spacing in a unit other than centimeters");
    const Vec3 spacing = millimetersPerCentimeter * stated;
    const double widest = std::max({spacing.x * size.x, spacing.y * size.y, spacing.z * size.z});
    if (widest > widestEcho)
        addNote(notes,
                "the header states {:.4g} × {:.4g} × {:.4g} cm between voxels, which makes the "
                "image {:.2g} m wide; all lengths are as stated but perhaps ten times too large",
                stated.x, stated.y, stated.z, widest / 1000);
    return spacing;
}

} // namespace

bool isPhilipsCartesian(const DicomFile& file) {
    return file.elements.text({0x3001, 0x0010, "LO"}).starts_with("Philips3D") &&
           file.elements.number(depth);
}

Sequence openPhilipsCartesian(const DicomFile& file, const OpenOptions& options) {
    if (!file.hasPixels || file.encapsulated || file.deflatedFrom > 0 ||
        wholeNumber(file, bitsAllocated, "bits per voxel") != 8)
        throw fileError(file.path, "this Philips echo does not hold plain voxels of 8 bits");
    DeclaredSizes declared;
    declared.grid = {wholeNumber(file, columns, "columns"), wholeNumber(file, rows, "rows"),
                     wholeNumber(file, depth, "depth")};
    declared.samples = wholeNumber(file, frames, "number of frames");
    const Size3 size = checkedSize(file.path, declared, 1, options);

    StoredImage image;
    image.path = file.path;
    image.format = "Philips Cartesian DICOM";
    image.type = VoxelType::UInt8;
    image.modality = file.elements.text(modality);
    image.interleaving = size.voxels();
    takeFramesHeld(file, declared.samples, size, image);
    const Vec3 spacing = spacingOf(file, size, image.notes);
    image.geometry = checkedGeometry(file.path, size, spacing, {}, identity3, image.notes);
    image.notes.push_back("position and orientation in the patient are not stated; the axes are "
                          "shown as if they ran left, posterior, superior");
    setUniformTimes(image, file.elements.number(frameTime).value_or(0) / 1000,
                    "the header gives no frame time (0018,1063)");
    return toSequence(std::move(image), options);
}

} // namespace systole
