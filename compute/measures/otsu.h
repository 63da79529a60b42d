// A gray value that parts an image into dark and bright.
#pragma once

#include <span>

namespace systole {

/// Otsu's threshold (1979): of the borders between 256 equal bins of the values' range the one that
/// leaves the least variance within the two classes; of several equal ones their middle. The value
/// itself if there is one only. Values are finite, at least one.
float otsuThreshold(std::span<const float> values);

} // namespace systole
