// Prints what kernels declare of one voxel, one tap or one step as classes of machine instructions,
// for tools/sass_counts.py.
#include "compute/landmarks/sest_costs.h"
#include "compute/landmarks/thin_plate_costs.h"
#include "compute/methods/clg/costs.h"
#include "compute/ops/interpolate_costs.h"
#include "compute/ops/smooth_costs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;
using Classes = std::vector<std::string>;

/// A division is the special unit's reciprocal and five steps that make it exact; the roots are its
/// approximation.
Json classesOf(const KernelCost& c) {
    return {{"LDG", c.globalLoads},
            {"STG", c.globalStores},
            {"LDS+STS", c.sharedAccesses},
            {"TEX", c.textureFetches},
            {"MUFU", c.divide + c.squareRoot},
            {"FFMA", c.fusedMultiplyAdd + 5 * c.divide},
            {"FADD", c.add},
            {"FMUL", c.multiply},
            {"BAR", c.barriers},
            {"LOCAL", c.localAccesses}};
}

struct Entry {
    std::string kernel, symbol, region, unit;
    KernelCost cost;
    Classes without; ///< what the region holds more of than runs, and why, is said where it is
};

const char* number(bool value) { return value ? "1" : "0"; }

std::string viewOf(DivergenceStencil stencil, bool half) {
    return std::string(half ? "Half" : "Float") + "Coefficients.*Lb0ELNS_17DivergenceStencilE" +
           number(stencil == DivergenceStencil::Energy);
}

void addGradient(std::vector<Entry>& all) {
    for (const bool central : {true, false}) {
        const std::string which = std::string("ILb") + number(central) + "E";
        const auto cost = [&](MemoryVariant variant) {
            return clg::cost::gradient(variant, central, true, true, 4);
        };
        const std::string name = central ? " central" : " forward";
        all.push_back({"gradient/direct" + name,
                       "gradientDirect" + which + "Lb0E",
                       "loop",
                       "STG",
                       cost(MemoryVariant::Direct),
                       {}});
        all.push_back({"gradient/l2-only" + name,
                       "gradientDirect" + which + "Lb1E",
                       "loop",
                       "STG",
                       cost(MemoryVariant::L2Only),
                       {}});
        all.push_back({"gradient/register" + name,
                       "gradientRegister" + which + "Li256E",
                       "loop",
                       "STG",
                       cost(MemoryVariant::Register),
                       {}});
        // The tile is filled by a loop of its own, whose rest is unrolled into this one.
        all.push_back({"gradient/shared" + name,
                       "gradientShared" + which + "Li4E",
                       "loop",
                       "STG",
                       cost(MemoryVariant::Shared),
                       {"LDG", "LDS+STS", "FADD"}});
    }
}

void addWarp(std::vector<Entry>& all) {
    const char* const names[] = {"warp/direct", "warp/texture", "warp/texture-filter"};
    for (const WarpVariant variant :
         {WarpVariant::Direct, WarpVariant::Texture, WarpVariant::TextureFilter}) {
        const auto index = static_cast<std::size_t>(variant);
        all.push_back({names[index],
                       "warpKernelILNS_11WarpVariantE" + std::to_string(index),
                       "loop",
                       "STG",
                       clg::cost::warp(variant, 1),
                       {}});
    }
}

void addJacobi(std::vector<Entry>& all) {
    for (const DivergenceStencil stencil : {DivergenceStencil::Energy, DivergenceStencil::Paper})
        for (const bool half : {false, true}) {
            const std::string view = viewOf(stencil, half);
            const std::string name =
                std::string(stencil == DivergenceStencil::Energy ? " energy" : " paper") +
                (half ? " 16 bits" : "");
            const auto add = [&](const char* kernel, const std::string& function,
                                 MemoryVariant variant, Classes without) {
                all.push_back({kernel + name, function + ".*" + view, "loop", "STG",
                               clg::cost::jacobi(variant, stencil, false, half, 4),
                               std::move(without)});
            };
            add("jacobi/direct", "sweepColumnsILNS0_4LoadE0ELi256E", MemoryVariant::Direct, {});
            add("jacobi/l2-only", "sweepColumnsILNS0_4LoadE1ELi256E", MemoryVariant::L2Only, {});
            add("jacobi/register", "sweepMarchingILi256E", MemoryVariant::Register, {});
            add("jacobi/shared", "sweepTilesILi4E", MemoryVariant::Shared, {"LDG", "LDS+STS"});
            add("jacobi/fused", "sweepTwicePlain", MemoryVariant::Fused, {});
        }
}

void addRedBlack(std::vector<Entry>& all) {
    all.push_back({"red-black/in-place",
                   "relaxColourILi256E.*" + viewOf(DivergenceStencil::Energy, false),
                   "body",
                   "STG",
                   clg::cost::relaxInPlace(DivergenceStencil::Energy, false, false),
                   {"LDS+STS", "BAR"}}); // of the change of the sweep
    // The division that is left is of integers: where in the row a thread stands.
    all.push_back({"red-black/colours",
                   "relaxGroupsIfLb0ELi256E",
                   "body",
                   "STG",
                   clg::cost::relaxGroup(false),
                   {"LDS+STS", "BAR", "MUFU"}});
    // Between the colours the cluster waits, and its blocks exchange their changes.
    all.push_back({"red-black/resident",
                   "relaxInCluster.*" + viewOf(DivergenceStencil::Energy, false),
                   "loop",
                   "FMUL",
                   clg::cost::residentSweep(),
                   {"LDG", "STG", "LDS+STS", "MUFU", "BAR"}});
}

void addSmooth(std::vector<Entry>& all) {
    constexpr int radius = 12; // of the default preset
    // A tap: the innermost loop is over them.
    KernelCost loaded, shared;
    loaded.globalLoads = loaded.fusedMultiplyAdd = 1;
    shared.sharedAccesses = shared.fusedMultiplyAdd = 1;
    all.push_back({"smooth/direct tap", "smoothDirectILb0E", "innermost", "FFMA", loaded, {}});
    all.push_back({"smooth/l2-only tap", "smoothDirectILb1E", "innermost", "FFMA", loaded, {}});
    all.push_back(
        {"smooth/shared tap of a row", "smoothRowsShared", "innermost", "FFMA", shared, {}});
    all.push_back(
        {"smooth/shared tap of a line", "smoothLinesShared", "innermost", "FFMA", shared, {}});
    all.push_back({"smooth/register row",
                   "smoothRowsRegisterILi12E",
                   "all",
                   "STG",
                   gpu::cost::smoothRowsRegister(radius),
                   {}});
    all.push_back({"smooth/register line",
                   "smoothLinesRegisterILi12ELi128E",
                   "loop",
                   "STG",
                   gpu::cost::smoothLinesRegister(radius),
                   {}});
    // One of two ways to store runs.
    all.push_back({"smooth/fused",
                   "smoothPlanesFusedILi12ELi4E",
                   "loop",
                   "FMUL",
                   gpu::cost::smoothPlanes(radius),
                   {"STG"}});
}

void addInterpolation(std::vector<Entry>& all) {
    const char* const names[] = {"trilinear/direct", "trilinear/l2-only", "trilinear/texture",
                                 "trilinear/texture-filter"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        all.push_back({names[i],
                       "interpolateKernelILNS_18InterpolateVariantE" + std::to_string(i),
                       "all",
                       "STG",
                       cost::interpolate(static_cast<InterpolateVariant>(i)),
                       {}});
}

void addLandmarks(std::vector<Entry>& all) {
    // A term of the transform.
    const std::string function = "thin_plate_cuda.*";
    const auto terms = [&](const char* kernel, const std::string& symbol, const KernelCost& cost) {
        all.push_back({kernel, function + symbol, "innermost", "FMUL", cost, {}});
    };
    KernelCost loads, reads;
    loads.globalLoads = 2;
    reads.sharedAccesses = 2;
    terms("tps/global term", "globalKernelILi1E", tps::cost::term + loads);
    terms("tps/global-x2 term", "globalKernelILi2E", 2.0 * tps::cost::term + loads);
    terms("tps/global-x4 term", "globalKernelILi4E", 4.0 * tps::cost::term + loads);
    terms("tps/shared term", "sharedKernel", tps::cost::term + reads);
    terms("tps/constant term", "constantKernel", tps::cost::term);
    // A voxel of a candidate's patch, with what its pass spills.
    const char* const functions[] = {"12sharedKernel", "12globalKernel", "sharedCap48Kernel",
                                     "sharedCap40Kernel", "sharedCap32Kernel"};
    for (std::size_t i = 0; i < std::size(functions); ++i) {
        KernelCost voxel = sest::cost::voxel;
        voxel.localAccesses = sest::cost::spillsOf(static_cast<sest::DistanceVariant>(i));
        all.push_back({sest::distanceKernels[i] + std::string(" voxel"),
                       std::string("sest_cuda.*") + functions[i],
                       "innermost",
                       "FFMA",
                       voxel,
                       {}});
    }
}

} // namespace
} // namespace systole

int main() {
    using namespace systole;
    std::vector<Entry> all;
    addGradient(all);
    addWarp(all);
    addJacobi(all);
    addRedBlack(all);
    addSmooth(all);
    addInterpolation(all);
    addLandmarks(all);
    Json out = Json::array();
    for (const Entry& entry : all) {
        Json counts = classesOf(entry.cost);
        for (const std::string& name : entry.without)
            counts.erase(name);
        out.push_back({{"kernel", entry.kernel},
                       {"symbol", entry.symbol},
                       {"region", entry.region},
                       {"unit", entry.unit},
                       {"counts", counts}});
    }
    std::cout << out.dump(1) << "\n";
}
