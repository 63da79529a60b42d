// ITK's transforms in MATLAB's format of version 4, as ANTs writes its 0GenericAffine.mat: an array
// of one column by the transform's name with its parameters, and one named "fixed".
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/voxel_type.h"
#include "io/transforms/transform_steps.h"

#include <bit>
#include <string_view>
#include <utility>

namespace systole::transforms {
namespace {

constexpr std::size_t headerBytes = 20;
constexpr std::size_t maxBytes = std::size_t{1} << 20;

/// Type, rows, columns, imaginary part and length of the name, 4 bytes each.
struct Header {
    bool bigEndian = false;
    VoxelType type = VoxelType::Float64;
    std::size_t rows = 0, nameBytes = 0;
};

/// Nothing if an array of that form can't begin so.
std::optional<Header> headerOf(std::string_view bytes) {
    if (bytes.size() < headerBytes)
        return {};
    for (const bool big : {false, true}) {
        const auto number = [&](std::size_t at) {
            return loadNumber<std::int32_t>(bytes.data() + 4 * at,
                                            big != (std::endian::native == std::endian::big));
        };
        // Thousands: the byte order; tens: double or single precision.
        const int type = number(0), order = big ? 1000 : 0;
        const int rows = number(1), nameBytes = number(4);
        if ((type != order && type != order + 10) || rows < 0 || rows > 1000 || number(2) != 1 ||
            number(3) != 0 || nameBytes < 2 || nameBytes > 200)
            continue;
        return Header{big, type == order ? VoxelType::Float64 : VoxelType::Float32,
                      static_cast<std::size_t>(rows), static_cast<std::size_t>(nameBytes)};
    }
    return {};
}

struct Array {
    std::string name;
    std::vector<double> numbers;
};

Array nextArray(const std::string& path, std::string_view& bytes) {
    const std::optional<Header> header = headerOf(bytes);
    if (!header)
        throw fileError(path, "has an array in MATLAB's format that isn't one of ITK's transforms");
    const std::size_t size = bytesOf(header->type);
    if (bytes.size() - headerBytes < header->nameBytes + header->rows * size)
        throw fileError(path, "the file ends within an array");
    Array array;
    array.name = bytes.substr(headerBytes, header->nameBytes - 1); // a zero ends it
    bytes.remove_prefix(headerBytes + header->nameBytes);
    for (std::size_t row = 0; row < header->rows; ++row)
        array.numbers.push_back(
            numberAt(bytes.data() + row * size, header->type, header->bigEndian));
    bytes.remove_prefix(header->rows * size);
    return array;
}

} // namespace

bool isMatlabTransform(const std::string& path) {
    const std::string begin = readBeginning(path, 128);
    const std::optional<Header> header = headerOf(begin);
    return header &&
           begin.substr(headerBytes, header->nameBytes).find("Transform") != std::string::npos;
}

std::vector<TransformStep> readMatlabTransform(const std::string& path) {
    const std::string content = readBeginning(path, maxBytes + 1);
    if (content.size() > maxBytes)
        throw fileError(path, "is too large for ITK's transforms in MATLAB's format");
    std::vector<TransformStep> steps;
    for (std::string_view rest = content; !rest.empty();) {
        const Array parameters = nextArray(path, rest);
        const Array fixed = nextArray(path, rest);
        if (fixed.name != "fixed")
            throw fileError(path, "behind the parameters {} is found; \"fixed\" is expected",
                            inQuotes(fixed.name));
        steps.push_back(itkStep(path, parameters.name, parameters.numbers, fixed.numbers));
    }
    return inOrder(path, false, std::move(steps));
}

} // namespace systole::transforms
