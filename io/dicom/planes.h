// The image planes of a DICOM file: where each lies, when it was taken and where its pixels are.
#pragma once

#include "compute/core/geometry.h"
#include "io/base/voxel_type.h"
#include "io/dicom/file.h"
#include "io/dicom/time_keys.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Attribute that, like position and time, distinguishes images at one position: images of
/// different kinds aren't frames of one sequence.
struct KindKey {
    const char* name;
    /// Whether it tells kinds apart, and not frames, where the images have no times.
    bool withoutTimes;
};
inline constexpr std::array<KindKey, 9> kindKeys{{
    {"component", true}, ///< magnitude, phase, real or imaginary
    {"image type", true},
    {"echo number", true},
    {"echo time", true},
    {"convolution kernel", true},
    {"inversion time", false},
    {"flip angle", false},
    {"b-value", false},
    {"acquisition number", false},
}};
inline constexpr std::size_t componentKind = 0;

/// Attributes that all planes of one file share.
struct DicomImageFile : DicomPixels {
    std::string series, study, instance; ///< UIDs
    std::string sopClass;                ///< the UID of what kind of object it is
    std::string frameOfReference;        ///< UID
    std::string seriesNumber, seriesDescription;
    std::string modality;
    std::string imageType;     ///< (0008,0008) as it stands
    bool enhanced = false;     ///< functional groups say where each frame lies
    bool inProbeSpace = false; ///< positions refer to the volume, not to the patient
    int rows = 0, columns = 0;
    int bitsAllocated = 0, bitsStored = 0;
    int highBit = 0; ///< the highest of those stored
    bool isSigned = false;
    bool hasModalityTable = false; ///< (0028,3000), which isn't applied
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
    int frame = 0;                            ///< index within the file, from 0
    std::optional<Vec3> position;             ///< center of the first pixel, LPS mm
    Vec3 alongRow, alongColumn;               ///< directions in which column and row numbers grow
    double columnSpacing = 0, rowSpacing = 0; ///< mm
    bool hasSpacing = false;                  ///< it is stated, as two numbers
    /// The spacing of a projection is stated, as two numbers.
    bool hasDetectorSpacing = false;
    Rescale rescale;
    bool rescalesToNothing = false;                           ///< its slope of 0 isn't applied
    std::array<std::optional<double>, timeKeys.size()> times; ///< raw values; Clock in seconds
    double cycleMilliseconds = 0;                             ///< RR interval; 0: not stated
    std::array<std::string, kindKeys.size()> kinds;           ///< empty: not stated

    Vec3 normal() const;
};

/// The series' name in messages: "number '8' 'cine SA'".
std::string seriesName(const DicomImageFile& file);
/// The series' name in titles: "series 8 'cine SA'"; empty: it has neither number nor description.
std::string seriesTitle(const DicomImageFile& file);
/// Its UIDs, names and types, of any DICOM file; sizes and coding are left at 0.
DicomImageFile identityOf(const DicomFile& file);
/// Whether the file's pixels aren't gray values.
bool isColor(const DicomFile& file);

/// The planes of an image file; empty for a DICOM file without an image. Throws FileError for an
/// image that isn't grayscale, is truncated or is too large.
std::vector<DicomPlane> planesOf(const DicomFile& file, std::size_t maximumBytes);

} // namespace systole
