// The neighbors of a band's elements by brute force in double precision, and whether lists hold
// them.
#pragma once

#include "compute/surface/narrow_band.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace systole::test {

struct Lists {
    std::vector<int> element;
    std::vector<float> distance;
    int m = 0;

    Lists(int elements, int kept)
        : element(static_cast<std::size_t>(elements) * static_cast<std::size_t>(kept), -1)
        , distance(element.size(), NAN)
        , m(kept) {}
    NeighborView view() { return {element.data(), distance.data(), m}; }
    bool operator==(const Lists&) const = default;
};

/// D between two elements, from its definition.
class ExactDistance {
public:
    ExactDistance(const std::vector<float>& phi, Size3 size, std::vector<int> band, int radius)
        : phi_(phi), size_(size), band_(std::move(band)), radius_(radius) {}

    Voxel voxel(int e) const {
        const int i = band_[static_cast<std::size_t>(e)];
        return {i % size_.x, i / size_.x % size_.y, i / size_.x / size_.y};
    }
    int count() const { return static_cast<int>(band_.size()); }
    double operator()(int a, int b) const {
        const Voxel p = voxel(a), q = voxel(b);
        double sum = 0;
        for (int z = -radius_; z <= radius_; ++z)
            for (int y = -radius_; y <= radius_; ++y)
                for (int x = -radius_; x <= radius_; ++x) {
                    const double d = value(p + Voxel{x, y, z}) - value(q + Voxel{x, y, z});
                    sum += d * d;
                }
        return sum;
    }

private:
    double value(Voxel v) const {
        const int x = std::clamp(v.x, 0, size_.x - 1), y = std::clamp(v.y, 0, size_.y - 1),
                  z = std::clamp(v.z, 0, size_.z - 1);
        return static_cast<double>(phi_[static_cast<std::size_t>(x + size_.x * (y + size_.y * z))]);
    }
    const std::vector<float>& phi_;
    Size3 size_;
    std::vector<int> band_;
    int radius_;
};

/// Each list ascends by (D, element), holds no element twice, is led by an element of D 0, has
/// distances within 1e-5 of the exact ones, and misses nothing closer than its last by more.
inline void expectNearest(const Lists& lists, const ExactDistance& exact, int window) {
    int wrong = 0;
    for (int j = 0; j < exact.count(); ++j) {
        std::vector<double> all;
        for (int l = 0; l < exact.count(); ++l)
            if (nlm::inWindow(window, exact.voxel(j), exact.voxel(l)))
                all.push_back(exact(j, l));
        std::sort(all.begin(), all.end());
        std::vector<int> seen;
        for (int k = 0; k < lists.m; ++k) {
            const auto at = static_cast<std::size_t>(j * lists.m + k);
            const double distance = static_cast<double>(lists.distance[at]);
            const int l = lists.element[at];
            ASSERT_GE(l, 0);
            ASSERT_LT(l, exact.count());
            if (static_cast<std::size_t>(k) >= all.size()) {
                wrong += l != j || !std::isinf(distance);
                continue;
            }
            // The exact distance to the entry, and that of the k-th closest.
            wrong += !(std::abs(distance - exact(j, l)) <= 1e-5 * distance);
            wrong += !(exact(j, l) <= all[static_cast<std::size_t>(k)] * (1 + 2e-5));
            if (k > 0) {
                const float before = lists.distance[at - 1];
                wrong += !(before < lists.distance[at] ||
                           (before == lists.distance[at] && lists.element[at - 1] < l));
            }
            seen.push_back(l);
        }
        std::sort(seen.begin(), seen.end());
        wrong += std::adjacent_find(seen.begin(), seen.end()) != seen.end();
        wrong += lists.distance[static_cast<std::size_t>(j * lists.m)] != 0;
    }
    EXPECT_EQ(wrong, 0);
}

} // namespace systole::test
