#include "compute/measures/nearest_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace systole {

NearestPoints::NearestPoints(std::vector<Vec3> points) : points_(std::move(points)) {
    sort(0, points_.size(), 0);
}

void NearestPoints::sort(std::size_t begin, std::size_t end, int axis) {
    if (end - begin < 2)
        return;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [axis](Vec3 a, Vec3 b) { return a[axis] < b[axis]; });
    sort(begin, middle, (axis + 1) % 3);
    sort(middle + 1, end, (axis + 1) % 3);
}

void NearestPoints::search(std::size_t begin, std::size_t end, int axis, Vec3 point,
                           double& squared) const {
    if (begin >= end)
        return;
    const std::size_t middle = begin + (end - begin) / 2;
    const Vec3 difference = point - points_[middle];
    squared = std::min(squared, dot(difference, difference));
    const double across = difference[axis];
    const bool low = across < 0;
    search(low ? begin : middle + 1, low ? middle : end, (axis + 1) % 3, point, squared);
    if (across * across < squared)
        search(low ? middle + 1 : begin, low ? end : middle, (axis + 1) % 3, point, squared);
}

double NearestPoints::distanceTo(Vec3 point) const {
    double squared = std::numeric_limits<double>::infinity();
    search(0, points_.size(), 0, point, squared);
    return std::sqrt(squared);
}

} // namespace systole
