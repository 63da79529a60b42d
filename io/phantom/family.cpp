#include "io/phantom/family.h"

#include "compute/core/error.h"
#include "compute/core/random.h"
#include "io/phantom/random_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Height of a voxel, in widths, in members with an even seed.
constexpr double evenSeedsHeight = 1.6;

void makeHard(PhantomOptions& options) {
    options.amplitudeCorrelation = 0.8;
    options.multiplicativeNoise = 0.3;
}

/// CT knows no beam.
void makeCt(PhantomOptions& options) {
    options.look = PhantomLook::Ct;
    options.lateralGrowth = options.dropout = options.shadow = 0;
}

double uniform(std::uint64_t seed, std::uint64_t counter) {
    return uniformFloat(static_cast<std::uint32_t>(randomBits(seed, familyDraw, counter)));
}

} // namespace

const std::vector<PhantomLookRow>& phantomLooks() {
    static const std::vector<PhantomLookRow> looks{
        {"echo", "echo", [](PhantomOptions&) {}},
        {"hard", "echo, decorrelated and noisy", makeHard},
        {"small", "a quarter of the motion, that noise",
         [](PhantomOptions& options) {
             makeHard(options);
             options.motionScale *= 0.25;
         }},
        {"ct", "CT look: faint texture, noise", makeCt},
    };
    return looks;
}

const std::vector<FamilyDraw>& familyDraws() {
    static const std::vector<FamilyDraw> draws{
        {"radius", 16, 24},
        {"half-length", 52, 66},
        {"wall", 7, 12},
        {"base", 6, 16},
        {"shift-x", -5, 5},
        {"shift-y", -5, 5},
        {"shift-z", -3, 3},
        {"tilt", 0, 35},
        {"tilt-direction", 0, 360},
        {"shortening", 0.10, 0.18},
        {"radial-shortening", 0.15, 0.30},
        {"twist", 4, 16},
        {"infarct", 20, 120, 0.5},
        {"infarct-angle", 0, 360},
        {"motion-scale", 0.8, 1.2},
        {"scatterers", 1, 8},
        {"lateral-growth", 0, 0.8},
        {"dropout", 0.5, 0.95, 0.5},
        {"shadow", 0.5, 0.98, 0.5},
    };
    return draws;
}

Size3 familyGrid(int side, const PhantomOptions& options) {
    const double widths = options.voxelHeight * options.planesPerSlice;
    return {side, side, std::max(1, static_cast<int>(std::lround(side / widths)))};
}

PhantomOptions familyMember(const std::string& look, int side, std::uint64_t seed) {
    const auto& looks = phantomLooks();
    const auto found = std::ranges::find(looks, look, &PhantomLookRow::name);
    if (found == looks.end())
        throw ComputeError(fmt::format("the family of phantoms has no look '{}'", look));
    ParamSet values(phantomTable().table());
    std::uint64_t counter = 0;
    // Each takes two numbers, whether it is drawn or not, so that none depends on another.
    const auto draw = [&](double low, double high) {
        return low + (high - low) * uniform(seed, counter++);
    };
    for (const FamilyDraw& row : familyDraws()) {
        const bool drawn = draw(0, 1) < row.share;
        if (phantomTable().table().row(row.id).type == ParamType::Integer) {
            const int whole = static_cast<int>(std::floor(draw(row.low, row.high + 1)));
            if (drawn)
                values.set(row.id, whole);
        } else {
            const double number = draw(row.low, row.high);
            if (drawn)
                values.set(row.id, number);
        }
    }
    PhantomOptions options = phantomTable().from(values);
    options.seed = seed;
    options.frames = 2 + static_cast<int>(draw(0, 3));
    options.voxelHeight = seed % 2 == 0 ? evenSeedsHeight : 1;
    options.size = familyGrid(side, options);
    found->change(options);
    return options;
}

} // namespace systole
