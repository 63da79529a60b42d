// Pooled memory blocks: reused, named, limited by a budget.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace systole {

enum class MemorySpace { Host, Pinned, Device };
const char* name(MemorySpace space);

/// Source of a pool's memory. Blocks are aligned to at least 64 bytes. allocate() returns null when
/// the space is exhausted; the pool turns that into an error message.
class Allocator {
public:
    virtual ~Allocator() = default;
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* block, std::size_t bytes) noexcept = 0;
    virtual MemorySpace space() const = 0;
};

std::unique_ptr<Allocator> makeHostAllocator();

namespace detail {
class PoolState;
struct PoolBlock {
    void* data = nullptr;
    std::size_t bytes = 0;
};
PoolBlock acquireBlock(PoolState& state, std::size_t bytes, const std::string& name);
void releaseBlock(PoolState& state, const PoolBlock& block) noexcept;
MemorySpace spaceOf(const PoolState& state);
} // namespace detail

/// Owns one block of a pool and returns it when destroyed. A new buffer's contents are undefined.
/// Move-only; keeps the pool's state alive.
template <typename T>
class Buffer {
public:
    Buffer() = default;
    Buffer(std::shared_ptr<detail::PoolState> pool, std::size_t count, const std::string& name)
        : pool_(std::move(pool))
        , block_(detail::acquireBlock(*pool_, count * sizeof(T), name))
        , count_(count) {}
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (block_.data)
            detail::releaseBlock(*pool_, block_);
    }

    T* data() { return static_cast<T*>(block_.data); }
    const T* data() const { return static_cast<const T*>(block_.data); }
    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    MemorySpace space() const { return pool_ ? detail::spaceOf(*pool_) : MemorySpace::Host; }
    std::span<T> span() { return {data(), count_}; }
    std::span<const T> span() const { return {data(), count_}; }

private:
    void swap(Buffer& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(block_, other.block_);
        std::swap(count_, other.count_);
    }

    std::shared_ptr<detail::PoolState> pool_;
    detail::PoolBlock block_;
    std::size_t count_ = 0;
};

/// Allocates buffers of one memory space and keeps returned blocks for reuse. Thread-safe. Throws
/// OutOfMemory (requested, free, and the holders) beyond the budget.
class BufferPool {
public:
    static constexpr std::size_t unlimited = ~std::size_t{0};

    explicit BufferPool(std::size_t budgetBytes = unlimited,
                        std::unique_ptr<Allocator> allocator = makeHostAllocator());

    /// Bytes of the block that a request of so many bytes occupies.
    static std::size_t blockBytes(std::size_t requested);

    template <typename T>
    Buffer<T> acquire(std::size_t count, const std::string& name) {
        return Buffer<T>(state_, count, name);
    }

    struct Usage {
        std::size_t budgetBytes = 0;
        std::size_t usedBytes = 0; ///< bytes of live buffers
        std::size_t idleBytes = 0; ///< kept for reuse
        std::size_t peakBytes = 0; ///< maximum of usedBytes so far
        struct Holder {
            std::string name;
            std::size_t bytes = 0;
        };
        std::vector<Holder> holders; ///< live blocks summed by name, largest first
    };
    Usage usage() const;
    /// Returns idle blocks to the system.
    void trim();

private:
    std::shared_ptr<detail::PoolState> state_;
};

/// "12.3 MiB"
std::string bytesText(std::size_t bytes);

} // namespace systole
