// systole phantom --lungs: a breathing chest written like a case of DIR-Lab, with its true motion.
#pragma once

#include "app/cli/run_folder.h"
#include "compute/core/exec.h"
#include "io/dirlab/cases.h"
#include "io/phantom/lungs.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace systole {

struct LungJob {
    DirLabCase of;       ///< gives the names of files, and the grid unless `size` is given
    Size3 size{0, 0, 0}; ///< size of another grid with the same extent; 0: the case's grid
    bool truthField = false;
    LungOptions options; ///< all options but the grid

    Geometry grid() const;
};

class LungArguments {
public:
    /// Returns --lungs; the others need it.
    CLI::Option* addTo(CLI::App& app);
    bool given() const { return lungs_; }
    /// The case, the breath and whether to write the field. Throws UsageError.
    LungJob makeJob() const;

private:
    bool lungs_ = false, truthField_ = false;
    std::string case_ = "case1";
    LungOptions options_;
};

/// True if a run can write a file of that name.
bool isLungFile(std::string_view name);
std::vector<std::string> lungFiles(const LungJob& job);

/// Writes everything but the record, which it returns. Throws ComputeError, FileError.
nlohmann::ordered_json writeLungs(const LungJob& job, RunFolder& folder, const ExecContext& ctx);

} // namespace systole
