#include "bench/phantom_case.h"

#include "bench/benchmark.h"
#include "bench/chosen_cases.h"
#include "compute/ops/jacobian.h"
#include "compute/ops/reduce.h"
#include "io/phantom/family.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace systole {
namespace {

constexpr std::uint8_t wallLabel = 1;

template <int planes>
void makeSlices(PhantomOptions& options) {
    options.look = PhantomLook::Ct;
    options.planesPerSlice = planes;
    options.size.z = std::max(1, options.size.z / planes);
}

using Options = PhantomOptions;
/// The cases beside the looks of the family.
constexpr PhantomLookRow caseRows[] = {
    {"ctlarge", "CT look, twice the motion",
     [](Options& o) {
         o.look = PhantomLook::Ct;
         o.motionScale = 2;
     }},
    {"slices6", "CT look in slices of six planes", makeSlices<6>},
    {"slices8", "CT look in slices of eight planes", makeSlices<8>},
    {"slices10", "CT look in slices of ten planes", makeSlices<10>},
    {"gain", "echo, gain × 1.5, bias ± 30 %",
     [](Options& o) {
         o.gainDrift = 1.5;
         o.biasAmplitude = 0.3;
     }},
    {"ctgain", "CT look, gain × 0.85, bias ± 20 %",
     [](Options& o) {
         o.look = PhantomLook::Ct;
         o.gainDrift = 0.85;
         o.biasAmplitude = 0.2;
     }},
    {"sector", "echo in a still sector of 70°", [](Options& o) { o.sectorDegrees = 70; }},
    {"dropout", "echo, regions fade by up to 26 dB", [](Options& o) { o.dropout = 0.95; }},
    {"sliding", "echo, the heart slides", [](Options& o) { o.sliding = true; }},
};

} // namespace

std::vector<PhantomCase> phantomCases(Size3 size, std::uint64_t seed) {
    std::vector<PhantomCase> cases;
    std::vector<PhantomLookRow> rows = phantomLooks();
    rows.insert(rows.end(), std::begin(caseRows), std::end(caseRows));
    for (const PhantomLookRow& row : rows) {
        PhantomOptions options = phantomPair(size);
        options.seed = seed;
        row.change(options);
        cases.push_back({row.name, row.title, options});
    }
    return cases;
}

std::vector<PhantomCase> phantomCasesOf(const BenchOptions& options,
                                        const std::vector<std::string>& usual) {
    return chosenCases(phantomCases({options.size, options.size, options.size}, options.seed),
                       options.cases.empty() ? usual : options.cases);
}

PhantomPair::PhantomPair(const PhantomCase& which, const ExecContext& ctx)
    : phantom(which.options)
    , fixed(phantom.geometry(), *ctx.pool, "phantom, fixed")
    , moving(phantom.geometry(), *ctx.pool, "phantom, moving")
    , truth(phantom.truth(0, 1, ctx))
    , measured(phantom.labels(0, ctx)) {
    const std::vector<std::uint8_t> visible = phantom.visible(0, 1, ctx);
    for (std::size_t i = 0; i < measured.size(); ++i)
        measured[i] = measured[i] == wallLabel && visible[i];
    phantom.image(0, fixed.view(), ctx);
    phantom.image(1, moving.view(), ctx);
    const std::vector<float> first = quantiles(fixed.view(), {0.01, 0.99});
    const std::vector<float> second = quantiles(moving.view(), {0.01, 0.99});
    scale = {0.5f * (first[0] + second[0]), 0.5f * (first[1] + second[1])};
}

WallError wallError(const PhantomPair& pair, FieldView<const float> field) {
    const FieldView<const float> t = pair.truth.view();
    const Size3 size = field.size;
    const Vec3 spacing = pair.phantom.geometry().spacing();
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    const double sx = spacing.x / smallest, sy = spacing.y / smallest, sz = spacing.z / smallest;
    WallError result;
    std::vector<double> errors;
    double inner = 0, along = 0, squares = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = field.componentView(0).offset(x, y, z);
                if (!pair.measured[i])
                    continue;
                errors.push_back(std::hypot(sx * static_cast<double>(field.u[i] - t.u[i]),
                                            sy * static_cast<double>(field.v[i] - t.v[i]),
                                            sz * static_cast<double>(field.w[i] - t.w[i])));
                result.mean += errors.back();
                const Vec3 here{sx * static_cast<double>(t.u[i]), sy * static_cast<double>(t.v[i]),
                                sz * static_cast<double>(t.w[i])};
                along += dot(here, {sx * static_cast<double>(field.u[i]),
                                    sy * static_cast<double>(field.v[i]),
                                    sz * static_cast<double>(field.w[i])});
                squares += dot(here, here);
                result.motion += length(here);
                if (x > 0 && y > 0 && z > 0 && x < size.x - 1 && y < size.y - 1 && z < size.z - 1) {
                    result.volumeChange += std::abs(jacobianDeterminant(field, x, y, z) - 1);
                    ++inner;
                }
            }
    const auto count = static_cast<double>(errors.size());
    result.mean /= count;
    result.motion /= count;
    result.amplitude = squares > 0 ? along / squares : NAN;
    result.volumeChange /= std::max(1.0, inner);
    const auto rank = static_cast<std::ptrdiff_t>(0.95 * (count - 1));
    std::nth_element(errors.begin(), errors.begin() + rank, errors.end());
    result.percentile95 = errors[static_cast<std::size_t>(rank)];
    return result;
}

} // namespace systole
