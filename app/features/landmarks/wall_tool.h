// The elastic wall: moves the tracks of the landmarks with it, frame after frame as they are found.
// Its parameters and its file are those of the points. The thread starts with the first wall.
#pragma once

#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/landmarks/point_source.h"
#include "app/features/landmarks/wall_course.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

class WallTool : public Tool {
public:
    explicit WallTool(Tools& tools);

    ToolName name() const override { return {"wall", "Elastic wall"}; }
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    void tell(std::vector<ToolMessage>& messages) const override;

private:
    /// The key of the course: another source begins anew.
    struct Source {
        std::uint64_t generation = 0; ///< number of the tracks
        WallOrigin origin = WallOrigin::None;
        std::string file;
        std::uint64_t labels = 0; ///< LabelHistory::revision() of the reference frame
        int label = 0;
        double length = 0, poisson = 0;
        bool operator==(const Source&) const = default;
    };
    PointSource& points() const;
    const LandmarkState& landmarks() const { return points().landmarks(); }
    Source sourceNow() const;
    void begin();
    std::shared_ptr<WallOrder> orderNow() const;
    void take(const WallOutcome& outcome);

    Source source_;
    WallStatus status_;
    Course<WallWork> course_;
};

} // namespace systole
