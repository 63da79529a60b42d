// The options of a command that runs one method of a list: its name, parameters and backend.
#pragma once

#include "app/cli/parameter_options.h"
#include "app/task/backend.h"

#include <string>
#include <vector>

namespace systole {

class MethodOptions {
public:
    std::string preset = "default";
    std::string backend = "auto";
    int threads = 0; ///< 0: all hardware threads
    bool noAutotune = false;
    std::vector<std::string> variants; ///< STAGE=NAME

    /// --method, --preset, --backend, --threads. `methods` is static data; `standard` names one.
    void addTo(CLI::App& app, const std::vector<MotionMethod>& methods, const std::string& standard,
               const std::string& methodHelp);
    /// --variant, --no-autotune, --device-memory, and the parameters of all methods.
    void addParametersTo(CLI::App& app);
    /// Shows the presets and parameters of the method alone, and none of CUDA kernels for another
    /// --backend.
    void prepareHelp(CLI::App& app) const;

    const MotionMethod& method() const;
    /// The backend on which `of` runs, from --backend and --device-memory. Throws like
    /// chooseBackend().
    BackendChoice backendOf(const MotionMethod& of) const;
    /// The values of --preset and of the parameters that were given. Throws UsageError.
    ParamSet values() const;
    bool isGiven(const std::string& id) const { return parameters_.isGiven(id); }

private:
    std::vector<ParameterSource> sources() const;
    std::vector<std::string> names() const;

    std::string name_;
    const std::vector<MotionMethod>* methods_ = nullptr;
    ParameterOptions parameters_;
    std::uint64_t deviceBytes_ = 0; ///< 0: what is free
};

// --- what also commands without these options offer

/// --preset, any text: presetOf() says which ones the method has.
void addPreset(CLI::App& app, std::string& preset);
/// The help of --preset, by method.
void describePresets(CLI::App& app, const std::vector<MotionMethod>& methods,
                     const std::string& chosen);

/// Parameters that choose a kernel: "variant-STAGE".
inline constexpr const char* variantPrefix = "variant-";

inline constexpr const char* variantOptionHelp =
    "STAGE=NAME, again for other stages: the CUDA kernel that computes a stage of the estimation, "
    "such as smooth=shared; the same as --variant-STAGE NAME";

/// Sets the parameter variant-STAGE and returns its id. Throws UsageError listing the stages, or
/// the variants of a stage.
std::string setVariant(ParamSet& parameters, const std::string& stageAndName);

/// The help of --window, the frames of --reference window.
std::string windowHelp();

/// Names of both options, for messages. Commands that draw have a gray-value window too.
struct WindowOptionNames {
    std::string reference = "--reference", window = "--window";
};

/// The frames of the window, unsmoothedWindow for the reference "first"; 0: the reference uses
/// none. `asked` 0: not given. Throws UsageError.
int windowOf(const std::string& reference, int asked, const WindowOptionNames& names = {});

} // namespace systole
