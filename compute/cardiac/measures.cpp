#include "compute/cardiac/measures.h"

#include "compute/cardiac/change_on_device.h"
#include "compute/cardiac/contours.h"
#include "compute/cardiac/frame_sums.h"
#include "compute/cardiac/rotation.h"
#include "compute/cuda/device.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

namespace systole::cardiac {
namespace {

constexpr double gramsPerMilliliter = 1.05;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Means over the voxels of each segment; of a definition by voxels the strain, too.
void addVoxelMeans(const WallSums& sums, const std::vector<int>& counts,
                   const StrainDefinition& definition, FrameMeasures& frame) {
    double voxels = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const SegmentSums& of = sums.segments[s];
        const double count = counts[s] > 0 ? counts[s] : unknown;
        voxels += counts[s];
        frame.segments[s].jacobian = of[SumJacobian] / count;
        for (int k = 0; k < 3 && !definition.byContours; ++k) {
            const double sum = of[static_cast<std::size_t>(SumLongitudinal + k)];
            frame.segments[s].strain[k] = sum / count;
            frame.strain[k] += sum;
        }
    }
    for (int k = 0; k < 3 && !definition.byContours; ++k)
        frame.strain[k] /= voxels;
}

Incompressibility incompressibilityOf(const WallSums& sums) {
    SegmentSums all{};
    for (const SegmentSums& of : sums.segments)
        std::ranges::transform(all, of, all.begin(), std::plus<>());
    const double n = all[SumPositive] + all[SumFolded];
    const auto deviation = [](double total, double squares, double count) {
        return std::sqrt(std::max(0.0, squares / count - total * total / (count * count)));
    };
    Incompressibility volume;
    volume.mean = all[SumJacobian] / n;
    volume.deviation = deviation(all[SumJacobian], all[SumSquare], n);
    volume.percentBeyond5 = 100 * all[SumBeyond5] / n;
    volume.percentFolded = 100 * all[SumFolded] / n;
    volume.deviationOfLogarithm =
        all[SumPositive] > 0
            ? deviation(all[SumLogarithm], all[SumLogarithmSquare], all[SumPositive])
            : unknown;
    volume.driftPercent = 100 * (volume.mean - 1);
    volume.product = all[SumProduct] / n;
    std::ranges::transform(sums.histogram, volume.histogram.begin(),
                           [n](double voxels) { return 100 * voxels / n; });
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
        if (!list.empty())
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
    ctx.report("lines across the wall", 0.2);
    return measuresOf(VentricleFits(ventricle, options.order, ctx), motion, options, ctx);
}

Measures measuresOf(const VentricleFits& fits, const VentricleMotion& motion,
                    const MeasureOptions& options, const ExecContext& ctx) {
    ctx.report("strain of the wall", 0.6);
    return VentricleMeter(fits, options, ctx).measure(motion, ctx);
}

struct VentricleMeter::Impl {
    Impl(const VentricleFits& of, const MeasureOptions& chosen, const ExecContext& ctx)
        : fits(of)
        , options(chosen)
        , segments(segmentsOf(of.ventricle(), chosen.model))
        , counts(static_cast<std::size_t>(ahaSegments(chosen.model)), 0)
        , contours(of.ventricle(), of.shell(), chosen)
        , levels(of, chosen.model) {
        for (int& segment : segments)
            ++counts[static_cast<std::size_t>(--segment)];
        bySegment = GroupedVoxels::of(segments, static_cast<int>(counts.size()));
        const CarriedShell still(fits.shell());
        innerWall = still.milliliters(Depth::MidWall) - still.milliliters(Depth::Endocardium);
        if constexpr (cudaIsBuilt)
            if (ctx.cuda)
                onDevice = std::make_unique<const WallOrderOnDevice>(summing(), ctx);
    }

    WallSumming summing() const {
        return {fits,
                bySegment,
                levels,
                static_cast<int>(counts.size()),
                options.definition->tensor,
                onDevice.get()};
    }
    WallSums sums(const FrameChange& diastole, const FrameChange& now,
                  const ExecContext& ctx) const {
        if constexpr (cudaIsBuilt)
            if (onDevice)
                return wallSumsOnDevice(summing(), diastole, now, ctx);
        return wallSumsOf(summing(), diastole, now, ctx);
    }
    FrameMeasures frameOf(const FrameChange& diastole, const FrameChange& now,
                          const WallSums& of) const {
        FrameMeasures frame;
        frame.segments.resize(counts.size());
        if (options.definition->byContours)
            contours.addStrains(diastole.shell, now.shell, frame);
        contours.addThickness(now.shell, frame);
        addVoxelMeans(of, counts, *options.definition, frame);
        levels.addRotation(of, frame);
        frame.volume = incompressibilityOf(of);
        for (const SegmentSums& segment : of.segments)
            frame.wallMilliliters += fits.ventricle().wall.voxelMilliliters() * segment[SumVolume];
        frame.cavity.voxels = now.cavityMilliliters;
        frame.cavity.surface = now.shell.milliliters(Depth::Endocardium);
        frame.cavity.midWall = now.shell.milliliters(Depth::MidWall) - innerWall;
        return frame;
    }

    const VentricleFits& fits;
    const MeasureOptions options;
    std::vector<int> segments; ///< segment of each voxel, from 0
    std::vector<int> counts;   ///< number of voxels of each segment
    ContourMeter contours;
    WallLevels levels;
    GroupedVoxels bySegment;
    double innerWall = 0; ///< ml within mid-wall in the labels
    std::unique_ptr<const WallOrderOnDevice> onDevice;
};

VentricleMeter::VentricleMeter(const VentricleFits& fits, const MeasureOptions& options,
                               const ExecContext& ctx)
    : impl_(std::make_unique<const Impl>(fits, options, ctx)) {}
VentricleMeter::~VentricleMeter() = default;

Measures VentricleMeter::start() const {
    const Shell& shell = impl_->fits.shell();
    const TissueVoxels& wall = impl_->fits.ventricle().wall;
    Measures measures;
    measures.segmentVoxels = impl_->counts;
    measures.shellSegments = impl_->contours.segments();
    measures.wallGrams =
        gramsPerMilliliter * wall.voxelMilliliters() * static_cast<double>(wall.count());
    measures.linesFilled =
        static_cast<int>(std::ranges::count(shell.lines, false, &TransmuralLine::found));
    return measures;
}

Measures VentricleMeter::measure(const VentricleMotion& motion, const ExecContext& ctx) const {
    Measures measures = start();
    const std::vector<FrameChange> changes = impl_->fits.carried(motion.wall, motion.cavity, ctx);
    const std::vector<WallSums> sums =
        wallSumsOfFrames(impl_->summing(), changes, motion.wall, ctx);
    for (std::size_t t = 0; t < changes.size(); ++t) {
        measures.shells.push_back(changes[t].shell);
        measures.frames.push_back(impl_->frameOf(changes.front(), changes[t], sums[t]));
    }
    addAllRates(motion.timeSeconds, measures);
    return measures;
}

Measures VentricleMeter::measure(const VentricleMotion& motion, const FrameChanges& changes,
                                 const ExecContext& ctx) const {
    Measures measures = start();
    for (const auto& change : changes) {
        ctx.throwIfCancelled();
        measures.shells.push_back(change->shell);
        measures.frames.push_back(
            impl_->frameOf(*changes.front(), *change, impl_->sums(*changes.front(), *change, ctx)));
    }
    addAllRates(motion.timeSeconds, measures);
    return measures;
}

} // namespace systole::cardiac
