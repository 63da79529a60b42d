#include "io/transforms/transform_file.h"

#include "compute/core/enum_text.h"
#include "io/base/messages.h"
#include "io/field_reader.h"
#include "io/formats/nifti_write.h"
#include "io/source.h"
#include "io/transforms/transform_steps.h"

#include <utility>

namespace systole {
namespace {

const char* descriptionOf(MatrixFormat format) {
    return enumText(
        format, {"4 × 4 matrix (LPS)", "4 × 4 matrix of NiftyReg (RAS)", "4 × 4 matrix of FSL"});
}

} // namespace

StoredTransform readTransform(const std::string& path, MatrixFormat format,
                              const std::optional<FrameGrids>& grids, BufferPool& pool) {
    const auto stored = [&](const std::vector<transforms::TransformStep>& steps,
                            const char* description) {
        return transforms::storedSteps(
            path, steps, grids ? std::optional(grids->fixed) : std::nullopt, pool, description);
    };
    if (isItkTransform(path))
        return stored(transforms::readItkText(path), "ITK transform");
    if (transforms::isMatlabTransform(path))
        return stored(transforms::readMatlabTransform(path), "ITK transform");
    if (transforms::isHdf5(path))
        return stored(transforms::readHdf5Transform(path), "ITK transform");
    if (transforms::isElastixTransform(path))
        return stored(transforms::readElastixTransform(path), "elastix transform");
    if (const auto map = readMatrix(path, format, grids.value_or(FrameGrids())))
        return {map, {}, false, false, descriptionOf(format)};
    if (!isImageFile(path))
        throw fileError(path, "is no transform that is read here; an ITK transform, elastix' "
                              "parameters, a 4×4 matrix in text, or a displacement field or "
                              "control points of a spline in an image file are expected");
    StoredVectors read = readVectors(path, pool, grids ? &grids->moving : nullptr);
    if (grids)
        requireAxesOf(read.backward ? grids->moving : grids->fixed, path, read.field.geometry,
                      read.assumedOrientation);
    return {{},
            std::move(read.field),
            read.isSpline,
            read.backward,
            read.isSpline ? "control points of a cubic spline" : "displacement field",
            std::move(read.notes)};
}

void writeControlPoints(const std::string& path, const MillimeterField& controlPoints,
                        bool asNiftyReg) {
    writeNiftiVectors(path, controlPoints, asNiftyReg ? niftyRegSpline : splineDisplacement);
}

} // namespace systole
