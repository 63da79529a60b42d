// The heart in the views: the map of strain, the wall, the segment that was clicked.
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/cardiac/wall_mesh.h"
#include "compute/core/points.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace systole {
namespace {

/// Fraction of the wall's thickness by which a segment juts out, so that the whole wall's surface
/// and contour don't hide its own.
constexpr double seenBeyond = 0.06;

} // namespace

/// Strain since the frame from which the measures count; none while its motion is missing.
void CardiacTool::followStrain(ToolContext& context) {
    strain_.reset();
    if (!showsStrain())
        return;
    const int diastole = outcome_->motion.frame.front(), frame = session().playback.frame();
    SceneStrain strain{outcome_->ventricle, context.motionSinceFirst(frame),
                       context.motionSinceFirst(diastole)};
    strain.awaitsMotion = !strain.motion && frame != outcome_->frame;
    if (diastole == outcome_->frame || strain.diastole)
        strain_ = std::make_shared<SceneStrain>(std::move(strain));
}

void CardiacTool::select(int segment) {
    segment_ = segment;
    looks_ = segment > 0;
    followSegment();
}

/// Names the frame of the wall's position while the motion into the frame shown isn't measured yet:
/// the last measured one.
std::string CardiacTool::noteOfShown() const {
    const int measured = outcome_->motion.frame[shown_.place];
    return measured == session().playback.frame() ? ""
                                                  : fmt::format("heart wall of frame {}", measured);
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
    // The shape that was made from the points, and labels of a file, are seen as a whole: nothing
    // else shows whether they fit and follow. Those of the Segment panel are seen by themselves.
    if (!outcome_ || (segment_ == 0 && from == HeartLabels::Segmentation))
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
