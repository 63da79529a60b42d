// systole landmarks tre: the target registration error of a motion at pairs of points, or of the
// cases of a folder.
#pragma once

#include "app/commands/command.h"
#include "app/commands/method_options.h"
#include "app/commands/overwrite.h"

#include <string>
#include <vector>

namespace systole {

struct ExecContext;

class LandmarksTreCommand : public Command {
public:
    const char* name() const override { return "tre"; }
    const char* summary() const override {
        return "Target registration error at pairs of points, before and after a motion";
    }
    void addOptions(CLI::App& app) override;
    /// Shows only the parameters of --method.
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    bool isFolder() const; ///< a table over the cases of a folder is asked for
    void checkArguments() const;
    int runPair(const ExecContext& ctx) const;
    int runFolder(const ExecContext& ctx) const;

    std::string motion_, fixed_, moving_, grid_, fields_, output_;
    std::vector<std::string> cases_;
    int fixedFrame_ = -1, movingFrame_ = -1; ///< -1: not given
    MethodOptions options_;
    CLI::Option* method_ = nullptr; ///< owned by the parser
    OverwriteOption overwrite_;
};

} // namespace systole
