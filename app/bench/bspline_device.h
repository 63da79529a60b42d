// The device's part of `systole bench bspline`. In a build without CUDA nothing here is called.
#pragma once

#include "app/bench/device_bench.h"
#include "compute/lab/kernels/bspline.h"
#include "compute/lab/kernels/bspline_warp.h"

#include <vector>

namespace systole {

/// The field by a variant of lab::bsplineFamily, from host to host.
std::vector<float> bsplineOnDevice(int variant, const ControlGrid& grid,
                                   const std::vector<float>& points, BenchDevice& device,
                                   const ExecContext& ctx);

/// Times of kernels by events, medians, with all data on the device.
class BsplineTimer {
public:
    /// `device` must outlive it.
    BsplineTimer(Size3 size, BenchDevice& device, int repeats, const ExecContext& ctx);

    double floor(); ///< writing a field of zeros
    double field(int variant, const ControlGrid& grid, const std::vector<float>& points);
    double gradient(const ControlGrid& grid, const std::vector<float>& points);
    /// Value, weight and gradient of an image of the same size.
    double warp(int variant, const ControlGrid& grid, const std::vector<float>& points);

private:
    Size3 size_;
    CudaContext& cuda_;
    int repeats_;
    ExecContext ctx_;
    Buffer<float> field_, image_, warped_;
};

} // namespace systole
