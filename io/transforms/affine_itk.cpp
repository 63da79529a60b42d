#include "io/byte_source.h"
#include "io/text.h"
#include "io/transforms/affine_file.h"
#include "io/writer.h"

#include <fmt/format.h>
#include <itkAffineTransform.h>
#include <itkTransformFileReader.h>
#include <itkTransformFileWriter.h>
#include <itkTxtTransformIO.h>

#include <cmath>
#include <filesystem>
#include <string_view>

namespace systole {
namespace {

using ItkAffine = itk::AffineTransform<double, 3>;
using ItkTransform = itk::Transform<double, 3, 3>;

constexpr std::string_view itkBeginning = "#Insight Transform File";
/// A composite of some transforms takes a few kilobytes.
constexpr std::uintmax_t mostBytes = std::uintmax_t{1} << 20;

/// ITK's messages have lines of file names and addresses before what they say.
std::string lastLineOf(const std::string& text) {
    std::string last;
    for (const std::string& line : words(text, "\n"))
        if (!trimmed(line).empty())
            last = std::string(trimmed(line));
    return last;
}

AffineMap linearPartOf(const std::string& path, const ItkTransform& transform) {
    if (!transform.IsLinear())
        throw fileError(path, fmt::format("holds a transform that isn't linear ({}), which is not "
                                          "read here; write it as a displacement field",
                                          transform.GetNameOfClass()));
    AffineMap map;
    const auto at = [&](double x, double y, double z) {
        ItkTransform::InputPointType point;
        point[0] = x;
        point[1] = y;
        point[2] = z;
        const auto mapped = transform.TransformPoint(point);
        return Vec3{mapped[0], mapped[1], mapped[2]};
    };
    map.offset = at(0, 0, 0);
    const Vec3 columns[3] = {at(1, 0, 0) - map.offset, at(0, 1, 0) - map.offset,
                             at(0, 0, 1) - map.offset};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            map.matrix[row][column] = columns[column][static_cast<int>(row)];
    return map;
}

} // namespace

bool isItkTransform(const std::string& path) {
    const std::vector<std::byte> bytes = readBeginning(path, itkBeginning.size());
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) ==
           itkBeginning;
}

AffineMap readItkAffine(const std::string& path) {
    std::error_code failure;
    const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
    if (failure || bytes > mostBytes)
        throw fileError(path, failure ? failure.message()
                                      : "is too large for an ITK transform file in text");
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    reader->SetFileName(path);
    try {
        reader->Update();
    } catch (const std::exception& error) { // ITK's own, and those of the library
        throw fileError(path, fmt::format("ITK can't read the transform: {}",
                                          inQuotes(lastLineOf(error.what()))));
    }
    const auto& transforms = *reader->GetTransformList();
    if (transforms.size() != 1)
        throw fileError(path, fmt::format("holds {} transforms; one is expected, or a composite",
                                          transforms.size()));
    const auto* transform = dynamic_cast<const ItkTransform*>(transforms.front().GetPointer());
    if (!transform)
        throw fileError(path, "holds a transform that isn't one of 3D space");
    const AffineMap map = linearPartOf(path, *transform);
    if (!map.inverse() || !std::isfinite(length(map.offset)))
        throw fileError(path, "holds a transform that can't be inverted");
    return map;
}

void writeItkAffine(const std::string& path, const AffineMap& map) {
    const auto transform = ItkAffine::New();
    ItkAffine::MatrixType matrix;
    ItkAffine::OutputVectorType offset;
    for (unsigned row = 0; row < 3; ++row) {
        for (unsigned column = 0; column < 3; ++column)
            matrix[row][column] = map.matrix[row][column];
        offset[row] = map.offset[static_cast<int>(row)];
    }
    transform->SetMatrix(matrix);
    transform->SetOffset(offset);
    const auto writer = itk::TransformFileWriterTemplate<double>::New();
    writer->SetTransformIO(itk::TxtTransformIOTemplate<double>::New());
    writer->SetInput(transform);
    writeAtomically(path, [&](const std::string& temporary) {
        writer->SetFileName(temporary);
        try {
            writer->Update();
        } catch (const std::exception& error) {
            throw fileError(path, fmt::format("cannot be written: {}", lastLineOf(error.what())));
        }
    });
}

} // namespace systole
