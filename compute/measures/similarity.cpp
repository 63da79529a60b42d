#include "compute/measures/similarity.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Sums over a window, or a part of one, of the counted voxels and their gray values less the
/// values at the origin of the plane.
struct Moments {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

    void add(const Moments& other, double sign) {
        n += sign * other.n;
        a += sign * other.a;
        b += sign * other.b;
        aa += sign * other.aa;
        bb += sign * other.bb;
        ab += sign * other.ab;
    }
};

int windowAlong(int n) { return std::min(structuralWindow, n - (n + 1) % 2); }

struct Constants {
    double c1, c2;
};

double structuralSimilarity(const Moments& m, double originA, double originB, Constants c) {
    const double muA = m.a / m.n, muB = m.b / m.n;
    const double unbiased = m.n > 1 ? m.n / (m.n - 1) : 1;
    const double varianceA = unbiased * (m.aa / m.n - muA * muA);
    const double varianceB = unbiased * (m.bb / m.n - muB * muB);
    const double covariance = unbiased * (m.ab / m.n - muA * muB);
    const double meanA = muA + originA, meanB = muB + originB;
    return (2 * meanA * meanB + c.c1) * (2 * covariance + c.c2) /
           ((meanA * meanA + meanB * meanB + c.c1) * (varianceA + varianceB + c.c2));
}

/// out(i) = the sum of `window` entries of `in` from i on, both with the given stride.
void slide(const Moments* in, int count, int window, std::size_t stride, Moments* out) {
    Moments sum;
    for (int i = 0; i < count; ++i) {
        sum.add(in[static_cast<std::size_t>(i) * stride], 1);
        if (i >= window)
            sum.add(in[static_cast<std::size_t>(i - window) * stride], -1);
        if (i >= window - 1)
            out[static_cast<std::size_t>(i - window + 1) * stride] = sum;
    }
}

constexpr int bins = 64;
constexpr IntensityScale eightBits{0, 256};

std::size_t binOf(float gray, const IntensityScale& range) {
    const float part = (gray - range.low) / (range.high - range.low);
    return static_cast<std::size_t>(
        std::clamp(static_cast<int>(std::floor(part * bins)), 0, bins - 1));
}

double entropy(const std::vector<double>& counts, double total) {
    double sum = 0;
    for (const double count : counts)
        if (count > 0)
            sum -= count / total * std::log(count / total);
    return sum;
}

bool counts(VolumeView<const float> counted, std::size_t voxel) {
    return counted.empty() || counted.data[voxel] >= 0.5f;
}

double mutualInformation(VolumeView<const float> a, VolumeView<const float> b,
                         VolumeView<const float> counted, const GrayRanges& ranges) {
    std::vector<double> joint(bins * bins), ofA(bins), ofB(bins);
    double n = 0;
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        if (!counts(counted, i))
            continue;
        const std::size_t x = binOf(a.data[i], ranges.fixed), y = binOf(b.data[i], ranges.moving);
        ++joint[x * bins + y];
        ++ofA[x];
        ++ofB[y];
        ++n;
    }
    if (n == 0)
        return NAN;
    const double together = entropy(joint, n);
    return together > 0 ? (entropy(ofA, n) + entropy(ofB, n)) / together : 2;
}

/// Sums over the counted voxels of a plane or of more.
struct Sums {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, absolute = 0, squared = 0;

    void operator+=(const Sums& other) {
        n += other.n;
        a += other.a;
        b += other.b;
        aa += other.aa;
        bb += other.bb;
        ab += other.ab;
        absolute += other.absolute;
        squared += other.squared;
    }
    /// Pearson's correlation of values whose means were subtracted. `noiseA`, `noiseB`: a sum of
    /// squares up to which the values only differ by the rounding of their mean.
    double correlation(double noiseA, double noiseB) const {
        const double squaresA = aa - a * a / n, squaresB = bb - b * b / n;
        return squaresA > noiseA && squaresB > noiseB
                   ? (ab - a * b / n) / std::sqrt(squaresA * squaresB)
                   : 0;
    }
};

/// The gray values less their origins, so that the sums of squares keep their digits.
Sums sumsOf(VolumeView<const float> a, VolumeView<const float> b, VolumeView<const float> counted,
            double originA, double originB, const ExecContext& ctx) {
    return sumOverPlanes(a.size, ctx, Sums{}, [&](Sums& plane, int z) {
        for (std::size_t i = a.offset(0, 0, z); i < a.offset(0, 0, z + 1); ++i) {
            if (!counts(counted, i))
                continue;
            const double x = static_cast<double>(a.data[i]) - originA;
            const double y = static_cast<double>(b.data[i]) - originB;
            const double difference = x - y + (originA - originB);
            plane += {1, x, y, x * x, y * y, x * y, std::abs(difference), difference * difference};
        }
    });
}

} // namespace

double normalizedCorrelation(VolumeView<const float> a, VolumeView<const float> b) {
    const auto n = static_cast<double>(a.voxels());
    double meanA = 0, meanB = 0, aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        meanA += static_cast<double>(a.data[i]);
        meanB += static_cast<double>(b.data[i]);
    }
    meanA /= n;
    meanB /= n;
    for (std::size_t i = 0; i < a.voxels(); ++i) {
        const double x = static_cast<double>(a.data[i]) - meanA;
        const double y = static_cast<double>(b.data[i]) - meanB;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double normalizedMutualInformation(VolumeView<const float> a, VolumeView<const float> b) {
    return mutualInformation(a, b, {}, {eightBits, eightBits});
}

namespace {

/// Sums around the means, which reduces rounding errors.
Sums centeredSums(VolumeView<const float> a, VolumeView<const float> b,
                  VolumeView<const float> counted, const Sums& first, const ExecContext& ctx) {
    return sumsOf(a, b, counted, first.a / first.n, first.b / first.n, ctx);
}

double correlationOf(const Sums& centered, const Sums& first) {
    constexpr double roundingSquared = 1e-24;
    const double meanA = first.a / first.n, meanB = first.b / first.n;
    return centered.correlation(roundingSquared * centered.n * meanA * meanA,
                                roundingSquared * centered.n * meanB * meanB);
}

} // namespace

double countedCorrelation(VolumeView<const float> fixed, VolumeView<const float> moved,
                          VolumeView<const float> counted, const ExecContext& ctx) {
    const Sums first = sumsOf(fixed, moved, counted, 0, 0, ctx);
    return first.n == 0 ? NAN
                        : correlationOf(centeredSums(fixed, moved, counted, first, ctx), first);
}

SimilarityFigures similarityFigures(VolumeView<const float> fixed, VolumeView<const float> moved,
                                    VolumeView<const float> counted, const GrayRanges& ranges,
                                    const ExecContext& ctx) {
    const Sums first = sumsOf(fixed, moved, counted, 0, 0, ctx);
    if (first.n == 0)
        return {0, NAN, NAN, NAN, NAN, NAN};
    const Sums sums = centeredSums(fixed, moved, counted, first, ctx);
    SimilarityFigures result;
    result.voxels = static_cast<std::size_t>(sums.n);
    result.meanAbsoluteError = sums.absolute / sums.n;
    result.squaredErrors = sums.squared;
    result.correlation = correlationOf(sums, first);
    result.mutualInformation = mutualInformation(fixed, moved, counted, ranges);
    result.structural = meanStructuralSimilarity(
        fixed, moved, counted,
        static_cast<double>(ranges.fixed.high) - static_cast<double>(ranges.fixed.low), ctx);
    return result;
}

double meanStructuralSimilarity(VolumeView<const float> a, VolumeView<const float> b,
                                VolumeView<const float> counted, double grayRange,
                                const ExecContext& ctx) {
    const Size3 size = a.size;
    const Size3 window{windowAlong(size.x), windowAlong(size.y), windowAlong(size.z)};
    const Constants constants{std::pow(0.01 * grayRange, 2), std::pow(0.03 * grayRange, 2)};
    const auto full = static_cast<double>(window.voxels());
    const int planes = size.z - window.z + 1;
    const auto nx = static_cast<std::size_t>(size.x);
    std::vector<std::array<double, 2>> ofPlane(static_cast<std::size_t>(planes)); // sum and count
    parallelFor(ctx, planes, 1, [&](int begin, int end) {
        const std::size_t area = nx * static_cast<std::size_t>(size.y);
        std::vector<Moments> columns(area), rows(area), windows(area);
        for (int z = begin; z < end; ++z) {
            ctx.throwIfCancelled();
            // The sums lose no digits to a large mean if an arbitrary nearby value is subtracted.
            const double originA = static_cast<double>(a(size.x / 2, size.y / 2, z));
            const double originB = static_cast<double>(b(size.x / 2, size.y / 2, z));
            std::fill(columns.begin(), columns.end(), Moments{});
            for (int dz = 0; dz < window.z; ++dz)
                for (std::size_t i = 0; i < area; ++i) {
                    const std::size_t voxel = a.offset(0, 0, z + dz) + i;
                    if (!counted.empty() && counted.data[voxel] < 0.5f)
                        continue;
                    const double x = static_cast<double>(a.data[voxel]) - originA;
                    const double y = static_cast<double>(b.data[voxel]) - originB;
                    columns[i].add({1, x, y, x * x, y * y, x * y}, 1);
                }
            for (std::size_t y = 0; y < static_cast<std::size_t>(size.y); ++y)
                slide(&columns[y * nx], size.x, window.x, 1, &rows[y * nx]);
            double sum = 0, count = 0;
            for (std::size_t x = 0; x < nx - static_cast<std::size_t>(window.x) + 1; ++x)
                slide(&rows[x], size.y, window.y, nx, &windows[x]);
            for (int y = 0; y < size.y - window.y + 1; ++y)
                for (int x = 0; x < size.x - window.x + 1; ++x) {
                    const Moments& m =
                        windows[static_cast<std::size_t>(x) + nx * static_cast<std::size_t>(y)];
                    if (m.n != full) // counts are whole numbers, so sums of them are exact
                        continue;
                    sum += structuralSimilarity(m, originA, originB, constants);
                    ++count;
                }
            ofPlane[static_cast<std::size_t>(z)] = {sum, count};
        }
    });
    double sum = 0, count = 0;
    for (const auto& [planeSum, planeCount] : ofPlane) {
        sum += planeSum;
        count += planeCount;
    }
    return count > 0 ? sum / count : NAN;
}

} // namespace systole
