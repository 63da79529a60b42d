#include "compute/measures/outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

// Sound registrations of hearts, lungs and brains fold less than 0.1 % of their voxels, and keep
// the mean determinant between 0.9 and 1.1.
constexpr double maxFolded = 0.01, minMean = 0.7, maxMean = 1.4;
// Their determinants are from -0.1 to 4. No tissue doubles along every axis, and a voxel turned
// inside out at its full size is no error of a step at a boundary.
constexpr double minDeterminant = -1, maxDeterminant = 8;
// They find 30 to 90 % of the corners again, which the others predict to a voxel.
constexpr double minTracked = 0.2, maxUnpredicted = 1.3;
// They end with correlations from 0.45 (speckle that decorrelates) to 1, and local gains that
// differ by 0.005 to 0.08.
constexpr double minCorrelation = 0.3, minInformation = 1.02, maxGain = 0.1;
/// Max difference of the gains before the motion: brains 3 mm apart have 0.09, one with a bias
/// field of 50 % 0.19.
constexpr double maxGainBefore = 0.15;
/// Min correlation at which images lie on each other well enough for their brightness to be
/// compared.
constexpr double alignedCorrelation = 0.8;
constexpr double alike = 0.999;
/// Share of the similarity before by which a method must raise it.
constexpr double minGained = 0.01, minGainedByAffine = 0.02;
/// An affine map after which images are less alike than this, and which leaves more of their
/// difference, 1 − correlation, than this part: on lungs that breathe 64 %, with 13.9 of 14.7 mm.
constexpr double alikeAfterAffine = 0.95, maxLeftByAffine = 0.5;

void judgeFolds(const MotionOutcome& outcome, std::vector<std::string>& doubts) {
    if (outcome.voxels == 0)
        return;
    const double folded = static_cast<double>(outcome.folded) / static_cast<double>(outcome.voxels);
    const bool grows = outcome.meanDeterminant &&
                       (*outcome.meanDeterminant < minMean || *outcome.meanDeterminant > maxMean);
    const bool tears = outcome.smallestDeterminant.value_or(1) < minDeterminant ||
                       outcome.largestDeterminant.value_or(1) > maxDeterminant;
    if (folded <= maxFolded && ((!grows && !tears) || outcome.affineAlone))
        return;
    std::string determinants;
    if (outcome.meanDeterminant)
        determinants +=
            fmt::format(", and the mean Jacobian determinant is {:.2f}", *outcome.meanDeterminant);
    if (tears)
        determinants += fmt::format(", and the Jacobian determinant reaches from {:.3g} to {:.3g}",
                                    outcome.smallestDeterminant.value_or(1),
                                    outcome.largestDeterminant.value_or(1));
    doubts.push_back(fmt::format("{:.2g} % of the voxels fold{}: tissue can't move like this; a "
                                 "smoother field (other parameters, or another preset) is closer "
                                 "to the truth",
                                 100 * folded, determinants));
}

void judgeLandmarks(const MotionOutcome& outcome, std::vector<std::string>& doubts) {
    const Figure* const corners = findFigure(outcome.figures, "corners");
    const Figure* const tracked = findFigure(outcome.figures, "tracked");
    const Figure* const error = findFigure(outcome.figures, "cross-validated error");
    if (!corners || !tracked || !error ||
        (tracked->value >= minTracked * corners->value && error->value <= maxUnpredicted))
        return;
    doubts.push_back(fmt::format(
        "only {:.0f} of {:.0f} landmarks were found again, and each is predicted from the others "
        "only to within {:.1f} voxels: they hardly show how the rest moves; changing speckle and "
        "noise have no landmarks",
        tracked->value, corners->value, error->value));
}

std::string changeOf(const SimilarityFigures& before, const SimilarityFigures& after) {
    return fmt::format("NMI {:.4f} to {:.4f}, NCC {:.4f} to {:.4f}", before.mutualInformation,
                       after.mutualInformation, before.correlation, after.correlation);
}

/// Whether the images don't resemble each other; then nothing else is to be said of them.
bool judgeResemblance(const SimilarityFigures& after, std::vector<std::string>& doubts) {
    if (!(after.correlation < minCorrelation && after.mutualInformation < minInformation))
        return false;
    doubts.push_back(fmt::format("the images have hardly anything in common after the registration "
                                 "(NCC {:.2f}, NMI {:.4f})",
                                 after.correlation, after.mutualInformation));
    return true;
}

void judgeGain(const MotionOutcome& outcome, std::vector<std::string>& doubts) {
    if (!outcome.comparesGrayValues || outcome.affineAlone)
        return;
    const bool before =
        outcome.before->correlation > alignedCorrelation && outcome.gainBefore > maxGainBefore;
    if (!before && outcome.gainAfter <= maxGain)
        return;
    const double gain = std::max(outcome.gainAfter, before ? outcome.gainBefore : 0.0);
    doubts.push_back(fmt::format(
        "the brightness of the images differs from place to place, by {:.0f} % in the median, "
        "which may be taken for motion: a bias field, or another contrast; clg with --features "
        "self-similarity, and ffd, don't compare gray values directly",
        100 * gain));
}

bool leavesMuch(const SimilarityFigures& before, const SimilarityFigures& after) {
    return after.correlation < alikeAfterAffine && after.correlation > minCorrelation &&
           1 - after.correlation > maxLeftByAffine * (1 - before.correlation);
}

void judgeGained(const MotionOutcome& outcome, std::vector<std::string>& doubts) {
    const SimilarityFigures &before = *outcome.before, &after = *outcome.after;
    if (before.correlation > alike || after.correlation > alike)
        return;
    const double gained = outcome.affineAlone ? minGainedByAffine : minGained;
    const bool gains =
        after.mutualInformation - 1 >= (1 + gained) * (before.mutualInformation - 1) ||
        after.correlation - before.correlation >= gained;
    if (gains && !(outcome.affineAlone && leavesMuch(before, after)))
        return;
    const std::string change = changeOf(before, after);
    doubts.push_back(
        outcome.affineAlone
            ? fmt::format(
                  "the affine map {} ({}): use a deformable method for the rest, or masks around "
                  "the region to be aligned",
                  gains ? fmt::format("leaves {:.0f} % of what differs",
                                      100 * (1 - after.correlation) / (1 - before.correlation))
                        : "hardly makes the images more alike",
                  change)
            : fmt::format("the motion hardly makes the images more alike ({})", change));
}

} // namespace

std::vector<std::string> doubtsAbout(const MotionOutcome& outcome) {
    std::vector<std::string> doubts;
    judgeFolds(outcome, doubts);
    judgeLandmarks(outcome, doubts);
    if (!outcome.before || !outcome.after || outcome.before->voxels == 0 ||
        outcome.after->voxels == 0 || judgeResemblance(*outcome.after, doubts))
        return doubts;
    judgeGain(outcome, doubts);
    judgeGained(outcome, doubts);
    return doubts;
}

} // namespace systole
