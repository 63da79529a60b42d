// Matches of landmarks with wrong ones planted on purpose, alone and in groups.
#pragma once

#include "compute/core/random.h"
#include "compute/landmarks/agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole::test {

inline double uniform(std::uint64_t stream, std::size_t i) {
    return double{uniformFloat(static_cast<std::uint32_t>(randomBits(23, stream, i)))};
}

struct Matches {
    std::vector<Vec3> points, displacements; ///< mm
    std::vector<unsigned char> wrong;
    std::vector<double> missedBy; ///< mm from the true displacement
};

/// `count` points in a cube with noise of ±0.5 mm along each axis. A tenth is wrong in groups of
/// `group` nearest ones which are off together by 8 to 20 mm; or, for a group of 1, `fraction` of
/// all, each by up to 20 mm along each axis on its own.
inline Matches plantedMatches(std::size_t count, double edge, const auto& motion, int group,
                              double fraction) {
    Matches made;
    for (std::size_t i = 0; i < count; ++i)
        made.points.push_back({edge * uniform(0, i), edge * uniform(1, i), edge * uniform(2, i)});
    made.wrong.assign(count, 0);
    std::vector<Vec3> off(count);
    const auto within = [](std::uint64_t stream, std::size_t i, double width) {
        return width * (2 * uniform(stream, i) - 1);
    };
    for (std::size_t i = 0; i < count; ++i) {
        made.wrong[i] = group == 1 && uniform(6, i) < fraction;
        const double width = made.wrong[i] ? 20 : 0.5;
        off[i] = {within(3, i, width), within(4, i, width), within(5, i, width)};
    }
    if (group > 1) {
        ExecResources resources(1);
        const NeighborTable around = nearestNeighbors(made.points, group - 1, resources.context());
        double planted = 0;
        for (std::size_t k = 0; planted < fraction * static_cast<double>(count); ++k) {
            const auto center =
                static_cast<std::size_t>(uniform(8, k) * static_cast<double>(count));
            if (made.wrong[center])
                continue;
            const Vec3 direction{uniform(9, k) - 0.5, uniform(10, k) - 0.5, uniform(11, k) - 0.5};
            const Vec3 by = (8 + 12 * uniform(12, k)) / length(direction) * direction;
            const auto plant = [&](std::size_t i) {
                if (made.wrong[i])
                    return;
                made.wrong[i] = 1;
                off[i] = off[i] + by;
                ++planted;
            };
            plant(center);
            for (const int other : around.of(static_cast<int>(center)))
                plant(static_cast<std::size_t>(other));
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        made.displacements.push_back(motion(made.points[i]) + off[i]);
        made.missedBy.push_back(length(off[i]));
    }
    return made;
}

/// Breathing that slides along the plane x = 50 mm.
inline Vec3 sliding(Vec3 p) { return p.x < 50 ? Vec3{} : Vec3{0, 0, 15 + 0.05 * p.z}; }
/// A heart that gets a quarter shorter along two axes, and longer along the third.
inline Vec3 contraction(Vec3 p) {
    return {-0.25 * (p.x - 100), -0.25 * (p.y - 100), 0.15 * (p.z - 100)};
}
inline Vec3 smooth(Vec3 p) {
    return {3 * std::sin(p.x / 40), 5 * std::cos(p.z / 50), 0.1 * p.z + 0.05 * p.x};
}

struct Judged {
    int wrong = 0, wrongLeft = 0; ///< off by more than 6 mm
    int right = 0, rightLost = 0;
};
inline Judged outcomeOf(const Matches& matches, const std::vector<unsigned char>& agrees) {
    Judged judged;
    for (std::size_t i = 0; i < agrees.size(); ++i)
        if (matches.missedBy[i] > 6) {
            ++judged.wrong;
            judged.wrongLeft += agrees[i];
        } else if (!matches.wrong[i]) {
            ++judged.right;
            judged.rightLost += !agrees[i];
        }
    return judged;
}

} // namespace systole::test
