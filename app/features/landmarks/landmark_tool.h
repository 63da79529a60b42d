// Landmarks: finds and follows them, frame after frame while the sequence plays, compares them with
// reference points, and edits them by the pointer. The thread starts with the first use.
#pragma once

#include "app/feature/course.h"
#include "app/feature/sources.h"
#include "app/feature/tool.h"
#include "app/features/landmarks/landmark_course.h"
#include "app/features/landmarks/point_source.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class LandmarkTool : public Tool, public LandmarkState, public PointSource {
public:
    explicit LandmarkTool(Tools& tools);

    bool editing = false; ///< the left button edits points by hand
    void edit();          ///< begins or ends it

    /// Finds points in a frame and follows them, as soon as what that needs is there.
    /// −1: the frame shown.
    void find(int frame = -1) { find_.put(frame); }
    /// Points of one frame, which are followed, or tracks, which are shown as they are.
    void openFile(const std::string& file) { file_.put(file); }
    /// The file that points or tracks are of, unless they were edited since; empty: they aren't.
    std::string openedFile() const { return points == pointsOfFile_ ? openedFile_ : ""; }
    void compareWith(const std::string& file) { reference_.put(file); } ///< tracks
    void stop();           ///< frames that are finished stay
    void clear();          ///< removes all points
    void removeSelected(); ///< point
    // These ask for the file.
    void chooseFile();
    void chooseReference();
    void chooseWall();
    /// The tracks, once they are complete: all frames searched, and moved by the elastic wall.
    void save(std::function<void()> then = {});

    bool running() const { return course_.running(); } ///< frames are searched

    const LandmarkState& landmarks() const override { return *this; }
    std::string whyNoWall(int frame) const override;
    WallSource wallOf(int frame) const override;
    void tellWall(const WallStatus& status) override { static_cast<WallStatus&>(wall) = status; }
    void moveWithWall(const WallOutcome& moved) override;
    void leaveWall() override;

    ToolName name() const override { return {"landmarks", "Landmarks"}; }
    std::unique_ptr<Panel> panel() override;
    void opened(const OpenedSequence& sequence) override;
    void follow(ToolContext& context) override;
    void show(SceneContribution& scene) const override;
    bool holdsPointer() const override { return editing && session().inPlace.empty(); }
    void pointer(const SlicePointer& pointer) override;
    void dropPointer() override;
    std::string notInOptions() const override;
    bool unfinished() const override {
        return find_.waits() || file_.waits() || running() || wall.running;
    }
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
    void search(std::shared_ptr<CourseOrder<LandmarkWork>> order, int frames);
    bool changed() const;
    void renew();
    void take(const LandmarkOutcome& outcome);
    void takePoints(const LandmarkOutcome& outcome);
    void takeFrame(const LandmarkOutcome& outcome);
    void end(std::string why);
    bool awaitsLabels() const;
    WallOrigin originOf(int frame) const;
    void begin(LandmarkTracks fresh);
    bool outdated(LandmarkPart part) const;
    // landmark_files.cpp
    void readFile(const std::string& file);
    void showFile(LandmarkTracks stored);
    void readReference(const std::string& file);
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

    std::string openedFile_; ///< openedFile(), while the points are pointsOfFile_
    std::shared_ptr<const LandmarkSet> pointsOfFile_;
    /// A save that waits until the tracks are complete.
    struct Waiting {
        std::string path;
        std::function<void()> then;
    };
    Request<int> find_;                     ///< frame, or −1, in which points are looked for
    Request<std::string> file_, reference_; ///< files to be read
    Request<Waiting> waiting_;
    Course<LandmarkWork> course_;

    bool detecting_ = false;       ///< the course is that of a detection
    int detectedFrame_ = 0;        ///< frame of the detection under way, or of the last one
    std::optional<int> lacksWall_; ///< the frame in which none was there; `failure` says so
    /// Points to which the tracks belong.
    std::shared_ptr<const LandmarkSet> tracked_ = noLandmarks();
    LandmarkTracks saved_;                           ///< tracks that a file has
    std::shared_ptr<const LandmarkSet> savedPoints_; ///< points of `saved_`
    ParamSet used_{landmarkTable()};                 ///< parameters of the last run
    bool dragging_ = false;                          ///< the selected point is held
    Vec3 pressed_, grabbed_; ///< the pointer, and the point, when the drag began
};

} // namespace systole
