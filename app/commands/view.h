// systole view: the window.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"
#include "app/commands/picture_options.h"
#include "app/window/run.h"

#include <string>

namespace systole {

class ViewCommand : public Command {
public:
    const char* name() const override { return "view"; }
    const char* summary() const override {
        return "Open the viewer on one 4D file, on a 3D file per frame, or on a DICOM folder";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    ViewerOptions options_;
    SideOptions sides_;
    BiasOptions bias_;
    SurfaceOptions surface_;
    SegmentationOptions segment_;
    LandmarkOptions landmarks_;
    DisplayCommandOptions display_;
    OverwriteOption overwrite_;
    std::string size_, upload_;
    int frame_ = -1;
    double after_ = -1;
    bool play_ = false, noPlay_ = false;
};

} // namespace systole
