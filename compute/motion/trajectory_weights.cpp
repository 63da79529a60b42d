#include "compute/motion/trajectory_weights.h"

#include <cmath>
#include <utility>

namespace systole {
namespace {

constexpr int degree = 2;

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

} // namespace

/// Powers of time are made orthonormal over the samples, one after another (Gram and Schmidt). All
/// powers from the first are zero at the start, if time is counted from there.
std::vector<double> trajectoryWeights(std::span<const double> times, bool fromStart,
                                      std::size_t at) {
    const std::size_t count = times.size();
    const double origin = fromStart ? times.front() : times[at];
    const double span = times.back() - times.front();
    std::vector<std::vector<double>> basis;
    std::vector<double> weights(count, 0.0);
    for (int power = fromStart ? 1 : 0;
         power <= degree && basis.size() < (fromStart ? count - 1 : count); ++power) {
        std::vector<double> next(count);
        for (std::size_t i = 0; i < count; ++i)
            next[i] = std::pow((times[i] - origin) / span, power);
        for (const std::vector<double>& earlier : basis) {
            const double share = product(next, earlier);
            for (std::size_t i = 0; i < count; ++i)
                next[i] -= share * earlier[i];
        }
        const double length = std::sqrt(product(next, next));
        for (double& value : next)
            value /= length;
        for (std::size_t i = 0; i < count; ++i)
            weights[i] += next[i] * next[at];
        basis.push_back(std::move(next));
    }
    return weights;
}

} // namespace systole
