// Weighted sums of neighboring rows, and of a row's neighboring values, for separable filters on
// the CPU. Products are fused and added from the lowest neighbor to the highest, as on a device, so
// that both get the same bits.
#pragma once

#include "compute/core/voxel.h"
#include "compute/ops/row_resampling.h"

#include <algorithm>
#include <span>
#include <vector>

namespace systole {

/// A filter along y or z. The weights outlive it.
class RowWindow {
public:
    /// `rows`: along the axis; beyond the border the nearest one is repeated.
    RowWindow(std::span<const float> weights, int rows)
        : weights_(weights), rows_(rows), window_(weights.size()) {}

    /// out = Σ_k weights[k] · row(first + k), over `count` values.
    template <typename Rows>
    void sum(int first, const Rows& row, int count, float* out) {
        for (std::size_t k = 0; k < window_.size(); ++k)
            window_[k] = row(clampedIndex(first + static_cast<int>(k), rows_));
        rows::mix(window_.data(), weights_.data(), static_cast<int>(window_.size()), count, out);
    }

private:
    std::span<const float> weights_;
    int rows_;
    std::vector<const float*> window_;
};

/// A filter along x. The weights outlive it.
class ValueWindow {
public:
    /// Window for rows of `count` values; the weight `before` is that of the value itself.
    ValueWindow(std::span<const float> weights, int before, int count)
        : weights_(weights)
        , before_(before)
        , count_(count)
        , padded_(static_cast<std::size_t>(count) + weights.size()) {
        for (std::size_t k = 0; k < weights.size(); ++k)
            window_.push_back(padded_.data() + k);
    }
    ValueWindow(const ValueWindow&) = delete; // the window points into the padded row

    /// out[i] = Σ_k weights[k] · in[i − before + k]; out may be `in`.
    void sum(const float* in, float* out) {
        float* const row = padded_.data() + before_;
        std::copy_n(in, count_, row);
        std::fill(padded_.data(), row, row[0]);
        std::fill(row + count_, padded_.data() + padded_.size(), row[count_ - 1]);
        rows::mix(window_.data(), weights_.data(), static_cast<int>(window_.size()), count_, out);
    }

private:
    std::span<const float> weights_;
    int before_, count_;
    std::vector<float> padded_;
    std::vector<const float*> window_;
};

} // namespace systole
