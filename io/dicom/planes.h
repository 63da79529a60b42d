// The image planes of a DICOM file: where each lies, when it was taken and where its pixels are.
#pragma once

#include "compute/core/geometry.h"
#include "io/dicom/file.h"
#include "io/voxel_type.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

enum class TimeUnit { Seconds, Milliseconds, PercentOfCycle, Clock, OrderOnly };

struct TimeKey {
    DicomTag tag;
    const char* name;
    TimeUnit unit;
};

/// Attributes that may distinguish frames, the most reliable first.
inline constexpr std::array<TimeKey, 10> timeKeys{{
    {{0x0020, 0x930d, "FD"}, "temporal position time offset (0020,930D)", TimeUnit::Seconds},
    {{0x0020, 0x9128, "UL"}, "temporal position index (0020,9128)", TimeUnit::OrderOnly},
    {{0x0020, 0x9241, "FL"},
     "nominal percentage of cardiac phase (0020,9241)",
     TimeUnit::PercentOfCycle},
    {{0x0020, 0x9153, "FD"}, "trigger delay (0020,9153)", TimeUnit::Milliseconds},
    {{0x0018, 0x1060, "DS"}, "trigger time (0018,1060)", TimeUnit::Milliseconds},
    {{0x0020, 0x0100, "IS"}, "temporal position identifier (0020,0100)", TimeUnit::OrderOnly},
    {{0x0008, 0x0033, "TM"}, "content time (0008,0033)", TimeUnit::Clock},
    {{0x0008, 0x0032, "TM"}, "acquisition time (0008,0032)", TimeUnit::Clock},
    {{0x0020, 0x0011, "IS"}, "series number (0020,0011)", TimeUnit::OrderOnly},
    {{0x0020, 0x0013, "IS"}, "instance number (0020,0013)", TimeUnit::OrderOnly},
}};

/// What the planes of one file share.
struct DicomImageFile : DicomPixels {
    std::string series;
    std::string seriesNumber;
    std::string modality;
    bool enhanced = false;     ///< functional groups say where each frame lies
    bool inProbeSpace = false; ///< positions refer to the volume, not to the patient
    int rows = 0, columns = 0;
    int bitsAllocated = 0, bitsStored = 0;
    bool isSigned = false;
    int frames = 1;
    double frameMilliseconds = 0; ///< (0018,1063); 0: not stated
    std::size_t planeBytes() const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
               static_cast<std::size_t>(bitsAllocated / 8);
    }
    VoxelType voxelType() const;
};

struct DicomPlane {
    std::shared_ptr<const DicomImageFile> file;
    int frame = 0;                            ///< within the file
    std::optional<Vec3> position;             ///< center of the first pixel, LPS mm
    Vec3 alongRow, alongColumn;               ///< directions in which column and row numbers grow
    double columnSpacing = 0, rowSpacing = 0; ///< mm
    Rescale rescale;
    std::array<std::optional<double>, timeKeys.size()> times; ///< raw values; Clock in seconds
    double cycleMilliseconds = 0;                             ///< RR interval; 0: not stated

    Vec3 normal() const;
};

/// The planes of an image file; empty for a DICOM file without an image. Throws FileError for an
/// image that isn't grayscale, is truncated or is too large.
std::vector<DicomPlane> planesOf(const DicomFile& file, std::size_t maximumBytes);

} // namespace systole
