// Options that the commands which draw have in common.
#pragma once

#include "app/commands/motion_options.h"
#include "render/scene.h"

#include <CLI/App.hpp>

#include <string>
#include <utility>
#include <vector>

namespace systole {

/// "1280x800" as width and height in pixels. Throws UsageError.
std::pair<int, int> parsePictureSize(const std::string& text);

/// "auto", "interop" or "host". Throws UsageError.
UploadPath parseUpload(const std::string& text);

/// "single", "three", "four" or "side". Throws UsageError.
Layout parseLayout(const std::string& text);

/// "3D", "axial", "coronal" or "sagittal", in any case of letters. Throws UsageError.
ViewKind parseSideView(const std::string& text);

/// --side-view, what the left side estimates with, and the same for the right one as --compare-...
struct SideOptions {
    std::string view;
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
