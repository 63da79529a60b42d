#include "compute/core/buffer.h"

#include "compute/core/enum_text.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t alignment = 64;

class HostAllocator : public Allocator {
public:
    void* allocate(std::size_t bytes) override {
        return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    }
    void release(void* block, std::size_t) noexcept override {
        ::operator delete (block, std::align_val_t{alignment});
    }
    MemorySpace space() const override { return MemorySpace::Host; }
};

} // namespace

std::unique_ptr<Allocator> makeHostAllocator() { return std::make_unique<HostAllocator>(); }

const char* name(MemorySpace space) { return enumText(space, {"host", "pinned", "device"}); }

std::string bytesText(std::size_t bytes) {
    const auto b = static_cast<double>(bytes);
    if (b >= 1024.0 * 1024 * 1024)
        return fmt::format("{:.2f} GiB", b / (1024.0 * 1024 * 1024));
    if (b >= 1024.0 * 1024)
        return fmt::format("{:.1f} MiB", b / (1024.0 * 1024));
    return fmt::format("{:.1f} KiB", b / 1024);
}

namespace detail {

class PoolState {
public:
    PoolState(std::size_t budget, std::unique_ptr<Allocator> allocator)
        : budget_(budget), allocator_(std::move(allocator)) {}
    ~PoolState() { trim(); }

    PoolBlock acquire(std::size_t requested, const std::string& name) {
        // A request near the integer limit must not wrap around to a small one.
        if (requested > BufferPool::unlimited / 2)
            throw OutOfMemory(fmt::format("out of {} memory: {} for '{}' exceeds any machine",
                                          systole::name(allocator_->space()), bytesText(requested),
                                          name));
        const std::size_t bytes = BufferPool::blockBytes(requested);
        const std::scoped_lock lock(mutex_);
        if (const auto idle = idle_.find(bytes); idle != idle_.end()) {
            const PoolBlock block{idle->second, bytes};
            idle_.erase(idle);
            idleBytes_ -= bytes;
            hold(block, name);
            return block;
        }
        if (bytes > budget_ - std::min(budget_, used_ + idleBytes_))
            releaseIdle();
        if (bytes > budget_ - std::min(budget_, used_))
            fail(bytes, name);
        void* data = allocator_->allocate(bytes);
        if (!data) {
            releaseIdle();
            data = allocator_->allocate(bytes);
        }
        if (!data)
            fail(bytes, name);
        const PoolBlock block{data, bytes};
        hold(block, name);
        return block;
    }

    void release(const PoolBlock& block) noexcept {
        const std::scoped_lock lock(mutex_);
        held_.erase(block.data);
        used_ -= block.bytes;
        try {
            idle_.emplace(block.bytes, block.data);
            idleBytes_ += block.bytes;
        } catch (...) {
            allocator_->release(block.data, block.bytes);
        }
    }

    BufferPool::Usage usage() const {
        const std::scoped_lock lock(mutex_);
        BufferPool::Usage usage{budget_, used_, idleBytes_, peak_, {}};
        for (const auto& [name, bytes] : heldByName())
            usage.holders.push_back({name, bytes});
        std::stable_sort(usage.holders.begin(), usage.holders.end(),
                         [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
        return usage;
    }

    void trim() {
        const std::scoped_lock lock(mutex_);
        releaseIdle();
    }

    MemorySpace space() const { return allocator_->space(); }

private:
    void hold(const PoolBlock& block, const std::string& name) {
        held_[block.data] = {name, block.bytes};
        used_ += block.bytes;
        peak_ = std::max(peak_, used_);
    }

    std::map<std::string, std::size_t> heldByName() const {
        std::map<std::string, std::size_t> bytes;
        for (const auto& [data, holder] : held_)
            bytes[holder.name] += holder.bytes;
        return bytes;
    }

    void releaseIdle() noexcept {
        for (const auto& [bytes, data] : idle_)
            allocator_->release(data, bytes);
        idle_.clear();
        idleBytes_ = 0;
    }

    [[noreturn]] void fail(std::size_t bytes, const std::string& name) const {
        constexpr std::size_t maxNamed = 3;
        std::vector<std::pair<std::size_t, std::string>> held;
        for (const auto& [holder, of] : heldByName())
            held.emplace_back(of, holder);
        std::ranges::sort(held, std::greater<>());
        std::string holders;
        std::size_t others = 0;
        for (std::size_t n = 0; n < held.size(); ++n)
            if (n < maxNamed)
                holders += fmt::format("{}{} {}", n > 0 ? ", " : "", held[n].second,
                                       bytesText(held[n].first));
            else
                others += held[n].first;
        if (others > 0)
            holders += fmt::format(" and {} more {}", held.size() - maxNamed, bytesText(others));
        const std::string free =
            budget_ == BufferPool::unlimited
                ? "the system has none left"
                : fmt::format("{} free of a budget of {}",
                              bytesText(budget_ - std::min(budget_, used_)), bytesText(budget_));
        throw OutOfMemory(fmt::format("out of {} memory: {} requested for '{}', {}; held by: {}",
                                      systole::name(allocator_->space()), bytesText(bytes), name,
                                      free, holders.empty() ? "nobody" : holders));
    }

    mutable std::mutex mutex_;
    std::size_t budget_;
    std::unique_ptr<Allocator> allocator_;
    std::size_t used_ = 0, idleBytes_ = 0, peak_ = 0;
    std::multimap<std::size_t, void*> idle_;
    std::map<void*, BufferPool::Usage::Holder> held_;
};

PoolBlock acquireBlock(PoolState& state, std::size_t bytes, const std::string& name) {
    return state.acquire(bytes, name);
}
void releaseBlock(PoolState& state, const PoolBlock& block) noexcept { state.release(block); }
MemorySpace spaceOf(const PoolState& state) { return state.space(); }

} // namespace detail

BufferPool::BufferPool(std::size_t budgetBytes, std::unique_ptr<Allocator> allocator)
    : state_(std::make_shared<detail::PoolState>(budgetBytes, std::move(allocator))) {}

std::size_t BufferPool::blockBytes(std::size_t requested) {
    return std::max(alignment, (requested + alignment - 1) / alignment * alignment);
}

BufferPool::Usage BufferPool::usage() const { return state_->usage(); }
void BufferPool::trim() { state_->trim(); }

} // namespace systole
