// systole landmarks track: points followed through a sequence.
#pragma once

#include "app/commands/command.h"
#include "app/commands/landmark_coordinates.h"
#include "app/commands/overwrite.h"
#include "app/commands/track_wall.h"
#include "compute/landmarks/tracker.h"

#include <string>
#include <vector>

namespace systole {

class LandmarksTrackCommand : public Command {
public:
    const char* name() const override { return "track"; }
    const char* summary() const override { return "Points followed through a sequence"; }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    void addWall(CLI::App& app);
    TrackerSettings settingsFor(Vec3 spacing) const;

    std::vector<std::string> files_;
    std::string points_, output_, json_;
    std::string from_ = "reference", outliers_ = "neighbors";
    std::vector<int> search_, patch_;
    double reachMillimeters_ = 0;
    bool noNeighbors_ = false;
    std::string backend_ = "auto";
    int frame_ = -1, threads_ = 0; ///< frame −1: not given
    TrackerSettings settings_;
    TrackWallJob wall_;
    CoordinatesOption coordinates_;
    OverwriteOption overwrite_;
};

} // namespace systole
