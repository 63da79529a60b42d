#include "compute/cardiac/measures.h"

#include "compute/cardiac/contours.h"
#include "compute/cardiac/rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole::cardiac {
namespace {

constexpr double gramsPerMilliliter = 1.05;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double strainBy(Tensor tensor, double squaredStretch) {
    return tensor == Tensor::Engineering ? engineeringStrain(squaredStretch)
                                         : greenStrain(squaredStretch);
}

/// Means over the voxels of each segment and over all.
void addVoxelMeans(const std::vector<VoxelChange>& changes, const std::vector<int>& segments,
                   const std::vector<int>& counts, const StrainDefinition& definition,
                   FrameMeasures& frame) {
    std::vector<double> jacobian(counts.size());
    std::vector<Directions> sums(counts.size());
    Directions all;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto s = static_cast<std::size_t>(segments[i] - 1);
        jacobian[s] += changes[i].jacobian;
        for (int k = 0; k < 3; ++k) {
            const double strain = strainBy(definition.tensor, changes[i].stretch[k]);
            sums[s][k] += strain;
            all[k] += strain / static_cast<double>(changes.size());
        }
    }
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const double count = counts[s] > 0 ? counts[s] : unknown;
        frame.segments[s].jacobian = jacobian[s] / count;
        for (int k = 0; k < 3 && !definition.byContours; ++k)
            frame.segments[s].strain[k] = sums[s][k] / count;
    }
    if (!definition.byContours)
        frame.strain = all;
}

Incompressibility incompressibilityOf(const std::vector<VoxelChange>& changes) {
    const auto n = static_cast<double>(changes.size());
    double sum = 0, squares = 0, logarithms = 0, logarithmSquares = 0, positive = 0, product = 0;
    Incompressibility volume;
    for (const VoxelChange& change : changes) {
        const double j = change.jacobian;
        sum += j;
        squares += j * j;
        volume.percentBeyond5 += std::abs(j - 1) > 0.05 ? 100 / n : 0;
        volume.percentFolded += j <= 0 ? 100 / n : 0;
        const double last = static_cast<double>(volume.histogram.size()) - 1;
        const double bin = std::clamp(std::floor((j - jacobianFrom) / jacobianStep), 0.0, last);
        volume.histogram[static_cast<std::size_t>(bin)] += 100 / n;
        if (j > 0) {
            logarithms += std::log(j);
            logarithmSquares += std::log(j) * std::log(j);
            ++positive;
        }
        product += std::sqrt(change.stretch[0] * change.stretch[1] * change.stretch[2]) / n;
    }
    const auto deviation = [](double total, double ofSquares, double count) {
        return std::sqrt(std::max(0.0, ofSquares / count - total * total / (count * count)));
    };
    volume.mean = sum / n;
    volume.deviation = deviation(sum, squares, n);
    volume.deviationOfLogarithm =
        positive > 0 ? deviation(logarithms, logarithmSquares, positive) : unknown;
    volume.driftPercent = 100 * (volume.mean - 1);
    volume.product = product;
    return volume;
}

/// Central differences over known times, one-sided at both ends.
template <class Of> ///< Of(frame) is a reference to the strain; rate likewise
void addRates(const std::vector<double>& times, std::size_t frames, const Of& strainAndRate) {
    for (std::size_t t = 0; t < frames; ++t) {
        const std::size_t before = t > 0 ? t - 1 : t, after = t + 1 < frames ? t + 1 : t;
        const double span = times[after] - times[before];
        for (int k = 0; k < 3; ++k)
            strainAndRate(t).second[k] =
                span > 0 ? (strainAndRate(after).first[k] - strainAndRate(before).first[k]) / span
                         : unknown;
    }
}

/// Since the first frame: the stretch of the same lines of tissue and the volume of the same voxel,
/// over those there.
void relateToFirst(std::vector<std::vector<VoxelChange>>& changes) {
    const std::vector<VoxelChange> first = changes.front();
    for (std::vector<VoxelChange>& frame : changes)
        for (std::size_t i = 0; i < frame.size(); ++i) {
            frame[i].jacobian /= first[i].jacobian;
            for (int k = 0; k < 3; ++k)
                frame[i].stretch[k] /= first[i].stretch[k];
        }
}

double meanJacobian(const std::vector<VoxelChange>& changes) {
    double sum = 0;
    for (const VoxelChange& change : changes)
        sum += change.jacobian;
    return sum / static_cast<double>(changes.size());
}

struct StrainAndRate {
    Directions &first, &second;
};

void addAllRates(const std::vector<double>& times, Measures& measures) {
    const std::size_t frames = measures.frames.size();
    addRates(times, frames, [&](std::size_t t) {
        return StrainAndRate{measures.frames[t].strain, measures.frames[t].rate};
    });
    for (std::size_t s = 0; s < measures.segmentVoxels.size(); ++s)
        addRates(times, frames, [&](std::size_t t) {
            SegmentFrame& segment = measures.frames[t].segments[s];
            return StrainAndRate{segment.strain, segment.rate};
        });
}

} // namespace

void VentricleMotion::add(const Ventricle& ventricle, int number, double seconds,
                          const MillimeterField& field) {
    wall.push_back(displacementsIn(ventricle.wall, field));
    cavity.push_back(displacementsIn(ventricle.cavity, field));
    frame.push_back(number);
    timeSeconds.push_back(seconds);
}

void VentricleMotion::addReference(const Ventricle& ventricle, int number) {
    wall.emplace_back(ventricle.wall.count(), std::array<float, 3>{});
    cavity.emplace_back(ventricle.cavity.count(), std::array<float, 3>{});
    frame.push_back(number);
    timeSeconds.push_back(0);
}

void VentricleMotion::beginAt(std::size_t place, double beatSeconds) {
    const double first = timeSeconds[place];
    for (std::size_t t = 0; t < timeSeconds.size(); ++t)
        timeSeconds[t] += (t < place ? beatSeconds : 0) - first;
    const auto turn = [place](auto& list) {
        std::ranges::rotate(list, list.begin() + static_cast<std::ptrdiff_t>(place));
    };
    turn(frame);
    turn(timeSeconds);
    turn(wall);
    turn(cavity);
}

int segmentAt(const Ventricle& ventricle, Vec3 p, AhaModel model) {
    const double share = ventricle.axis().share(p);
    return ahaSegment(ventricle.placement.apicalCut ? std::max(share, 0.0) : share,
                      ventricle.axis().angle(p), model);
}

std::vector<int> segmentsOf(const Ventricle& ventricle, AhaModel model) {
    std::vector<int> segments(ventricle.wall.count());
    for (std::size_t i = 0; i < segments.size(); ++i)
        segments[i] = segmentAt(ventricle, ventricle.wall.position(i), model);
    return segments;
}

Measures measuresOf(const Ventricle& ventricle, const VentricleMotion& motion,
                    const MeasureOptions& options, const ExecContext& ctx) {
    Measures measures;
    const auto segmentCount = static_cast<std::size_t>(ahaSegments(options.model));
    const std::vector<int> segments = segmentsOf(ventricle, options.model);
    measures.segmentVoxels.assign(segmentCount, 0);
    for (const int segment : segments)
        ++measures.segmentVoxels[static_cast<std::size_t>(segment - 1)];
    ctx.report("lines across the wall", 0.2);
    const Shell shell = shellOf(ventricle, options.order, ctx);
    ctx.throwIfCancelled();
    ctx.report("strain of the wall", 0.3);
    auto changes = changesOf(ventricle, motion.wall, options.order, ctx);
    ctx.throwIfCancelled();
    ctx.report("volume of the cavity", 0.7);
    const auto volumes = carriedMilliliters(ventricle.cavity, motion.cavity, options.order, ctx);
    ctx.throwIfCancelled();
    const ContourMeter contours(ventricle, shell, options, {shell, motion.wall.front()});
    measures.shellSegments = contours.segments();
    const RotationMeter rotation(ventricle, options.model, segments);
    const double wall =
        ventricle.wall.voxelMilliliters() * static_cast<double>(ventricle.wall.count());
    measures.wallGrams = gramsPerMilliliter * wall;
    measures.linesFilled =
        static_cast<int>(std::ranges::count(shell.lines, false, &TransmuralLine::found));
    std::vector<double> wallVolumes;
    for (const std::vector<VoxelChange>& frame : changes)
        wallVolumes.push_back(wall * meanJacobian(frame));
    relateToFirst(changes);
    const CarriedShell still(shell, {});
    const double innerWall =
        still.milliliters(Depth::MidWall) - still.milliliters(Depth::Endocardium);
    for (std::size_t t = 0; t < changes.size(); ++t) {
        FrameMeasures frame;
        frame.segments.resize(segmentCount);
        const CarriedShell& carried = measures.shells.emplace_back(shell, motion.wall[t]);
        if (options.definition->byContours)
            contours.addStrains(carried, frame);
        addVoxelMeans(changes[t], segments, measures.segmentVoxels, *options.definition, frame);
        contours.addThickness(carried, frame);
        rotation.add(motion.wall.front(), motion.wall[t], frame);
        frame.volume = incompressibilityOf(changes[t]);
        frame.cavity.voxels = volumes[t];
        frame.cavity.surface = carried.milliliters(Depth::Endocardium);
        frame.cavity.midWall = carried.milliliters(Depth::MidWall) - innerWall;
        frame.wallMilliliters = wallVolumes[t];
        measures.frames.push_back(std::move(frame));
    }
    addAllRates(motion.timeSeconds, measures);
    return measures;
}

} // namespace systole::cardiac
