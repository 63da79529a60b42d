#include "app/cli/misspelling.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace systole {
namespace {

constexpr int maxMisspelling = 2;

/// Number of edits from one word to the other; swapping two neighbors is one.
int misspelling(std::string_view a, std::string_view b) {
    std::vector<int> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        std::swap(beforeLast, last);
        std::swap(last, row);
    }
    return last.back();
}

} // namespace

std::optional<std::string> similarWord(std::string_view text,
                                       const std::vector<std::string>& words) {
    std::optional<std::string> nearest;
    int least = std::min(maxMisspelling, (static_cast<int>(text.size()) - 1) / 2) + 1;
    for (const std::string& word : words)
        if (const int edits = misspelling(text, word); edits < least) {
            least = edits;
            nearest = word;
        }
    return nearest;
}

} // namespace systole
