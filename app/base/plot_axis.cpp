#include "app/base/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

constexpr double minRatio = 1.5; ///< high end over low end of a logarithmic axis

std::string decimalLabel(double value, double step) {
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, digits);
}

/// The smallest 1, 2 or 5 times a power of ten (or power of two) that is at least `minimum`.
double roundStep(double minimum, PlotAxis::Steps steps) {
    if (steps == PlotAxis::Steps::Binary)
        return std::exp2(std::ceil(std::log2(minimum) - 1e-9));
    const double power = std::pow(10, std::floor(std::log10(minimum)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= minimum * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

} // namespace

PlotAxis::PlotAxis(double low, double high, Steps steps) : low_(low), high_(high), steps_(steps) {
    if (!std::isfinite(low_) || !std::isfinite(high_) || low_ > high_) {
        low_ = steps == Steps::Decades ? 1 : 0;
        high_ = steps == Steps::Decades ? 10 : 1;
    }
    if (steps == Steps::Decades) {
        if (high_ <= 0)
            high_ = 1;
        if (low_ <= 0)
            low_ = high_ / 1000;
        if (high_ / low_ < minRatio) {
            const double middle = std::sqrt(low_ * high_);
            low_ = middle / std::sqrt(minRatio);
            high_ = middle * std::sqrt(minRatio);
        }
    } else if (high_ - low_ <= 1e-9 * std::max(std::abs(low_), std::abs(high_))) {
        const double around = high_ == 0 ? 1 : 0.5 * std::abs(high_);
        low_ -= around;
        high_ += around;
    }
}

double PlotAxis::position(double value) const {
    if (steps_ == Steps::Decades)
        return value > 0 ? std::log(value / low_) / std::log(high_ / low_) : -1;
    return (value - low_) / (high_ - low_);
}

double PlotAxis::step(int max) const {
    // n labels span at most n + 1 steps.
    const double least = steps_ == Steps::Whole ? 1 : 0;
    double step = std::max(roundStep((high_ - low_) / (std::max(max, 1) + 1), steps_), least);
    const auto labeled = [&] {
        return std::floor(high_ / step + 1e-9) - std::ceil(low_ / step - 1e-9) + 1;
    };
    while (labeled() > std::max(max, 1))
        step = roundStep(1.01 * step, steps_);
    // A single label says nothing about the scale; of 1, 2 and 5 the next smaller one has more.
    while (max >= 2 && labeled() < 2 && step > least)
        step = roundStep(0.4 * step, steps_);
    return step;
}

std::vector<PlotTick> PlotAxis::ticks(int max) const {
    if (steps_ == Steps::Decades)
        return decades(max);
    std::vector<PlotTick> ticks;
    const double by = step(max);
    const double last = std::floor(high_ / by + 1e-9);
    for (double i = std::ceil(low_ / by - 1e-9); i <= last; ++i)
        ticks.push_back({i * by, decimalLabel(i * by, by)});
    return ticks;
}

/// Grid lines at 1 to 9 of each decade unless they get too dense; labels where there is room.
std::vector<PlotTick> PlotAxis::decades(int max) const {
    const int first = static_cast<int>(std::floor(std::log10(low_) + 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high_) + 1e-9));
    const double span = std::log10(high_ / low_);
    std::vector<PlotTick> ticks;
    const auto collect = [&](auto written) {
        ticks.clear();
        int labels = 0;
        for (int decade = first; decade <= last; ++decade)
            for (int digit = 1; digit <= 9; ++digit) {
                const double value = digit * std::pow(10, decade);
                if (value < low_ * (1 - 1e-9) || value > high_ * (1 + 1e-9) ||
                    (digit > 1 && span > 5))
                    continue;
                const bool label = written(decade, digit);
                labels += label ? 1 : 0;
                ticks.push_back({value, label ? fmt::format("{:g}", value) : std::string{}});
            }
        return labels;
    };
    const auto fits = [&](auto written) {
        const int labels = collect(written);
        return labels <= max && labels >= 2;
    };
    constexpr double few = 0.7; // decades over which nine labels aren't crowded at one end
    if ((span < few && fits([](int, int) { return true; })) ||
        fits([](int, int digit) { return digit == 1 || digit == 2 || digit == 3 || digit == 5; }) ||
        fits([](int, int digit) { return digit == 1 || digit == 2 || digit == 5; }) ||
        fits([](int, int digit) { return digit == 1 || digit == 3; }))
        return ticks;
    if (span < 1) // less than a decade without two round values
        return PlotAxis(low_, high_, Steps::Decimal).ticks(max);
    for (int every = 1;; ++every)
        if (collect([&](int decade, int digit) {
                return digit == 1 && (decade % every + every) % every == 0;
            }) <= std::max(max, 1))
            return ticks;
}

PlotAxis PlotAxis::rounded(int max) const {
    if (steps_ == Steps::Decades) {
        const auto outwards = [](double value, bool up) {
            const double power = std::pow(10, std::floor(std::log10(value) + 1e-9));
            double below = power;
            for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
                const double candidate = factor * power;
                if (up && candidate >= value * (1 - 1e-9))
                    return candidate;
                if (candidate <= value * (1 + 1e-9))
                    below = candidate;
            }
            return below;
        };
        return {outwards(low_, false), outwards(high_, true), steps_};
    }
    const double by = step(max);
    return {by * std::floor(low_ / by + 1e-9), by * std::ceil(high_ / by - 1e-9), steps_};
}

} // namespace systole
