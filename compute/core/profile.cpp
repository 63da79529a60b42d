#include "compute/core/profile.h"

#include "compute/core/elapsed.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

namespace systole {
namespace {

template <typename Counts>
double sumOf(const std::vector<ProfileSpan>& spans, double ProfileSpan::*figure,
             const Counts& counts) {
    double sum = 0;
    for (const ProfileSpan& span : spans)
        sum += counts(span) ? span.*figure : 0;
    return sum;
}

} // namespace

double FrameProfile::seconds(const std::string& stage) const {
    return sumOf(spans, &ProfileSpan::seconds,
                 [&](const auto& span) { return span.stage == stage; });
}

double FrameProfile::bytes(const std::string& stage) const {
    return sumOf(spans, &ProfileSpan::bytes, [&](const auto& span) { return span.stage == stage; });
}

double FrameProfile::totalSeconds() const {
    return sumOf(spans, &ProfileSpan::seconds,
                 [](const auto& span) { return !span.stage.empty(); });
}

std::vector<std::string> FrameProfile::stages() const {
    std::vector<std::string> stages;
    for (const ProfileSpan& span : spans)
        if (!span.stage.empty() &&
            std::find(stages.begin(), stages.end(), span.stage) == stages.end())
            stages.push_back(span.stage);
    return stages;
}

std::string chromeTrace(const std::vector<FrameProfile>& frames) {
    nlohmann::json events = nlohmann::json::array();
    for (const FrameProfile& frame : frames)
        for (const ProfileSpan& s : frame.spans)
            events.push_back(
                {{"name", s.kernel},
                 {"cat", s.stage.empty() ? "kernel" : s.stage},
                 {"ph", "X"},
                 {"pid", 1},
                 {"tid", s.stage.empty() ? 2 : 1},
                 {"ts", s.startSeconds * 1e6},
                 {"dur", s.seconds * 1e6},
                 {"args", {{"frame", frame.frame}, {"bytes", s.bytes}, {"flops", s.flops}}}});
    return nlohmann::json{{"traceEvents", events}}.dump() + "\n";
}

struct KernelProfile::Impl {
    std::mutex mutex;
    std::chrono::steady_clock::time_point origin = std::chrono::steady_clock::now();
    FrameProfile current;
};

KernelProfile::KernelProfile() : impl_(std::make_unique<Impl>()) {}
KernelProfile::~KernelProfile() = default;

double KernelProfile::now() const { return secondsSince(impl_->origin); }

void KernelProfile::beginFrame(int frame) {
    const std::scoped_lock lock(impl_->mutex);
    impl_->current = {};
    impl_->current.frame = frame;
}

void KernelProfile::add(ProfileSpan span) {
    const std::scoped_lock lock(impl_->mutex);
    impl_->current.spans.push_back(std::move(span));
}

FrameProfile KernelProfile::endFrame() {
    const std::scoped_lock lock(impl_->mutex);
    return std::exchange(impl_->current, {});
}

ScopedSpan::ScopedSpan(KernelProfile* profile, const char* stage, const char* kernel, double bytes,
                       double flops)
    : profile_(profile) {
    if (!profile_)
        return;
    span_.stage = stage;
    span_.kernel = kernel;
    span_.bytes = bytes;
    span_.flops = flops;
    span_.startSeconds = profile_->now();
}

ScopedSpan::~ScopedSpan() {
    if (!profile_)
        return;
    span_.seconds = profile_->now() - span_.startSeconds;
    try {
        profile_->add(std::move(span_));
    } catch (const std::exception&) { // no memory: work that ends, or is being left, has no time
    }
}

void ScopedSpan::setWork(double bytes, double flops) {
    span_.bytes = bytes;
    span_.flops = flops;
}

} // namespace systole
