// The pointer on the slices while a segmentation is made: points, brush, pull, and their marks.
#include "app/live/segment_client.h"
#include "compute/core/error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace systole {
namespace {

constexpr Color chamberColor{1.0f, 0.55f, 0.35f}, wallColor{0.30f, 0.72f, 1.0f},
    eraserColor{1.0f, 0.30f, 0.30f}, pullColor{0.55f, 0.95f, 0.55f};
constexpr Color seedColors[] = {{1.0f, 0.85f, 0.25f}, {0.35f, 0.85f, 1.0f}, {0.65f, 1.0f, 0.45f}};

Brush brushOf(const SegmentSession& segment, const Geometry& grid, const SlicePointer& pointer) {
    Brush brush;
    brush.radius = segment.brushMillimeters;
    brush.disk = segment.disk;
    brush.axis = grid.axisAlong(pointer.axis).indexAxis;
    brush.erase = segment.tool == SegmentTool::Erase;
    brush.label = segment.label;
    return brush;
}

} // namespace

void SegmentClient::usePointer(Session& session) {
    using Event = SlicePointer::Event;
    const std::vector<SlicePointer> events = std::exchange(session.segment.pointer, {});
    for (std::size_t i = 0; i < events.size(); ++i) {
        const SlicePointer& pointer = events[i];
        // Of a pull only where it has come to counts.
        const bool passed = pointer.event == Event::Drag && i + 1 < events.size() &&
                            events[i + 1].event == Event::Drag &&
                            session.segment.tool == SegmentTool::Pull;
        if (passed)
            continue;
        switch (pointer.event) {
        case Event::Press:
            press(session, pointer);
            break;
        case Event::Drag:
            drag(session, pointer);
            break;
        case Event::Release:
            if (std::exchange(dragging_, false))
                session.segment.labels.end();
            break;
        case Event::Move:
            break;
        }
    }
}

void SegmentClient::press(Session& session, const SlicePointer& pointer) {
    SegmentSession& segment = session.segment;
    if (session.shownFrame < 0)
        return;
    // What is edited is what is seen.
    session.playback.pause();
    session.playback.seek(session.shownFrame);
    if (places(segment.tool))
        return placeSeed(session, pointer.position);
    segment.failure.clear();
    showSegmentation(session);
    dragging_ = true;
    if (segment.tool == SegmentTool::Pull)
        return beginPull(session, pointer.position);
    segment.labels.begin(segment.tool == SegmentTool::Erase ? "eraser" : "brush");
    paint(session, pointer, pointer.position);
}

void SegmentClient::drag(Session& session, const SlicePointer& pointer) {
    if (!dragging_)
        return;
    if (session.segment.tool == SegmentTool::Pull)
        session.segment.labels.pullTo(pointer.position);
    else
        paint(session, pointer, lastDab_);
}

void SegmentClient::placeSeed(Session& session, Vec3 position) {
    SegmentSession& segment = session.segment;
    const bool byPoints = segment.tool == SegmentTool::Points;
    const bool over = segment.byPoints != byPoints ||
                      segment.seeds.size() >= segment.seedsWanted() ||
                      segment.seedFrame != session.shownFrame;
    if (over)
        segment.seeds.clear();
    segment.byPoints = byPoints;
    segment.seedsInVoxels = false;
    segment.seedFrame = session.shownFrame;
    segment.seeds.push_back(position);
    segment.wantedStart = segment.seeds.size() == segment.seedsWanted();
}

/// Dabs from a point to the pointer, so close that the stroke has no gaps.
void SegmentClient::paint(Session& session, const SlicePointer& pointer, Vec3 from) {
    SegmentSession& segment = session.segment;
    Brush brush = brushOf(segment, segment.labels.grid(), pointer);
    const double far = length(pointer.position - from);
    const int dabs = std::clamp(static_cast<int>(std::ceil(far / (0.3 * brush.radius))), 1, 1000);
    for (int dab = 1; dab <= dabs; ++dab) {
        brush.center = from + (static_cast<double>(dab) / dabs) * (pointer.position - from);
        if (!brush.erase || segment.labels.has(session.shownFrame))
            segment.labels.paint(session.shownFrame, brush);
    }
    lastDab_ = pointer.position;
}

void SegmentClient::beginPull(Session& session, Vec3 from) {
    SegmentSession& segment = session.segment;
    if (!editing_)
        editing_ = std::make_unique<ExecResources>(session.estimationThreads);
    try {
        segment.labels.beginPull(session.shownFrame, from, segment.pullMillimeters, segment.label,
                                 editing_->context());
    } catch (const ComputeError& error) {
        dragging_ = false;
        segment.failure = std::string(error.what()) + ".";
    }
}

std::vector<SceneMark> marksOf(const Session& session) {
    const SegmentSession& segment = session.segment;
    std::vector<SceneMark> marks;
    if (!segment.seedsInVoxels && segment.seedFrame == session.shownFrame)
        for (std::size_t i = 0; i < segment.seeds.size(); ++i)
            marks.push_back({.position = segment.seeds[i],
                             .text = seedName(segment, i),
                             .color = seedColors[i % std::size(seedColors)]});
    if (!segment.over || !toolHasPointer(session))
        return marks;
    if (paints(segment.tool))
        marks.push_back({.position = segment.over->position,
                         .radius = segment.brushMillimeters,
                         .axis = segment.disk ? segment.over->axis : -1,
                         .color = segment.tool == SegmentTool::Erase ? eraserColor
                                  : segment.label == chamberLabel    ? chamberColor
                                                                     : wallColor});
    if (segment.tool == SegmentTool::Pull)
        marks.push_back({.position = segment.over->position,
                         .radius = segment.pullMillimeters,
                         .axis = segment.over->axis,
                         .color = pullColor});
    return marks;
}

} // namespace systole
