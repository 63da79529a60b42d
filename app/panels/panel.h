// What a live panel is, and the list of them: panels.cpp, one line each.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct Session;

inline constexpr const char* laboratoryTitle = "Laboratory";

class Panel {
public:
    virtual ~Panel() = default;
    virtual const char* title() const = 0;
    /// Within a frame of ImGui, inside the panel's place: reads the session, and changes what the
    /// user changes.
    virtual void draw(Session& session) = 0;
    /// Every number that it shows, as text.
    virtual std::string text(const Session& session) const = 0;

    /// While it is unfolded it also has a wide place, over the lower part of the view: drawWide()
    /// fills it, from the cursor over the region that is there.
    virtual bool wide() const { return false; }
    virtual void drawWide(Session&) {}

    /// While it is unfolded it needs the times of single CUDA kernels (Session::kernelTimesWanted).
    virtual bool needsKernelTimes() const { return false; }

    bool shown = true;        ///< the View menu hides and shows
    bool open = false;        ///< or only its heading
    bool keepInSight = false; ///< the column is scrolled to it, until the user clicks or scrolls
};

using Panels = std::vector<std::unique_ptr<Panel>>;

Panels makePanels();

/// "Timing, Motion parameters, ...", of all that there are.
std::string panelTitles();

bool kernelTimesWanted(const Panels& panels);

/// Throws UsageError naming the titles that there are.
Panel& findPanel(Panels& panels, const std::string& title);

/// Shows and unfolds these, at least one, folds the others and scrolls to the first, which it
/// returns. Throws UsageError as findPanel does.
Panel& openPanels(Panels& panels, const std::vector<std::string>& titles);

} // namespace systole
