// The memory of an algorithm as one list of named blocks, which is either acquired or only counted,
// so that the memory estimate equals the memory taken. For host and device.
#pragma once

#include "compute/core/buffer.h"

#include <vector>

namespace systole {

class Workspace {
public:
    /// Handle of a block in the list.
    template <typename T>
    struct Block {
        std::size_t index = 0;
    };

    /// Adds a block of `count` values to the list; no block if count is 0.
    template <typename T>
    Block<T> add(const char* name, std::size_t count) {
        entries_.push_back({name, count * sizeof(T), {}, nullptr});
        return {entries_.size() - 1};
    }

    /// Bytes that acquire() takes from its pool.
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const Entry& entry : entries_)
            if (entry.bytes > 0)
                sum += BufferPool::blockBytes(entry.bytes);
        return sum;
    }

    /// Takes every block of the list and holds them for the workspace's lifetime. Contents are
    /// undefined. Throws OutOfMemory.
    void acquire(BufferPool& pool) {
        for (Entry& entry : entries_)
            if (entry.bytes > 0) {
                entry.storage = pool.acquire<std::byte>(entry.bytes, entry.name);
                entry.data = entry.storage.data();
            }
    }

    /// The block's memory; null before acquire() and for an empty block.
    template <typename T>
    T* data(Block<T> block) const {
        return reinterpret_cast<T*>(entries_[block.index].data);
    }

private:
    struct Entry {
        const char* name;
        std::size_t bytes;
        Buffer<std::byte> storage;
        std::byte* data;
    };
    std::vector<Entry> entries_;
};

} // namespace systole
