// systole landmarks detect: strong corners of an image as points.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"
#include "compute/landmarks/corners.h"

#include <string>

namespace systole {

class LandmarksDetectCommand : public Command {
public:
    const char* name() const override { return "detect"; }
    const char* summary() const override { return "Points of an image that can be found again"; }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::string image_, output_, mask_, json_, backend_ = "auto";
    int frame_ = 0, threads_ = 0;
    CornerSettings settings_;
    OverwriteOption overwrite_;
};

} // namespace systole
