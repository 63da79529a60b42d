// The options of a command that runs one method of a list: which, its parameters, where it runs.
#pragma once

#include "app/commands/parameter_options.h"
#include "compute/core/motion_estimator.h"

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
    /// --variant, --no-autotune, and the parameters of all methods.
    void addParametersTo(CLI::App& app);
    /// Shows the presets and parameters of the method alone, and none of CUDA kernels for another
    /// --backend.
    void prepareHelp(CLI::App& app) const;

    const MotionMethod& method() const;
    /// The values of --preset and of the parameters that were given. Throws UsageError.
    ParamSet values() const;
    bool isGiven(const std::string& id) const { return parameters_.isGiven(id); }

private:
    std::vector<ParameterSource> sources() const;
    std::vector<std::string> names() const;

    std::string name_;
    const std::vector<MotionMethod>* methods_ = nullptr;
    ParameterOptions parameters_;
};

} // namespace systole
