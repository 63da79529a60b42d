#include "io/dirlab/cases.h"

#include "io/base/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace systole {
namespace {

struct Row {
    Size3 size;
    Vec3 spacing;
};

// Castillo, R. et al., Phys. Med. Biol. 54 (2009) 1849–1870, and the reference data's page at
// dir-lab.com: "4DCT", table of image dimensions and voxel sizes. The first five are the cropped
// images that DIR-Lab hands out.
constexpr std::array<Row, 10> fourDCt{{{{256, 256, 94}, {0.97, 0.97, 2.5}},
                                       {{256, 256, 112}, {1.16, 1.16, 2.5}},
                                       {{256, 256, 104}, {1.15, 1.15, 2.5}},
                                       {{256, 256, 99}, {1.13, 1.13, 2.5}},
                                       {{256, 256, 106}, {1.10, 1.10, 2.5}},
                                       {{512, 512, 128}, {0.97, 0.97, 2.5}},
                                       {{512, 512, 136}, {0.97, 0.97, 2.5}},
                                       {{512, 512, 128}, {0.97, 0.97, 2.5}},
                                       {{512, 512, 128}, {0.97, 0.97, 2.5}},
                                       {{512, 512, 120}, {0.97, 0.97, 2.5}}}};

// Castillo, R. et al., Phys. Med. Biol. 58 (2013) 2861–2877, and dir-lab.com: "COPDgene".
constexpr std::array<Row, 10> copdGene{{{{512, 512, 121}, {0.625, 0.625, 2.5}},
                                        {{512, 512, 102}, {0.645, 0.645, 2.5}},
                                        {{512, 512, 126}, {0.652, 0.652, 2.5}},
                                        {{512, 512, 126}, {0.590, 0.590, 2.5}},
                                        {{512, 512, 131}, {0.647, 0.647, 2.5}},
                                        {{512, 512, 119}, {0.633, 0.633, 2.5}},
                                        {{512, 512, 112}, {0.625, 0.625, 2.5}},
                                        {{512, 512, 115}, {0.586, 0.586, 2.5}},
                                        {{512, 512, 116}, {0.664, 0.664, 2.5}},
                                        {{512, 512, 135}, {0.742, 0.742, 2.5}}}};

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Removes "case7" or "copd10" from the front of a lower-case name.
std::optional<DirLabCase> takeCase(std::string_view& name) {
    const bool copd = name.starts_with("copd");
    if (!copd && !name.starts_with("case"))
        return {};
    std::string_view rest = name.substr(4);
    int number = 0, digits = 0;
    for (; digits < 2 && !rest.empty() && isDigit(rest.front()); ++digits) {
        number = 10 * number + (rest.front() - '0');
        rest.remove_prefix(1);
    }
    if (digits == 0 || number < 1 || number > 10 || (!rest.empty() && isDigit(rest.front())))
        return {};
    name = rest;
    return dirLabCase(copd ? DirLabSet::CopdGene : DirLabSet::FourDCt, number);
}

/// "t00" … "t90", "ibh", "ebh" among the parts of a name between underscores.
std::optional<int> phaseOf(const DirLabCase& of, std::string_view rest) {
    for (const std::string& part : words(rest, "_-. ")) {
        if (of.set == DirLabSet::CopdGene && (part.starts_with("ibh") || part.starts_with("ebh")))
            return part.front() == 'i' ? 0 : 50;
        if (of.set == DirLabSet::FourDCt && part.size() == 3 && part[0] == 't' &&
            isDigit(part[1]) && part[2] == '0')
            return 10 * (part[1] - '0');
    }
    return {};
}

} // namespace

std::string DirLabCase::name() const {
    return fmt::format("{}{}", set == DirLabSet::FourDCt ? "case" : "copd", number);
}

Geometry DirLabCase::geometry() const {
    return {size, spacing, {}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}};
}

DirLabCase dirLabCase(DirLabSet set, int number) {
    const auto& rows = set == DirLabSet::FourDCt ? fourDCt : copdGene;
    if (number < 1 || number > static_cast<int>(rows.size()))
        throw FileError(fmt::format("DIR-Lab has cases 1 to {}, not {}", rows.size(), number));
    const Row& row = rows[static_cast<std::size_t>(number - 1)];
    return {set, number, row.size, row.spacing};
}

std::optional<DirLabName> dirLabNameOf(const std::string& path) {
    const std::string lower = lowerCase(std::filesystem::path(path).filename().string());
    std::string_view rest = lower;
    const std::optional<DirLabCase> of = takeCase(rest);
    if (!of || rest.empty() || (rest.front() != '_' && rest.front() != '-' && rest.front() != '.'))
        return {};
    return DirLabName{*of, phaseOf(*of, rest)};
}

std::optional<DirLabCase> parseDirLabCase(const std::string& text) {
    const std::string lower = lowerCase(text);
    std::string_view rest = lower;
    const std::optional<DirLabCase> of = takeCase(rest);
    return rest.empty() ? of : std::nullopt;
}

} // namespace systole
