// systole segment: a chamber of the heart, and its wall, from a click or three points.
#pragma once

#include "app/commands/command.h"
#include "app/commands/overwrite.h"
#include "compute/surface/segment.h"

#include <string>
#include <vector>

namespace systole {

class SegmentCommand : public Command {
public:
    const char* name() const override { return "segment"; }
    const char* summary() const override {
        return "Find a chamber, and its wall, from a click or three points; writes a label map";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    /// One frame's result, for the record.
    struct Outcome {
        int frame = 0;
        double milliliters = 0, wallMilliliters = 0, seconds = 0;
    };

    void check() const;
    bool hasWall() const { return options_.wall || options_.clickInWall; }
    SegmentSeeds seedsIn(const Geometry& geometry) const;
    std::vector<int> framesOf(int frames) const;
    std::string recordPath() const;
    std::string record(const Geometry& geometry, const SegmentSeeds& seeds,
                       const std::vector<Outcome>& outcomes, int threads) const;

    std::string file_, output_, seed_, points_;
    bool voxel_ = false, chamber_ = false, all_ = false;
    int frame_ = -1; ///< -1: not given
    int threads_ = 0;
    SegmentOptions options_;
    OverwriteOption overwrite_;
};

} // namespace systole
