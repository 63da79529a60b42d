#include "compute/motion/trajectory_filter.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/median.h"
#include "compute/cuda/context.h"
#include "compute/motion/result_download.h"
#include "compute/ops/exponential.h"
#include "compute/ops/field_difference.h"
#include "compute/ops/resample.h"
#include "compute/ops/weighted_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

namespace systole {
namespace {

constexpr int degree = 2; ///< degree of the polynomial in time

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

bool isOnHost(const FrameResult& result) { return result.field != nullptr; }
bool isOnDevice(const FrameResult& result) { return result.device != nullptr; }

const Geometry& gridOf(const FrameResult& result) {
    return isOnHost(result) ? result.field->geometry : result.device->field->geometry;
}

} // namespace

/// A frame's place on the parabola as a weighted sum of the window's estimates.
struct TrajectoryFilter::Fit {
    std::vector<const FrameResult*> estimates;
    std::vector<double> weights;
    std::size_t own = 0; ///< which of them is the frame's

    bool all(bool (*lies)(const FrameResult&)) const {
        return std::all_of(estimates.begin(), estimates.end(),
                           [&](const FrameResult* estimate) { return lies(*estimate); });
    }
    /// `fieldOf` selects an estimate's field on the host or on the device.
    template <typename FieldOf>
    std::vector<Summand> summands(const FieldOf& fieldOf) const {
        std::vector<Summand> summands;
        for (std::size_t i = 0; i < estimates.size(); ++i)
            summands.push_back(
                {fieldOf(*estimates[i]).components.span(), static_cast<float>(weights[i])});
        return summands;
    }
};

TrajectoryFilter::TrajectoryFilter(int window) : window_(window) {
    if (window != unsmoothedWindow &&
        (window < minTrajectoryWindow || window > maxTrajectoryWindow || window % 2 == 0))
        throw ComputeError(fmt::format("a window has an odd number of frames from {} to {}, not {}",
                                       minTrajectoryWindow, maxTrajectoryWindow, window));
}

std::vector<FrameResult> TrajectoryFilter::add(FrameResult result, double seconds,
                                               const ExecContext& ctx) {
    if (!(seconds > (estimates_.empty() ? 0 : estimates_.back().seconds)))
        throw ComputeError("the frames of a window must be in the order of their times");
    if (!estimates_.empty() && !gridOf(estimates_.back().result).matches(gridOf(result)))
        throw ComputeError("the motion of a window's frames must lie on one grid");
    if (window_ == unsmoothedWindow) {
        result.window = window_;
        ++next_;
        return {std::move(result)};
    }
    result.warped.reset(); // belongs to the estimate
    if (result.device) {
        auto device = std::make_shared<DeviceResult>(*result.device);
        device->warped.reset();
        result.device = std::move(device);
    }
    estimates_.push_back({std::move(result), seconds});
    if (static_cast<int>(estimates_.size()) > window_) {
        estimates_.pop_front();
        ++oldest_;
    }
    std::vector<FrameResult> ready;
    for (const int half = window_ / 2; newest() >= std::max(window_ - 1, next_ + half); ++next_) {
        const int first = std::max(0, next_ - half);
        ready.push_back(smoothed(next_, first, first + window_ - 1, ctx));
    }
    return ready;
}

std::vector<FrameResult> TrajectoryFilter::finish(const ExecContext& ctx) {
    std::vector<FrameResult> rest;
    for (; next_ <= newest(); ++next_)
        rest.push_back(smoothed(next_, std::max(0, newest() - window_ + 1), newest(), ctx));
    estimates_.clear();
    noise_.clear();
    oldest_ = next_ = 1;
    return rest;
}

void TrajectoryFilter::releaseDeviceCopies() {
    for (Estimate& estimate : estimates_)
        if (isOnHost(estimate.result))
            estimate.result.device.reset();
}

FrameResult TrajectoryFilter::smoothed(int frame, int first, int last, const ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    const bool fromStart = first == 0;
    std::vector<double> times;
    Fit fit;
    for (int n = first; n <= last; ++n) {
        times.push_back(n == 0 ? 0 : estimate(n).seconds);
        if (n > 0)
            fit.estimates.push_back(&estimate(n).result);
    }
    fit.weights = trajectoryWeights(times, fromStart, static_cast<std::size_t>(frame - first));
    if (fromStart) // adds nothing
        fit.weights.erase(fit.weights.begin());
    fit.own = static_cast<std::size_t>(frame - std::max(first, 1));

    const bool onHost = fit.all(isOnHost), onDevice = ctx.cuda && fit.all(isOnDevice);
    if (!onHost && !onDevice)
        throw ComputeError("the motion of a window's frames must lie on the host or on the device "
                           "in use");
    FrameResult result = estimate(frame).result;
    result.window = window_;
    const TransferCounters before = onDevice ? ctx.cuda->transfers() : TransferCounters{};
    KernelProfile profile;
    ExecContext inner = ctx;
    inner.profile = &profile;
    profile.beginFrame(result.fixedFrame);
    bool placed = false;
    if (onDevice) {
        try {
            placeOnDevice(fit, result, inner);
            placed = true;
        } catch (const OutOfMemory&) {
            if (!onHost)
                throw;
        }
    }
    if (!placed)
        placeOnHost(fit, result, inner);
    else if (onHost)
        bringToHost(result, inner);
    FrameProfile spans = profile.endFrame();
    std::move(spans.spans.begin(), spans.spans.end(), std::back_inserter(result.profile.spans));
    if (onDevice)
        result.bytesToHost += ctx.cuda->transfers().toHostBytes - before.toHostBytes;
    result.seconds += secondsSince(begin);
    return result;
}

/// Reduces the share of the way that the frame moves where the estimate is noisier than usual.
/// `distance` is the mean in mm between parabola and estimate, whose expectation is the noise times
/// √(1 − own weight).
void TrajectoryFilter::weaken(Fit& fit, double distance) {
    const double freedom = 1 - fit.weights[fit.own];
    if (!(freedom > 1e-6)) // the parabola passes through the estimate
        return;
    const double noise = distance / std::sqrt(freedom);
    noise_.push_back(noise);
    const double usual = median(noise_);
    const double share = noise > usual ? usual * usual / (noise * noise) : 1;
    for (double& weight : fit.weights)
        weight *= share;
    fit.weights[fit.own] += 1 - share;
}

void TrajectoryFilter::placeOnHost(Fit& fit, FrameResult& result, const ExecContext& ctx) {
    const Geometry& geometry = result.field->geometry;
    const auto place = [](const FrameResult& one) -> const VectorField& { return *one.field; };
    auto field = std::make_shared<VectorField>(geometry, *ctx.pool, "motion of a frame");
    auto warped = std::make_shared<Volume>(geometry, *ctx.pool, "warped frame of a result");
    warped->timeSeconds = result.moving->timeSeconds;
    {
        const ScopedSpan span(ctx.profile, "trajectory", "fit");
        weightedSum(fit.summands(place), field->components.span(), ctx);
        weaken(fit, fieldDifference(*field, *result.field, warped->view(), ctx).mean);
        weightedSum(fit.summands(place), field->components.span(), ctx);
        if (!hasFolds(result.field->view(), ctx))
            removeFolds(field->view(), ctx);
    }
    {
        const ScopedSpan span(ctx.profile, "warp", "warp volume");
        warpVolume(result.moving->view(), field->view(), warped->view(), {}, ctx);
    }
    result.device.reset();
    result.field = std::move(field);
    result.warped = std::move(warped);
}

void TrajectoryFilter::placeOnDevice(Fit& fit, FrameResult& result, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    const Geometry& geometry = result.device->field->geometry;
    const auto place = [](const FrameResult& one) -> const VectorField& {
        return *one.device->field;
    };
    auto device = std::make_shared<DeviceResult>(*result.device);
    auto field = std::make_shared<VectorField>(geometry, cuda.devicePool(), "motion of a frame");
    auto warped = std::make_shared<Volume>(geometry, cuda.devicePool(), "warped frame of a result");
    warped->timeSeconds = result.moving->timeSeconds;
    for (const FrameResult* estimate : fit.estimates)
        cuda.waitFor(CudaStream::Compute, estimate->device->field->ready);
    cuda.waitFor(CudaStream::Compute, device->moving->ready);
    if constexpr (cudaIsBuilt) { // contexts exist only in builds with CUDA
        weightedSumOnDevice(fit.summands(place), field->components.span(), ctx);
        weaken(fit, fieldDifferenceOnDevice(*field, *device->field, warped->view(), cuda).mean);
        weightedSumOnDevice(fit.summands(place), field->components.span(), ctx);
        if (!hasFoldsOnDevice(device->field->view(), ctx))
            removeFoldsOnDevice(field->view(), ctx);
        warpVolumeOnDevice(device->moving->view(), field->view(), warped->view(), ctx);
    }
    field->ready = warped->ready = cuda.record(CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    device->field = std::move(field);
    device->warped = std::move(warped);
    result.device = std::move(device);
}

/// Powers of time are made orthonormal over the samples, one after another (Gram and Schmidt). All
/// powers from the first are zero at the start, if time is counted from there.
std::vector<double> trajectoryWeights(std::span<const double> times, bool fromStart,
                                      std::size_t at) {
    const std::size_t count = times.size();
    const double origin = fromStart ? times.front() : times[at];
    const double span = times.back() - times.front();
    std::vector<std::vector<double>> basis;
    std::vector<double> weights(count, 0.0);
    for (int power = fromStart ? 1 : 0;
         power <= degree && basis.size() < (fromStart ? count - 1 : count); ++power) {
        std::vector<double> next(count);
        for (std::size_t i = 0; i < count; ++i)
            next[i] = std::pow((times[i] - origin) / span, power);
        for (const std::vector<double>& earlier : basis) {
            const double share = product(next, earlier);
            for (std::size_t i = 0; i < count; ++i)
                next[i] -= share * earlier[i];
        }
        const double length = std::sqrt(product(next, next));
        for (double& value : next)
            value /= length;
        for (std::size_t i = 0; i < count; ++i)
            weights[i] += next[i] * next[at];
        basis.push_back(std::move(next));
    }
    return weights;
}

} // namespace systole
