// Labels from files, to be corrected or compared with, and the label map that is saved.
#include "app/anatomy/label_record.h"
#include "app/base/file_stem.h"
#include "app/feature/tools.h"
#include "app/features/segmentation/label_file.h"
#include "app/features/segmentation/segmentation_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

namespace systole {
namespace {

constexpr const char* labelTypes = "Label maps (*.nii.gz *.nii *.nrrd *.mha *.mhd);;All files (*)";

std::string nameOf(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// The files that wait, one after the other.
template <typename Files>
class FileOrder final : public CourseOrder<LabelReadWork> {
public:
    FileOrder(const Files& files, const LabelHistory& labels) : files_(files), labels_(labels) {}
    std::optional<LabelReadTask> next(AwaitedInputs&) override {
        const auto& file = files_.front();
        return LabelReadTask{file.frame, file.path, labels_.grid(), labels_.frames()};
    }
    void advance(const LabelReadOutcome&) override {}
    bool done() const override { return files_.empty(); }

private:
    const Files& files_;
    const LabelHistory& labels_;
};

} // namespace

void SegmentationTool::chooseLabels() {
    host().chooseOpen({.title = "Labels to correct: a label map of one frame, or of every frame",
                       .types = labelTypes},
                      [this](const std::string& path) { openLabels(path); });
}

void SegmentationTool::chooseComparison() {
    host().chooseOpen({.title = "Labels to compare with: a label map of one frame, or of every one",
                       .types = labelTypes},
                      [this](const std::string& path) { compareWith(path); });
}

void SegmentationTool::openLabels(const std::string& path) { read(path, true); }
void SegmentationTool::compareWith(const std::string& path) { read(path, false); }

/// Several files, as those of end diastole and end systole, are read one after the other.
void SegmentationTool::read(const std::string& path, bool opens) {
    if (const std::string why = whyNot(); !why.empty())
        return host().fail("No labels can be opened now: " + why + ".");
    filesToRead_.push_back({path, opens, session().playback.frame()});
    if (filesToRead_.size() == 1)
        readFiles();
    if (opens)
        session().playback.pause();
}

void SegmentationTool::readFiles() {
    reading_.begin(std::make_shared<FileOrder<std::deque<FileToRead>>>(filesToRead_, labels));
}

void SegmentationTool::forgetFiles() {
    reading_.close();
    filesToRead_.clear();
    toOpen_.clear();
    forgetComparison();
    numbers_.clear();
}

void SegmentationTool::forgetComparison() {
    comparison.clear();
    file = {};
}

void SegmentationTool::takeRead(const LabelReadOutcome& outcome) {
    const bool opens = filesToRead_.front().opens;
    filesToRead_.pop_front();
    failure.clear();
    if (opens) {
        toOpen_.push_back(outcome.opened);
    } else {
        file = {outcome.opened, false};
        takeFile(*outcome.opened);
    }
}

/// Labels of a file would end the run that is under way.
bool SegmentationTool::canOpen() const { return !toOpen_.empty() && !running() && !dragging_; }

void SegmentationTool::followFiles(ToolContext& context) {
    reading_.follow(context);
    while (canOpen()) {
        file = {toOpen_.front(), true};
        toOpen_.pop_front();
        takeFile(*file.read);
    }
}

std::string SegmentationTool::openedAfterRun() const {
    if (!running())
        return "";
    std::vector<std::string> names;
    for (const auto& opened : toOpen_)
        names.push_back(nameOf(opened->path));
    for (const FileToRead& next : filesToRead_)
        if (next.opens)
            names.push_back(nameOf(next.path));
    if (names.empty())
        return "";
    return fmt::format("{} {} opened when the segmentation is done.", fmt::join(names, ", "),
                       names.size() == 1 ? "is" : "are");
}

void SegmentationTool::takeFile(const OpenedLabels& opened) {
    note.clear();
    if (opened.found)
        setRoles(*opened.found);
    if (!file.opened)
        return;
    if (opened.points) {
        seeds = {opened.points->apex, opened.points->mitral, opened.points->rightVentricle};
        byPoints = true;
        seedsInVoxels = false;
        seedFrame = opened.pointsFrame;
    }
    if (session().shownFrame >= 0 && !labels.has(session().playback.frame()))
        session().playback.seek(opened.frames.front().frame);
}

void SegmentationTool::setRoles(ChamberNumbers roles) {
    if (!file.read || (roles.chamber == roles.wall && roles.chamber != 0))
        return;
    file.roles = roles;
    const OpenedLabels& opened = *file.read;
    const bool saved = isSaved();
    if (file.opened) {
        stop();
        labels.begin("labels of a file");
        numbers_ = numbersOf(opened, roles);
    }
    for (const OpenedLabels::Frame& frame : opened.frames) {
        auto made = std::make_shared<const LabelMap>(labelsOf(frame, opened, roles));
        if (file.opened) {
            labels.replace(frame.frame, *made);
            doubts_.found(frame.frame, 0, "");
        }
        comparison.setFile(frame.frame, std::move(made), nameOf(opened.path));
    }
    if (!file.opened)
        return;
    labels.end();
    // They are in a file, unless other frames have labels of another one.
    if (saved && labels.labelled() == static_cast<int>(opened.frames.size()))
        savedRevision_ = labels.revision();
    showLabels();
}

void SegmentationTool::save(std::function<void()> then) {
    if (!session().opened)
        return;
    host().chooseSave(
        {.title = "Save the label map to",
         .types = "Label maps (*.nii.gz *.nii *.mha *.nrrd)",
         .name = file.opened && file.read
                     ? fileStem(nameOf(file.read->path)) + "_corrected.nii.gz"
                     : fileStem(session().opened->sequence.name) + "_labels.nii.gz"},
        [this, then = std::move(then)](const std::string& path) { save(path, then); });
}

/// Writes also a record of the points, from which Cardiac and `systole strain` know the insertion
/// of the right ventricle. Its volumes are counted on the writing thread: the window looks at
/// unsaved work every few seconds.
std::function<void(const std::string& path)> SegmentationTool::writer() const {
    LabelFile map = labelFileOf(labels, session().opened->sequence);
    map.numbers = numbers_;
    LabelRecord record{.chamber = map.numberOf(chamberLabel), .wall = map.numberOf(wallLabel)};
    record.points = pointsOf(seedFrame);
    record.pointsFrame = seedFrame;
    std::vector<int> numbers; // frames in the map
    for (int frame = 0; frame < labels.frames(); ++frame)
        if (map.frames.size() > 1 || labels.has(frame))
            numbers.push_back(frame);
    return [inputs = session().opened->paths, map = std::move(map), record = std::move(record),
            numbers = std::move(numbers)](const std::string& path) {
        writeLabelFile(path, map, inputs);
        std::vector<RecordedFrame> frames;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const LabelMap* const of = map.frames[i].get(); // null: none, so 0 ml
            const auto volume = [&](std::uint8_t label) {
                return of ? millilitersOf(*of, label, map.grid) : 0;
            };
            frames.push_back({numbers[i], volume(chamberLabel), volume(wallLabel)});
        }
        writeLabelRecord(path, record, frames, inputs.front());
    };
}

void SegmentationTool::save(const std::string& path, std::function<void()> then) {
    if (!session().opened)
        return;
    host().write(
        "Label map", path, [path, write = writer()] { write(path); },
        [this, revision = labels.revision(), then = std::move(then)] {
            savedRevision_ = revision;
            if (then)
                then();
        });
}

} // namespace systole
