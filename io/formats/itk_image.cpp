#include "io/formats/itk_image.h"
// ITK parses the header, and reads the voxels wherever it notices that some are missing. Its
// ImageIO classes are named here one by one and no factory is registered, so ITK never chooses a
// reader.
//
// An ImageIO is listed only if damaged files make it neither crash, hang nor take memory without
// bound. With mutated files as in tests/io/mutated_files_test.cpp, ITK 5.2's TIFF and MRC crash,
// BioRad and Analyze hang, Stimulate takes gigabytes. HDF5 passed but would bring a network stack
// into the program (libhdf5 links libcurl).
#include "io/data_file.h"
#include "io/text.h"

#include <fmt/format.h>
#include <itkGiplImageIO.h>
#include <itkVTKImageIO.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace systole {
namespace {

using ImageIo = itk::ImageIOBase;

/// Read at once from formats that ITK can read in parts.
constexpr std::size_t slabBytes = std::size_t{16} << 20;
constexpr std::size_t largestVtkHeader = 4096;
constexpr std::size_t longestVtkLine = 255;
constexpr int vtkLinesBeforeSizes = 4; ///< version, title, ASCII or BINARY, kind of data set
constexpr std::size_t giplHeaderBytes = 256;

struct ItkFormat {
    const char* name;
    std::array<const char*, 2> extensions;
    ImageIo::Pointer (*make)();
    /// What ITK must not meet in a header; throws FileError.
    void (*checkHeader)(const std::string& path);
    /// The voxels of an image whose sizes have been checked; may set how they are stored.
    std::unique_ptr<ByteSource> (*openVoxels)(const ItkFormat& format, ImageIo::Pointer io,
                                              StoredImage& image);
};

template <typename Io>
ImageIo::Pointer make() {
    return Io::New().GetPointer();
}

/// "Unable to read" from "itk::ERROR: VTKImageIO(0x55d0): Unable to read".
std::string sentenceOf(const itk::ExceptionObject& error) {
    const std::string text = error.GetDescription();
    const std::size_t prefix = text.find("): ");
    return inQuotes(trimmed(std::string_view(text).substr(prefix == text.npos ? 0 : prefix + 3)));
}

/// Calls `work`, and turns what ITK and the libraries below it throw into a FileError.
template <typename Work>
auto guarded(const ItkFormat& format, const std::string& path, const Work& work) {
    const auto refusal = [&](const std::string& reason) {
        return fileError(
            path, fmt::format("is not a {} image that ITK can read: {}", format.name, reason));
    };
    try {
        return work();
    } catch (const FileError&) {
        throw;
    } catch (const itk::ExceptionObject& error) {
        throw refusal(sentenceOf(error));
    } catch (const std::exception& error) {
        throw refusal(inQuotes(error.what()));
    }
}

/// Integers by their width on this machine: ITK's "long" has 8 bytes on Linux.
VoxelType voxelTypeOf(const std::string& path, const ImageIo& io) {
    using Type = itk::CommonEnums::IOComponent;
    switch (io.GetComponentType()) {
    case Type::CHAR:
        return VoxelType::Int8;
    case Type::UCHAR:
        return VoxelType::UInt8;
    case Type::SHORT:
        return VoxelType::Int16;
    case Type::USHORT:
        return VoxelType::UInt16;
    case Type::INT:
        return VoxelType::Int32;
    case Type::UINT:
        return VoxelType::UInt32;
    case Type::LONG:
    case Type::LONGLONG:
        return VoxelType::Int64;
    case Type::ULONG:
    case Type::ULONGLONG:
        return VoxelType::UInt64;
    case Type::FLOAT:
        return VoxelType::Float32;
    case Type::DOUBLE:
        return VoxelType::Float64;
    default:
        throw fileError(
            path, fmt::format("the voxels have the type {}, which is not a number of 8 "
                              "to 64 bits",
                              inQuotes(ImageIo::GetComponentTypeAsString(io.GetComponentType()))));
    }
}

/// Voxels as ITK reads them: some slices or frames at a time where the format allows it, else all
/// at the first call. Holds what was read last. ITK may take a file that is cut off for a whole
/// one, so `requireWhole` looks first, here and before each read; it throws FileError.
class ItkVoxels final : public ByteSource {
public:
    ItkVoxels(const ItkFormat& format, ImageIo::Pointer io, const StoredImage& image,
              std::function<void()> requireWhole)
        : format_(&format)
        , io_(std::move(io))
        , path_(image.path)
        , requireWhole_(std::move(requireWhole)) {
        requireWhole_();
        const unsigned last = io_->GetNumberOfDimensions() - 1;
        slabs_ = io_->GetDimensions(last);
        slabBytes_ =
            storedBytes(image.geometry.size(), image.samples(), bytesOf(image.type)) / slabs_;
        read_ = io_->CanStreamRead() ? std::clamp<std::uint64_t>(slabBytes / slabBytes_, 1, slabs_)
                                     : slabs_;
    }

    void read(std::uint64_t offset, std::span<std::byte> out) override {
        while (!out.empty()) {
            if (offset < heldFrom_ || offset >= heldFrom_ + held_.size())
                load(offset / slabBytes_);
            const auto within = static_cast<std::size_t>(offset - heldFrom_);
            const std::size_t count = std::min(out.size(), held_.size() - within);
            std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(within), count, out.begin());
            out = out.subspan(count);
            offset += count;
        }
    }

private:
    /// From slab `first` on, a slab being one step of the last axis.
    void load(std::uint64_t first) {
        if (read_ == slabs_)
            first = 0;
        const std::uint64_t count = std::min(read_, slabs_ - first);
        const unsigned dimensions = io_->GetNumberOfDimensions();
        itk::ImageIORegion region(dimensions);
        for (unsigned axis = 0; axis < dimensions; ++axis)
            region.SetSize(axis, io_->GetDimensions(axis));
        region.SetIndex(dimensions - 1, static_cast<itk::IndexValueType>(first));
        region.SetSize(dimensions - 1, count);
        requireWhole_();
        held_ = {}; // nothing is held when reading fails
        std::vector<std::byte> slabs(static_cast<std::size_t>(count * slabBytes_));
        guarded(*format_, path_, [&] {
            io_->SetIORegion(region);
            io_->Read(slabs.data());
        });
        held_ = std::move(slabs);
        heldFrom_ = first * slabBytes_;
    }

    const ItkFormat* format_;
    ImageIo::Pointer io_;
    std::string path_;
    std::function<void()> requireWhole_;
    std::uint64_t slabs_ = 0, slabBytes_ = 0, read_ = 0; ///< read_: slabs per call to ITK
    std::vector<std::byte> held_;
    std::uint64_t heldFrom_ = 0;
};

/// The byte behind the line that ends a VTK header: VECTORS, or LOOKUP_TABLE after SCALARS. ITK
/// copies words of a line into 256 bytes and searches a file of any size for these lines; here both
/// have bounds. Throws FileError.
std::uint64_t vtkHeaderEnd(const std::string& path) {
    const std::vector<std::byte> beginning = readBeginning(path, largestVtkHeader);
    const std::string header =
        lowerCase({reinterpret_cast<const char*>(beginning.data()), beginning.size()});
    int lines = 0; // without empty ones, which ITK skips
    bool scalars = false;
    for (std::size_t begin = 0, end = 0;
         (end = header.find('\n', begin)) != header.npos && end - begin <= longestVtkLine;
         begin = end + 1) {
        const std::string_view line = std::string_view(header).substr(begin, end - begin);
        if (line.empty() || ++lines <= vtkLinesBeforeSizes)
            continue;
        if (line.starts_with(scalars ? "lookup_table" : "vectors"))
            return end + 1;
        if (scalars)
            break;
        scalars = line.starts_with("scalars");
    }
    throw fileError(path, fmt::format("a VTK header that ends with VECTORS, or with SCALARS and "
                                      "LOOKUP_TABLE, was expected within {} bytes, but was not "
                                      "found",
                                      largestVtkHeader));
}

std::unique_ptr<ByteSource> openVtkVoxels(const ItkFormat& format, ImageIo::Pointer io,
                                          StoredImage& image) {
    const Size3 size = image.geometry.size();
    if (io->GetFileType() == itk::CommonEnums::IOFile::ASCII) {
        // ITK would fill up with zeros where numbers are missing.
        image.type = VoxelType::Float32;
        image.bigEndian = std::endian::native == std::endian::big;
        return openTextVoxels(image.path, vtkHeaderEnd(image.path),
                              storedBytes(size, image.samples(), 1));
    }
    const std::uint64_t bytes = storedBytes(size, image.samples(), bytesOf(image.type));
    return std::make_unique<ItkVoxels>(format, std::move(io), image, [path = image.path, bytes] {
        openPlainBytes(path, vtkHeaderEnd(path), bytes);
    });
}

/// Read here, since ITK takes a file that is cut off for a whole one.
std::unique_ptr<ByteSource> openGiplVoxels(const ItkFormat&, ImageIo::Pointer, StoredImage& image) {
    const std::uint64_t bytes =
        storedBytes(image.geometry.size(), image.samples(), bytesOf(image.type));
    image.bigEndian = true;
    if (lowerCase(image.path).ends_with(".gz"))
        return openInflatedBytes(image.path, 0, giplHeaderBytes, bytes);
    return openPlainBytes(image.path, giplHeaderBytes, bytes);
}

constexpr ItkFormat itkFormats[] = {
    {"VTK",
     {".vtk", ".vtk"},
     make<itk::VTKImageIO>,
     [](const std::string& path) { vtkHeaderEnd(path); },
     openVtkVoxels},
    {"GIPL",
     {".gipl", ".gipl.gz"},
     make<itk::GiplImageIO>,
     [](const std::string&) {},
     openGiplVoxels},
};

const ItkFormat* formatOf(const std::string& path) {
    const std::string lower = lowerCase(path);
    for (const ItkFormat& format : itkFormats)
        for (const char* extension : format.extensions)
            if (lower.ends_with(extension))
                return &format;
    return nullptr;
}

ImageIo::Pointer readHeader(const ItkFormat& format, const std::string& path) {
    format.checkHeader(path);
    return guarded(format, path, [&] {
        itk::Object::GlobalWarningDisplayOff(); // ITK's warnings would go to the terminal
        ImageIo::Pointer io = format.make();
        if (!io->CanReadFile(path.c_str()))
            throw fileError(path, fmt::format("is named like a {} image but is not one that ITK "
                                              "can read",
                                              format.name));
        io->SetFileName(path);
        io->ReadImageInformation();
        return io;
    });
}

/// Components of a displacement; colors and tensors are not vectors.
int componentsOf(const std::string& path, const ImageIo& io) {
    using Pixel = itk::CommonEnums::IOPixel;
    const Pixel pixel = io.GetPixelType();
    const unsigned components = io.GetNumberOfComponents();
    if (pixel == Pixel::SCALAR && components == 1)
        return 1;
    if (pixel == Pixel::VECTOR && components >= 1 && components <= 4)
        return static_cast<int>(components);
    throw fileError(path, fmt::format("holds {} numbers per voxel of type {}; gray values or "
                                      "vectors are expected",
                                      components, inQuotes(ImageIo::GetPixelTypeAsString(pixel))));
}

Geometry geometryOf(const std::string& path, const ImageIo& io, Size3 size,
                    std::vector<std::string>& notes) {
    Vec3 spacing, origin;
    Matrix3 columns{};
    for (unsigned axis = 0; axis < 3; ++axis) {
        spacing[static_cast<int>(axis)] = io.GetSpacing(axis);
        origin[static_cast<int>(axis)] = io.GetOrigin(axis);
        const std::vector<double> direction = io.GetDirection(axis);
        for (std::size_t row = 0; row < 3; ++row)
            columns[row][axis] = direction.at(row);
    }
    return checkedGeometry(path, size, spacing, origin, columns, notes);
}

} // namespace

bool recognizesItkImage(const std::string& path, std::span<const std::byte>) {
    return formatOf(path) != nullptr;
}

StoredImage readItkImage(const std::string& path, const OpenOptions& options) {
    const ItkFormat& format = *formatOf(path);
    ImageIo::Pointer io = readHeader(format, path);
    const unsigned dimensions = io->GetNumberOfDimensions();
    if (dimensions != 3 && dimensions != 4)
        throw fileError(path, fmt::format("the header gives {} dimensions; a volume has 3, a "
                                          "sequence of volumes 4",
                                          dimensions));
    StoredImage image;
    image.path = path;
    image.format = fmt::format("{}, read by ITK", format.name);
    image.type = voxelTypeOf(path, *io);
    image.bigEndian = std::endian::native == std::endian::big;
    image.components = componentsOf(path, *io);

    constexpr std::uint64_t beyondAnySize = std::uint64_t{1} << 62;
    const auto extent = [&](unsigned axis) {
        return static_cast<std::int64_t>(
            std::min<std::uint64_t>(io->GetDimensions(axis), beyondAnySize));
    };
    DeclaredSizes declared;
    for (unsigned axis = 0; axis < 3; ++axis)
        declared.grid[axis] = extent(axis);
    if (dimensions == 4) {
        if (image.components > 1)
            throw fileError(path, fmt::format("holds {} numbers per voxel of a sequence; one gray "
                                              "value per voxel is needed",
                                              image.components));
        declared.samples = extent(3);
    } else if (image.components > 1) {
        declared.samples = image.components;
        declared.sampleWord = "components";
    }
    const Size3 size = checkedSize(path, declared, bytesOf(image.type), options);
    if (dimensions == 4)
        image.frames = static_cast<int>(declared.samples);
    image.interleaving = image.components > 1 ? 1 : size.voxels();
    image.geometry =
        guarded(format, path, [&] { return geometryOf(path, *io, size, image.notes); });
    image.notes.push_back(fmt::format("{} states no direction of the axes: they are taken to run "
                                      "left, posterior and superior",
                                      format.name));
    setUniformTimes(image, 0, fmt::format("{} states no unit of time", format.name));
    image.bytes = format.openVoxels(format, std::move(io), image);
    return image;
}

} // namespace systole
