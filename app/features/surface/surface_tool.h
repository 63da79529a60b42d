// The surface over the frames: decides which frame's is made next, keeps what is made, and shows
// that of the frame shown. The thread starts with the first surface.
#pragma once

#include "app/anatomy/live_surface.h"
#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/surface/surface_choice.h"
#include "app/features/surface/surface_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class SurfaceTool : public Tool, public LabelSurface, public EjectionSource {
public:
    explicit SurfaceTool(Tools& tools);

    SurfaceChoice choice; ///< the user's choice; every change increments its revision
    /// Asks for a file where one is needed, and changes nothing until it is chosen.
    void choose(SurfaceOrigin source);
    void saveMesh();    ///< saves the surface shown to a file that it asks for
    void saveVolumes(); ///< volumes()
    /// Saves the surfaces of all frames, each to a file.
    void saveMeshes(std::function<void()> then);
    /// CSV with a row for each frame that has a surface, and for each surface that compares with
    /// them.
    std::string volumes() const;

    /// Surfaces of all frames by the user's choice; null: not made.
    const LiveSurfaces& frames() const { return series(choice.isCarried()).frames; }
    /// Surfaces of all frames the other way, carried or found in each frame, for comparison; made
    /// once all of frames() are.
    const LiveSurfaces& others() const { return series(!choice.isCarried()).frames; }
    void forget(int frame);                   ///< it is made again
    std::string contours(bool carried) const; ///< contourText() of what is chosen
    std::optional<int> origin() const;        ///< LabelSource::origin() of what is chosen
    /// Doubts about the sources of the surfaces, a sentence each.
    std::vector<std::string> doubts() const;
    bool comparesWays() const; ///< others() are made as far as they can be
    /// The surface of the frame shown, or, while playing, of one before it; null: none.
    std::shared_ptr<const LiveSurface> shown;
    std::shared_ptr<const LiveSurface> newest; ///< the last one made; null: none
    bool busy() const { return course_.underWay(); }
    /// Missing input for the next of frames(); empty: none.
    const std::string& waiting() const { return series(choice.isCarried()).waiting; }
    /// Why a frame has none, one sentence; empty: none has failed.
    std::string problem() const;
    bool hasMesh() const { return shown && shown->scene && shown->scene->mesh; }
    bool allMade() const; ///< true if every frame that can have a surface has one

    void showLabel(int label) override;
    void followLabel(int label) override;
    std::shared_ptr<const LiveSurface> ofLabels() const override;
    std::shared_ptr<const LiveSurface> of(int frame) const override;

    /// Ejection fractions of a chamber, from the surfaces made so far: one from carried surfaces,
    /// and one from surfaces found in each frame.
    std::vector<KnownEjection> ejections() const override;

    ToolName name() const override { return {"surface", "Surface"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    ToolNeeds needs() const override;
    void show(SceneContribution& scene) const override;
    bool unfinished() const override;
    void tell(std::vector<ToolMessage>& messages) const override;
    bool completeFor(int frame, bool panels) const override;
    std::string caption() const override;
    std::vector<UnsavedWork> unsaved() override;
    std::vector<ToolSetting> settings() override;
    void reset() override;

private:
    /// The surfaces of one way to follow the frames.
    struct Series {
        bool carried = false;
        LiveSurfaces frames{};
        /// LabelHistory::revision() of the segmentation that each frame's surface is made of.
        std::vector<std::uint64_t> labelsUsed{};
        std::string waiting{};
    };
    const Series& series(bool carried) const { return series_[carried ? 1 : 0]; }
    Series& series(bool carried) { return series_[carried ? 1 : 0]; }
    const LabelHistory& labels() const;
    void followPicture();
    bool followsPictures() const;
    std::string noteOfShown() const;
    void renew();
    void take(const SurfaceOutcome& outcome);
    void followLabels(Series& of);
    void forgetAll(Series& of);
    class Order;
    void begin();
    std::optional<SurfaceTask> next(AwaitedInputs& inputs);
    std::optional<SurfaceTask> next(Series& of, AwaitedInputs& inputs);
    std::optional<SurfaceTask> nextAnew(Series& of, AwaitedInputs& inputs);
    std::optional<SurfaceTask> nextCarried(Series& of, AwaitedInputs& inputs);
    std::optional<SurfaceTask> fromSource(Series& of, int frame, AwaitedInputs& inputs);
    SurfaceTask taskOf(const Series& of) const;
    bool isForgotten(const Series& of, int frame) const;
    bool isMissing(const Series& of, int frame) const;

    Series series_[2]{{false, {}, {}, {}}, {true, {}, {}, {}}};
    /// The key of the course. All surfaces are made of the choice; those that are carried also by
    /// the motion.
    struct Key {
        std::uint64_t revision = 0; ///< SurfaceChoice::revision
        std::size_t frames = 0;     ///< number of frames of the sequence
        bool carried = true;
        std::uint64_t generation = 0; ///< EstimationStatus::generation
        int window = 0;               ///< MotionChoice::window
        std::uint64_t given = 0;      ///< GivenMotion::givenMotion(), in place of an estimation
        bool operator==(const Key&) const = default;
    };
    Key keyNow() const;

    Course<SurfaceWork> course_;
    FollowedState surroundings_; ///< pictures that are drawn, and motion that is given
    Key key_;
    bool carriedRuns_ = false; ///< the surface under way is of the carried series
    /// Motion was just given or taken back: the context answers in a tick.
    bool awaitsGiven_ = false;
    LiveSurfaces saved_; ///< frames() when their meshes were last saved
    bool awaitsPicture_ = false;
    int seenPainted_ = -1; ///< Session::paintedFrame as last followed
};

} // namespace systole
