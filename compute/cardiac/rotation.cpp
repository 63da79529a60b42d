#include "compute/cardiac/rotation.h"

#include "compute/core/points.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace systole::cardiac {
namespace {

Vec3 across(Vec3 v, Vec3 unit) { return v - dot(v, unit) * unit; }

/// NaN without any.
double degreesOf(double sine, double cosine) {
    return sine == 0 && cosine == 0 ? std::numeric_limits<double>::quiet_NaN()
                                    : std::atan2(sine, cosine) * 180 / std::numbers::pi;
}

} // namespace

WallLevels::WallLevels(const VentricleFits& fits, AhaModel model)
    : hasCap_(model == AhaModel::Seventeen)
    , towardsApex_(-1.0 * fits.ventricle().axis().towardsBase()) {
    for (int segment = 1; segment <= ahaSegments(model); ++segment)
        levelOfSegment_.push_back(static_cast<std::size_t>(levelOfSegment(segment, model)));
    const Ventricle& ventricle = fits.ventricle();
    const auto levelAt = [&](std::size_t i) {
        return levelOfBand(static_cast<std::size_t>(fits.bandOf()[i]));
    };
    for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
        const std::size_t level = levelAt(i);
        const Vec3 p = ventricle.wall.position(i);
        ++count_[level];
        middle_[level] = middle_[level] + p;
        height_[level] += ventricle.axis().height(p);
    }
    for (std::size_t level = 0; level < bands; ++level)
        if (count_[level] > 0) {
            middle_[level] = (1 / count_[level]) * middle_[level];
            height_[level] /= count_[level];
        }
    for (std::size_t i = 0; i < ventricle.wall.count(); ++i) {
        const std::size_t level = levelAt(i);
        radius_[level] +=
            length(across(ventricle.wall.position(i) - middle_[level], towardsApex_)) /
            count_[level];
    }
}

BandSums WallLevels::shift(const FrameChange& change) const {
    BandSums shift{};
    for (std::size_t band = 0; band < bands; ++band)
        if (const std::size_t level = levelOfBand(band); count_[level] > 0)
            shift[level] = shift[level] + (1 / count_[level]) * change.moved[band];
    return shift;
}

void WallLevels::addRotation(const WallSums& sums, FrameMeasures& frame) const {
    std::array<double, bands> sine{}, cosine{};
    for (std::size_t s = 0; s < sums.segments.size(); ++s) {
        const SegmentSums& of = sums.segments[s];
        sine[levelOfSegment_[s]] += of[SumSine];
        cosine[levelOfSegment_[s]] += of[SumCosine];
        frame.segments[s].rotation = degreesOf(of[SumSine], of[SumCosine]);
    }
    const auto of = [](Level level) { return static_cast<std::size_t>(level); };
    const auto degrees = [&](Level level) { return degreesOf(sine[of(level)], cosine[of(level)]); };
    Rotation& rotation = frame.rotation;
    rotation.apical = degrees(Level::Apical);
    rotation.mid = degrees(Level::Mid);
    rotation.basal = degrees(Level::Basal);
    rotation.twist = rotation.apical - rotation.basal;
    const double distance = height_[of(Level::Basal)] - height_[of(Level::Apical)]; // mm
    rotation.torsionPerCm = rotation.twist / (distance / 10);
    rotation.torsionShear =
        rotation.twist * (radius_[of(Level::Apical)] + radius_[of(Level::Basal)]) / (2 * distance);
}

} // namespace systole::cardiac
