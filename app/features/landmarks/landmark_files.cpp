// Landmarks from files and into them.
#include "app/base/file_stem.h"
#include "app/features/landmarks/landmark_figures.h"
#include "app/features/landmarks/landmark_tool.h"
#include "compute/core/error.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::size_t framesOf(const LandmarkTracks& tracks) {
    std::size_t frames = 0;
    for (const LandmarkTracks::Track& track : tracks.tracks)
        frames = std::max(frames, track.frames.size());
    return frames;
}

} // namespace

void LandmarkTool::chooseFile() {
    host().chooseOpen({.title = "Landmarks of one frame, or tracks",
                       .types = "Points and tracks (*.csv *.json *.fcsv *.txt)"},
                      [this](const std::string& path) { openFile(path); });
}

void LandmarkTool::chooseReference() {
    host().chooseOpen({.title = "Tracks to measure errors from", .types = "Tracks (*.csv *.json)"},
                      [this](const std::string& path) { compareWith(path); });
}

void LandmarkTool::chooseWall() {
    host().chooseOpen({.title = "Label map of the frame in which the landmarks begin",
                       .types = "Label maps (*.nii *.nii.gz *.nrrd *.mha *.mhd);;All files (*)"},
                      [this](const std::string& path) { wall.file = path; });
}

/// The points alone where they have no tracks, as where they couldn't be followed.
void LandmarkTool::save(std::function<void()> then) {
    const bool tracked = !tracks.tracks.empty();
    if (!session().opened || (!tracked && points->points.empty()))
        return;
    const std::string name = fileStem(session().opened->sequence.name);
    const FileQuestion question =
        tracked ? FileQuestion{.title = "Save the tracks to",
                               .types = "Tracks, LPS mm (*.csv *.mrk.json)",
                               .name = name + "_tracks.csv"}
                : FileQuestion{.title = "Save the landmarks to",
                               .types = "Landmarks, LPS mm (*.csv *.mrk.json *.fcsv)",
                               .name = name + "_landmarks.csv"};
    host().chooseSave(question, [this, then = std::move(then)](const std::string& path) {
        if (complete())
            write(path, then);
        else
            waiting_.put({path, then});
    });
}

/// Every frame is searched, and moved by the elastic wall where there is one.
bool LandmarkTool::complete() const {
    const bool moves = wallOrigin(parameters) != WallOrigin::None && wall.waiting.empty() &&
                       wall.failure.empty() && !found.tracks.empty();
    const bool due = points != tracked_ && failure.empty(); // following begins with the next tick
    return !due && !unfinished() && (!moves || std::ranges::all_of(frames, [](const auto& frame) {
        return !frame || frame->wall;
    }));
}

void LandmarkTool::writeWhenComplete() {
    const std::optional<Waiting> now = waiting_.take();
    if (!now)
        return;
    for (const std::string* why : {&failure, &wall.failure})
        if (!why->empty())
            return host().fail("The tracks aren't saved: " + *why);
    write(now->path, now->then);
}

void LandmarkTool::write(const std::string& path, std::function<void()> then) {
    const bool tracked = !tracks.tracks.empty();
    const auto write = [path, tracked, copy = tracks, of = points] {
        if (tracked)
            writeTracks(path, copy);
        else
            writeLandmarks(path, *of);
    };
    host().write(tracked ? "Tracks" : "Landmarks", path, write,
                 [this, then = std::move(then), copy = tracks, of = points] {
                     saved_ = copy;
                     savedPoints_ = of;
                     if (then)
                         then();
                 });
}

void LandmarkTool::readFile(const std::string& file) {
    const Geometry& grid = session().opened->sequence.geometry;
    try {
        if (isTracksFile(file)) {
            showFile(readTracks(file));
            openedFile_ = tracks.tracks.empty() ? "" : file;
            pointsOfFile_ = points;
            return;
        }
        const StoredLandmarks stored = readLandmarks(file, {grid});
        if (const std::string outside = outsideText(stored.set, grid); !outside.empty())
            return end(fmt::format("Point {}.", outside));
        clear();
        points = std::make_shared<const LandmarkSet>(
            LandmarkSet{std::max(stored.set.frame, 0), stored.set.points});
        step = "landmarks of a file";
        openedFile_ = file;
        pointsOfFile_ = points;
        if (!stored.notes.empty())
            note = stored.notes.front();
    } catch (const std::exception& error) {
        return end(error.what());
    }
    track();
}

void LandmarkTool::showFile(LandmarkTracks stored) {
    const Sequence& sequence = session().opened->sequence;
    if (framesOf(stored) != static_cast<std::size_t>(sequence.frames))
        return end(fmt::format("Tracks of {} frames can't be shown over {}, which has {}.",
                               framesOf(stored), sequence.name, sequence.frames));
    clear();
    begin(std::move(stored));
    frames.resize(static_cast<std::size_t>(sequence.frames));
    compare();
    for (int frame = 0; frame < sequence.frames; ++frame) {
        if (frame == tracks.reference)
            continue;
        LandmarkFrame figures = figuresOf(tracks, matched, frame);
        figures.fatesKnown = false;
        frames[static_cast<std::size_t>(frame)] = figures;
    }
    showTracks(*this);
}

void LandmarkTool::readReference(const std::string& file) {
    try {
        if (!isTracksFile(file))
            throw ComputeError(fmt::format(
                "{}: tracks are expected as the reference, as 'systole landmarks track' writes "
                "them.",
                file));
        expert = std::make_shared<const LandmarkTracks>(readTracks(file));
        expertFile = file;
        failure.clear();
    } catch (const std::exception& error) {
        failure = error.what();
        return;
    }
    compare();
    for (std::size_t frame = 0; frame < frames.size(); ++frame)
        if (frames[frame])
            renewFigures(*this, static_cast<int>(frame));
    if (scene)
        showTracks(*this);
}

/// Pairs the tracks with the reference's.
void LandmarkTool::compare() {
    matched.clear();
    if (!expert || tracks.tracks.empty())
        return;
    try {
        matched = matchTracks(tracks, *expert);
        note.clear();
    } catch (const std::exception& error) {
        note = fmt::format("No errors: {}.", error.what());
    }
}

} // namespace systole
