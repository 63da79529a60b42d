#include "app/session/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace systole {

void MemoryReport::add(const std::string& owner, MemorySpace space, BufferPool::Usage usage) {
    if (usage.peakBytes == 0)
        return;
    pools.push_back({owner, space, std::move(usage)});
    // Device, then pinned, then host: the reverse order of the enumeration.
    std::ranges::stable_sort(
        pools, [](const PoolMemory& a, const PoolMemory& b) { return a.space > b.space; });
}

void MemoryReport::add(const std::string& owner, const EstimationMemory& memory) {
    add(owner, MemorySpace::Host, memory.host);
    if (!memory.device)
        return;
    device = memory.device->name;
    deviceTotal = memory.device->memoryBytes;
    deviceFree = memory.freeBytes;
    add(owner, MemorySpace::Device, memory.onDevice);
    add(owner, MemorySpace::Pinned, memory.pinned);
}

std::vector<const PoolMemory*> MemoryReport::poolsOf(MemorySpace space) const {
    std::vector<const PoolMemory*> found;
    for (const PoolMemory& pool : pools)
        if (pool.space == space)
            found.push_back(&pool);
    return found;
}

std::size_t MemoryReport::takenOf(MemorySpace space) const {
    std::size_t sum = 0;
    for (const PoolMemory* pool : poolsOf(space))
        sum += pool->takenBytes();
    return sum;
}

std::size_t MemoryReport::textureBytes() const {
    std::size_t sum = 0;
    for (const BufferPool::Usage::Holder& texture : textures)
        sum += texture.bytes;
    return sum;
}

std::size_t MemoryReport::otherOnDevice() const {
    const std::size_t named =
        deviceFree + takenOf(MemorySpace::Device) + (texturesOnDevice ? textureBytes() : 0);
    return deviceTotal - std::min(deviceTotal, named);
}

std::string MemoryReport::text() const {
    std::string text;
    if (!device.empty())
        text += fmt::format("device\t{}\ntotal bytes\t{}\nfree bytes\t{}\n"
                            "other bytes\t{}\nframes on the device\t{}\n",
                            device, deviceTotal, deviceFree, otherOnDevice(), residentFrames);
    text += fmt::format("bytes of this machine\t{}\n", hostTotal);
    for (const PoolMemory& pool : pools) {
        const BufferPool::Usage& usage = pool.usage;
        const std::string where = fmt::format("{} ({})", pool.owner, name(pool.space));
        text += fmt::format("{}\tused\t{}\n{}\tidle\t{}\n{}\tpeak\t{}\n{}\tbudget\t{}\n", where,
                            usage.usedBytes, where, usage.idleBytes, where, usage.peakBytes, where,
                            usage.budgetBytes == BufferPool::unlimited
                                ? std::string("none")
                                : fmt::format("{}", usage.budgetBytes));
        for (const BufferPool::Usage::Holder& holder : usage.holders)
            text += fmt::format("{}\t{}\t{}\n", where, holder.name, holder.bytes);
    }
    for (const BufferPool::Usage::Holder& texture : textures)
        text += fmt::format("OpenGL textures ({})\t{}\t{}\n",
                            texturesOnDevice ? "device" : "OpenGL", texture.name, texture.bytes);
    return text;
}

std::size_t zoomedLength(std::size_t taken, std::size_t whole) {
    return taken > 0 && taken < whole / 8 ? std::min(std::bit_ceil(2 * taken), whole) : whole;
}

} // namespace systole
