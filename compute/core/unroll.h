// Short loops over components and coefficients must be unrolled, or kernels couldn't keep what they
// index in registers; loops over voxels must not be, or the values of several would lie there
// together. For formulas that host and device compilers share.
#pragma once

#ifdef __CUDA_ARCH__
#define SYSTOLE_UNROLL _Pragma("unroll")
#define SYSTOLE_NO_UNROLL _Pragma("unroll 1")
#elif defined(__CUDACC__) // its pass for the host, which calls none of these formulas
#define SYSTOLE_UNROLL
#define SYSTOLE_NO_UNROLL
#else
#define SYSTOLE_UNROLL _Pragma("GCC unroll 8")
#define SYSTOLE_NO_UNROLL
#endif
