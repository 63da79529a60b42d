// Instructions per thread of a kernel, counted from its source by its author: the "code analysis"
// input of the performance models (Wu et al. 2019, Table 1).
#pragma once

namespace systole {

/// Instructions of one thread, means over the threads of a launch. Loads and stores are counted as
/// instructions, whatever their width; arithmetic is single precision.
struct KernelCost {
    double add = 0, multiply = 0, fusedMultiplyAdd = 0;
    double divide = 0, squareRoot = 0, exponential = 0, logarithm = 0;
    double integer = 0; ///< indices, comparisons, shuffles, branches
    double globalLoads = 0, globalStores = 0;
    double textureFetches = 0;
    double constantLoads = 0; ///< constant loads that are separate instructions
    double sharedAccesses = 0;
    double bankConflicts = 1; ///< mean ways of a shared access; 1: none
    double localAccesses = 0; ///< spills and indexed arrays
    double barriers = 0;

    double globalAccesses() const { return globalLoads + globalStores + textureFetches; }
    /// False: no cost was declared, so no prediction is possible.
    bool declared() const { return globalAccesses() > 0; }
};

/// All fields that are sums.
using CountedCost = double KernelCost::*;
inline constexpr CountedCost countedCosts[] = {&KernelCost::add,
                                               &KernelCost::multiply,
                                               &KernelCost::fusedMultiplyAdd,
                                               &KernelCost::divide,
                                               &KernelCost::squareRoot,
                                               &KernelCost::exponential,
                                               &KernelCost::logarithm,
                                               &KernelCost::integer,
                                               &KernelCost::globalLoads,
                                               &KernelCost::globalStores,
                                               &KernelCost::textureFetches,
                                               &KernelCost::constantLoads,
                                               &KernelCost::sharedAccesses,
                                               &KernelCost::localAccesses,
                                               &KernelCost::barriers};

/// The cost of `trips` iterations of a loop with cost `a` each.
constexpr KernelCost operator*(double trips, KernelCost a) {
    for (const CountedCost part : countedCosts)
        a.*part *= trips;
    return a;
}

/// Sequential execution; bank conflicts are averaged over all shared accesses.
constexpr KernelCost operator+(KernelCost a, const KernelCost& b) {
    const double accesses = a.sharedAccesses + b.sharedAccesses;
    if (accesses > 0)
        a.bankConflicts =
            (a.sharedAccesses * a.bankConflicts + b.sharedAccesses * b.bankConflicts) / accesses;
    for (const CountedCost part : countedCosts)
        a.*part += b.*part;
    return a;
}

} // namespace systole
