// systole motion: the displacement field of every frame of a sequence, written to a folder.
#pragma once

#include "app/commands/command.h"
#include "app/commands/method_options.h"
#include "app/commands/overwrite.h"

#include <string>
#include <vector>

namespace systole {

struct ExecContext;
struct MotionJob;

class MotionCommand : public Command {
public:
    const char* name() const override { return "motion"; }
    const char* summary() const override {
        return "Estimate the motion from frame to frame and write it as displacement fields";
    }
    void addOptions(CLI::App& app) override;
    /// Shows only the parameters of --method, and none of CUDA kernels for another --backend.
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    MotionJob makeJob() const;
    /// Reads the weight on volume preservation, if one is given.
    void readIncompressibility(MotionJob& job, const ExecContext& ctx) const;
    void printIgnored(const MotionJob& job) const;
    /// Throws if --trace may not be written.
    void checkTrace(const MotionJob& job) const;

    std::vector<std::string> files_;
    std::string folder_;
    MethodOptions options_;
    std::string reference_ = "previous";
    std::string format_ = "mha", frames_, incompressibility_, tissue_, trace_;
    int tissueLabel_ = 0; ///< 0: as the label map says
    double frameTimeMilliseconds_ = 0;
    int window_ = 0;
    bool lagrangian_ = false, closeCycle_ = false;
    OverwriteOption overwrite_;
    std::vector<std::string> stages_; ///< in the format of chosenStages()
};

} // namespace systole
