// An image header, checked and converted to our conventions: the result of every header reader, and
// its conversion to a Sequence.
#pragma once

#include "compute/core/field_convention.h"
#include "compute/core/sequence.h"
#include "io/base/byte_source.h"
#include "io/base/open_options.h"
#include "io/base/voxel_type.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct StoredImage {
    std::string path;
    std::string format;
    Geometry geometry;
    /// The one of `notes` that says how the axes are taken to lie; empty: the file says it.
    std::string assumedOrientation;
    VoxelType type = VoxelType::UInt8;
    bool bigEndian = false;
    Rescale rescale;

    /// Frames or vector components: an image has one or the other. The voxels of one sample lie
    /// `interleaving` together, then those of the next sample follow: 1 when samples alternate
    /// voxel by voxel, all voxels of the grid when one sample lies behind the other.
    int frames = 1;
    int components = 1;
    std::size_t interleaving = 0;
    /// Convention of three components, or of three frames that the file declares components.
    StatedConvention vectors{};

    std::vector<double> timesSeconds;
    double closingSeconds = 0;
    std::string modality;
    std::vector<std::string> notes;
    std::unique_ptr<ByteSource> bytes; ///< the file's bytes from the first voxel on

    int samples() const { return frames * components; }
    std::uint64_t storedNumbers() const {
        return std::uint64_t{geometry.voxels()} * static_cast<std::uint64_t>(samples());
    }
    std::uint64_t storedBytes() const { return storedNumbers() * bytesOf(type); }
};

/// Sizes as a header gives them. checkedSize() requires that each is at least 1, that the decoded
/// frame and all stored voxels stay within the limits, and that nothing overflows; else FileError.
struct DeclaredSizes {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::int64_t samples = 1;
    const char* sampleWord = "frames";
};
Size3 checkedSize(const std::string& path, const DeclaredSizes& sizes, std::size_t bytesPerVoxel,
                  const OpenOptions& options);

/// The smallest determinant of an image's directions; two axes of a grid with less are practically
/// parallel.
inline constexpr double smallestGridDeterminant = 1e-4;
/// A Geometry, or a FileError that says what is wrong with spacing, origin (both in mm; see
/// bounds.h) or direction. `columns` may have any length; shear is accepted with a note.
Geometry checkedGeometry(const std::string& path, Size3 size, Vec3 spacing, Vec3 origin,
                         const Matrix3& columns, std::vector<std::string>& notes);

/// Times of frames a fixed step apart, or none with a note of `why` when the step isn't usable.
void setUniformTimes(StoredImage& image, double frameSeconds, const std::string& why);
/// Times as listed; none, with a note, unless finite and ascending. Counted from the first.
void setListedTimes(StoredImage& image, std::vector<double> seconds);

/// Refuses or replaces voxels that are NaN or infinite.
class UnknownVoxels {
public:
    explicit UnknownVoxels(bool accepted) : accepted_(accepted) {}
    /// Replaces them by the smallest number of frame `index` of `path`, and notes where they are.
    /// Throws FileError if they aren't accepted, or if there is no number at all.
    void replace(const std::string& path, int index, VolumeView<float> voxels);
    /// See FrameSource::known().
    std::span<const std::uint8_t> known() const { return known_; }

private:
    bool accepted_;
    std::vector<std::uint8_t> known_;
};

/// Reads any sample of a stored image.
class SampleReader final : public FrameSource {
public:
    SampleReader(StoredImage image, const OpenOptions& options)
        : image_(std::move(image)), unknown_(options.acceptUnknown) {}
    void read(int sample, VolumeView<float> voxels) override;
    std::span<const std::uint8_t> known() const override { return unknown_.known(); }

private:
    StoredImage image_;
    UnknownVoxels unknown_;
    std::vector<std::byte> block_;
};

/// Throws FileError when the image holds vectors or too few slices.
Sequence toSequence(StoredImage image, const OpenOptions& options);

/// "file.nii.gz" of "/a/b/file.nii.gz".
std::string fileNameOf(const std::string& path);
/// The user's --frame-time replaces what the file says.
void applyFrameTime(Sequence& sequence, const OpenOptions& options);

} // namespace systole
