// Options that other BIDS Apps have and 'systole cohort' calls otherwise, or does without.
#pragma once

#include <CLI/App.hpp>

namespace systole {

/// Hidden in the help. --n-cpus and their like set the option that is meant, given as `jobs` and
/// `threads`; what has nothing to do is taken; what can't be followed is refused with UsageError
/// that names what helps. Underscores in their names are read as hyphens (withHyphens()).
void addBidsAppOptions(CLI::App& app, int& jobs, int& threads);

} // namespace systole
