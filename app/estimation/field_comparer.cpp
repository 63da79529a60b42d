#include "app/estimation/field_comparer.h"

#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"

#include <exception>
#include <list>
#include <utility>

namespace systole {

bool comparable(const FrameResult& left, const FrameResult& right) {
    return left.fixedFrame == right.fixedFrame && left.movingFrame == right.movingFrame &&
           left.fixed && right.fixed && left.fixed->geometry.matches(right.fixed->geometry);
}

struct FieldComparer::Impl {
    struct Pair {
        std::shared_ptr<const FrameResult> left, right;
        bool operator==(const Pair&) const = default;
    };

    Impl(std::size_t cacheBytes, std::function<void()> whenDone)
        : budget(cacheBytes)
        , notify(std::move(whenDone))
        , jobs({.run = [this](Pair& pair, const CancelToken& cancel) { work(pair, cancel); },
                .taken = [this](Pair& pair) { under = pair; }}) {}

    void work(const Pair& pair, const CancelToken& cancel);
    std::shared_ptr<const FieldComparison> compare(const Pair& pair, const CancelToken& cancel);
    void keep(std::shared_ptr<const FieldComparison> comparison);

    const std::size_t budget;
    const std::function<void()> notify;
    BufferPool pool;
    ThreadTeam team{1};

    // Guarded by the thread's lock.
    Pair under;                                                 ///< the pair being compared
    std::list<std::shared_ptr<const FieldComparison>> finished; ///< most recently used first

    NewestJobThread<Pair> jobs; ///< last: it uses all of the above
};

namespace {

std::size_t bytesOf(const FieldComparison& comparison) {
    return comparison.millimeters ? comparison.millimeters->voxels.size() * sizeof(float) : 0;
}

} // namespace

void FieldComparer::Impl::work(const Pair& pair, const CancelToken& cancel) {
    const std::shared_ptr<const FieldComparison> comparison = compare(pair, cancel);
    {
        const auto lock = jobs.lock();
        under = {};
        if (comparison && !cancel.cancelled()) // else discarded just before it finished
            keep(comparison);
    }
    if (comparison && notify)
        notify();
}

/// Returns null if cancelled.
std::shared_ptr<const FieldComparison> FieldComparer::Impl::compare(const Pair& pair,
                                                                    const CancelToken& cancel) {
    auto comparison = std::make_shared<FieldComparison>();
    comparison->left = pair.left;
    comparison->right = pair.right;
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    try {
        auto map = std::make_shared<Volume>(pair.left->field->geometry, pool, "difference");
        comparison->difference =
            fieldDifference(*pair.left->field, *pair.right->field, map->view(), ctx);
        comparison->millimeters = std::move(map);
    } catch (const Cancelled&) {
        return nullptr;
    } catch (const std::exception& error) {
        comparison->failure = error.what();
    }
    return comparison;
}

void FieldComparer::Impl::keep(std::shared_ptr<const FieldComparison> comparison) {
    finished.remove_if([](const auto& old) { return old->left.expired() || old->right.expired(); });
    finished.push_front(std::move(comparison));
    std::size_t bytes = 0;
    for (auto entry = finished.begin(); entry != finished.end(); ++entry)
        if ((bytes += bytesOf(**entry)) > budget && entry != finished.begin()) {
            finished.erase(entry, finished.end());
            break;
        }
}

FieldComparer::FieldComparer(std::size_t cacheBytes, std::function<void()> notify)
    : impl_(std::make_unique<Impl>(cacheBytes, std::move(notify))) {}
FieldComparer::~FieldComparer() = default;

std::shared_ptr<const FieldComparison>
FieldComparer::find(const std::shared_ptr<const FrameResult>& left,
                    const std::shared_ptr<const FrameResult>& right) {
    const auto lock = impl_->jobs.lock();
    auto& finished = impl_->finished;
    for (auto entry = finished.begin(); entry != finished.end(); ++entry)
        if ((*entry)->left.lock() == left && (*entry)->right.lock() == right) {
            finished.splice(finished.begin(), finished, entry);
            return finished.front();
        }
    const Impl::Pair pair{left, right};
    if (!(impl_->under == pair))
        impl_->jobs.put(pair);
    return nullptr;
}

void FieldComparer::clear() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->jobs.drop();
    impl_->finished.clear();
}

} // namespace systole
