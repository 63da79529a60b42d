// The options of systole phantom that ask for lungs.
#pragma once

#include "app/commands/phantom_lungs.h"

#include <CLI/App.hpp>

#include <string>

namespace systole {

class LungArguments {
public:
    /// --lungs, which excludes those options of the command so far that are meant for a heart, and
    /// what goes with it.
    void addTo(CLI::App& app);
    bool given() const { return lungs_; }
    /// The case, the breath and whether to write the field. Throws UsageError.
    LungJob makeJob() const;

private:
    bool lungs_ = false, truthField_ = false;
    std::string case_ = "case1";
    double breathMillimeters_ = 25;
};

} // namespace systole
