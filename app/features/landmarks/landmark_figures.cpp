#include "app/features/landmarks/landmark_figures.h"

#include "compute/core/error.h"
#include "compute/core/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace systole {
namespace {

/// Empty where the track doesn't reach.
const std::optional<TrackedPosition>& at(const LandmarkTracks::Track& track, int frame) {
    static const std::optional<TrackedPosition> none;
    const auto index = static_cast<std::size_t>(frame);
    return frame >= 0 && index < track.frames.size() ? track.frames[index] : none;
}

} // namespace

std::vector<const LandmarkTracks::Track*> matchTracks(const LandmarkTracks& tracks,
                                                      const LandmarkTracks& expert) {
    std::map<std::string, const LandmarkTracks::Track*> named;
    for (const LandmarkTracks::Track& track : expert.tracks)
        named.emplace(track.name, &track);
    std::vector<const LandmarkTracks::Track*> matched;
    for (const LandmarkTracks::Track& track : tracks.tracks) {
        const auto found = named.find(track.name);
        matched.push_back(found == named.end() ? nullptr : found->second);
    }
    const auto any =
        std::ranges::any_of(matched, [](const auto* track) { return track != nullptr; });
    if (any)
        return matched;
    if (tracks.tracks.size() != expert.tracks.size())
        throw ComputeError(fmt::format("the reference has {} points of other names, and there are "
                                       "{} landmarks; equal names or equal numbers are expected",
                                       expert.tracks.size(), tracks.tracks.size()));
    for (std::size_t i = 0; i < matched.size(); ++i)
        matched[i] = &expert.tracks[i];
    return matched;
}

PointErrors errorsFrom(const LandmarkTracks& tracks,
                       const std::vector<const LandmarkTracks::Track*>& expert, int frame) {
    PointErrors errors(tracks.tracks.size());
    for (std::size_t i = 0; i < expert.size(); ++i) {
        const auto& found = at(tracks.tracks[i], frame);
        if (expert[i] && found && at(*expert[i], frame))
            errors[i] = length(found->position - at(*expert[i], frame)->position);
    }
    return errors;
}

LandmarkFrame figuresOf(const LandmarkTracks& tracks,
                        const std::vector<const LandmarkTracks::Track*>& expert, int frame) {
    LandmarkFrame figures;
    std::vector<double> lengths;
    for (const LandmarkTracks::Track& track : tracks.tracks) {
        const auto& now = at(track, frame);
        if (!now) {
            ++figures.lost;
            continue;
        }
        if (now->certainty > 0) {
            ++figures.tracked;
            figures.meanCertainty += now->certainty;
            const auto bin = static_cast<std::size_t>(std::clamp(now->certainty, 0.0, 1.0) *
                                                      static_cast<double>(certaintyBins));
            figures.certainty[std::min(bin, certaintyBins - 1)] += 1;
        } else {
            ++figures.carried;
        }
        if (const auto& before = at(track, tracks.reference))
            lengths.push_back(length(now->position - before->position));
    }
    if (figures.tracked > 0)
        figures.meanCertainty /= figures.tracked;
    if (!lengths.empty()) {
        figures.largestMillimeters = *std::ranges::max_element(lengths);
        figures.medianMillimeters = median(std::move(lengths));
    }
    if (const std::vector<double> errors = known(errorsFrom(tracks, expert, frame));
        !errors.empty())
        figures.error = errorFigures(errors);
    return figures;
}

std::shared_ptr<const SceneTracks>
sceneTracks(const LandmarkTracks& tracks, const std::vector<const LandmarkTracks::Track*>& expert,
            std::vector<bool> searched) {
    auto scene = std::make_shared<SceneTracks>();
    scene->reference = tracks.reference;
    scene->searched = std::move(searched);
    for (std::size_t i = 0; i < tracks.tracks.size(); ++i) {
        auto& points = scene->tracks.emplace_back();
        const std::vector<std::optional<TrackedPosition>>& frames = tracks.tracks[i].frames;
        for (std::size_t frame = 0; frame < frames.size(); ++frame) {
            auto& point = points.emplace_back();
            if (!frames[frame])
                continue;
            point = {frames[frame]->position, frames[frame]->certainty, std::nullopt,
                     frames[frame]->certainty == 0};
            const auto* right = i < expert.size() ? expert[i] : nullptr;
            if (right && at(*right, static_cast<int>(frame)))
                point->error =
                    length(point->position - at(*right, static_cast<int>(frame))->position);
        }
    }
    return scene;
}

void renewFigures(LandmarkState& landmarks, int frame) {
    LandmarkFrame& figures = *landmarks.frames.at(static_cast<std::size_t>(frame));
    LandmarkFrame renewed = figuresOf(landmarks.tracks, landmarks.matched, frame);
    renewed.counts = figures.counts;
    renewed.fatesKnown = figures.fatesKnown;
    renewed.fates = std::move(figures.fates);
    renewed.seconds = figures.seconds;
    renewed.wall = std::move(figures.wall);
    figures = std::move(renewed);
}

void showTracks(LandmarkState& landmarks) {
    std::vector<bool> searched(landmarks.frames.size());
    for (std::size_t frame = 0; frame < searched.size(); ++frame)
        searched[frame] = landmarks.frames[frame].has_value() ||
                          static_cast<int>(frame) == landmarks.tracks.reference;
    landmarks.scene = sceneTracks(landmarks.tracks, landmarks.matched, std::move(searched));
}

} // namespace systole
