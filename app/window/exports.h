// Numbers and motion as files.
#pragma once

#include "app/feature/panel.h"
#include "app/feature/tool.h"
#include "app/feature/tool_host.h"
#include "app/session/session.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

class LiveView;
class Scene;

class Exports {
public:
    /// All arguments outlive this object; `host` asks for files and writes them.
    Exports(ToolHost& host, const Session& session, const Scene& scene, const Panels& panels,
            const LiveView& live);

    void exportNumbers();
    void saveMotionAs();
    /// Writes the motion in the background; a failure becomes the session's message.
    void saveMotion(const std::string& path, std::shared_ptr<const FrameResult> motion);
    /// The motion, where it took long; an empty name: it didn't, or it is saved.
    UnsavedWork unsavedMotion();

private:
    void saveMotions(const std::vector<std::shared_ptr<const FrameResult>>& results,
                     std::function<void()> then);

    ToolHost& host_;
    const Session& session_;
    const Scene& scene_;
    const Panels& panels_;
    const LiveView& live_;
    std::vector<std::weak_ptr<const FrameResult>> savedMotions_;
};

} // namespace systole
