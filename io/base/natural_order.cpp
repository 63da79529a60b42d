#include "io/base/natural_order.h"

#include "io/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <compare>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace systole {
namespace {

constexpr std::string_view digits = "0123456789";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Digits at `at`; with `decimals`, also the fraction behind them, unless further points make it a
/// version or an identifier.
struct Number {
    std::string_view whole, fraction;
    std::size_t end = 0;
};

Number numberAt(std::string_view text, std::size_t at, bool decimals) {
    const auto runEnd = [&](std::size_t from) {
        return std::min(text.find_first_not_of(digits, from), text.size());
    };
    Number number;
    number.end = runEnd(at);
    number.whole = text.substr(at, number.end - at);
    const bool fractionFollows =
        number.end + 1 < text.size() && text[number.end] == '.' && isDigit(text[number.end + 1]);
    const bool isFractionItself = at >= 2 && text[at - 1] == '.' && isDigit(text[at - 2]);
    if (!decimals || !fractionFollows || isFractionItself)
        return number;
    const std::size_t end = runEnd(number.end + 1);
    if (end + 1 < text.size() && text[end] == '.' && isDigit(text[end + 1]))
        return number;
    number.fraction = text.substr(number.end + 1, end - number.end - 1);
    number.end = end;
    return number;
}

/// Calls `seen` with each number of the text.
template <typename Seen>
void overNumbers(std::string_view text, bool decimals, const Seen& seen) {
    for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;) {
        const Number number = numberAt(text, at, decimals);
        seen(number);
        at = text.find_first_of(digits, number.end);
    }
}

/// Stands for a "-" that is the sign of the number behind it.
constexpr char sign = '\x01';

/// "-" before digits may be a sign, but not behind a number, as in a date.
bool maySign(std::string_view text, std::size_t at) {
    return text[at] == '-' && at + 1 < text.size() && isDigit(text[at + 1]) &&
           (at == 0 || !isDigit(text[at - 1]));
}

/// Calls `seen` with each number: what stands before it, numbers there replaced, and the place of
/// its "-", or npos.
template <typename Seen>
void overPlaces(std::string_view text, bool decimals, const Seen& seen) {
    std::string before;
    for (std::size_t at = 0; at < text.size();) {
        const bool signedNumber = maySign(text, at);
        if (!signedNumber && !isDigit(text[at])) {
            before += text[at++];
            continue;
        }
        seen(before, signedNumber ? at : text.npos);
        at = numberAt(text, signedNumber ? at + 1 : at, decimals).end;
        before += '0';
    }
}

/// The paths with their signs marked: a "-" is one where another path has a number without it at
/// the same place, as t-10 beside t0, but not sub-01 beside sub-02.
std::vector<std::string> withSigns(const std::vector<std::string>& paths, bool decimals) {
    std::set<std::string> bare;
    for (const std::string& path : paths)
        overPlaces(path, decimals, [&](const std::string& before, std::size_t minus) {
            if (minus == path.npos)
                bare.insert(before);
        });
    std::vector<std::string> marked = paths;
    for (std::string& path : marked) {
        const std::string text = path;
        overPlaces(text, decimals, [&](const std::string& before, std::size_t minus) {
            if (minus != text.npos && bare.contains(before))
                path[minus] = sign;
        });
    }
    return marked;
}

bool hasDecimals(const std::vector<std::string>& paths) {
    bool endsWithZero = false, differ = false;
    std::size_t length = 0;
    for (const std::string& path : paths)
        overNumbers(path, true, [&](const Number& number) {
            if (number.fraction.empty())
                return;
            endsWithZero |= number.fraction.ends_with('0');
            differ |= length != 0 && length != number.fraction.size();
            length = number.fraction.size();
        });
    return differ && !endsWithZero;
}

std::strong_ordering compareWhole(std::string_view a, std::string_view b) {
    const auto significant = [](std::string_view text) {
        text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
        return text;
    };
    a = significant(a);
    b = significant(b);
    return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

std::strong_ordering compare(std::string_view a, std::string_view b, bool decimals) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        const bool negativeA = a[i] == sign, negativeB = b[j] == sign;
        if ((negativeA || isDigit(a[i])) && (negativeB || isDigit(b[j]))) {
            if (negativeA != negativeB)
                return negativeA ? std::strong_ordering::less : std::strong_ordering::greater;
            const std::size_t skipped = negativeA ? 1 : 0;
            const Number first = numberAt(a, i + skipped, decimals),
                         second = numberAt(b, j + skipped, decimals);
            const auto whole = compareWhole(first.whole, second.whole);
            const auto order = whole != 0 ? whole : first.fraction <=> second.fraction;
            if (order != 0)
                return negativeA ? 0 <=> order : order;
            i = first.end;
            j = second.end;
        } else if (a[i] != b[j]) {
            return a[i] <=> b[j];
        } else {
            ++i;
            ++j;
        }
    }
    const auto rest = (a.size() - i) <=> (b.size() - j);
    return rest != 0 ? rest : a <=> b;
}

/// Whether a shell's order is that of characters: by bytes, or as languages sort, without case and
/// perhaps without punctuation.
bool isOrderOfCharacters(const std::vector<std::string>& paths) {
    std::vector<std::string> lower, letters;
    for (const std::string& path : paths) {
        lower.push_back(lowerCase(path));
        letters.push_back(lower.back());
        std::erase_if(letters.back(),
                      [](char c) { return !isDigit(c) && !(c >= 'a' && c <= 'z') && c != '/'; });
    }
    return std::ranges::is_sorted(paths) || std::ranges::is_sorted(lower) ||
           std::ranges::is_sorted(letters);
}

/// "frame1.nii, frame2.nii, frame3.nii, ..., frame12.nii"
std::string namesOf(const std::vector<std::string>& paths) {
    constexpr std::size_t shown = 3;
    std::vector<std::string> names;
    for (const std::string& path : paths)
        names.push_back(std::filesystem::path(path).filename().string());
    if (names.size() > shown + 1)
        names.erase(names.begin() + shown, names.end() - 1);
    if (paths.size() > shown + 1)
        names.insert(names.end() - 1, "...");
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

std::vector<std::string> sortedByNumbers(std::vector<std::string> paths) {
    const bool decimals = hasDecimals(paths);
    const std::vector<std::string> marked = withSigns(paths, decimals);
    std::vector<std::size_t> order(paths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return compare(marked[a], marked[b], decimals) < 0;
    });
    std::vector<std::string> sorted;
    for (const std::size_t i : order)
        sorted.push_back(std::move(paths[i]));
    return sorted;
}

FilesInOrder frameFilesInOrder(std::vector<std::string> paths) {
    std::vector<std::string> sorted = sortedByNumbers(paths);
    if (sorted == paths)
        return {std::move(paths), {}};
    if (!isOrderOfCharacters(paths))
        return {paths,
                fmt::format("the files are taken in the order in which they are named, which "
                            "isn't that of their numbers: {}",
                            namesOf(paths))};
    std::string note =
        fmt::format("the files are taken in the order of the numbers in their names, not in that "
                    "of their characters: {}",
                    namesOf(sorted));
    return {std::move(sorted), std::move(note)};
}

} // namespace systole
