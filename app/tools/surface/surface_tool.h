// The surface over the frames: decides which frame's is made next, keeps what is made, and shows
// that of the frame shown. The thread starts with the first surface.
#pragma once

#include "app/surface/live_surface.h"
#include "app/surface/surface_choice.h"
#include "app/surface/surface_run.h"
#include "app/tools/sources.h"
#include "app/tools/tool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class SurfaceTool : public Tool, public LabelSurface {
public:
    explicit SurfaceTool(Tools& tools) : Tool(tools) {}

    SurfaceChoice choice; ///< by the user; another one counts its revision up
    /// Asks for a file where one is needed, and changes nothing until it is chosen.
    void choose(SurfaceOrigin source);
    void saveMesh();    ///< of the surface shown, into a file that it asks for
    void saveVolumes(); ///< a row for each frame made

    LiveSurfaces frames; ///< one each; null: not made
    /// That of the frame shown, or while playing one before it; null: none.
    std::shared_ptr<const LiveSurface> shown;
    std::shared_ptr<const LiveSurface> newest; ///< the last one made; null: none
    bool busy = false;
    std::string waiting; ///< what is lacking for the next one; empty: nothing
    /// Why a frame has none, one sentence; empty: none has failed.
    std::string problem() const;
    bool hasMesh() const { return shown && shown->scene && shown->scene->mesh; }
    bool allMade() const; ///< of every frame that can have one

    void showLabel(int label) override;
    void followLabel(int label) override;
    std::shared_ptr<const LiveSurface> ofLabels() const override;

    ToolName name() const override { return {"surface", "Surface"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    double secondsToNextTick() const override;
    ToolNeeds needs() const override { return {.hostFields = choice.isOn()}; }
    void show(SceneContribution& scene) const override;
    bool unfinished() const override;
    void tell(std::vector<ToolMessage>& messages) const override;
    std::string caption() const override;
    void reset() override;

private:
    const LabelHistory& labels() const;
    void followChoice();
    void followLabels();
    void forgetAll();
    std::optional<SurfaceTask> next(ToolContext& context);
    std::optional<SurfaceTask> nextAnew(ToolContext& context);
    std::optional<SurfaceTask> nextCarried(ToolContext& context);
    std::optional<SurfaceTask> fromSource(int frame, ToolContext& context);
    std::shared_ptr<const FrameResult> pairFrom(int frame, ToolContext& context) const;
    std::shared_ptr<const FrameResult> sinceFirst(int frame, ToolContext& context) const;
    void wantMotion();
    bool isForgotten(int frame) const;
    bool isMissing(int frame) const;

    std::unique_ptr<SurfaceRun> run_;
    std::uint64_t revision_ = 0;   ///< the choice's as last followed
    std::uint64_t generation_ = 0; ///< of the estimation whose motion carries
    int window_ = 0;               ///< its MotionChoice::window
    /// Of the segmentation, by frame: LabelHistory::revision() that its surface is made of.
    std::vector<std::uint64_t> labelsUsed_;
    bool askedForCycle_ = false;
    bool awaitsFrame_ = false;
};

} // namespace systole
