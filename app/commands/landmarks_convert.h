// systole landmarks convert: points or tracks from one format to another.
#pragma once

#include "app/commands/command.h"
#include "app/commands/landmark_coordinates.h"
#include "app/commands/overwrite.h"

#include <string>

namespace systole {

struct LandmarkSet;

class LandmarksConvertCommand : public Command {
public:
    const char* name() const override { return "convert"; }
    const char* summary() const override {
        return "Convert points between DIR-Lab, Slicer, elastix and CSV; tracks, or one frame of "
               "them";
    }
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

} // namespace systole
