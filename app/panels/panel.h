// What a live panel is, and the list of them: panels.cpp, one line each.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct Session;

class Panel {
public:
    virtual ~Panel() = default;
    virtual const char* title() const = 0;
    /// Within a frame of ImGui, inside the panel's place: reads the session, and changes what the
    /// user changes.
    virtual void draw(Session& session) = 0;
    /// Every number that it shows, as text.
    virtual std::string text(const Session& session) const = 0;

    bool shown = true; ///< the View menu hides and shows
    bool open = false; ///< or only its heading
};

using Panels = std::vector<std::unique_ptr<Panel>>;

Panels makePanels();

/// Throws UsageError naming the titles that there are.
Panel& findPanel(Panels& panels, const std::string& title);

} // namespace systole
