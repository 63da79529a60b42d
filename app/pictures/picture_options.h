// Options shared by the commands that draw.
#pragma once

#include "app/cli/task_options.h"
#include "app/features/bias/bias_run.h"
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

class BiasTool;
class LaboratoryTool;
class LandmarkTool;
class SegmentationTool;
class SurfaceTool;

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
    /// Of a picture: switches that other options ask for, on unless --overlay names one of them.
    void show(DisplayOptions& display, const std::vector<std::string>& switches) const;
    Layout layout() const;
    /// The same with these names in place of those of --overlay; "compare-by:difference" among them
    /// is an option and its value. Throws UsageError.
    DisplayCommandOptions withOverlays(const std::vector<std::string>& extras) const;

private:
    bool isNamed(const std::string& extra) const; ///< by --overlay
    Of of_ = Of::Picture;
    CLI::Option* addReal(CLI::App& app, const DisplayRow& row, const std::string& name);

    std::vector<std::string> extras_;
    std::map<std::string, CLI::Option*>
        options_; ///< by their name: an id of a row, or a former one
    std::map<std::string, double> numbers_;
    std::map<std::string, std::string> choices_;
    std::vector<std::pair<std::string, ParamValue>> assigned_; ///< of withOverlays()
};

/// The left side's estimation options, and the same for the right side as --compare-...
struct SideOptions {
    MotionOptions left, right;
    bool noAutotune = false;

    void addTo(CLI::App& app, bool withBackend = true);
    /// Throws UsageError, ComputeError.
    void apply(Session& session) const;
};

/// The surface over the frames: --surface, --surface-threshold, --surface-per-frame,
/// --surface-denoise,
/// --surface-preset.
struct SurfaceOptions {
    std::string file, preset;
    double threshold = 0;
    bool hasThreshold = false, perFrame = false, denoise = false;

    void addTo(CLI::App& app);
    bool any() const { return hasSource() || perFrame || denoise || !preset.empty(); }
    /// --surface or --surface-threshold.
    bool hasSource() const { return !file.empty() || hasThreshold; }
    /// Throws UsageError for options that need others. `segmented`: the segmentation is the source.
    void apply(SurfaceTool& surface, bool segmented = false) const;
};

/// A segmentation as in the Segment panel: --segment, --segment-points, --segment-voxel,
/// --segment-wall, --segment-all.
struct SegmentationOptions {
    std::string seed, points;
    bool voxel = false, wall = false, all = false, inWall = false;

    void addTo(CLI::App& app);
    bool any() const { return hasSeeds() || voxel || wall || all; }
    bool hasSeeds() const { return !seed.empty() || !points.empty(); }
    /// Places the points; it starts when the session wants it. Throws UsageError.
    void apply(SegmentationTool& segment) const;
};

/// Landmarks over the frames: --landmarks, --landmarks-detect, --landmark-reference,
/// --landmark-wall.
struct LandmarkOptions {
    std::string file, expert, wall;
    bool detect = false;
    int frame = -1;                      ///< of the detection; −1: the one shown
    std::vector<std::string> parameters; ///< NAME=VALUE

    void addTo(CLI::App& app);
    bool hasPoints() const { return detect || !file.empty(); }
    bool any() const {
        return hasPoints() || !expert.empty() || !wall.empty() || !parameters.empty();
    }
    /// Throws UsageError.
    void apply(LandmarkTool& landmarks) const;
};

/// Options of the Laboratory panel: --lesson, --lab-kernel.
struct LabOptions {
    int lesson = 0;                   ///< 0: none
    std::vector<std::string> kernels; ///< empty: those of the lesson or the panel

    void addTo(CLI::App& app);
    bool any() const { return lesson > 0 || !kernels.empty(); }
    /// Throws UsageError and ComputeError for unknown names.
    void apply(LaboratoryTool& laboratory) const;
};

/// Options of the Bias panel: --bias-noise and so on.
struct BiasOptions {
    TaskParameters parameters{biasTable(), "bias-"};

    void addTo(CLI::App& app);
    /// Also the backend, that of the motion.
    void apply(BiasTool& bias, Backend backend) const;
};

} // namespace systole
