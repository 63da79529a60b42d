#include "app/features/segmentation/label_comparison.h"

#include "compute/core/error.h"
#include "compute/surface/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace systole {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// A wall that only one of them has wasn't looked for, or wasn't drawn: there is nothing to
/// compare.
bool counts(const FrameAgreement& frame, LabelAgreement FrameAgreement::*label) {
    const LabelAgreement& one = frame.*label;
    return label == &FrameAgreement::wall ? one.milliliters > 0 && one.inFile > 0 : one.occurs();
}

std::string columnsOf(const FrameAgreement& frame, LabelAgreement FrameAgreement::*of) {
    const LabelAgreement& label = frame.*of;
    return counts(frame, of) ? fmt::format("\t{:.3f}\t{:.1f}\t{:.1f}\t{:+.1f}", label.dice,
                                           label.milliliters, label.inFile, label.difference())
                             : "\t\t\t\t";
}

} // namespace

LabelAgreement agreementOf(const LabelMap& labels, const LabelMap& file, std::uint8_t label,
                           double voxelMilliliters) {
    if (labels.size() != file.size())
        throw ComputeError("labels can be compared only on the same grid");
    std::size_t own = 0, others = 0, both = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const bool here = labels[i] == label, there = file[i] == label;
        own += here;
        others += there;
        both += here && there;
    }
    const auto all = static_cast<double>(own + others);
    return {all > 0 ? 2 * static_cast<double>(both) / all : none,
            static_cast<double>(own) * voxelMilliliters,
            static_cast<double>(others) * voxelMilliliters};
}

void LabelComparison::setFile(int frame, std::shared_ptr<const LabelMap> labels, std::string name) {
    const auto i = static_cast<std::size_t>(frame);
    frames_.resize(std::max(frames_.size(), i + 1));
    frames_[i] = {.file = std::move(labels), .name = std::move(name)};
}

bool LabelComparison::hasFile() const {
    return std::ranges::any_of(frames_, [](const Frame& frame) { return frame.file != nullptr; });
}

std::string LabelComparison::fileOf(int frame) const {
    const auto i = static_cast<std::size_t>(frame);
    return frame >= 0 && i < frames_.size() && frames_[i].file ? frames_[i].name : "";
}

void LabelComparison::follow(const LabelHistory& labels) {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        Frame& frame = frames_[i];
        const int number = static_cast<int>(i);
        if (!frame.file || number >= labels.frames() || !labels.has(number)) {
            frame.compared = false;
            frame.revision = 0;
            continue;
        }
        if (std::exchange(frame.revision, labels.revision(number)) == labels.revision(number))
            continue;
        const Vec3 spacing = labels.grid().spacing();
        const double voxel = spacing.x * spacing.y * spacing.z / 1000;
        const auto now = labels.labels(number);
        frame.agreement = {number, agreementOf(*now, *frame.file, chamberLabel, voxel),
                           agreementOf(*now, *frame.file, wallLabel, voxel)};
        frame.compared = true;
    }
}

std::vector<FrameAgreement> LabelComparison::frames() const {
    std::vector<FrameAgreement> compared;
    for (const Frame& frame : frames_)
        if (frame.compared)
            compared.push_back(frame.agreement);
    return compared;
}

AgreementOverFrames LabelComparison::over(LabelAgreement FrameAgreement::*label) const {
    AgreementOverFrames all{.minDice = std::numeric_limits<double>::infinity()};
    std::vector<double> differences;
    for (const FrameAgreement& frame : frames()) {
        const LabelAgreement& one = frame.*label;
        if (!counts(frame, label))
            continue;
        all.dice += one.dice;
        if (one.dice < all.minDice) {
            all.minDice = one.dice;
            all.worstFrame = frame.frame;
        }
        all.difference += one.difference();
        differences.push_back(one.difference());
    }
    all.frames = static_cast<int>(differences.size());
    if (all.frames == 0)
        return {0, none, none, 0, none, none};
    all.dice /= all.frames;
    all.difference /= all.frames;
    double squares = 0;
    for (const double difference : differences)
        squares += (difference - all.difference) * (difference - all.difference);
    all.deviation = all.frames > 1 ? std::sqrt(squares / (all.frames - 1)) : none;
    return all;
}

std::vector<std::string> comparisonLines(const LabelComparison& comparison) {
    const std::vector<FrameAgreement> frames = comparison.frames();
    std::vector<std::string> lines;
    if (frames.size() < 2)
        return lines;
    for (const auto& [name, all] :
         {std::pair{"Chamber", comparison.chamber()}, {"Wall", comparison.wall()}})
        if (all.frames > 1)
            lines.push_back(fmt::format("{}, {} frames: Dice {:.3f}, least {:.3f} in frame {}; "
                                        "{:+.1f} ± {:.1f} ml (mean ± SD).",
                                        name, all.frames, all.dice, all.minDice, all.worstFrame,
                                        all.difference, all.deviation));
    const auto percentOf = [&](double LabelAgreement::*volume) {
        const auto [least, most] = std::ranges::minmax(
            frames, {}, [&](const FrameAgreement& frame) { return frame.chamber.*volume; });
        const double smallest = least.chamber.*volume, largest = most.chamber.*volume;
        return smallest > 0 ? 100 * (1 - smallest / largest) : none;
    };
    const double now = percentOf(&LabelAgreement::milliliters),
                 file = percentOf(&LabelAgreement::inFile);
    if (std::isfinite(now) && std::isfinite(file))
        lines.push_back(fmt::format("Ejection fraction over these frames, by voxels: {:.1f} %, in "
                                    "the file {:.1f} %.",
                                    now, file));
    return lines;
}

std::string comparisonText(const LabelComparison& comparison) {
    const std::vector<FrameAgreement> frames = comparison.frames();
    if (frames.empty())
        return "";
    std::string text = "labels against the file's\nframe\tDice of the chamber\tchamber, ml\t"
                       "in the file, ml\tdifference, ml\tDice of the wall\twall, ml\tin the file, "
                       "ml\tdifference, ml\tfile\n";
    for (const FrameAgreement& frame : frames)
        text +=
            fmt::format("{}{}{}\t{}\n", frame.frame, columnsOf(frame, &FrameAgreement::chamber),
                        columnsOf(frame, &FrameAgreement::wall), comparison.fileOf(frame.frame));
    for (const std::string& line : comparisonLines(comparison))
        text += line + "\n";
    return text;
}

} // namespace systole
