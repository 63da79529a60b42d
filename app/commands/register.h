// systole register: the transform between two images, and what it does to them.
#pragma once

#include "app/commands/command.h"
#include "app/commands/method_options.h"
#include "app/commands/overwrite.h"
#include "app/commands/register_wall.h"

#include <string>
#include <vector>

namespace systole {

struct RegisterJob;

class RegisterCommand : public Command {
public:
    const char* name() const override { return "register"; }
    const char* summary() const override {
        return "Register two images, affinely or deformably, and apply the transform";
    }
    void addOptions(CLI::App& app) override;
    /// Shows only the parameters of --method, and none of CUDA kernels for another --backend.
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    void addInputs(CLI::App& app);
    void addTransforms(CLI::App& app);
    void addWall(CLI::App& app);
    void addOutputs(CLI::App& app);
    RegisterJob makeJob() const;
    ParamSet affineParameters() const;
    void setPlan(RegisterJob& job) const;
    bool affineFirst(const MotionMethod& method) const;
    void setDevice(RegisterJob& job, std::string& tuningProblem) const;

    std::string fixed_, moving_, folder_;
    int fixedFrame_ = -1, movingFrame_ = -1; ///< -1: not given
    std::string fixedMask_, movingMask_, fixedLabels_, movingLabels_;
    std::vector<std::string> warp_, warpLabels_;
    MethodOptions options_;
    ElasticWallJob wall_;
    std::string fixedPoints_, movingPoints_;
    std::string initial_, transform_, initialFormat_ = "lps";
    std::vector<std::string> affineSettings_; ///< ID=VALUE
    bool affine_ = false, noAffine_ = false, inverse_ = false, consistency_ = false;
    std::string interpolation_ = "linear", labelInterpolation_ = "majority", format_ = "itk";
    double outside_ = 0;
    OverwriteOption overwrite_;
    CLI::Option* outsideOption_ = nullptr; ///< owned by the parser
};

} // namespace systole
