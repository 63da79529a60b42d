#include "compute/cardiac/rotation.h"

#include "compute/core/points.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace systole::cardiac {
namespace {

/// The mean direction of rotations, each with the same weight.
struct Turn {
    double sine = 0, cosine = 0;

    void add(Vec3 before, Vec3 after, Vec3 about) {
        const double s = dot(cross(before, after), about), c = dot(before, after);
        if (const double size = std::hypot(s, c); size > 0) {
            sine += s / size;
            cosine += c / size;
        }
    }
    /// NaN without any.
    double degrees() const {
        return sine == 0 && cosine == 0 ? std::numeric_limits<double>::quiet_NaN()
                                        : std::atan2(sine, cosine) * 180 / std::numbers::pi;
    }
};

Vec3 across(Vec3 v, Vec3 unit) { return v - dot(v, unit) * unit; }

} // namespace

RotationMeter::RotationMeter(const Ventricle& ventricle, AhaModel model,
                             const std::vector<int>& segments)
    : ventricle_(ventricle), segments_(segments) {
    for (int segment = 1; segment <= ahaSegments(model); ++segment)
        levelOfSegment_.push_back(cardiac::levelOfSegment(segment, model));
    const auto levelAt = [&](std::size_t i) {
        return static_cast<std::size_t>(levelOfSegment_[static_cast<std::size_t>(segments[i] - 1)]);
    };
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::size_t level = levelAt(i);
        const Vec3 p = ventricle.wall.position(i);
        ++count_[level];
        middle_[level] = middle_[level] + p;
        height_[level] += ventricle.axis().height(p);
    }
    for (std::size_t level = 0; level < levels; ++level)
        if (count_[level] > 0) {
            middle_[level] = (1 / count_[level]) * middle_[level];
            height_[level] /= count_[level];
        }
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const std::size_t level = levelAt(i);
        radius_[level] += length(across(ventricle.wall.position(i) - middle_[level],
                                        ventricle.axis().towardsBase())) /
                          count_[level];
    }
}

void RotationMeter::add(const Displacements& diastole, const Displacements& now,
                        FrameMeasures& frame) const {
    const Vec3 unit = ventricle_.axis().towardsBase(), about = -1.0 * unit;
    const auto levelAt = [&](std::size_t i) {
        return static_cast<std::size_t>(
            levelOfSegment_[static_cast<std::size_t>(segments_[i] - 1)]);
    };
    std::array<Vec3, levels> first{}, shift{}; // of each level's middle, since the labels
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const std::size_t level = levelAt(i);
        first[level] = first[level] + (1 / count_[level]) * widened(diastole[i]);
        shift[level] = shift[level] + (1 / count_[level]) * widened(now[i]);
    }
    std::array<Turn, levels> ofLevel{};
    std::vector<Turn> ofSegment(levelOfSegment_.size());
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const std::size_t level = levelAt(i);
        const Vec3 still = across(ventricle_.wall.position(i) - middle_[level], unit);
        const Vec3 before = still + across(widened(diastole[i]) - first[level], unit),
                   after = still + across(widened(now[i]) - shift[level], unit);
        ofLevel[level].add(before, after, about);
        ofSegment[static_cast<std::size_t>(segments_[i] - 1)].add(before, after, about);
    }
    for (std::size_t s = 0; s < ofSegment.size(); ++s)
        frame.segments[s].rotation = ofSegment[s].degrees();
    const auto of = [](Level level) { return static_cast<std::size_t>(level); };
    Rotation& rotation = frame.rotation;
    rotation.apical = ofLevel[of(Level::Apical)].degrees();
    rotation.mid = ofLevel[of(Level::Mid)].degrees();
    rotation.basal = ofLevel[of(Level::Basal)].degrees();
    rotation.twist = rotation.apical - rotation.basal;
    const double distance = height_[of(Level::Basal)] - height_[of(Level::Apical)]; // mm
    rotation.torsionPerCm = rotation.twist / (distance / 10);
    rotation.torsionShear =
        rotation.twist * (radius_[of(Level::Apical)] + radius_[of(Level::Basal)]) / (2 * distance);
}

} // namespace systole::cardiac
