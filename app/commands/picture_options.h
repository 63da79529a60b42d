// Options that the commands which draw have in common.
#pragma once

#include "app/commands/motion_options.h"
#include "render/overlays/rows.h"
#include "render/scene.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// "1280x800" as width and height in pixels. Throws UsageError.
std::pair<int, int> parsePictureSize(const std::string& text);

/// "auto", "interop" or "host". Throws UsageError.
UploadPath parseUpload(const std::string& text);

/// The options of the display, one per row (render/overlays/rows.h): --layout, --color-map, ...;
/// and
/// --overlay, which names switches.
class DisplayCommandOptions {
public:
    /// What a row begins with: of a picture nothing but what is asked for, of a viewer as it comes.
    enum class Of { Picture, Viewer };

    void addTo(CLI::App& app, Of of);
    bool given(const std::string& id) const; ///< on the command line
    /// What was given. Of a picture, the switches that --overlay names are on and the others off.
    void apply(DisplayOptions& display) const;
    Layout layout() const;

private:
    Of of_ = Of::Picture;
    std::vector<std::string> extras_;
    std::map<std::string, CLI::Option*> options_; ///< by id of their row
    std::map<std::string, double> numbers_;
    std::map<std::string, std::string> choices_;
};

/// What the left side estimates with, and the same for the right one as --compare-...
struct SideOptions {
    MotionOptions left, right;
    bool noAutotune = false;

    void addTo(CLI::App& app, bool withBackend = true);
    /// Throws UsageError, ComputeError.
    void apply(Session& session) const;
};

/// What the Laboratory panel is asked: --lesson, --lab-kernel.
struct LabOptions {
    int lesson = 0;                   ///< 0: none
    std::vector<std::string> kernels; ///< empty: as the lesson or the panel has it

    void addTo(CLI::App& app);
    bool any() const { return lesson > 0 || !kernels.empty(); }
    /// Throws UsageError and ComputeError for what there isn't.
    void apply(Session& session) const;
};

} // namespace systole
