#include "app/session/session.h"

namespace systole {

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

} // namespace systole
