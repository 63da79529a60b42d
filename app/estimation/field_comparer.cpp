#include "app/estimation/field_comparer.h"

#include <utility>

namespace systole {

bool comparable(const FrameResult& left, const FrameResult& right) {
    return left.fixedFrame == right.fixedFrame && left.movingFrame == right.movingFrame &&
           left.fixed && right.fixed && left.fixed->geometry.matches(right.fixed->geometry);
}

FieldComparer::FieldComparer(std::size_t cacheBytes, std::function<void()> notify)
    : budget_(cacheBytes)
    , notify_(std::move(notify))
    , jobs_({.run = [this](Pair& pair, const CancelToken& cancel) { work(pair, cancel); },
             .taken = [this](Pair& pair) { under_ = pair; }}) {}

namespace {

std::size_t bytesOf(const FieldComparison& comparison) {
    return comparison.millimeters ? comparison.millimeters->voxels.size() * sizeof(float) : 0;
}

} // namespace

void FieldComparer::work(const Pair& pair, const CancelToken& cancel) {
    const std::shared_ptr<const FieldComparison> comparison = compare(pair, cancel);
    {
        const auto lock = jobs_.lock();
        under_ = {};
        if (comparison && !cancel.cancelled()) // else discarded just before it finished
            keep(comparison);
    }
    if (comparison && notify_)
        notify_();
}

/// Returns null if cancelled.
std::shared_ptr<const FieldComparison> FieldComparer::compare(const Pair& pair,
                                                              const CancelToken& cancel) {
    auto comparison = std::make_shared<FieldComparison>();
    comparison->left = pair.left;
    comparison->right = pair.right;
    const ExecContext ctx = contextOf(pool_, team_, cancel);
    const JobEnd end = endOf([&] {
        auto map = std::make_shared<Volume>(pair.left->field->geometry, pool_, "difference");
        comparison->difference =
            fieldDifference(*pair.left->field, *pair.right->field, map->view(), ctx);
        comparison->millimeters = std::move(map);
    });
    comparison->failure = end.failure;
    return end.stopped ? nullptr : comparison;
}

void FieldComparer::keep(std::shared_ptr<const FieldComparison> comparison) {
    finished_.remove_if(
        [](const auto& old) { return old->left.expired() || old->right.expired(); });
    finished_.push_front(std::move(comparison));
    std::size_t bytes = 0;
    for (auto entry = finished_.begin(); entry != finished_.end(); ++entry)
        if ((bytes += bytesOf(**entry)) > budget_ && entry != finished_.begin()) {
            finished_.erase(entry, finished_.end());
            break;
        }
}

std::shared_ptr<const FieldComparison>
FieldComparer::find(const std::shared_ptr<const FrameResult>& left,
                    const std::shared_ptr<const FrameResult>& right) {
    const auto lock = jobs_.lock();
    for (auto entry = finished_.begin(); entry != finished_.end(); ++entry)
        if ((*entry)->left.lock() == left && (*entry)->right.lock() == right) {
            finished_.splice(finished_.begin(), finished_, entry);
            return finished_.front();
        }
    const Pair pair{left, right};
    if (!(under_ == pair))
        jobs_.put(pair);
    return nullptr;
}

void FieldComparer::clear() {
    const auto lock = jobs_.lock();
    jobs_.cancelRunning();
    jobs_.drop();
    finished_.clear();
}

} // namespace systole
