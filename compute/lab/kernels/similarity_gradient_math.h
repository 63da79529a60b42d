// The similarity gradient of one voxel: one formula for the plain loop and CUDA.
#pragma once

#include "compute/methods/ffd/similarity_nmi.h"
#include "compute/methods/ffd/similarity_nmi_math.h"

namespace systole::lab {

/// Index of the first of the four entries of the table that a voxel counts in, and how far it lies
/// beyond the second of their bins.
struct TablePlace {
    int first;
    float part;
    bool limited; ///< the value lies beyond the warped image's bins, where nothing changes

    constexpr TablePlace(const BinScale& fixedBins, const BinScale& warpedBins, float fixed,
                         float warped)
        : first(0), part(0), limited(false) {
        // Positions are not negative: the integer part is the floor.
        const int row = static_cast<int>(fixedBins.position(fixed) + 0.5f);
        const float position = warpedBins.position(warped);
        const int bin = static_cast<int>(position);
        first = row * nmiBins + bin - 1;
        part = position - static_cast<float>(bin);
        limited = position <= warpedBins.low || position >= warpedBins.high;
    }
};

/// ∂(−NMI)/∂warped of a voxel; `read(index)` gives an entry of the table.
template <typename Read>
constexpr float nmiSlopeAt(const TablePlace& place, const BinScale& warpedBins, float weight,
                           const Read& read) {
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += read(place.first + k) * ParzenWindow::derivative(k, place.part);
    return place.limited ? 0.0f : -warpedBins.scale * weight * sum;
}

} // namespace systole::lab
