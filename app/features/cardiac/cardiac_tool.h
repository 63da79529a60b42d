// The left ventricle measured by the motion that the window estimates: strain, twist and volumes of
// the frames so far, renewed as fields arrive. The thread starts with the first labels.
#pragma once

#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/cardiac/cardiac_plots.h"
#include "app/features/cardiac/ejection_ways.h"
#include "app/features/cardiac/live_strain.h"
#include "app/features/cardiac/strain_report.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A place that the user clicked, LPS mm, in a frame.
struct HeartPoint {
    Vec3 position;
    int frame = 0;
    bool operator==(const HeartPoint&) const = default;
};

std::string waitingPoint(int frame); ///< a sentence

/// Source of cavity and wall of the first frame.
enum class HeartLabels { None, Segmentation, File, Points };

class CardiacTool : public Tool {
public:
    explicit CardiacTool(Tools& tools);

    // Chosen by the user.
    HeartLabels from = HeartLabels::None;
    std::string file; ///< label map, for File
    /// "end-diastole" and "end-systole" follow the user's marks, Session::marks.
    ParamSet parameters{strainTable()};
    int quantity = 0; ///< quantity that the bull's-eye shows, an index in bullsEyeQuantities()
    /// Apex of the cavity, middle of the mitral ring, anterior insertion of the right ventricle, as
    /// far as placed, each in any frame; all three, or they don't count.
    std::vector<HeartPoint> points;
    static constexpr std::size_t pointsNeeded = 3;
    bool placing = false; ///< points, with the left button
    void place();         ///< begins, in the frame shown, or ends it
    /// Positions of the points in frame 0, LPS mm, carried there by the motion; without points
    /// whose motion is still missing.
    std::vector<Vec3> pointsAtReference() const;
    std::string textOfPoints() const; ///< pointsAtReference() as --points takes them
    /// The frame whose motion a point waits for; none: none does.
    std::optional<int> pointWaitsFor() const;

    void choose(HeartLabels other);         ///< asks for a file where one is needed
    bool isSegmented() const;               ///< frame 0, in the Segment panel
    void segmentFirst();                    ///< labels of the Segment panel, which is opened
    void openFile(const std::string& path); ///< reads it again where it was read already
    void select(int segment);               ///< 0: none; the slices go through it
    int selected() const { return segment_; }
    void markEndSystole(std::optional<int> frame); ///< none: that of the smallest volume
    void markAsNamed(); ///< the frames that the parameters name become marks

    /// Null until the motion into a first frame is measured.
    const StrainOutcome* outcome() const {
        return outcome_ && outcome_->motion.frame.size() > 1 ? &*outcome_ : nullptr;
    }
    cardiac::AhaModel model() const { return measured_.model; } ///< model of the outcome
    const cardiac::StrainDefinition& definition() const { return *measured_.definition; }
    CardiacShown shown() const; ///< data of the plots; there must be an outcome
    const BullsEyeQuantity& shownQuantity() const {
        return bullsEyeQuantities()[static_cast<std::size_t>(quantity)];
    }
    /// Place of a frame in the outcome's list, or of the last one before it.
    std::size_t placeOf(int frame) const;
    /// Doubts about the segmentation that is measured and, once there is one, about the outcome.
    std::vector<std::string> doubts() const;
    /// Chambers of the Segment panel, by frame, ml; of the frames that have one.
    const std::vector<VolumeInFrame>& found() const { return found_; }
    /// All ejection fractions that are known, of the outcome, and of other panels.
    std::vector<EjectionWay> ejections() const;
    std::string motionName() const; ///< motion that carries the wall: "clg"
    std::string waiting() const;    ///< missing input; empty: none
    bool busy() const { return course_.underWay(); }
    LiveStrainRun::Progress progress() const; ///< progress of the task under way
    /// The labels of `file`, ascending, once it was read, and which of them are what.
    const std::vector<int>& fileLabels() const { return fileLabels_; }
    const cardiac::LabelRoles& roles() const { return roles_; }
    bool showsStrain() const; ///< the slices show the map of strain
    std::string failure;      ///< one sentence; empty: none

    /// Asks for a table that was saved; its curves are drawn beside those of now.
    void readCurves();
    std::vector<StrainCurves> read; ///< the last table of each kind
    void saveSegments();
    void saveCurves();
    void savePicture();
    void saveReport(); ///< saves a page of HTML or PDF
    /// Saves the points as `systole strain --points` takes them, LPS mm.
    void savePoints(std::function<void()> then = {});
    std::vector<UnsavedWork> unsaved() override;
    void recover(const std::function<std::string(const char* name)>& found) override;

    ToolName name() const override { return {"cardiac", "Cardiac"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    ToolNeeds needs() const override;
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override { return placing && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override { placing = false; }
    bool unfinished() const override;
    void tell(std::vector<ToolMessage>& messages) const override;
    std::string notShown(int frame) const override;
    std::string caption() const override;
    std::vector<ToolSetting> settings() override;
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;
    void reset() override;

private:
    /// Source of the measures; another source begins again.
    struct Source {
        HeartLabels from = HeartLabels::None;
        std::string file;
        std::uint64_t chosen = 0;  ///< number of files chosen so far
        cardiac::LabelRoles roles; ///< roles of the file's labels
        std::vector<Vec3> points;  ///< pointsAtReference()
        std::uint64_t labels = 0;  ///< LabelHistory::revision() of the first frame
        bool operator==(const Source&) const = default;
    };
    struct Motion {
        std::uint64_t generation = 0; ///< generation of the estimation
        std::uint64_t given = 0;      ///< GivenMotion::givenMotion()
        int window = 0;
        bool operator==(const Motion&) const = default;
    };
    Source sourceNow() const;
    Motion motionNow() const;
    std::vector<double> secondsNow() const;
    cardiac::GivenPoints given() const;
    bool hasLabels() const; ///< the first frame has labels
    bool lacksMotion() const;
    bool isOutdated() const;
    void forget(); ///< nothing that is there, or under way, counts any more
    void enterPoints();
    void followPoints(ToolContext& context);
    bool carriesInto(std::size_t frame) const; ///< every point whose place in frame 0 is known
    class Order;
    void begin();
    /// Nothing is due that isn't under way.
    bool isFollowed() const;
    std::optional<LiveStrainTask> next(AwaitedInputs& inputs);
    bool addFresh(LiveStrainTask& task, AwaitedInputs& inputs);
    std::vector<std::shared_ptr<const FrameResult>> newSteps(const AwaitedInputs& inputs);
    bool measuredOnHost() const; ///< requested measures exist only on the host
    bool measuresOnDevice(const AwaitedInputs& inputs);
    bool isThere(const FrameResult& motion) const;
    void take(StrainOutcome made);
    void fail(const Course<LiveStrainWork>::Failure& failed);
    void followMarks();
    void followFound();
    void followStrain(ToolContext& context);
    void followSegment();
    std::string noteOfShown() const; ///< names the frame of `scene_`
    void lookAtSegment();
    void saveText(const char* what, const char* suffix, std::string text);
    std::string heading() const;
    StrainReport report() const;
    std::vector<ReportPicture> pictures() const;

    Course<LiveStrainWork> course_;
    FollowedState choice_; ///< the user's choices, and inputs from other tools
    Source source_;
    Motion motion_;
    std::uint64_t chosenFiles_ = 0;
    std::uint64_t ventricles_ = 0, motions_ = 0; ///< numbers of the source and of the motion
    /// Motion passed to the task, by frame; and whether any was.
    std::vector<std::weak_ptr<const FrameResult>> passed_;
    std::vector<bool> has_;
    bool stepsPassed_ = false;
    bool onDevice_ = false; ///< the last task measures on the device
    /// The device failed, or hasn't all of the motion: another motion or heart is tried there
    /// again.
    bool deviceFailed_ = false;
    // --- settings of the last task
    cardiac::MeasureOptions options_;
    bool certainty_ = false, closeCycle_ = false;
    double errorBound_ = 0;
    std::vector<double> seconds_;
    std::optional<int> diastole_; ///< the mark
    std::vector<HeartPoint> savedPoints_;
    /// A point in every frame, as far as the motion there is or was known.
    struct CarriedPoint {
        HeartPoint of;
        std::vector<std::optional<Vec3>> at; ///< positions by frame
        std::optional<Vec3> reference() const { return at.empty() ? std::nullopt : at.front(); }
    };
    std::vector<CarriedPoint> carriedPoints_;
    cardiac::MeasureOptions measured_;
    std::optional<StrainOutcome> outcome_;
    std::vector<int> fileLabels_;
    cardiac::LabelRoles roles_;
    std::vector<VolumeInFrame> found_;
    std::vector<std::uint64_t> foundOf_; ///< LabelHistory::revision() by frame, as counted
    std::uint64_t outcomes_ = 0;         ///< counted

    int segment_ = 0;
    bool looks_ = false; ///< the views are about to go through it
    /// The selected segment, or the whole wall of a file's labels or of the points' shape, in the
    /// frame shown.
    std::shared_ptr<const SceneSurface> scene_;
    std::shared_ptr<const SceneStrain> strain_; ///< strain of the frame shown
    struct Shown {
        std::uint64_t outcome = 0;
        int segment = 0;
        std::size_t place = 0;
        bool operator==(const Shown&) const = default;
    } shown_; ///< content of `scene_`
};

} // namespace systole
