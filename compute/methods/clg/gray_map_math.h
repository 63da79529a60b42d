// The constants and formulas of CLG's map of gray values (gray_map.h) that the CPU and CUDA
// implementations share.
#pragma once

#include <cstdint>

namespace systole::clg {

/// The gray range 0–255, to which frames are scaled, between the first and the last bin.
inline constexpr int grayBins = 64;
inline constexpr float grayPerBin = 255.0f / (grayBins - 1);
/// A voxel counts for the two bins beside its value, by sixteenths; gray values count in
/// sixteenths. Integers add up to the same in any order.
inline constexpr int grayParts = 16;
inline constexpr float minGray = -256, maxGray = 511;
/// A voxel that is inside by less doesn't count.
inline constexpr float minInside = 0.5f;
/// A curve that explains less of the variance isn't stretched further.
inline constexpr double minExplained = 0.1;
/// A bin's mean is that of bins at most so far away, by these weights.
inline constexpr int grayReach = 2;
constexpr double grayWeight(int distance) {
    return distance == 0 ? 6 : distance == 1 || distance == -1 ? 4 : 1;
}

constexpr float heldBetween(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

/// The joint histogram's sums over the voxels inside. For each frame and bin: parts of the voxels
/// whose value of that frame lies there, and the other frame's grayUnits() of them; then the
/// voxels, and the sum and the sum of squares of each frame's units.
struct GraySums {
    static constexpr int bins = 4 * grayBins, values = bins + 5;
    std::uint64_t of[values];

    static constexpr int partsAt(int frame, int bin) { return 2 * (frame * grayBins + bin); }
    static constexpr int otherAt(int frame, int bin) { return partsAt(frame, bin) + 1; }
    static constexpr int sumAt(int frame) { return bins + 1 + 2 * frame; }
};
inline constexpr int fixedFrame = 0, warpedFrame = 1;

/// Position of a value between two bins.
struct GrayPlace {
    int bin; ///< the lower one
    float above;

    explicit constexpr GrayPlace(float value) : bin(0), above(0) {
        const float place = heldBetween(value / grayPerBin, 0, grayBins - 1);
        bin = static_cast<int>(place);
        bin = bin < grayBins - 1 ? bin : grayBins - 2;
        above = place - static_cast<float>(bin);
    }
    constexpr std::uint32_t partsAbove() const {
        return static_cast<std::uint32_t>(above * grayParts + 0.5f);
    }
};

constexpr std::uint32_t grayUnits(float value) {
    return static_cast<std::uint32_t>((heldBetween(value, minGray, maxGray) - minGray) * grayParts +
                                      0.5f);
}
/// A voxel's share in the sums: what is added to which of them.
struct GrayShare {
    static constexpr int count = 13;
    int index[count];
    std::uint32_t value[count];

    constexpr GrayShare(float fixed, float warped) : index(), value() {
        const std::uint32_t units[2] = {grayUnits(fixed), grayUnits(warped)};
        int n = 0;
        const auto add = [&](int at, std::uint32_t what) {
            index[n] = at;
            value[n++] = what;
        };
        for (int frame = 0; frame < 2; ++frame) {
            const GrayPlace at(frame == fixedFrame ? fixed : warped);
            const std::uint32_t above = at.partsAbove(), other = units[1 - frame];
            add(GraySums::partsAt(frame, at.bin), grayParts - above);
            add(GraySums::otherAt(frame, at.bin), (grayParts - above) * other);
            add(GraySums::partsAt(frame, at.bin + 1), above);
            add(GraySums::otherAt(frame, at.bin + 1), above * other);
            add(GraySums::sumAt(frame), units[frame]);
            add(GraySums::sumAt(frame) + 1, units[frame] * units[frame]);
        }
        add(GraySums::bins, 1);
    }
};
constexpr double grayOf(double units) { return units / grayParts + static_cast<double>(minGray); }

/// The other frame's mean gray value where a frame's value is near a bin's; `overall` if nowhere.
constexpr double meanOther(const GraySums& sums, int frame, int bin, double overall) {
    double parts = 0, other = 0;
    for (int d = -grayReach; d <= grayReach; ++d)
        if (bin + d >= 0 && bin + d < grayBins) {
            const double weight = grayWeight(d);
            parts += weight * static_cast<double>(sums.of[GraySums::partsAt(frame, bin + d)]);
            other += weight * static_cast<double>(sums.of[GraySums::otherAt(frame, bin + d)]);
        }
    return parts > 0 ? grayOf(other / parts) : overall;
}

/// Map of a frame's gray values: `value` at the bins, linear between them.
struct GrayCurve {
    float value[grayBins];

    constexpr float of(float gray) const {
        const GrayPlace at(gray);
        return value[at.bin] + at.above * (value[at.bin + 1] - value[at.bin]);
    }
};

/// Fills the curve of one frame's values to the other's; returns the squared correlation ratio, the
/// part of the other frame's variance that the curve explains. The curve is stretched about the
/// mean to the other frame's deviation: before the motion is found means have less contrast, and
/// frames of one contrast must keep it. `root` is the square root of a double.
template <typename Root>
constexpr double fillCurve(const GraySums& sums, int frame, const Root& root, GrayCurve& curve) {
    const auto voxels = static_cast<double>(sums.of[GraySums::bins]);
    const int other = GraySums::sumAt(1 - frame);
    const double n = voxels > 0 ? voxels : 1;
    const double units = static_cast<double>(sums.of[other]) / n;
    const double mean = grayOf(units);
    const double variance =
        (static_cast<double>(sums.of[other + 1]) / n - units * units) / (grayParts * grayParts);
    double between = 0;
    for (int bin = 0; bin < grayBins; ++bin) {
        const double difference = meanOther(sums, frame, bin, mean) - mean;
        between += static_cast<double>(sums.of[GraySums::partsAt(frame, bin)]) * difference *
                   difference / grayParts;
        curve.value[bin] = static_cast<float>(difference);
    }
    const double explained = variance > 0 ? between / n / variance : 0;
    const double stretch = 1 / root(explained > minExplained ? explained : minExplained);
    for (float& value : curve.value)
        value = static_cast<float>(mean + stretch * static_cast<double>(value));
    return explained;
}

/// The values of a voxel in both frames.
struct GrayPair {
    float fixed, warped;
};

/// The joint histogram's sums and the curve that follows.
struct GrayMap {
    GraySums sums;
    GrayCurve curve;
    int ofFrame; ///< frame whose values the curve maps: fixedFrame or warpedFrame

    /// Chooses the frame whose values tell more of the other's.
    template <typename Root>
    constexpr void chooseCurve(const Root& root) {
        GrayCurve ofFixed{};
        const double byFixed = fillCurve(sums, fixedFrame, root, ofFixed);
        ofFrame = fillCurve(sums, warpedFrame, root, curve) >= byFixed ? warpedFrame : fixedFrame;
        if (ofFrame == fixedFrame)
            curve = ofFixed;
    }
    /// A voxel's values as they are compared.
    constexpr GrayPair of(float fixed, float warped) const {
        return ofFrame == warpedFrame ? GrayPair{fixed, curve.of(warped)}
                                      : GrayPair{curve.of(fixed), warped};
    }
};

} // namespace systole::clg
