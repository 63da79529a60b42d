// The segmentation of chamber and wall by hand: points, a level set that runs from them, frame
// after frame, labels of a file, and edits of the labels by the pointer. Threads start with their
// first work.
#pragma once

#include "app/anatomy/label_doubts.h"
#include "app/anatomy/label_history.h"
#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/segmentation/label_comparison.h"
#include "app/features/segmentation/label_reading.h"
#include "app/features/segmentation/segment_course.h"
#include "compute/surface/segment.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Function of the left button on the slices; None: the usual one.
enum class SegmentMode { None, Click, Points, Paint, Erase, Pull };
inline bool places(SegmentMode mode) {
    return mode == SegmentMode::Click || mode == SegmentMode::Points;
}
inline bool paints(SegmentMode mode) {
    return mode == SegmentMode::Paint || mode == SegmentMode::Erase;
}

class SegmentationTool : public Tool, public LabelSource {
public:
    explicit SegmentationTool(Tools& tools);

    // Chosen by the user.
    SegmentMode mode = SegmentMode::None;
    bool allFrames = false; ///< the frames next to the first one, too, each from its neighbor
    ParamSet parameters{segmentTable()};
    std::uint8_t label = chamberLabel; ///< label that is edited
    double brushMillimeters = 6;       ///< radius
    bool disk = true;                  ///< the brush paints the slice only; false: a ball
    double pullMillimeters = 8;        ///< width of a pull
    void take(SegmentMode wanted);     ///< takes a tool in hand; puts it away if it is in hand

    /// Placed so far: one click, or apex, mitral ring, insertion of the right ventricle; LPS mm.
    std::vector<Vec3> seeds;
    bool byPoints = false;    ///< the seeds are (the first) of three points
    bool seedsOfFile = false; ///< a file named them: they are mm
    /// The seeds are voxel indices of the open sequence, counted from 0, until the start.
    bool seedsInVoxels = false;
    int seedFrame = 0;
    std::optional<int> startFrame; ///< frame of the next run; none: the one shown then
    std::string chosenLabels;      ///< label map that startChosen() opens; empty: none
    void showSurface();            ///< the labels' surface in place of any other
    std::size_t seedsNeeded() const { return byPoints ? 3 : 1; }
    /// Name of a seed: "click", or one of "apex", "mitral ring", "right ventricle".
    const char* seedName(std::size_t seed) const;

    void start() { start_.put(); }
    void stop();                                ///< frames that are segmented stay
    void clear();                               ///< removes points and all labels
    void save(std::function<void()> then = {}); ///< asks for the file
    /// Writes the label map in the background, then calls `then`. Replaces a file of that name, but
    /// not the open one.
    void save(const std::string& path, std::function<void()> then = {});
    /// Writes them as they are now, with their record beside them; on any thread. Throws FileError.
    std::function<void(const std::string& path)> writer() const;
    /// Shows the curve of the volume in the Surface panel, which is opened.
    void showCurve();
    std::string whyNot() const; ///< no segmentation can be made now; empty: it can

    // Labels of a file (segmentation_files.cpp).
    void chooseLabels(); ///< asks for a file to open
    /// Reads a label map in the background. Its labels replace those of its frames, one step back,
    /// and are what the labels are compared with from then on.
    void openLabels(const std::string& path) override;
    void chooseComparison();
    /// Reads labels to compare with, and leaves the own ones unchanged.
    void compareWith(const std::string& path);
    void forgetComparison();
    /// Labels as of a file that is read. What was read last, and its chamber and wall.
    struct LabelsOfFile {
        std::shared_ptr<const OpenedLabels> read; ///< null: none
        bool opened = false;                      ///< false: it is only compared with
        std::optional<ChamberNumbers> roles{};    ///< none: the user has to choose
    } file;
    void setRoles(ChamberNumbers roles); ///< sets the roles of `file`
    bool reading() const { return !filesToRead_.empty(); }
    /// Files that are opened once the run is over, in a sentence; empty: none.
    std::string openedAfterRun() const;
    LabelComparison comparison;
    /// Numbers that saved labels get, those of the file that was opened; empty: 1 chamber, 2 wall.
    const std::vector<int>& numbers() const { return numbers_; }

    // --- state
    LabelHistory labels;
    bool running() const { return course_.running(); }
    int finished = 0, total = 0; ///< frames of the run
    std::string phase;           ///< phase of the frame under way
    double fraction = 0;         ///< progress of the run, 0 to 1
    double seconds = 0;          ///< time of the last run
    std::string failure;         ///< one sentence; empty: none
    /// Message on the run itself, for example that it was stopped; empty: none.
    std::string note;
    bool isSaved() const { return labels.labelled() == 0 || labels.revision() == savedRevision_; }

    const LabelHistory& labelHistory() const override { return labels; }
    bool stillLabelling() const override { return unfinished(); }
    std::optional<VentriclePoints> pointsOf(int frame) const override;
    std::vector<std::string> doubts() const override { return doubts_.all(); }
    std::optional<int> origin() const override { return doubts_.origin(); }

    ToolName name() const override { return {"segmentation", "Segmentation"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override;
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override;
    void startChosen(bool) override;
    bool holdsPlayback() const override { return !seeds.empty() || !chosenLabels.empty(); }
    std::string notInOptions() const override;
    bool unfinished() const override { return Tool::unfinished() || !toOpen_.empty(); }
    void tell(std::vector<ToolMessage>& messages) const override;
    std::vector<UnsavedWork> unsaved() override;
    void recover(const std::function<std::string(const char* name)>& found) override;
    std::vector<ToolSetting> settings() override;
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;
    void reset() override { parameters = ParamSet(segmentTable()); }

private:
    using Clock = std::chrono::steady_clock;

    // segmentation_tool.cpp: the run
    void begin();
    void take(const SegmentOutcome& outcome);
    void keep(const SegmentOutcome& outcome);
    void finish();
    void forgetPull();
    void end(std::string failure);
    void showLabels();
    // segmentation_files.cpp
    void read(const std::string& path, bool opens);
    void readFiles();
    bool canOpen() const;
    void takeRead(const LabelReadOutcome& outcome);
    void followFiles(ToolContext& context);
    void takeFile(const OpenedLabels& opened);
    void forgetFiles();
    // segmentation_pointer.cpp
    void press(const SlicePointer& pointer);
    void placeSeed(Vec3 position);
    void paint(const SlicePointer& pointer, Vec3 from);
    void beginPull(const SlicePointer& pointer);

    struct FileToRead {
        std::string path;
        bool opens = false;
        int frame = 0; ///< shown when it was chosen
    };
    std::deque<FileToRead> filesToRead_;                     ///< the first of them is being read
    std::deque<std::shared_ptr<const OpenedLabels>> toOpen_; ///< read, but a run is under way
    std::vector<int> numbers_;
    std::uint64_t savedRevision_ = 0;

    Request<> start_;
    Course<SegmentWork> course_;
    Course<LabelReadWork> reading_;
    FollowedState opening_;  ///< inputs of the files that are read
    std::vector<int> order_; ///< frames of the run, as they are segmented
    LabelDoubts doubts_;
    int step_ = -1; ///< LabelHistory::position() of its results; -1: none yet
    Clock::time_point started_{};

    std::optional<SlicePointer> over_; ///< position of the pointer; none: not over a slice
    bool dragging_ = false;            ///< a stroke or a pull is under way
    Vec3 lastDab_;
    std::unique_ptr<ExecResources> editing_; ///< made with the first pull
};

} // namespace systole
