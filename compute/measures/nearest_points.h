// The nearest of many points, by a k-d tree.
#pragma once

#include "compute/core/geometry.h"

#include <vector>

namespace systole {

class NearestPoints {
public:
    /// `points` has at least one.
    explicit NearestPoints(std::vector<Vec3> points);
    /// Distance to the nearest point, in the unit of the points.
    double distanceTo(Vec3 point) const;

private:
    /// The points of [begin, end) with their median along `axis` in the middle, and so on within
    /// both halves along the next axis.
    void sort(std::size_t begin, std::size_t end, int axis);
    void search(std::size_t begin, std::size_t end, int axis, Vec3 point, double& squared) const;

    std::vector<Vec3> points_;
};

} // namespace systole
