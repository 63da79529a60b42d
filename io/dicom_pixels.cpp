#include "io/dicom_pixels.h"

#include "io/text.h"

#include <fmt/format.h>
#include <gdcmImageReader.h>
#include <gdcmTrace.h>

#include <cstring>
#include <type_traits>

namespace systole {
namespace {

/// Bits above those stored may hold anything, overlays of old among them.
template <typename Stored>
void convertStored(std::span<const std::byte> bytes, int bitsStored, Rescale rescale,
                   std::span<float> out) {
    const int unused = static_cast<int>(8 * sizeof(Stored)) - bitsStored;
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::make_unsigned_t<Stored> raw;
        std::memcpy(&raw, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        const auto lifted = static_cast<std::make_unsigned_t<Stored>>(raw << unused);
        const auto value = static_cast<Stored>(static_cast<Stored>(lifted) >> unused);
        out[i] = static_cast<float>(rescale.slope * static_cast<double>(value) + rescale.intercept);
    }
}

} // namespace

struct DicomPixelReader::Decoded {
    std::string path;
    std::vector<char> pixels; ///< of all frames
};

DicomPixelReader::DicomPixelReader() = default;
DicomPixelReader::~DicomPixelReader() = default;

std::span<const std::byte> DicomPixelReader::storedPixels(const DicomPlane& plane) {
    const DicomImageFile& file = *plane.file;
    const std::size_t bytes = file.planeBytes();
    const std::size_t offset = bytes * static_cast<std::size_t>(plane.frame);
    if (!file.encapsulated) {
        plain_.resize(bytes);
        if (InputFile(file.path).readSome(file.pixelOffset + offset, plain_) != bytes)
            throw fileError(file.path, "the file became shorter while it was being read");
        return plain_;
    }
    if (!decoded_ || decoded_->path != file.path) {
        decoded_.reset();
        gdcm::Trace::WarningOff();
        gdcm::Trace::ErrorOff();
        gdcm::ImageReader reader;
        reader.SetFileName(file.path.c_str());
        auto decoded = std::make_unique<Decoded>();
        bool sound = false;
        try {
            sound = reader.Read();
            const gdcm::Image& image = reader.GetImage();
            sound =
                sound && image.GetBufferLength() == bytes * static_cast<std::size_t>(file.frames);
            if (sound) {
                decoded->pixels.resize(image.GetBufferLength());
                sound = image.GetBuffer(decoded->pixels.data());
            }
        } catch (const std::exception&) {
            sound = false; // what went wrong inside the decoder tells a user nothing
        }
        if (!sound)
            throw fileError(file.path,
                            "the compressed pixels of this DICOM image cannot be decoded");
        decoded->path = file.path;
        decoded_ = std::move(decoded);
    }
    return std::as_bytes(std::span(decoded_->pixels)).subspan(offset, bytes);
}

void DicomPixelReader::read(const DicomPlane& plane, std::span<float> out) {
    const std::span<const std::byte> stored = storedPixels(plane);
    const int bits = plane.file->bitsStored;
    switch (plane.file->voxelType()) {
    case VoxelType::Int8:
        convertStored<std::int8_t>(stored, bits, plane.rescale, out);
        break;
    case VoxelType::UInt8:
        convertStored<std::uint8_t>(stored, bits, plane.rescale, out);
        break;
    case VoxelType::Int16:
        convertStored<std::int16_t>(stored, bits, plane.rescale, out);
        break;
    default:
        convertStored<std::uint16_t>(stored, bits, plane.rescale, out);
        break;
    }
}

} // namespace systole
