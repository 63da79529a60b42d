// Interface of a live panel, and the list of all panels (app/kit/panels.cpp, one line each; those
// of tools come from the tools).
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace systole {

struct Session;
class Tools;

inline constexpr const char* laboratoryTitle = "Laboratory";
inline constexpr const char* biasTitle = "Bias";
inline constexpr const char* segmentTitle = "Segment";
inline constexpr const char* surfaceTitle = "Surface";
inline constexpr const char* cardiacTitle = "Cardiac";

/// Topics of panels, in the order of the column and of the View menu.
enum class PanelGroup {
    Display,    ///< content of the views
    Analysis,   ///< motion and tools
    Performance ///< run times, memory and lessons
};
const char* name(PanelGroup group); ///< "Display"

class Panel {
public:
    virtual ~Panel() = default;
    virtual const char* title() const = 0;
    /// A title that it had before, which scripts may have; null: none.
    virtual const char* formerTitle() const { return nullptr; }
    virtual PanelGroup group() const { return PanelGroup::Analysis; }
    /// Called within an ImGui frame, inside the panel's area: shows the session and applies the
    /// user's changes to it.
    virtual void draw(Session& session) = 0;
    /// All numbers shown, as tab-separated text.
    virtual std::string text(const Session& session) const = 0;

    /// Fraction of the view's height, from its lower end, of the panel's wide area while it is
    /// open; 0: it has none. drawWide() fills the wide area, from the cursor over the available
    /// region. Among several open panels that have one, the panel that the user opened last gets
    /// it.
    virtual double wideShare() const { return 0; }
    virtual void drawWide(Session&) {}

    /// Gives up OpenGL objects of its own, with their context current; drawing makes them anew.
    virtual void release() {}

    /// True: while open, times per CUDA kernel are needed (Session::kernelTimesWanted).
    virtual bool needsKernelTimes() const { return false; }

    bool shown = true;        ///< toggled in the View menu
    bool open = false;        ///< false: only the heading is shown
    unsigned opened = 0;      ///< counts the openings of panels by the user
    bool keepInSight = false; ///< keep the column scrolled to it until the user clicks or scrolls
};

using Panels = std::vector<std::unique_ptr<Panel>>;

/// Groups one after another; within a group as listed in panels.cpp. `tools` outlive them.
Panels makePanels(const Tools& tools);

/// Titles of all panels: "View, Motion parameters, ...".
std::string panelTitles();

bool kernelTimesWanted(const Panels& panels);

/// The one that has the wide area; null: none is open.
Panel* widePanel(const Panels& panels);

/// Throws UsageError listing the titles.
Panel& findPanel(Panels& panels, const std::string& title);

/// Shows and opens these panels (at least one), closes the others and scrolls to the first, which
/// is returned. Throws UsageError like findPanel.
Panel& openPanels(Panels& panels, const std::vector<std::string>& titles);

} // namespace systole
