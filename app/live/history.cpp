#include "app/live/history.h"

#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

bool isNumber(const ParamRow& row) {
    return row.type == ParamType::Real || row.type == ParamType::Integer;
}

/// The names of what differs, gathered.
class Differences {
public:
    void add(const std::string& name, bool number) { add({name, number}); }
    void add(const UserChange& change) {
        std::vector<std::string>& names = change.follows ? following_ : names_;
        if (std::ranges::find(names, change.text) == names.end())
            names.push_back(change.text);
        numbers_ = numbers_ && change.continuous;
    }
    UserChange change() const {
        constexpr std::size_t most = 2;
        const std::vector<std::string>& names = names_.empty() ? following_ : names_;
        UserChange change{"", numbers_ && names.size() == 1};
        for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
            change.text += (i > 0 ? ", " : "") + names[i];
        if (names.size() > most)
            change.text += fmt::format(" and {} more", names.size() - most);
        return change;
    }

private:
    std::vector<std::string> names_;
    std::vector<std::string> following_; ///< NamedChange::follows
    bool numbers_ = true;
};

void addDisplay(const DisplayOptions& before, const DisplayOptions& after, Differences& all) {
    if (before == after)
        return;
    for (const DisplayRow& row : displayRows())
        if (row.value(before) != row.value(after))
            // A drag in a slice changes both.
            all.add(row.grayValue ? "window and level" : row.plainLabel(), isNumber(row.param));
}

/// True if the estimation of one is that of the other.
bool sameEstimation(const MotionChoice& a, const MotionChoice& b) {
    if (a.method != b.method || a.preset != b.preset || a.backend != b.backend ||
        a.stages != b.stages || a.window != b.window)
        return false;
    const auto& rows = a.method->parameters->rows();
    return std::ranges::all_of(rows, [&](const ParamRow& row) {
        return a.parameters.value(row.id) == b.parameters.value(row.id);
    });
}

void addMotion(const MotionChoice& before, const MotionChoice& after, const std::string& side,
               Differences& all) {
    if (before.enabled != after.enabled)
        all.add(side + "motion estimation", false);
    if (before.keepEstimating != after.keepEstimating)
        all.add(side + "estimating again", false);
    if (before.revision == after.revision || sameEstimation(before, after))
        return;
    if (before.backend != after.backend)
        all.add(side + "backend", false);
    if (before.stages != after.stages)
        all.add(side + "stages", false);
    if (before.window != after.window)
        all.add(side + "reference of the motion", false);
    // Another method or preset changes many parameters; it alone is named.
    if (before.method != after.method)
        return all.add(side + "method", false);
    if (before.preset != after.preset)
        return all.add(side + "preset", false);
    for (const ParamRow& row : before.method->parameters->rows())
        if (before.parameters.value(row.id) != after.parameters.value(row.id))
            all.add(side + row.label(), isNumber(row));
}

void restoreMotion(MotionChoice& choice, const MotionChoice& wanted) {
    choice.enabled = wanted.enabled;
    choice.keepEstimating = wanted.keepEstimating;
    if (!sameEstimation(choice, wanted)) // only where necessary: finished fields would be outdated
        choice.copyFrom(wanted);
}

} // namespace

UserState userState(const Session& session, const Tools& tools, const Scene& scene) {
    return {session.display, session.motion,    session.compared, session.marks,
            scene.camera(),  scene.crosshair(), tools.states()};
}

UserChange changeBetween(const UserState& before, const UserState& after) {
    Differences all;
    addDisplay(before.display, after.display, all);
    addMotion(before.motion, after.motion, "", all);
    addMotion(before.compared, after.compared, "right side: ", all);
    if (before.marks.endDiastole != after.marks.endDiastole)
        all.add("end-diastole mark", false);
    if (before.marks.endSystole != after.marks.endSystole)
        all.add("end-systole mark", false);
    for (std::size_t i = 0; i < std::min(before.tools.size(), after.tools.size()); ++i)
        for (const UserChange& change : before.tools[i].changesTo(after.tools[i]))
            all.add(change);
    if (before.camera != after.camera || before.crosshair != after.crosshair)
        all.add("position of the views", true);
    return all.change();
}

void restore(Session& session, Tools& tools, const UserState& state) {
    session.display = state.display;
    session.marks = state.marks;
    restoreMotion(session.motion, state.motion);
    restoreMotion(session.compared, state.compared);
    tools.restore(state.tools);
}

void History::clear(const UserState& now) {
    known_ = now;
    steps_.clear();
    position_ = 0;
    mayMerge_ = false;
    nextName_.clear();
}

void History::record(const UserState& now) {
    UserChange change = changeBetween(known_, now);
    const std::string given = std::exchange(nextName_, {});
    if (change.text.empty())
        return;
    if (!given.empty())
        change = {given, false};
    if (mayMerge_ && change.continuous && steps_.back().continuous &&
        steps_.back().text == change.text) {
        steps_.back().after = now;
    } else {
        steps_.resize(position_); // a change after undo ends the possibility to redo
        steps_.push_back({change.text, change.continuous, known_, now});
        if (steps_.size() > maxSteps)
            steps_.erase(steps_.begin());
        position_ = steps_.size();
        mayMerge_ = true;
    }
    known_ = now;
}

const UserState& History::undo() {
    mayMerge_ = false;
    known_ = steps_[--position_].before;
    return known_;
}

const UserState& History::redo() {
    mayMerge_ = false;
    known_ = steps_[position_++].after;
    return known_;
}

} // namespace systole
