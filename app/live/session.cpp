#include "app/live/session.h"

#include "app/estimation/backend.h"
#include "compute/motion/methods.h"

#include <iterator>
#include <utility>

namespace systole {

void LabSession::ask(lab::LabQuestion question, int lessonNumber) {
    wanted.question = std::move(question);
    lesson = lessonNumber;
    opened = true;
    ++asked;
}

std::string whyNoCycle(const Session& session) {
    if (!session.opened)
        return "no file is open";
    if (session.opened->sequence.frames < 2)
        return "the file has one frame";
    if (!session.motion.enabled)
        return "estimation is switched off";
    const bool always =
        session.motion.window > 0 || (sideBySide(session) && session.compared.window > 0);
    return always ? "with a window it is always estimated" : "";
}

RegistrationSession::RegistrationSession() {
    for (const MotionMethod& method : registrationMethods())
        if (startsWithAffine(method))
            choose(method);
}

void RegistrationSession::choose(const MotionMethod& method) {
    choice.choose(method);
    affineFirst = startsWithAffine(method);
}

std::string whyNoRegistration(const Session& session) {
    if (!session.opened)
        return "no file is open";
    const RegistrationSession& r = session.registration;
    const int frames = session.opened->sequence.frames;
    if (r.fixedFrame >= frames || (r.movingFile.empty() && r.movingFrame >= frames))
        return "the file has fewer frames";
    if (r.movingFile.empty() && r.fixedFrame == r.movingFrame)
        return "fixed and moving image are the same";
    return "";
}

BiasSession::BiasSession() : backend(chooseBackend("auto", motionMethods().front()).backend) {}

std::string whyNoBias(const Session& session) {
    if (!session.opened)
        return "no file is open";
    const IntensityScale& scale = session.opened->scale;
    return scale.high > scale.low ? "" : "the image has one gray value only";
}

const char* seedName(const SegmentSession& segment, std::size_t seed) {
    static constexpr const char* names[] = {"apex", "mitral ring", "right ventricle"};
    return segment.byPoints && seed < std::size(names) ? names[seed] : "click";
}

std::string whyNoSegmentation(const Session& session) {
    if (!session.opened)
        return "no file is open";
    if (session.registration.shown)
        return "the views show a registration";
    return "";
}

bool toolHasPointer(const Session& session) {
    return session.segment.tool != SegmentTool::None && whyNoSegmentation(session).empty();
}

std::string SurfaceSession::problem() const {
    for (const auto& made : frames)
        if (made && !made->problem.empty())
            return made->problem;
    return "";
}

} // namespace systole
