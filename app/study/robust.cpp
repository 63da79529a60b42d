#include "app/study/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {

double medianOf(std::vector<double> values) {
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

RobustScale robustScale(std::span<const double> values) {
    RobustScale scale;
    scale.median = medianOf({values.begin(), values.end()});
    std::vector<double> distances;
    for (const double value : values)
        distances.push_back(std::abs(value - scale.median));
    scale.deviation = 1.4826 * medianOf(std::move(distances));
    return scale;
}

Agreement agreementOf(std::span<const double> measured, std::span<const double> reference) {
    Agreement agreement;
    const auto count = static_cast<double>(measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
        agreement.means.push_back((measured[i] + reference[i]) / 2);
        agreement.differences.push_back(measured[i] - reference[i]);
        agreement.bias += agreement.differences.back() / count;
    }
    double squares = 0;
    for (const double difference : agreement.differences)
        squares += (difference - agreement.bias) * (difference - agreement.bias);
    agreement.deviation =
        count > 1 ? std::sqrt(squares / (count - 1)) : std::numeric_limits<double>::quiet_NaN();
    return agreement;
}

} // namespace systole
