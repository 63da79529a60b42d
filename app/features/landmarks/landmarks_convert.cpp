// systole landmarks convert: points or tracks from one format to another.
#include "app/base/error.h"
#include "app/cli/interrupt.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/features/landmarks/landmark_coordinates.h"
#include "app/features/landmarks/landmarks_command.h"
#include "io/dirlab/cases.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace systole {
namespace {

const std::map<std::string, LandmarkFormat>& formats() {
    static const std::map<std::string, LandmarkFormat> names{{"dirlab", LandmarkFormat::DirLab},
                                                             {"markups", LandmarkFormat::Markups},
                                                             {"fcsv", LandmarkFormat::Fcsv},
                                                             {"elastix", LandmarkFormat::Elastix},
                                                             {"csv", LandmarkFormat::Csv}};
    return names;
}

class LandmarksConvertCommand : public Command {
public:
    LandmarksConvertCommand()
        : Command(
              "convert",
              "Convert points between DIR-Lab, Slicer, elastix and CSV; tracks, or one frame of "
              "them") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    int convertTracks() const;
    int convertPoints() const;
    void write(const LandmarkSet& set) const;

    std::string input_, output_, grid_, format_ = "auto";
    int frame_ = -1; ///< -1: not given
    CoordinatesOption coordinates_;
    OverwriteOption overwrite_;
};

void LandmarksConvertCommand::addOptions(CLI::App& app) {
    app.add_option("POINTS", input_,
                   "Points or tracks, of any format that is read; told apart by content")
        ->required();
    app.add_option("-o,--output", output_,
                   "Points: .mrk.json, .fcsv, .csv or .txt (elastix), LPS mm. Tracks: .csv or "
                   ".mrk.json")
        ->required();
    std::vector<std::string> names{"auto"};
    for (const auto& [name, format] : formats())
        names.push_back(name);
    addChoice(
        app, "--format", format_, names,
        "Format of points: auto (from the output's extension) or one of these. dirlab: indices of "
        "the nearest voxels from 1, without names");
    app.add_option("--grid", grid_,
                   "Image whose voxels indices refer to, read or written [default: the case of "
                   "DIR-Lab that the input's name begins with]");
    coordinates_.addTo(app);
    app.add_option("--frame", frame_, "For tracks: write only the points of this frame")
        ->check(CLI::NonNegativeNumber);
    overwrite_.addTo(app);
}

void LandmarksConvertCommand::write(const LandmarkSet& set) const {
    LandmarkWriteOptions options;
    if (format_ != "auto")
        options.format = formats().at(format_);
    if (!grid_.empty())
        options.grid = openSequence({grid_}).geometry;
    else if (const std::optional<DirLabName> named = dirLabNameOf(input_))
        options.grid = named->of.geometry();
    overwrite_.write(output_, [&](const std::string& path) { writeLandmarks(path, set, options); });
    fmt::print("wrote {} points to {}\n", set.points.size(), output_);
}

int LandmarksConvertCommand::convertTracks() const {
    const LandmarkTracks tracks = readTracks(input_);
    if (frame_ < 0) {
        if (format_ != "auto")
            throw UsageError("--format: tracks are written as .csv or .mrk.json; --frame writes "
                             "the points of one frame");
        overwrite_.write(output_, [&](const std::string& path) { writeTracks(path, tracks); });
        fmt::print("wrote {} tracks to {}\n", tracks.tracks.size(), output_);
        return 0;
    }
    LandmarkSet set;
    set.frame = frame_;
    for (const LandmarkTracks::Track& track : tracks.tracks) {
        if (static_cast<std::size_t>(frame_) >= track.frames.size())
            throw UsageError(
                fmt::format("--frame: the tracks have frames 0 to {}", track.frames.size() - 1));
        if (const auto& at = track.frames[static_cast<std::size_t>(frame_)])
            set.points.push_back({track.name, at->position});
    }
    if (set.points.size() < tracks.tracks.size())
        fmt::print("note: {} of {} tracks are lost in frame {}\n",
                   tracks.tracks.size() - set.points.size(), tracks.tracks.size(), frame_);
    write(set);
    return 0;
}

int LandmarksConvertCommand::convertPoints() const {
    if (frame_ >= 0)
        throw UsageError("--frame: for tracks alone");
    LandmarkReadOptions options;
    options.coordinates = coordinates_.value();
    if (!grid_.empty())
        options.grid = openSequence({grid_}).geometry;
    const StoredLandmarks stored = readLandmarks(input_, options);
    for (const std::string& note : stored.notes)
        fmt::print("note: {}\n", note);
    write(stored.set);
    return 0;
}

int LandmarksConvertCommand::run() {
    const InterruptWatch watch([] {}); // nothing here takes long
    overwrite_.checkAll({output_}, {input_});
    return isTracksFile(input_) ? convertTracks() : convertPoints();
}

} // namespace

std::unique_ptr<Command> makeLandmarksConvertCommand() {
    return std::make_unique<LandmarksConvertCommand>();
}

} // namespace systole
