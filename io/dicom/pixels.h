// The pixels of DICOM planes as float32 in real units, plain or compressed.
#pragma once

#include "compute/core/volume.h"
#include "io/base/byte_source.h"
#include "io/dicom/planes.h"

#include <memory>
#include <span>
#include <vector>

namespace systole {

class DicomPixelReader {
public:
    ~DicomPixelReader();
    DicomPixelReader();

    /// out.size() is rows times columns. Throws FileError.
    void read(const DicomPlane& plane, std::span<float> out);

private:
    struct Decoded;
    std::span<const std::byte> storedPixels(const DicomPlane& plane);

    std::vector<std::byte> plain_;
    std::unique_ptr<Decoded> decoded_; ///< the compressed file decoded last
};

} // namespace systole
