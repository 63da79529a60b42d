#include "io/transforms/transform_file.h"

#include "compute/core/enum_text.h"
#include "io/field_reader.h"
#include "io/formats/nifti_write.h"

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
    if (isItkTransform(path))
        return {readItkAffine(path), {}, false, false, "ITK transform"};
    if (isMatrixText(path))
        return {readMatrix(path, format, grids.value_or(FrameGrids())),
                {},
                false,
                false,
                descriptionOf(format)};
    StoredVectors stored = readVectors(path, pool, grids ? &grids->moving : nullptr);
    return {{},
            std::move(stored.field),
            stored.isSpline,
            stored.backward,
            stored.isSpline ? "control points of a cubic spline" : "displacement field"};
}

void writeControlPoints(const std::string& path, const MillimeterField& controlPoints,
                        bool asNiftyReg) {
    writeNiftiVectors(path, controlPoints, asNiftyReg ? niftyRegSpline : splineDisplacement);
}

} // namespace systole
