// The elastic wall: moves the tracks of the landmarks with it, frame after frame as they are found.
// Its parameters and its file are those of the points. The thread starts with the first wall.
#pragma once

#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/landmarks/point_source.h"
#include "app/features/landmarks/wall_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

class WallTool : public Tool {
public:
    explicit WallTool(Tools& tools) : Tool(tools) {}

    ToolName name() const override { return {"wall", "Elastic wall"}; }
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    double secondsToNextTick() const override;
    void tell(std::vector<ToolMessage>& messages) const override;

private:
    /// What the wall is made of; another one begins anew.
    struct Source {
        std::uint64_t generation = 0; ///< of the tracks
        WallOrigin origin = WallOrigin::None;
        std::string file;
        std::uint64_t labels = 0; ///< LabelHistory::revision() of the reference frame
        int label = 0;
        double length = 0, poisson = 0;
        bool operator==(const Source&) const = default;
    };
    PointSource& points() const;
    LandmarkState& landmarks() const { return points().landmarks(); }
    Source sourceNow() const;
    void begin(const Source& source);
    void take(WallOutcome outcome);
    void startNext();

    std::unique_ptr<WallRun> run_;
    Source source_;
    std::shared_ptr<const WallStart> start_; ///< null: there is no wall
    std::vector<bool> done_;                 ///< frames that it has moved
    bool asked_ = false;                     ///< a frame is under way
};

} // namespace systole
