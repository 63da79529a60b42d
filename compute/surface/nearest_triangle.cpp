#include "compute/surface/nearest_triangle.h"

#include <algorithm>
#include <numeric>

namespace systole {
namespace {

constexpr std::size_t leafTriangles = 4;

double along(const TriangleMesh& mesh, std::uint32_t triangle, std::size_t axis) {
    const auto& t = mesh.triangles[triangle];
    return static_cast<double>(mesh.points[t[0]][axis]) +
           static_cast<double>(mesh.points[t[1]][axis]) +
           static_cast<double>(mesh.points[t[2]][axis]);
}

} // namespace

Vec3 nearestOfTriangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return a;
    const Vec3 bp = p - b;
    const double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return b;
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return a + (d1 / (d1 - d3)) * ab;
    const Vec3 cp = p - c;
    const double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return c;
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return a + (d2 / (d2 - d6)) * ac;
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b);
    const double sum = va + vb + vc;
    if (!(sum > 0)) // no area: one of its corners
        return a;
    return a + (vb / sum) * ab + (vc / sum) * ac;
}

double NearestTriangle::Box::squaredDistanceTo(Vec3 p) const {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double outside = std::max({low[axis] - p[axis], 0.0, p[axis] - high[axis]});
        sum += outside * outside;
    }
    return sum;
}

NearestTriangle::NearestTriangle(const TriangleMesh& mesh)
    : mesh_(mesh), order_(mesh.triangles.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::size_t nodes = 1;
    for (std::size_t range = order_.size(); range > leafTriangles; range = range - range / 2)
        nodes = 2 * nodes + 1;
    boxes_.resize(nodes);
    build(0, 0, order_.size());
}

NearestTriangle::Box NearestTriangle::boxOf(std::size_t begin, std::size_t end) const {
    Box box;
    for (std::size_t i = begin; i < end; ++i)
        for (const std::uint32_t index : mesh_.triangles[order_[i]])
            box.add(pointOf(mesh_, index));
    return box;
}

void NearestTriangle::build(std::size_t node, std::size_t begin, std::size_t end) {
    const Box box = boxes_[node] = boxOf(begin, end);
    if (end - begin <= leafTriangles)
        return;
    const Vec3 extent = box.high - box.low;
    const std::size_t axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                             : extent.y >= extent.z                       ? 1
                                                                          : 2;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
        const double ca = along(mesh_, a, axis), cb = along(mesh_, b, axis);
        return ca != cb ? ca < cb : a < b;
    });
    build(2 * node + 1, begin, middle);
    build(2 * node + 2, middle, end);
}

void NearestTriangle::look(std::uint32_t triangle, Vec3 p, Found& found) const {
    const auto& t = mesh_.triangles[triangle];
    const Vec3 point =
        nearestOfTriangle(p, pointOf(mesh_, t[0]), pointOf(mesh_, t[1]), pointOf(mesh_, t[2]));
    const Vec3 away = p - point;
    const double squared = dot(away, away);
    if (squared < found.squaredDistance)
        found = {squared, point, triangle};
}

void NearestTriangle::search(std::size_t node, std::size_t begin, std::size_t end, Vec3 p,
                             Found& found) const {
    if (end - begin <= leafTriangles) {
        for (std::size_t i = begin; i < end; ++i)
            look(order_[i], p, found);
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const std::size_t low = 2 * node + 1, high = 2 * node + 2;
    const double toLow = boxes_[low].squaredDistanceTo(p),
                 toHigh = boxes_[high].squaredDistanceTo(p);
    const auto visit = [&](bool lower) {
        if ((lower ? toLow : toHigh) < found.squaredDistance)
            search(lower ? low : high, lower ? begin : middle, lower ? middle : end, p, found);
    };
    visit(toLow <= toHigh);
    visit(toLow > toHigh);
}

NearestTriangle::Found NearestTriangle::to(Vec3 p, std::uint32_t start) const {
    Found found;
    look(start, p, found);
    search(0, 0, order_.size(), p, found);
    return found;
}

} // namespace systole
