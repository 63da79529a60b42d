// The pointer on the slices while a segmentation is made: points, brush, pull, and their marks.
#include "app/features/segmentation/segmentation_tool.h"
#include "compute/core/error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace systole {
namespace {

constexpr Color chamberColor{1.0f, 0.55f, 0.35f}, wallColor{0.30f, 0.72f, 1.0f},
    eraserColor{1.0f, 0.30f, 0.30f}, pullColor{0.55f, 0.95f, 0.55f};
constexpr Color seedColors[] = {{1.0f, 0.85f, 0.25f}, {0.35f, 0.85f, 1.0f}, {0.65f, 1.0f, 0.45f}};

} // namespace

bool SegmentationTool::holdsPointer() const {
    return mode != SegmentMode::None && whyNot().empty();
}

void SegmentationTool::take(SegmentMode wanted) {
    forgetPull();
    mode = mode == wanted ? SegmentMode::None : wanted;
    takePointer();
}

/// Removes the message about a pull when its tool is put away.
void SegmentationTool::forgetPull() {
    if (mode == SegmentMode::Pull)
        failure.clear();
}

void SegmentationTool::dropPointer() {
    forgetPull();
    mode = SegmentMode::None;
    over_.reset();
    if (std::exchange(dragging_, false))
        labels.end();
}

void SegmentationTool::pointer(const SlicePointer& pointer) {
    using Event = SlicePointer::Event;
    if (pointer.event == Event::Leave)
        over_.reset();
    else if (pointer.event != Event::Release)
        over_ = pointer;
    if (pointer.event == Event::Press) {
        press(pointer);
    } else if (pointer.event == Event::Drag && dragging_) {
        if (mode == SegmentMode::Pull)
            labels.pullTo(pointer.position);
        else
            paint(pointer, lastDab_);
    } else if (pointer.event == Event::Release && std::exchange(dragging_, false)) {
        labels.end();
    }
}

void SegmentationTool::press(const SlicePointer& pointer) {
    const int frame = session().shownFrame;
    if (frame < 0)
        return;
    // The user sees the frame that is edited.
    session().playback.pause();
    session().playback.seek(frame);
    if (places(mode))
        return placeSeed(pointer.position);
    failure.clear();
    showLabels();
    dragging_ = true;
    if (mode == SegmentMode::Pull)
        return beginPull(pointer);
    labels.begin(mode == SegmentMode::Erase ? "eraser" : "brush");
    paint(pointer, pointer.position);
}

void SegmentationTool::placeSeed(Vec3 position) {
    const bool points = mode == SegmentMode::Points;
    if (byPoints != points || seeds.size() >= seedsNeeded() || seedFrame != session().shownFrame)
        seeds.clear();
    byPoints = points;
    seedsInVoxels = false;
    seedFrame = session().shownFrame;
    seeds.push_back(position);
    start_.drop();
    if (seeds.size() == seedsNeeded())
        start_.put();
}

/// Dabs from a point to the pointer, so close that the stroke has no gaps.
void SegmentationTool::paint(const SlicePointer& pointer, Vec3 from) {
    Brush brush;
    brush.radius = brushMillimeters;
    brush.disk = disk;
    brush.axis = labels.grid().axisAlong(pointer.axis).indexAxis;
    brush.erase = mode == SegmentMode::Erase;
    brush.label = label;
    const double far = length(pointer.position - from);
    const int dabs = std::clamp(static_cast<int>(std::ceil(far / (0.3 * brush.radius))), 1, 1000);
    for (int dab = 1; dab <= dabs; ++dab) {
        brush.center = from + (static_cast<double>(dab) / dabs) * (pointer.position - from);
        if (!brush.erase || labels.has(session().shownFrame))
            labels.paint(session().shownFrame, brush);
    }
    lastDab_ = pointer.position;
}

void SegmentationTool::beginPull(const SlicePointer& pointer) {
    if (!editing_)
        editing_ = std::make_unique<ExecResources>(session().estimationThreads);
    try {
        labels.beginPull(session().shownFrame, pointer.position,
                         labels.grid().axisAlong(pointer.axis).indexAxis, pullMillimeters, label,
                         editing_->context());
    } catch (const ComputeError& error) {
        dragging_ = false;
        failure = std::string(error.what()) + ".";
    }
}

void SegmentationTool::show(SceneContribution& scene) const {
    if (!seedsInVoxels && seedFrame == session().shownFrame)
        for (std::size_t i = 0; i < seeds.size(); ++i)
            scene.marks.push_back({.position = seeds[i],
                                   .text = seedName(i),
                                   .color = seedColors[i % std::size(seedColors)]});
    if (!over_ || !holdsPointer())
        return;
    if (paints(mode))
        scene.marks.push_back({.position = over_->position,
                               .radius = brushMillimeters,
                               .axis = disk ? over_->axis : -1,
                               .color = mode == SegmentMode::Erase ? eraserColor
                                        : label == chamberLabel    ? chamberColor
                                                                   : wallColor});
    if (mode == SegmentMode::Pull)
        scene.marks.push_back({.position = over_->position,
                               .radius = pullMillimeters,
                               .axis = over_->axis,
                               .color = pullColor});
}

} // namespace systole
