// A part of a sequence's frames.
#pragma once

#include "compute/core/sequence.h"

namespace systole {

/// The frames first to last, both included, as a sequence of its own that reads from the given one.
Sequence rangeOf(const Sequence& sequence, int first, int last);

} // namespace systole
