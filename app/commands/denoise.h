// systole denoise: a surface from a label map, a threshold or a mesh, denoised and measured.
#pragma once

#include "app/commands/command.h"
#include "app/commands/denoise_job.h"
#include "app/commands/overwrite.h"
#include "app/commands/parameter_options.h"

#include <string>
#include <vector>

namespace systole {

class DenoiseCommand : public Command {
public:
    const char* name() const override { return "denoise"; }
    const char* summary() const override {
        return "Make the surface of a label, a threshold or a mesh; denoise and measure it";
    }
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    DenoiseJob makeJob() const;
    void addTimeOptions(CLI::App& app);
    void setTimeOptions(DenoiseJob& job) const;

    std::vector<std::string> files_, images_;
    std::string output_, distance_, json_, method_, edge_ = "closed", motion_ = "estimate",
                                                    backend_ = "auto";
    MeanInTimeParameters inTime_;
    bool closedCycle_ = false;
    int label_ = 0, threads_ = 0;
    double threshold_ = 0, spacing_ = 1, frameTimeMilliseconds_ = 0;
    CLI::Option *labelOption_ = nullptr, *thresholdOption_ = nullptr,
                *spacingOption_ = nullptr; ///< owned by the parser
    ParameterOptions parameters_;
    OverwriteOption overwrite_;
};

} // namespace systole
