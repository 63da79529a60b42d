#include "app/anatomy/label_history.h"

#include "compute/core/error.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

namespace systole {

void LabelHistory::reset(const Geometry& grid, int frames) {
    const std::uint64_t before = revisions_;
    *this = LabelHistory();
    grid_ = grid;
    frames_.resize(static_cast<std::size_t>(frames));
    revisions_ = before + 1;
}

std::shared_ptr<const LabelMap> LabelHistory::labels(int frame) const {
    return frameAt(frame).labels;
}

double millilitersOf(const LabelMap& labels, std::uint8_t label, const Geometry& grid) {
    const Vec3 spacing = grid.spacing();
    return static_cast<double>(std::ranges::count(labels, label)) * spacing.x * spacing.y *
           spacing.z / 1000;
}

double LabelHistory::milliliters(int frame, std::uint8_t label) const {
    const auto labels = frameAt(frame).labels;
    return labels ? millilitersOf(*labels, label, grid_) : 0;
}

bool LabelHistory::touchesEdge(int frame, std::uint8_t label) const {
    const auto labels = frameAt(frame).labels;
    const Size3 size = grid_.size();
    const auto isOuter = [](int i, int n) { return i == 0 || i == n - 1; };
    std::size_t i = 0;
    for (int z = 0; labels && z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x, ++i)
                if ((*labels)[i] == label &&
                    (isOuter(x, size.x) || isOuter(y, size.y) || isOuter(z, size.z)))
                    return true;
    return false;
}

int LabelHistory::labelled() const {
    return static_cast<int>(
        std::ranges::count_if(frames_, [](const Frame& frame) { return frame.labels != nullptr; }));
}

void LabelHistory::begin(std::string name) {
    end();
    nextName_ = std::move(name);
}

void LabelHistory::end() {
    open_ = false;
    pull_.reset();
}

LabelHistory::Step& LabelHistory::openStep() {
    if (!open_) {
        for (std::size_t i = done_; i < steps_.size(); ++i)
            bytes_ -= steps_[i].bytes;
        steps_.resize(done_);
        steps_.push_back({nextName_, {}, 0});
        ++done_;
        open_ = true;
    }
    return steps_.back();
}

void LabelHistory::add(Change change, std::size_t bytes) {
    Step& step = openStep();
    step.changes.push_back(std::move(change));
    step.bytes += bytes;
    bytes_ += bytes;
    while (bytes_ > maxBytes && steps_.size() > 1) {
        bytes_ -= steps_.front().bytes;
        steps_.erase(steps_.begin());
        --done_;
        ++first_;
    }
}

/// Labels that somebody else still reads are copied first: those never change.
VolumeView<std::uint8_t> LabelHistory::writable(int frame) {
    std::shared_ptr<LabelMap>& labels = frameAt(frame).labels;
    if (labels.use_count() > 1)
        labels = std::make_shared<LabelMap>(*labels);
    else
        // Orders the changes after the last read by a thread that has released its copy.
        std::atomic_thread_fence(std::memory_order_acquire);
    return {labels->data(), grid_.size()};
}

void LabelHistory::exchangeWhole(int frame, std::shared_ptr<LabelMap> labels) {
    Frame& changed = frameAt(frame);
    const std::size_t bytes = changed.labels ? changed.labels->size() : 0;
    add({.frame = frame, .whole = true, .labels = changed.labels, .box = {}}, bytes);
    changed.labels = std::move(labels);
    touch(frame);
}

void LabelHistory::replace(int frame, LabelMap labels) {
    if (labels.size() != grid_.voxels())
        throw ComputeError("labels must be on the grid of the image");
    exchangeWhole(frame, std::make_shared<LabelMap>(std::move(labels)));
}

void LabelHistory::remove(int frame) {
    if (has(frame))
        exchangeWhole(frame, nullptr);
}

void LabelHistory::paint(int frame, const Brush& brush) {
    LabelMap empty;
    const bool fresh = !has(frame);
    if (fresh)
        empty.resize(grid_.voxels());
    EditChange change = systole::paint(fresh ? VolumeView<std::uint8_t>(empty.data(), grid_.size())
                                             : writable(frame),
                                       grid_, brush);
    if (change.empty())
        return;
    if (fresh)
        return replace(frame, std::move(empty));
    const std::size_t bytes = change.before.size();
    add({.frame = frame, .whole = false, .labels = nullptr, .box = std::move(change)}, bytes);
    touch(frame);
}

void LabelHistory::beginPull(int frame, Vec3 from, int axis, double width, std::uint8_t label,
                             const ExecContext& ctx) {
    begin("pull");
    if (!has(frame))
        throw ComputeError("this frame has no labels to pull: segment it first");
    pull_.emplace(VolumeView<const std::uint8_t>(frameAt(frame).labels->data(), grid_.size()),
                  grid_, from, axis, width, label, ctx);
    pulledFrame_ = frame;
    pullChanged_ = false;
}

void LabelHistory::pullTo(Vec3 to) {
    if (!pull_)
        return;
    pull_->pullTo(writable(pulledFrame_), to);
    if (!std::exchange(pullChanged_, true))
        add({.frame = pulledFrame_, .whole = false, .labels = nullptr, .box = pull_->before()},
            pull_->before().before.size());
    touch(pulledFrame_);
}

void LabelHistory::exchangeAll(Step& step, bool backwards) {
    const auto swap = [&](Change& change) {
        if (change.whole)
            std::swap(frameAt(change.frame).labels, change.labels);
        else
            exchange(writable(change.frame), change.box);
        touch(change.frame);
    };
    if (backwards)
        std::for_each(step.changes.rbegin(), step.changes.rend(), swap);
    else
        std::ranges::for_each(step.changes, swap);
}

std::optional<int> LabelHistory::moveTo(int position) {
    end();
    std::set<int> changed;
    const auto run = [&](Step& step, bool backwards) {
        exchangeAll(step, backwards);
        for (const Change& change : step.changes)
            changed.insert(change.frame);
    };
    while (position < this->position() && done_ > 0)
        run(steps_[--done_], true);
    while (position > this->position() && done_ < steps_.size())
        run(steps_[done_++], false);
    return changed.size() == 1 ? std::optional(*changed.begin()) : std::nullopt;
}

} // namespace systole
