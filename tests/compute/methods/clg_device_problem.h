// A CLG system taken to the device, solved there and brought back, without the CUDA runtime's
// types.
#pragma once

#include "compute/core/block_sizes.h"
#include "compute/cuda/context.h"
#include "compute/methods/clg/solver/jacobi.h"
#include "compute/methods/clg/solver/system.h"

#include <vector>

namespace systole::test {

struct DeviceSolution {
    std::vector<float> field; ///< three planes
    int sweeps = 0;
    float change = 0;
};

/// Options of the device's solver in addition to SolveOptions.
struct DeviceStorage {
    int jacobi = clg::jacobiFamily.standardVariant();
    bool halfTensor = false;
};

/// The forms of clg::RedBlackForm.
enum class RelaxationForm { InPlace, Colors, Resident, Tiles, Spread };

bool clusterHolds(const CudaContext& cuda, Size3 size);
bool hasTiles(const CudaContext& cuda);
/// Red-black sweeps of this form from t.
DeviceSolution relaxOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, RelaxationForm form, bool halfTensor,
                             const BlockSizes& blocks = {});
/// Overload for a system withoutB (clg::DeviceSystem). *b becomes the b that the solve has formed
/// and kept, three planes. `trend`: as clg::DeviceSystem has it, unless empty.
DeviceSolution relaxFormingB(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, RelaxationForm form,
                             std::vector<float>* b, FieldView<float> trend = {});
/// Solves from t. `repeats` times from the start; more than once through a captured CUDA graph.
DeviceSolution solveOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t,
                             const SolveOptions& options, const DeviceStorage& storage,
                             int repeats = 1, const BlockSizes& blocks = {});
/// b1 b2 b3 after addDivergenceOf.
std::vector<float> rightHandSideOnDevice(CudaContext& cuda, const ClgSystem& system,
                                         FieldView<const float> w0);
double energyOnDevice(CudaContext& cuda, const ClgSystem& system, FieldView<const float> t);

} // namespace systole::test
