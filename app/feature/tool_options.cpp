#include "app/feature/tool_options.h"

#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace systole {

double numberOf(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string exactText(double number) { return fmt::format("{}", number); }

std::vector<Vec3> pointsOf(const OptionValues& numbers) {
    if (numbers.size() % 3 != 0)
        throw std::logic_error("points have three numbers each");
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        points.push_back(
            {numberOf(numbers[i]), numberOf(numbers[i + 1]), numberOf(numbers[i + 2])});
    return points;
}

OptionValues numbersOf(const std::vector<Vec3>& points) {
    OptionValues numbers;
    for (const Vec3& point : points)
        for (const double number : {point.x, point.y, point.z})
            numbers.push_back(exactText(number));
    return numbers;
}

OptionValues changedParameters(const ParamSet& parameters, const ParamSet& usual,
                               const std::vector<std::string>& but) {
    OptionValues changed;
    for (const ParamRow& row : parameters.table().rows())
        if (std::ranges::find(but, row.id) == but.end() &&
            parameters.value(row.id) != usual.value(row.id))
            changed.push_back(fmt::format("{}={}", row.id, assignedText(parameters, row.id)));
    return changed;
}

std::string assignedText(const ParamSet& parameters, const std::string& id) {
    const ParamValue& value = parameters.value(id);
    return std::holds_alternative<double>(value) ? exactText(std::get<double>(value))
                                                 : parameters.text(id);
}

} // namespace systole
