// The variants of Jacobi's sweep on a device. A variant is a row here, a file jacobi_NAME_cuda.cu
// with its kernel, launch and cost, and its place in the list of jacobi_cuda.cu.
#pragma once

#include "compute/cuda/kernel_family.h"

namespace systole::clg {

inline constexpr KernelVariant jacobiVariants[] = {
    {"direct", "Two sweeps, one launch each; plain loads."},
    {"shared", "Two sweeps; three planes of a tile in shared memory.", 128},
    {"l2-only", "As direct, with loads that bypass L1."},
    {"register", "Two sweeps; columns in registers, x-neighbors by shuffles."},
    // The tile of two sweeps per launch is as large as shared memory allows.
    {"fused",
     "Two sweeps in one launch: the coefficients are read once for both.",
     992,
     {992, 992}},
};
inline constexpr KernelFamily jacobiFamily{
    "jacobi", jacobiVariants, "sweep", "fused",
    "How a CUDA Jacobi sweep reads the field; fused: two sweeps per launch."};

} // namespace systole::clg
