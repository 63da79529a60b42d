// Landmarks: finds and follows them, frame after frame while the sequence plays, compares them with
// reference points, and edits them by the pointer. The thread starts with the first use.
#pragma once

#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/landmarks/landmark_run.h"
#include "app/features/landmarks/point_source.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class LandmarkTool : public Tool, public LandmarkState, public PointSource {
public:
    explicit LandmarkTool(Tools& tools) : Tool(tools) {}

    bool editing = false; ///< by hand, with the left button
    void edit();          ///< begins or ends it

    /// Finds points in a frame and follows them, as soon as what that needs is there.
    /// −1: the frame shown.
    void find(int frame = -1);
    /// Points of one frame, which are followed, or tracks, which are shown as they are.
    void openFile(const std::string& file) { file_ = file; }
    /// The file that points or tracks are of, unless they were edited since; empty: they aren't.
    const std::string& openedFile() const { return points == pointsOfFile_ ? openedFile_ : none_; }
    void compareWith(const std::string& file) { reference_ = file; } ///< tracks
    void stop();           ///< frames that are finished stay
    void clear();          ///< removes all points
    void removeSelected(); ///< point
    // These ask for the file.
    void chooseFile();
    void chooseReference();
    void chooseWall();
    /// The tracks, once they are complete: all frames searched, and moved by the elastic wall.
    void save(std::function<void()> then = {});

    LandmarkState& landmarks() override { return *this; }
    std::string whyNoWall(int frame) const override;
    WallSource wallOf(int frame) const override;

    ToolName name() const override { return {"landmarks", "Landmarks"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    double secondsToNextTick() const override;
    ToolNeeds needs() const override { return {.frames = running}; }
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override { return editing && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override;
    std::string notInOptions() const override;
    bool unfinished() const override { return find_ || !file_.empty() || running || wall.running; }
    void tell(std::vector<ToolMessage>& messages) const override;
    std::vector<UnsavedWork> unsaved() override;
    void recover(const std::function<std::string(const char* name)>& found) override;
    std::vector<ToolSetting> settings() override;
    std::shared_ptr<const ToolState> state() const override;
    void restore(const ToolState& state) override;
    void reset() override { parameters = ParamSet(landmarkTable()); }

private:
    // landmark_tool.cpp
    void detect(int frame);
    void track();
    void search(std::vector<int> order);
    void startNext(ToolContext& context);
    void take(LandmarkOutcome outcome);
    void takePoints(const LandmarkOutcome& outcome);
    void takeFrame(const LandmarkOutcome& outcome);
    void end(std::string why);
    WallOrigin originOf(int frame) const;
    void begin(LandmarkTracks fresh);
    bool outdated(LandmarkPart part) const;
    // landmark_files.cpp
    void readFile();
    void showFile(LandmarkTracks stored);
    void readReference();
    void compare();
    bool complete() const;
    void writeWhenComplete();
    void write(const std::string& path, std::function<void()> then);
    // landmark_pointer.cpp
    void press(const SlicePointer& pointer);
    void release();
    std::optional<Vec3> positionOf(std::size_t track) const;
    int trackAt(const SlicePointer& pointer) const;
    void replacePoints(LandmarkSet set, const std::string& change);

    std::unique_ptr<LandmarkRun> run_;
    std::optional<int> find_; ///< frame, or −1, in which points are about to be looked for
    std::string openedFile_;  ///< openedFile(), while the points are pointsOfFile_
    std::shared_ptr<const LandmarkSet> pointsOfFile_;
    const std::string none_;
    std::string file_, reference_; ///< about to be read
    /// A save that waits until the tracks are complete.
    struct Waiting {
        std::string path;
        std::function<void()> then;
    };
    std::optional<Waiting> waiting_;

    std::vector<int> order_; ///< frames to search, in this order; of a detection the one
    std::size_t next_ = 0;   ///< that comes after those taken
    bool detecting_ = false;
    bool asked_ = false; ///< the next one is under way
    bool awaitsFrame_ = false;
    bool awaitsWall_ = false;      ///< to find points in it
    std::optional<int> lacksWall_; ///< the frame in which none was there; `failure` says so
    std::shared_ptr<const Volume> firstImage_;                   ///< the frame of the points
    std::vector<Vec3> voxels_;                                   ///< the points, in it
    std::shared_ptr<const LandmarkSet> tracked_ = noLandmarks(); ///< that the tracks are of
    LandmarkTracks saved_;                                       ///< in a file
    std::shared_ptr<const LandmarkSet> savedPoints_;             ///< that those are of
    ParamSet used_{landmarkTable()};                             ///< by the last run
    bool dragging_ = false;                                      ///< the selected point is held
    Vec3 pressed_, grabbed_; ///< the pointer, and the point, when the drag began
};

/// Points as voxels of the grid. Throws ComputeError, naming the first that lies outside.
std::vector<Vec3> voxelsOf(const LandmarkSet& points, const Geometry& grid);

} // namespace systole
