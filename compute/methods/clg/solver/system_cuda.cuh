// A CLG system as a kernel sees it: the types with the coefficients and the fields that the
// formulas of math.h read.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/methods/clg/solver/math.h"
#include "compute/methods/clg/solver/solver_cuda.cuh"

#include <cuda_fp16.h>

namespace systole::clg {

/// How global memory is read.
enum class Load {
    Cached, ///< reads are cached in L1
    L2      ///< reads bypass L1 (ld.global.cg)
};

template <Load How>
__device__ inline float load(const float* p) {
    return gpu::load<How == Load::L2>(p);
}

template <Load How>
struct FloatCoefficients {
    const float* plane[9];

    __device__ float operator()(std::size_t k, std::size_t i) const {
        return load<How>(plane[k] + i);
    }
};

/// Coefficients in 16 bits: a value is unit · the stored one; the first unit is J's, the second
/// b's.
template <Load How>
struct HalfCoefficients {
    const __half* plane[9];
    const float* units; ///< two in device memory

    __device__ float operator()(std::size_t k, std::size_t i) const {
        const __half* p = plane[k] + i;
        const __half stored = How == Load::L2 ? __ldcg(p) : *p;
        return __ldg(units + (k < 6 ? 0 : 1)) * __half2float(stored);
    }
};

/// Zero at compile time where there is no divergence term.
template <bool Divergence>
struct DivergenceWeight {
    float beta;
};
template <>
struct DivergenceWeight<false> {
    static constexpr float beta = 0;
};

/// Kernel argument; call `loaded` in the kernel before use.
template <typename Coefficients, bool Divergence, DivergenceStencil Stencil>
struct SystemView : DivergenceWeight<Divergence> {
    static constexpr DivergenceStencil stencil = Stencil;
    static constexpr bool divergence = Divergence;

    Coefficients coefficients;
    Size3 extent;
    std::array<float, 3> scale;
    std::array<float, 3> smoothness;
    const float* weight; ///< weight on beta; null: 1
    const DeviceState* state;

    constexpr Size3 size() const { return extent; }
    /// Returns the view with the values from the state.
    __device__ SystemView loaded() const {
        SystemView s = *this;
        for (int axis = 0; axis < 3; ++axis)
            s.smoothness[axis] = state->smoothness[axis];
        return s;
    }
};

template <typename Coefficients, bool Divergence, DivergenceStencil Stencil>
__device__ inline float coefficientAt(const SystemView<Coefficients, Divergence, Stencil>& s,
                                      std::size_t k, std::size_t i) {
    return s.coefficients(k, i);
}

template <typename Coefficients, bool Divergence, DivergenceStencil Stencil>
__device__ inline float incompressibilityAt(const SystemView<Coefficients, Divergence, Stencil>& s,
                                            Voxel p) {
    return s.weight ? s.weight[offset(s.extent, p)] : 1.0f;
}

/// Three planes of floats, as a kernel argument.
template <typename T>
struct Planes {
    T* plane[3];
};

/// Starting value of a solve: t, less a trend if there is one.
struct SolveStart {
    Planes<float> t;
    Planes<const float> trend;

    __device__ float operator()(int k, std::size_t i) const {
        return trend.plane[0] ? t.plane[k][i] - trend.plane[k][i] : t.plane[k][i];
    }
    __device__ void write(int k, std::size_t i, float solved) const {
        t.plane[k][i] = trend.plane[0] ? solved + trend.plane[k][i] : solved;
    }
};
inline SolveStart startOf(const DeviceSystem& system, const Planes<float>& t) {
    return {t, {system.trend[0], system.trend[1], system.trend[2]}};
}

/// Planes in which a solve keeps the b that it forms; null if it doesn't.
inline Planes<float> keptB(const DeviceSystem& system) {
    float* const* const c = system.coefficient;
    return system.withoutB && system.keepsB ? Planes<float>{c[6], c[7], c[8]} : Planes<float>{};
}

template <Load How>
struct GlobalComponent {
    const float* data;
};

template <Load How>
__device__ inline float at(const GlobalComponent<How>& component, Size3 size, Voxel p) {
    return load<How>(component.data + offset(size, p));
}

/// A field in global memory.
template <Load How>
struct GlobalField {
    Planes<const float> planes;

    __device__ GlobalComponent<How> component(int k) const { return {planes.plane[k]}; }
};

/// Location of the coefficients in 16 bits; no planes: solve in 32.
struct HalfTensor {
    const __half* plane[9]{};
    const float* units = nullptr;

    bool used() const { return units != nullptr; }
};

template <Load How, bool Divergence, DivergenceStencil Stencil, typename Run>
void withCoefficients(const DeviceSystem& system, const HalfTensor& half, const Run& run) {
    const auto view = [&](auto coefficients) {
        SystemView<decltype(coefficients), Divergence, Stencil> v{};
        v.coefficients = coefficients;
        v.extent = system.size;
        v.scale = {system.scale[0], system.scale[1], system.scale[2]};
        if constexpr (Divergence)
            v.beta = system.beta;
        v.weight = system.incompressibility;
        v.state = system.state;
        return v;
    };
    if (half.used()) {
        HalfCoefficients<How> c{};
        std::copy(std::begin(half.plane), std::end(half.plane), std::begin(c.plane));
        c.units = half.units;
        run(view(c));
    } else {
        FloatCoefficients<How> c{};
        std::copy(std::begin(system.coefficient), std::end(system.coefficient),
                  std::begin(c.plane));
        run(view(c));
    }
}

/// Calls run(view) with the SystemView for this system's case: without beta, with either stencil
/// (which also decides between Jacobi's two steps), in 32 or 16 bits.
template <Load How, typename Run>
void withSystem(const DeviceSystem& system, const HalfTensor& half, const Run& run) {
    if (system.stencil == DivergenceStencil::Energy) {
        if (system.beta > 0)
            withCoefficients<How, true, DivergenceStencil::Energy>(system, half, run);
        else
            withCoefficients<How, false, DivergenceStencil::Energy>(system, half, run);
    } else {
        if (system.beta > 0)
            withCoefficients<How, true, DivergenceStencil::Paper>(system, half, run);
        else
            withCoefficients<How, false, DivergenceStencil::Paper>(system, half, run);
    }
}

/// The name of the SystemView without beta of this case in a kernel's mangled name, as a regular
/// expression.
inline std::string mangledView(DivergenceStencil stencil, bool half) {
    return std::string(half ? "Half" : "Float") + "Coefficients.*Lb0ELNS_17DivergenceStencilE" +
           (stencil == DivergenceStencil::Energy ? "1" : "0");
}

/// Bytes of one voxel's nine coefficients.
inline double coefficientBytes(const HalfTensor& half) { return half.used() ? 18 : 36; }

} // namespace systole::clg
