// Declarations that the searches on the device share: their data, and how a variant is launched.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/patch_leaves_cuda.cuh"

namespace systole::gpu {

/// Layouts of a chunk's patches that a variant reads.
struct Layouts {
    bool rows, rests;
};

inline Layouts layoutsOf(int variant) {
    const std::string_view name = nlmSearchFamily.at(variant).name;
    const bool matrix = name == "gemm" || name == "pruned-gemm";
    return {name != "tile" && name != "pruned", matrix};
}

inline bool isTiled(int variant) { return variant >= nlmSearchFamily.named("tile"); }

/// Some leaves' patches in the layouts of a variant.
class ChunkMemory {
public:
    static std::size_t bytesOfLeaf(Layouts layouts, int numbers) {
        const int floats = numbers + (layouts.rows ? rowLength(numbers) : 0) +
                           (layouts.rests ? halfLength(numbers) / 2 : 0);
        return static_cast<std::size_t>(floats) * nlm::leafSize * sizeof(float);
    }

    ChunkMemory(Layouts layouts, int numbers, int leaves, BufferPool& pool) {
        const std::size_t patches = static_cast<std::size_t>(leaves) * nlm::leafSize;
        const auto take = [&](int length) { return patches * static_cast<std::size_t>(length); };
        leaves_ = pool.acquire<float>(take(numbers), "patches, leaves");
        if (layouts.rows)
            rows_ = pool.acquire<float>(take(rowLength(numbers)), "patches, rows");
        if (layouts.rests)
            rests_ = pool.acquire<__half>(take(halfLength(numbers)), "patches, rests");
    }
    PatchChunk of(int first, int last) {
        return {first, last, leaves_.data(), rows_.data(), rests_.data()};
    }

private:
    Buffer<float> leaves_, rows_;
    Buffer<__half> rests_;
};

/// Compares the elements of one chunk with those of another; `further`: goes on from the lists that
/// earlier passes left for them.
struct SearchPass {
    LeavesView leaves;
    PatchChunk queries, compared;
    int window;
    NeighborView lists;
    bool further;
};

/// The first four of nlmSearchFamily: chunks have leaves and rows, in the order of the band.
void searchByThreads(int variant, const SearchPass& pass, LaunchLog& log);
/// The other ones: chunks have leaves; with matrix units also rows and rests.
void searchByTiles(int variant, const SearchPass& pass, LaunchLog& log);

inline void searchPass(int variant, const SearchPass& pass, LaunchLog& log) {
    (isTiled(variant) ? searchByTiles : searchByThreads)(variant, pass, log);
}

/// Sums and differences of all pairs of `pass`.
double exhaustiveFlops(const SearchPass& pass);

std::vector<CompiledCost> compiledNlmCosts();

} // namespace systole::gpu
