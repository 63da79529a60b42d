// Prints what kernels declare of one voxel, one tap or one step as classes of machine instructions,
// for tools/sass_counts.py.
#include "compute/lab/kernels/kernels.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

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

} // namespace
} // namespace systole

int main() {
    using namespace systole;
    Json out = Json::array();
    for (const CompiledCost& compiled : lab::compiledCosts()) {
        Json counts = classesOf(compiled.cost);
        for (const std::string& name : compiled.without)
            counts.erase(name);
        out.push_back({{"kernel", compiled.kernel},
                       {"symbol", compiled.symbol},
                       {"region", compiled.region},
                       {"unit", compiled.unit},
                       {"counts", counts}});
    }
    std::cout << out.dump(1) << "\n";
}
