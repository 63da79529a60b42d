// Helpers for tests of io/: a folder of their own, raw files, and images written and read by ITK as
// an independent reference.
#pragma once

#include "compute/core/sequence.h"
#include "io/base/error.h"
#include "io/source.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <itkGiplImageIO.h>
#include <itkImage.h>
#include <itkImageFileReader.h>
#include <itkImageFileWriter.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <itkVTKImageIO.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

namespace systole::test {

namespace fs = std::filesystem;

using systole::testing::TemporaryFolder;
using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, const std::vector<T>& values, bool bigEndian = false) {
    for (T value : values) {
        std::array<std::byte, sizeof(T)> raw;
        std::memcpy(raw.data(), &value, sizeof(T));
        if (bigEndian)
            std::reverse(raw.begin(), raw.end());
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
}

inline void append(Bytes& bytes, std::string_view text) {
    const auto raw = std::as_bytes(std::span(text.data(), text.size()));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

inline Bytes gzipped(const Bytes& bytes, int windowBits = 15 + 16) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    Bytes out(deflateBound(&stream, bytes.size()) + 64);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}
/// The bytes in zlib's own format.
inline Bytes deflated(const Bytes& bytes) { return gzipped(bytes, 15); }

inline void writeBytes(const std::string& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

inline void writeBytes(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::string> filesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

inline Bytes readBytes(const std::string& path) {
    Bytes bytes(fs::file_size(path));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

inline Bytes cut(Bytes data, std::size_t keep) {
    data.resize(keep);
    return data;
}

/// A NIfTI-1 or -2 header of our own making, field by field.
class NiftiBytes {
public:
    explicit NiftiBytes(int version = 1, bool bigEndian = false)
        : version_(version), bigEndian_(bigEndian), header_(version == 1 ? 352 : 544) {
        put<std::int32_t>(0, version == 1 ? 348 : 540);
        const char* magic = version == 1 ? "n+1" : "n+2\0\r\n\032\n";
        std::memcpy(header_.data() + (version == 1 ? 344 : 4), magic, version == 1 ? 4 : 8);
        voxelOffset(static_cast<double>(header_.size()));
        pixdim({1, 1, 1, 1, 1, 1, 1, 1});
        units(2);
        sform({{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}});
    }

    NiftiBytes& dim(const std::array<std::int64_t, 8>& sizes) {
        for (std::size_t i = 0; i < 8; ++i)
            version_ == 1 ? put(40 + 2 * i, static_cast<std::int16_t>(sizes[i]))
                          : put(16 + 8 * i, sizes[i]);
        return *this;
    }
    NiftiBytes& type(int code, int bits) {
        put(version_ == 1 ? 70 : 12, static_cast<std::int16_t>(code));
        put(version_ == 1 ? 72 : 14, static_cast<std::int16_t>(bits));
        return *this;
    }
    NiftiBytes& pixdim(const std::array<double, 8>& values) {
        for (std::size_t i = 0; i < 8; ++i)
            real(76 + 4 * i, 104 + 8 * i, values[i]);
        return *this;
    }
    NiftiBytes& voxelOffset(double offset) {
        version_ == 1 ? put(108, static_cast<float>(offset))
                      : put(168, static_cast<std::int64_t>(offset));
        return *this;
    }
    NiftiBytes& rescale(double slope, double intercept) {
        real(112, 176, slope);
        real(116, 184, intercept);
        return *this;
    }
    NiftiBytes& units(int code) {
        version_ == 1 ? put(123, static_cast<std::uint8_t>(code))
                      : put(500, static_cast<std::int32_t>(code));
        return *this;
    }
    NiftiBytes& intent(int code) {
        version_ == 1 ? put(68, static_cast<std::int16_t>(code))
                      : put(504, static_cast<std::int32_t>(code));
        return *this;
    }
    NiftiBytes& description(const std::string& text) {
        std::memcpy(header_.data() + (version_ == 1 ? 148 : 240), text.data(), text.size());
        return *this;
    }
    NiftiBytes& sform(const std::array<std::array<double, 4>, 3>& rows, int code = 1) {
        formCode(254, 348, code);
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 4; ++column)
                real(280 + 16 * row + 4 * column, 400 + 32 * row + 8 * column, rows[row][column]);
        return *this;
    }
    NiftiBytes& qform(const std::array<double, 3>& bcd, const std::array<double, 3>& offset,
                      int code = 1) {
        formCode(252, 344, code);
        for (std::size_t i = 0; i < 3; ++i) {
            real(256 + 4 * i, 352 + 8 * i, bcd[i]);
            real(268 + 4 * i, 376 + 8 * i, offset[i]);
        }
        return *this;
    }
    NiftiBytes& magic(const std::string& text) {
        std::memcpy(header_.data() + (version_ == 1 ? 344 : 4), text.data(), text.size());
        return *this;
    }
    template <typename T>
    void put(std::size_t offset, T value) {
        Bytes raw;
        append(raw, std::vector<T>{value}, bigEndian_);
        std::copy(raw.begin(), raw.end(), header_.begin() + static_cast<std::ptrdiff_t>(offset));
    }

    const Bytes& header() const { return header_; }
    template <typename T>
    Bytes with(const std::vector<T>& voxels) const {
        Bytes file = header_;
        append(file, voxels, bigEndian_);
        return file;
    }

private:
    void real(std::size_t offset1, std::size_t offset2, double value) {
        version_ == 1 ? put(offset1, static_cast<float>(value)) : put(offset2, value);
    }
    void formCode(std::size_t offset1, std::size_t offset2, int code) {
        version_ == 1 ? put(offset1, static_cast<std::int16_t>(code)) : put(offset2, code);
    }

    int version_;
    bool bigEndian_;
    Bytes header_;
};

/// 0, 1, 2, ... shifted: every voxel of every frame differs.
template <typename T>
std::vector<T> counting(std::size_t count, int first = 0) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(first + static_cast<int>(i));
    return values;
}

inline std::vector<float> readFrame(const Sequence& sequence, int frame) {
    std::vector<float> voxels(sequence.geometry.voxels());
    sequence.source->read(frame, {voxels.data(), sequence.geometry.size()});
    return voxels;
}

/// An oblique direction whose axes are also permuted and one of them flipped.
inline Matrix3 obliquePermutedDirection() {
    const double a = 0.4, b = -0.25;
    const Matrix3 aroundZ{
        {{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}};
    const Matrix3 aroundX{
        {{1, 0, 0}, {0, std::cos(b), -std::sin(b)}, {0, std::sin(b), std::cos(b)}}};
    Matrix3 turned{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k)
                turned[i][j] += aroundZ[i][k] * aroundX[k][j];
    Matrix3 permuted{};
    for (std::size_t row = 0; row < 3; ++row) {
        permuted[row][0] = turned[row][1];
        permuted[row][1] = -turned[row][2];
        permuted[row][2] = turned[row][0];
    }
    return permuted;
}

/// Gives an ITK image of three or more dimensions our geometry in its first three.
template <typename Image>
void placeItkImage(Image& image, const Geometry& geometry) {
    auto spacing = image.GetSpacing();
    auto origin = image.GetOrigin();
    auto direction = image.GetDirection();
    for (unsigned row = 0; row < 3; ++row) {
        spacing[row] = geometry.spacing()[static_cast<int>(row)];
        origin[row] = geometry.origin()[static_cast<int>(row)];
        for (unsigned column = 0; column < 3; ++column)
            direction[row][column] = geometry.direction()[row][column];
    }
    image.SetSpacing(spacing);
    image.SetOrigin(origin);
    image.SetDirection(direction);
}

template <typename Image>
typename Image::Pointer makeItkImage(const Geometry& geometry, unsigned frames = 1) {
    auto image = Image::New();
    typename Image::SizeType size;
    for (unsigned axis = 0; axis < Image::ImageDimension; ++axis)
        size[axis] =
            axis < 3 ? static_cast<unsigned>(geometry.size()[static_cast<int>(axis)]) : frames;
    image->SetRegions(size);
    image->Allocate();
    placeItkImage(*image, geometry);
    return image;
}

/// Chosen here so that nothing depends on the factories that ITK registers.
inline itk::ImageIOBase::Pointer itkImageIo(const std::string& path) {
    const auto has = [&](const char* extension) {
        return path.find(extension) != std::string::npos;
    };
    if (has(".nii"))
        return itk::NiftiImageIO::New().GetPointer();
    if (has(".nrrd") || has(".nhdr"))
        return itk::NrrdImageIO::New().GetPointer();
    if (has(".vtk"))
        return itk::VTKImageIO::New().GetPointer();
    if (has(".gipl"))
        return itk::GiplImageIO::New().GetPointer();
    return itk::MetaImageIO::New().GetPointer();
}

template <typename Image>
typename Image::Pointer readWithItk(const std::string& path) {
    auto reader = itk::ImageFileReader<Image>::New();
    reader->SetImageIO(itkImageIo(path));
    reader->SetFileName(path);
    reader->Update();
    return reader->GetOutput();
}

template <typename Image>
void writeWithItk(const Image& image, const std::string& path, bool compress = false,
                  bool plainText = false) {
    auto writer = itk::ImageFileWriter<Image>::New();
    const auto io = itkImageIo(path);
    if (plainText)
        io->SetFileTypeToASCII();
    writer->SetInput(&image);
    writer->SetImageIO(io);
    writer->SetFileName(path);
    writer->SetUseCompression(compress);
    writer->Update();
}

/// The corners and an inner point lie where ITK puts them.
template <typename Image>
void expectSamePlaces(const Geometry& ours, const Image& itkImage, double tolerance = 1e-3) {
    const Size3 size = ours.size();
    for (const std::array<int, 3>& index :
         {std::array{0, 0, 0}, std::array{size.x - 1, 0, 0}, std::array{0, size.y - 1, 0},
          std::array{0, 0, size.z - 1}, std::array{1, 2, 1}}) {
        typename Image::IndexType at{};
        for (unsigned axis = 0; axis < 3; ++axis)
            at[axis] = index[axis];
        typename Image::PointType expected;
        itkImage.TransformIndexToPhysicalPoint(at, expected);
        const Vec3 found =
            ours.indexToPhysical({double(index[0]), double(index[1]), double(index[2])});
        for (unsigned axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(found[static_cast<int>(axis)], expected[axis], tolerance)
                << "axis " << axis << " at " << index[0] << " " << index[1] << " " << index[2];
    }
}

inline bool anyNoteHas(const Sequence& sequence, const std::string& text) {
    return std::any_of(sequence.notes.begin(), sequence.notes.end(), [&](const std::string& note) {
        return note.find(text) != std::string::npos;
    });
}

} // namespace systole::test
