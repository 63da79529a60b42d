#include "app/session/comparison.h"

#include "app/base/plural.h"
#include "app/base/units.h"
#include "render/display_scale.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

constexpr std::size_t namedDifferences = 3;

std::string whereText(Backend backend, int threads, const std::string& device) {
    return backend == Backend::Cuda ? device : plural(threads, "thread");
}

SideFigures figuresOf(const MotionChoice& choice, const TimingLog& timing,
                      const PipelineStatus& status, int threads, const std::string& device) {
    SideFigures figures;
    figures.choice = &choice;
    figures.backend = timing.empty() ? choice.backend : timing.last().backend;
    figures.where = whereText(figures.backend, threads, device);
    figures.perSecond = status.estimationsPerSecond;
    figures.estimated = status.estimated;
    figures.message = status.message;
    figures.fallback = status.fallback;
    if (timing.empty())
        return figures;
    figures.lastSeconds = timing.last().estimationSeconds;
    figures.iterations = timing.last().iterations;
    return figures;
}

/// The state of a side that its labels describe.
struct SideShown {
    const MotionChoice& choice;
    const FrameResult* result; ///< the one that its view shows
    const PipelineStatus& estimation;
    Backend backend; ///< backend of that result; without one, of the last estimation
    int threads;
};

SideShown leftShown(const Session& session) {
    const FrameResult* const result = session.result.get();
    return {session.motion, result, session.estimation,
            result ? result->backend : leftFigures(session).backend, session.estimationThreads};
}
SideShown rightShown(const Session& session) {
    const ComparedMotion& right = session.right;
    const FrameResult* const result = right.result.get();
    return {session.compared, result, right.estimation,
            result ? result->backend : rightFigures(session).backend, right.threads};
}

/// The reason why the side has no motion in the frame shown and gets none; empty: it has one, or
/// one is being estimated.
std::string whyNone(const Session& session, const SideShown& side) {
    if (const std::string idle = whyIdle(session); !idle.empty())
        return idle;
    if (!side.estimation.message.empty())
        return "no motion: see the panel";
    return isReference(side.choice, session.shownFrame) ? "motion begins in this frame" : "";
}

/// The lines under the name of a side's view.
std::string sideLabel(const char* name, const Session& session, const SideShown& side,
                      const std::vector<ParameterDifference>& differences, bool left) {
    const MotionChoice& choice = side.choice;
    std::string text = fmt::format("{}: {}", name, systole::name(side.backend));
    if (side.backend != choice.backend)
        text += fmt::format(" (not {})", systole::name(choice.backend));
    text += fmt::format(", {}\n{}", whereText(side.backend, side.threads, session.cudaDevice),
                        choice.method->name);
    if (!choice.preset.empty())
        text += fmt::format(", preset {}", choice.preset);
    for (std::size_t i = 0; i < std::min(namedDifferences, differences.size()); ++i)
        text += fmt::format("\n{} {}", differences[i].id,
                            left ? differences[i].left : differences[i].right);
    if (differences.size() > namedDifferences)
        text += fmt::format("\nand {} more", differences.size() - namedDifferences);
    if (const std::string why = whyNone(session, side); !why.empty())
        return text + "\n" + why;
    return text + (side.result
                       ? fmt::format("\n{}, {}", plainSpaces(secondsText(side.result->seconds)),
                                     plural(side.result->iterations, "iteration"))
                       : std::string("\nestimating ..."));
}

std::string differenceLabel(const Session& session) {
    const FieldComparison* comparison = session.right.comparison.get();
    if (!comparison && lacksMotion(session))
        return "difference: no motion to compare";
    if (!sidesCompare(session))
        return "difference: none, the sides\nhave other pairs of frames";
    if (!comparison)
        return session.right.result ? "difference: being computed"
                                    : "difference: not available yet";
    if (!comparison->failure.empty())
        return "difference: " + comparison->failure;
    const FieldDifference& difference = comparison->difference;
    if (difference.maximum == 0)
        return "difference: none, the fields are the same";
    if (onlyRounding(session))
        return fmt::format("difference: none but rounding\n(below {:g} voxel)", roundingVoxels);
    return fmt::format("difference, {}\nat {:.1f}, {:.1f}, {:.1f} mm",
                       differenceText(difference, session.display.roundingDifferences),
                       difference.maximumAt.x, difference.maximumAt.y, difference.maximumAt.z);
}

} // namespace

SideFigures leftFigures(const Session& session) {
    return figuresOf(session.motion, session.timing, session.estimation, session.estimationThreads,
                     session.cudaDevice);
}

SideFigures rightFigures(const Session& session) {
    return figuresOf(session.compared, session.right.timing, session.right.estimation,
                     session.right.threads, session.cudaDevice);
}

PairedTimes pairedTimes(const Session& session) {
    return pairedTimes(session.timing, session.right.timing);
}

bool takesTurns(const MotionChoice& left, const MotionChoice& right) {
    return left.backend != Backend::Cuda && right.backend != Backend::Cuda && left.window == 0 &&
           right.window == 0;
}

std::vector<ParameterDifference> differingParameters(const MotionChoice& left,
                                                     const MotionChoice& right) {
    const auto has = [](const MotionChoice& choice, const std::string& id) {
        const auto& rows = choice.method->parameters->rows();
        return std::ranges::any_of(rows, [&](const ParamRow& row) { return row.id == id; });
    };
    const bool cuda = left.backend == Backend::Cuda || right.backend == Backend::Cuda;
    std::vector<ParameterDifference> differences;
    if (left.window != right.window)
        differences.push_back({"reference", referenceText(left), referenceText(right)});
    for (const ParamRow& row : left.method->parameters->rows()) {
        if (row.cudaOnly && !cuda)
            continue;
        const std::string mine = left.parameters.text(row.id);
        const std::string other = has(right, row.id) ? right.parameters.text(row.id) : "-";
        if (mine != other)
            differences.push_back({row.id, mine, other});
    }
    for (const ParamRow& row : right.method->parameters->rows())
        if (!has(left, row.id) && (cuda || !row.cudaOnly))
            differences.push_back({row.id, "-", right.parameters.text(row.id)});
    return differences;
}

bool sameSettings(const MotionChoice& left, const MotionChoice& right) {
    return left.method == right.method && differingParameters(left, right).empty();
}

std::string whyIdle(const Session& session) {
    if (!session.motion.enabled)
        return "estimation is switched off";
    const bool still = session.opened && session.opened->sequence.frames < 2;
    return still ? "one frame: no motion" : "";
}

bool lacksMotion(const Session& session) {
    return !whyNone(session, leftShown(session)).empty() ||
           !whyNone(session, rightShown(session)).empty();
}

bool onlyRounding(const Session& session) {
    const FieldComparison* comparison = session.right.comparison.get();
    return comparison && comparison->millimeters && !session.display.roundingDifferences &&
           comparison->difference.maximum < roundingMillimeters(comparison->millimeters->geometry);
}

std::string differenceLengthText(double millimeters, bool exact) {
    if (exact)
        return fmt::format("{:.4g} mm", millimeters);
    constexpr double half = 0.0005; // mm
    return millimeters < half ? "0 mm" : fmt::format("{:.3f} mm", millimeters);
}

std::string differenceText(const FieldDifference& difference, bool exact) {
    return fmt::format("mean {}, max {}", differenceLengthText(difference.mean, exact),
                       differenceLengthText(difference.maximum, exact));
}

std::string boundsText(const FieldDifference& difference) {
    return fmt::format("{} the bounds (mean {:g}, max {:g} voxel): mean {:.2g}, max {:.2g} voxel",
                       countAsEqual(difference) ? "within" : "beyond", equalMeanVoxels,
                       equalMaximumVoxels, difference.meanVoxels, difference.maximumVoxels);
}

std::string positionText(Vec3 position) {
    return fmt::format("({:.1f}, {:.1f}, {:.1f}) mm LPS", position.x, position.y, position.z);
}

SideBySide sidesOf(const Session& session) {
    SideBySide sides;
    auto differences = differingParameters(session.motion, session.compared);
    // Two methods' own parameters aren't what distinguishes the sides.
    std::erase_if(differences, [](const ParameterDifference& difference) {
        return difference.left == "-" || difference.right == "-";
    });
    sides.right = session.right.result;
    sides.leftLabel = sideLabel("left", session, leftShown(session), differences, true);
    sides.rightLabel = sideLabel("right", session, rightShown(session), differences, false);
    sides.differenceLabel = differenceLabel(session);
    if (const FieldComparison* comparison = session.right.comparison.get()) {
        sides.difference = comparison->millimeters;
        sides.quantile99 = comparison->difference.quantile99;
        sides.maximum = comparison->difference.maximum;
        sides.maximumAt = comparison->difference.maximumAt;
    }
    return sides;
}

std::string comparisonText(const Session& session) {
    const SideFigures left = leftFigures(session), right = rightFigures(session);
    std::string text = "\tleft\tright\n";
    const auto row = [&](const char* what, const std::string& a, const std::string& b) {
        text += fmt::format("{}\t{}\t{}\n", what, a, b);
    };
    const auto number = [](double value) { return fmt::format("{:g}", value); };
    row("backend", name(left.choice->backend), name(right.choice->backend));
    row("estimated by", name(left.backend), name(right.backend));
    row("reason", left.choice->backendReason, right.choice->backendReason);
    row("runs on", left.where, right.where);
    row("method", left.choice->method->name, right.choice->method->name);
    row("preset", left.choice->preset, right.choice->preset);
    for (const ParameterDifference& difference :
         differingParameters(session.motion, session.compared))
        row(difference.id.c_str(), difference.left, difference.right);
    row("seconds of the last estimation", number(left.lastSeconds), number(right.lastSeconds));
    const PairedTimes times = pairedTimes(session);
    row("median seconds of the same pairs", number(times.left.median), number(times.right.median));
    row("first quartile", number(times.left.low), number(times.right.low));
    row("third quartile", number(times.left.high), number(times.right.high));
    text += fmt::format("pairs of both\t{}\n", times.pairs.size());
    row("estimations per second", number(left.perSecond), number(right.perSecond));
    row("iterations", number(left.iterations), number(right.iterations));
    row("estimated", fmt::format("{}", left.estimated), fmt::format("{}", right.estimated));
    row("fallback", left.fallback, right.fallback);
    row("failure", left.message, right.message);
    if (const std::optional<double> ratio = times.ratio())
        text += fmt::format("right over left, median of the same pairs\t{:.4g}\n", *ratio);
    if (const FieldComparison* comparison = session.right.comparison.get()) {
        const FieldDifference& d = comparison->difference;
        text += fmt::format(
            "frames\t{} to {}\nmean difference mm\t{:g}\nmaximum difference mm\t{:g}\n"
            "99 % of the differences below mm\t{:g}\nmaximum at mm LPS\t{:.3f}\t{:.3f}\t{:.3f}\n"
            "mean difference voxel\t{:g}\nmaximum difference voxel\t{:g}\n",
            session.right.result->fixedFrame, session.right.result->movingFrame, d.mean, d.maximum,
            d.quantile99, d.maximumAt.x, d.maximumAt.y, d.maximumAt.z, d.meanVoxels,
            d.maximumVoxels);
        if (sameSettings(session.motion, session.compared))
            text += boundsText(d) + "\n";
    }
    return text;
}

} // namespace systole
