// The plot of Bland & Altman.
#pragma once

#include "app/base/drawing.h"
#include "app/study/robust.h"

#include <string>

namespace systole {

/// Differences (measured less reference) over means, dashed the mean difference and the limits of
/// agreement.
Drawing agreementChart(const Agreement& agreement, const std::string& title,
                       const std::string& unit);

} // namespace systole
