// The word that was probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// The most similar of the words, if at most two letters are wrong, missing, superfluous or
/// swapped, and fewer than half of the text's.
std::optional<std::string> similarWord(std::string_view text,
                                       const std::vector<std::string>& words);

} // namespace systole
