// ITK parses the header; the voxels are read here, since ITK takes a file that is cut off for a
// whole one. Its ImageIO classes are named here one by one and no factory is registered, so ITK
// never chooses a reader.
//
// An ImageIO is listed only if damaged files make it neither crash, hang nor take memory without
// bound. With mutated files as in tests/io/mutated_files_test.cpp, ITK 5.2's TIFF and MRC crash,
// BioRad and Analyze hang, Stimulate takes gigabytes. HDF5 passed but would bring a network stack
// into the program (libhdf5 links libcurl).
#include "io/base/data_file.h"
#include "io/base/messages.h"
#include "io/formats/image_formats.h"

#include <fmt/format.h>
#include <itkGiplImageIO.h>

#include <algorithm>
#include <array>

namespace systole {
namespace {

using ImageIo = itk::ImageIOBase;

constexpr std::size_t giplHeaderBytes = 256;

struct ItkFormat {
    const char* name;
    std::array<const char*, 2> extensions;
    ImageIo::Pointer (*make)();
    /// Finds the voxels of an image whose sizes have been checked.
    void (*openVoxels)(StoredImage& image, const OpenOptions& options);
};

template <typename Io>
ImageIo::Pointer make() {
    return Io::New().GetPointer();
}

/// "Unable to read" from "itk::ERROR: GiplImageIO(0x55d0): Unable to read".
std::string sentenceOf(const itk::ExceptionObject& error) {
    const std::string text = error.GetDescription();
    const std::size_t prefix = text.find("): ");
    return inQuotes(trimmed(std::string_view(text).substr(prefix == text.npos ? 0 : prefix + 3)));
}

/// Calls `work`, and turns what ITK and the libraries below it throw into a FileError.
template <typename Work>
auto guarded(const ItkFormat& format, const std::string& path, const Work& work) {
    const auto refusal = [&](const std::string& reason) {
        return fileError(path, "is not a {} image that ITK can read: {}", format.name, reason);
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
    constexpr std::pair<Type, VoxelType> types[] = {
        {Type::CHAR, VoxelType::Int8},     {Type::UCHAR, VoxelType::UInt8},
        {Type::SHORT, VoxelType::Int16},   {Type::USHORT, VoxelType::UInt16},
        {Type::INT, VoxelType::Int32},     {Type::UINT, VoxelType::UInt32},
        {Type::LONG, VoxelType::Int64},    {Type::LONGLONG, VoxelType::Int64},
        {Type::ULONG, VoxelType::UInt64},  {Type::ULONGLONG, VoxelType::UInt64},
        {Type::FLOAT, VoxelType::Float32}, {Type::DOUBLE, VoxelType::Float64}};
    for (const auto& [component, type] : types)
        if (component == io.GetComponentType())
            return type;
    throw fileError(path, "the voxels have the type {}, which is not a number of 8 to 64 bits",
                    inQuotes(ImageIo::GetComponentTypeAsString(io.GetComponentType())));
}

void openGiplVoxels(StoredImage& image, const OpenOptions& options) {
    image.bytes = lowerCase(image.path).ends_with(".gz")
                      ? openInflatedBytes(image.path, 0, giplHeaderBytes, image.storedBytes(),
                                          options.headerAlone)
                      : openPlainBytes(image.path, giplHeaderBytes, image.storedBytes());
}

constexpr ItkFormat itkFormats[] = {
    {"GIPL", {".gipl", ".gipl.gz"}, make<itk::GiplImageIO>, openGiplVoxels},
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
    return guarded(format, path, [&] {
        itk::Object::GlobalWarningDisplayOff(); // ITK's warnings would go to the terminal
        ImageIo::Pointer io = format.make();
        if (!io->CanReadFile(path.c_str()))
            throw fileError(path, "is named like a {} image but is not one that ITK can read",
                            format.name);
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
    throw fileError(path,
                    "holds {} numbers per voxel of type {}; gray values or vectors are expected",
                    components, inQuotes(ImageIo::GetPixelTypeAsString(pixel)));
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

bool recognizesItkImage(const std::string& path, std::string_view) {
    return formatOf(path) != nullptr;
}

StoredImage readItkImage(const std::string& path, const OpenOptions& options) {
    const ItkFormat& format = *formatOf(path);
    ImageIo::Pointer io = readHeader(format, path);
    const unsigned dimensions = io->GetNumberOfDimensions();
    if (dimensions != 3 && dimensions != 4)
        throw fileError(path,
                        "the header gives {} dimensions; a volume has 3, a sequence of volumes 4",
                        dimensions);
    StoredImage image;
    image.path = path;
    image.format = fmt::format("{}, read by ITK", format.name);
    image.type = voxelTypeOf(path, *io);
    image.bigEndian = true; // both formats are big endian
    image.components = componentsOf(path, *io);
    image.vectors = {VectorFrame::Lps, false}; // ITK writes fields in LPS

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
            throw fileError(
                path,
                "holds {} numbers per voxel of a sequence; one gray value per voxel is needed",
                image.components);
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
    addNote(
        image.notes,
        "{} states no direction of the axes: they are taken to run left, posterior and superior",
        format.name);
    setUniformTimes(image, 0, fmt::format("{} states no unit of time", format.name));
    format.openVoxels(image, options);
    return image;
}

} // namespace systole
