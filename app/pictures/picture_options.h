// Options shared by the commands that draw.
#pragma once

#include "app/pictures/motion_options.h"
#include "render/overlays/rows.h"
#include "render/scene/scene.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace systole {

/// Parses "1280x800" as width and height in pixels. Throws UsageError.
std::pair<int, int> parsePictureSize(const std::string& text);

/// Parses "auto", "interop" or "host". Throws UsageError.
UploadPath parseUpload(const std::string& text);

/// The options of the display, one per row (render/overlays/rows.h): --layout, --color-map, ...;
/// and --overlay, which names switches.
class DisplayCommandOptions {
public:
    /// Selects the defaults: a picture shows only what is requested, a viewer the rows' own
    /// defaults.
    enum class Of { Picture, Viewer };

    void addTo(CLI::App& app, Of of);
    bool given(const std::string& id) const; ///< true if given on the command line
    /// Applies the given options. For a picture, switches named by --overlay are on and the others
    /// off.
    void apply(DisplayOptions& display) const;
    /// Turns on switches that other options of a picture need, unless --overlay names one of them.
    void show(DisplayOptions& display, const std::vector<std::string>& switches) const;
    Layout layout() const;
    /// A copy of these options in which the given names replace those of --overlay;
    /// "compare-by:difference" among them is an option and its value. Throws UsageError.
    DisplayCommandOptions withOverlays(const std::vector<std::string>& extras) const;

private:
    bool isNamed(const std::string& extra) const; ///< true if --overlay names it
    Of of_ = Of::Picture;
    void addSwitches(CLI::App& app);
    CLI::Option* addReal(CLI::App& app, const DisplayRow& row, const std::string& name);

    std::vector<std::string> switches_; ///< NAME=on or NAME=off
    std::vector<std::string> extras_;
    /// Options by name: the id of a row, or a former one.
    std::map<std::string, CLI::Option*> options_;
    std::map<std::string, double> numbers_;
    std::map<std::string, std::string> choices_;
    std::vector<std::pair<std::string, ParamValue>> assigned_; ///< values set by withOverlays()
};

/// Direction and place of the views: --crosshair, --view, --rotate, --camera.
class AimOptions {
public:
    void addTo(CLI::App& app);
    void apply(Scene& scene) const;

private:
    std::string view_;
    std::vector<double> crosshair_, rotation_, camera_;
};

/// Help of --backend behind its beginning, for commands that draw.
inline constexpr const char* drawingDeviceHelp =
    ". The motion is estimated on the device that draws";

/// The left side's estimation options, and the same for the right side as --compare-...
struct SideOptions {
    MotionOptions left, right;
    bool noAutotune = false, noMotion = false;

    void addTo(CLI::App& app, bool withBackend = true);
    /// Throws UsageError, ComputeError.
    void apply(Session& session) const;
};

} // namespace systole
