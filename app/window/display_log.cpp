#include "app/window/display_log.h"

#include "app/session/comparison.h"
#include "render/overlays/rows.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {
namespace {

double seconds(RateMeter::Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

nlohmann::ordered_json sideRecord(const SideFigures& figures) {
    return {{"backend", name(figures.choice->backend)},
            {"backendReason", figures.choice->backendReason},
            {"estimatedBy", name(figures.backend)},
            {"runsOn", figures.where},
            {"method", figures.choice->method->name},
            {"preset", figures.choice->preset},
            {"lastSeconds", figures.lastSeconds},
            {"perSecond", figures.perSecond},
            {"iterations", figures.iterations},
            {"estimated", figures.estimated},
            {"fallback", figures.fallback},
            {"failure", figures.message}};
}

nlohmann::ordered_json sidesRecord(const Session& session) {
    nlohmann::ordered_json json;
    json["shows"] = name(session.display.sideView);
    json["left"] = sideRecord(leftFigures(session));
    json["right"] = sideRecord(rightFigures(session));
    for (const ParameterDifference& difference :
         differingParameters(session.motion, session.compared))
        json["differingParameters"][difference.id] = {difference.left, difference.right};
    const PairedTimes times = pairedTimes(session);
    json["pairsOfBoth"] = times.pairs.size();
    json["left"]["medianSeconds"] = times.left.median;
    json["right"]["medianSeconds"] = times.right.median;
    if (const std::optional<double> ratio = times.ratio())
        json["rightOverLeft"] = *ratio;
    if (const FieldComparison* comparison = session.right.comparison.get()) {
        const FieldDifference& d = comparison->difference;
        json["difference"] = {{"fixedFrame", session.right.result->fixedFrame},
                              {"movingFrame", session.right.result->movingFrame},
                              {"meanMillimeters", d.mean},
                              {"maximumMillimeters", d.maximum},
                              {"quantile99Millimeters", d.quantile99},
                              {"maximumAtLps", {d.maximumAt.x, d.maximumAt.y, d.maximumAt.z}},
                              {"meanVoxels", d.meanVoxels},
                              {"maximumVoxels", d.maximumVoxels},
                              {"withinBounds", countAsEqual(d)}};
    }
    return json;
}

/// The user's settings, and the state that is shown at the end of the run.
nlohmann::ordered_json stateRecord(const Session& session) {
    const auto mark = [](const std::optional<int>& frame) {
        return frame ? nlohmann::ordered_json(*frame) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json state{{"frame", session.playback.frame()},
                                 {"playing", session.playback.playing()},
                                 {"speed", session.playback.speed()},
                                 {"endDiastole", mark(session.marks.endDiastole)},
                                 {"endSystole", mark(session.marks.endSystole)},
                                 {"estimating", session.motion.enabled},
                                 {"fieldsOfFrames", session.estimation.cachedFrames},
                                 {"message", session.message}};
    if (session.result)
        state["motionOfFrame"] = session.result->pictureFrame();
    for (const DisplayRow& row : displayRows())
        state["display"][row.param.id] = row.text(session.display);
    for (const ParamRow& row : session.motion.method->parameters->rows())
        state["parameters"][row.id] = session.motion.parameters.text(row.id);
    state["scale"] = {{"motion_mm", session.figures.colorMaximum},
                      {"difference_mm", session.figures.differenceMaximum},
                      {"arrows", session.figures.arrowScale}};
    return state;
}

} // namespace

void DisplayLog::painted(RateMeter::Clock::time_point now, const Session& session) {
    paints_.push_back({now, session.estimation.estimated});
}

double DisplayLog::secondsSinceFirst(RateMeter::Clock::time_point now) const {
    return paints_.empty() ? 0 : seconds(now - paints_.front().time);
}

DisplayLog::Figures DisplayLog::figures() const {
    const auto counted = std::ranges::find_if(paints_, [&](const Paint& paint) {
        return secondsSinceFirst(paint.time) >= warmUpSeconds;
    });
    Figures figures;
    figures.pictures = static_cast<int>(paints_.end() - counted);
    if (figures.pictures < 2)
        return figures;
    std::vector<double> gaps;
    for (auto paint = counted + 1; paint != paints_.end(); ++paint)
        gaps.push_back(seconds(paint->time - (paint - 1)->time));
    figures.seconds = seconds(paints_.back().time - counted->time);
    figures.perSecond = static_cast<double>(gaps.size()) / figures.seconds;
    std::ranges::sort(gaps);
    figures.medianMilliseconds = 1000 * gaps[gaps.size() / 2];
    figures.slowestMilliseconds = 1000 * gaps.back();
    figures.estimated = paints_.back().estimated - counted->estimated;
    figures.estimationsPerSecond = static_cast<double>(figures.estimated) / figures.seconds;
    return figures;
}

std::string DisplayLog::report(const Session& session, int width, int height,
                               double pixelRatio) const {
    const Figures measured = figures();
    nlohmann::ordered_json json;
    if (session.opened) {
        const Size3 size = session.opened->sequence.geometry.size();
        json["file"] = session.opened->sequence.name;
        json["voxels"] = {size.x, size.y, size.z};
        json["frames"] = session.opened->sequence.frames;
    }
    json["layout"] = name(session.display.layout);
    json["window"] = {{"width", width}, {"height", height}, {"pixelRatio", pixelRatio}};
    json["openGl"] = {{"renderer", session.figures.renderer},
                      {"software", session.figures.software},
                      {"upload", session.figures.uploadPath}};
    json["display"] = {{"seconds", measured.seconds},
                       {"pictures", measured.pictures},
                       {"perSecond", measured.perSecond},
                       {"medianMilliseconds", measured.medianMilliseconds},
                       {"slowestMilliseconds", measured.slowestMilliseconds},
                       {"framesNotShown", session.playback.dropped()}};
    json["estimation"] = {{"method", session.motion.method->name},
                          {"preset", session.motion.preset},
                          {"backend", name(session.motion.backend)},
                          {"threads", session.estimationThreads},
                          {"keepEstimating", session.motion.keepEstimating},
                          {"perSecond", measured.estimationsPerSecond},
                          {"estimated", session.estimation.estimated},
                          {"pairsDropped", session.estimation.dropped},
                          {"cancelled", session.estimation.cancelled},
                          {"fieldsKept", session.estimation.cachedFrames.size()}};
    if (sideBySide(session))
        json["sides"] = sidesRecord(session);
    if (!session.timing.empty()) {
        nlohmann::ordered_json stages;
        for (const StageTime& stage : session.timing.last().stages)
            stages[stage.stage] = 1000 * stage.seconds;
        json["lastEstimationMilliseconds"] = stages;
    }
    json["state"] = stateRecord(session);
    return json.dump(2) + "\n";
}

} // namespace systole
