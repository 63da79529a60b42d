// A live view that has nothing to give.
#pragma once

#include "app/feature/tool.h"

namespace systole::testing {

struct NoFrames : ToolContext {
    std::shared_ptr<const Volume> frame(int) override { return nullptr; }
    bool readable(int) const override { return true; }
    std::shared_ptr<const FrameResult> motionSinceFirst(int) override { return nullptr; }
    std::vector<std::shared_ptr<const FrameResult>> motions() const override { return {}; }
    std::optional<int> interopDevice() const override { return std::nullopt; }
    std::vector<VoxelBox> shownVoxels() const override { return {}; }
};

} // namespace systole::testing
