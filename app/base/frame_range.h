// A part of a sequence's frames.
#pragma once

#include "compute/core/sequence.h"

#include <string>
#include <utility>

namespace systole {

/// The frames first to last, both included, as a sequence of its own that reads from the given one.
Sequence rangeOf(const Sequence& sequence, int first, int last);

/// Parses FIRST:LAST, both included and either optional: two or more frames of the sequence. Throws
/// UsageError that names the option and what needs them ("motion").
std::pair<int, int> parseRange(const std::string& option, const std::string& text,
                               const std::string& what, const Sequence& sequence);

} // namespace systole
