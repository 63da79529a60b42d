#include "io/dicom/pixels.h"

#include "io/base/messages.h"
#include "io/dicom/codestream.h"
#include "io/dicom/data_set.h"

#include <gdcmFragment.h>
#include <gdcmImage.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace systole {
namespace {

/// Bits above and below those stored may hold anything, e.g. the overlays of older files.
template <typename Stored>
void convertStored(std::span<const std::byte> bytes, const DicomImageFile& file, Rescale rescale,
                   std::span<float> out) {
    constexpr int width = static_cast<int>(8 * sizeof(Stored));
    const int above = width - 1 - file.highBit, unused = width - file.bitsStored;
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::make_unsigned_t<Stored> raw;
        std::memcpy(&raw, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        const auto lifted = static_cast<std::make_unsigned_t<Stored>>(raw << above);
        const auto value = static_cast<Stored>(static_cast<Stored>(lifted) >> unused);
        out[i] = static_cast<float>(rescale.slope * static_cast<double>(value) + rescale.intercept);
    }
}

using Fragments = std::vector<std::vector<std::byte>>;

/// The streams of the frames: each is one fragment or several. Empty when they aren't what the
/// header says.
Fragments framesOf(const DicomImageFile& file, DicomCoding coding) {
    const InputFile input(file.path);
    Fragments frames;
    for (const auto& [offset, length] : file.fragments) {
        std::vector<std::byte> bytes(length);
        if (input.readSome(offset, bytes) != length)
            return {};
        if (beginsStream(coding, bytes) || frames.empty())
            frames.push_back(std::move(bytes));
        else
            frames.back().insert(frames.back().end(), bytes.begin(), bytes.end());
    }
    const CodedImage image{file.columns, file.rows, file.bitsAllocated};
    const bool sound = frames.size() == static_cast<std::size_t>(file.frames) &&
                       std::all_of(frames.begin(), frames.end(), [&](const auto& stream) {
                           return beginsStream(coding, stream) && describes(coding, stream, image);
                       });
    return sound ? frames : Fragments{};
}

/// Decodes one frame with GDCM's decoders. They get the stream alone, because GDCM's file reader
/// aborts the program on some damaged files.
bool decodeFrame(const DicomImageFile& file, const std::vector<std::byte>& stream,
                 std::span<std::byte> out) {
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char*>(stream.data()),
                          static_cast<std::uint32_t>(stream.size()));
    auto fragments = gdcm::SequenceOfFragments::New();
    fragments->AddFragment(fragment);
    gdcm::DataElement element(gdcm::Tag(0x7fe0, 0x0010));
    element.SetVR(gdcm::VR::OB);
    element.SetValue(*fragments);

    gdcm::Image image;
    image.SetNumberOfDimensions(2);
    image.SetDimension(0, static_cast<unsigned>(file.columns));
    image.SetDimension(1, static_cast<unsigned>(file.rows));
    const auto allocated = static_cast<unsigned short>(file.bitsAllocated);
    const auto stored = static_cast<unsigned short>(file.bitsStored);
    image.SetPixelFormat(gdcm::PixelFormat(
        1, allocated, stored, static_cast<unsigned short>(stored - 1), file.isSigned ? 1 : 0));
    image.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
    image.SetTransferSyntax(
        gdcm::TransferSyntax(gdcm::TransferSyntax::GetTSType(file.transferSyntax.c_str())));
    image.SetDataElement(element);
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    try {
        return image.GetBufferLength() == out.size() &&
               image.GetBuffer(reinterpret_cast<char*>(out.data()));
    } catch (const std::exception&) {
        return false; // the decoder's own message does not help a user
    }
}

bool decode(const DicomImageFile& file, std::vector<std::byte>& pixels) {
    const DicomCoding coding = codingOf(file.transferSyntax);
    const Fragments frames = framesOf(file, coding);
    if (frames.empty())
        return false;
    pixels.resize(file.planeBytes() * frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto out = std::span(pixels).subspan(i * file.planeBytes(), file.planeBytes());
        const bool sound =
            coding == DicomCoding::RunLength
                ? decodeRunLengths(frames[i], {file.columns, file.rows, file.bitsAllocated}, out)
                : decodeFrame(file, frames[i], out);
        if (!sound)
            return false;
    }
    return true;
}

std::vector<std::byte> inflatedPixels(const DicomImageFile& file) {
    std::vector<std::byte> bytes = inflatedDataSet(file.path, file.deflatedFrom);
    if (bytes.size() < file.pixelOffset + file.planeBytes() * static_cast<std::size_t>(file.frames))
        throw fileError(file.path, "the file became shorter while it was being read");
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(file.pixelOffset));
    return bytes;
}

} // namespace

struct DicomPixelReader::Decoded {
    std::string path;
    std::vector<std::byte> pixels; ///< all frames, one after another
};

DicomPixelReader::DicomPixelReader() = default;
DicomPixelReader::~DicomPixelReader() = default;

std::span<const std::byte> DicomPixelReader::storedPixels(const DicomPlane& plane) {
    const DicomImageFile& file = *plane.file;
    const std::size_t bytes = file.planeBytes();
    const std::size_t offset = bytes * static_cast<std::size_t>(plane.frame);
    if (!file.encapsulated && file.deflatedFrom == 0) {
        plain_.resize(bytes);
        if (InputFile(file.path).readSome(file.pixelOffset + offset, plain_) != bytes)
            throw fileError(file.path, "the file became shorter while it was being read");
        if (file.bigEndian && file.bitsAllocated == 16)
            for (std::size_t at = 0; at + 1 < bytes; at += 2)
                std::swap(plain_[at], plain_[at + 1]);
        return plain_;
    }
    if (!decoded_ || decoded_->path != file.path) {
        decoded_.reset();
        auto decoded = std::make_unique<Decoded>();
        decoded->path = file.path;
        if (file.deflatedFrom > 0)
            decoded->pixels = inflatedPixels(file);
        else if (!decode(file, decoded->pixels))
            throw fileError(file.path,
                            "the compressed pixels of this DICOM image cannot be decoded");
        decoded_ = std::move(decoded);
    }
    return std::span<const std::byte>(decoded_->pixels).subspan(offset, bytes);
}

void DicomPixelReader::read(const DicomPlane& plane, std::span<float> out) {
    const std::span<const std::byte> stored = storedPixels(plane);
    withType(plane.file->voxelType(), [&]<typename Stored>() {
        if constexpr (std::is_integral_v<Stored>)
            convertStored<Stored>(stored, *plane.file, plane.rescale, out);
    });
}

} // namespace systole
