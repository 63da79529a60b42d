// The segment that was clicked: where the views look, and its surface.
#include "app/cardiac/wall_mesh.h"
#include "app/tools/cardiac/cardiac_tool.h"
#include "compute/core/points.h"

#include <memory>
#include <utility>

namespace systole {
namespace {

/// Fraction of the wall's thickness by which a segment juts out, so that the whole wall's surface
/// and contour don't hide its own.
constexpr double seenBeyond = 0.06;

} // namespace

void CardiacTool::select(int segment) {
    segment_ = segment;
    looks_ = segment > 0;
    followSegment();
}

void CardiacTool::lookAtSegment() {
    looks_ = false;
    const auto& points = scene_->mesh->points;
    if (points.empty())
        return;
    Vec3 sum;
    for (const auto& p : points)
        sum = sum + widened(p);
    session().lookAt = (1.0 / static_cast<double>(points.size())) * sum;
}

void CardiacTool::followSegment() {
    // The shape that was made from the points is seen as a whole: nobody has drawn it.
    if (!outcome_ || (segment_ == 0 && from != HeartLabels::Points))
        return scene_.reset();
    const Shown now{outcomes_, segment_, placeOf(session().playback.frame())};
    if (scene_ && now == shown_)
        return;
    shown_ = now;
    const auto& measures = outcome_->measures;
    auto scene = std::make_shared<SceneSurface>();
    const auto meshOf = [&](int segment, double beyond) {
        return std::make_shared<const TriangleMesh>(
            wallMesh(measures.shells[now.place], measures.shellSegments, segment, beyond));
    };
    if (segment_ > 0) {
        scene->original = meshOf(0, 0);
        scene->walled = true;
    }
    scene->mesh = meshOf(segment_, segment_ > 0 ? seenBeyond : 0);
    scene_ = std::move(scene);
    if (looks_)
        lookAtSegment();
}

} // namespace systole
