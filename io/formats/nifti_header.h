// The fields of a NIfTI-1 or NIfTI-2 header, as they stand in the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

struct NiftiHeader {
    int version = 1;
    bool bigEndian = false;
    bool voxelsInOtherFile = false; ///< .hdr and .img
    std::array<std::int64_t, 8> dim{};
    int datatype = 0;
    int bitsPerVoxel = 0;
    std::array<double, 8> pixdim{};
    double voxelOffset = 0;
    double slope = 0, intercept = 0;
    double timeOffset = 0;
    int sliceCode = 0;
    double sliceDuration = 0; ///< duration in the header's unit of time
    int units = 0;            ///< xyzt_units
    int intentCode = 0;
    double intentParameter = 0; ///< intent_p1
    std::string intentName;
    std::string description;
    int qformCode = 0, sformCode = 0;
    std::array<double, 3> quaternion{}; ///< b, c, d
    std::array<double, 3> qoffset{};
    std::array<std::array<double, 4>, 3> srow{};
};

constexpr std::size_t largestNiftiHeader = 540;

/// Nothing when the bytes aren't the beginning of a NIfTI header.
std::optional<NiftiHeader> parseNiftiHeader(std::string_view bytes);

/// A header of NIfTI-1's size without its magic: of the format that NIfTI-1 came from.
bool isAnalyzeHeader(std::string_view bytes);

} // namespace systole
