// The search on the CPU: a leaf of queries against the leaves that may hold closer patches, nearest
// box first, until the next box is farther than all that the queries keep. Each leaf is a task;
// what it finds doesn't depend on the order in which it looks.
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"
#include "compute/surface/patch_distances.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

namespace systole {
namespace nlm {
namespace {

/// The m smallest keys pushed so far, and some more that came before they were sorted out.
class SmallestKeys {
public:
    void begin(int m) {
        m_ = m;
        count_ = 0;
        limit_ = worstKey;
    }
    void push(Key key) {
        if (key >= limit_)
            return;
        keys_[static_cast<std::size_t>(count_++)] = key;
        if (count_ == capacity)
            tighten();
    }
    /// Forgets all but the m least.
    void tighten() {
        if (count_ < m_)
            return;
        std::nth_element(keys_.begin(), keys_.begin() + (m_ - 1), keys_.begin() + count_);
        count_ = m_;
        limit_ = keys_[static_cast<std::size_t>(m_ - 1)];
    }
    /// Distance beyond which an element isn't kept.
    float reach() const {
        return limit_ == worstKey ? std::numeric_limits<float>::infinity() : distanceOf(limit_);
    }
    std::span<const Key> sorted() {
        tighten();
        std::sort(keys_.begin(), keys_.begin() + count_);
        return {keys_.data(), static_cast<std::size_t>(count_)};
    }

private:
    static constexpr int capacity = 2 * maxNeighbors;
    std::array<Key, capacity> keys_;
    int m_ = 0, count_ = 0;
    Key limit_ = worstKey;
};

/// Searches for the elements of one leaf.
class LeafSearch {
public:
    LeafSearch(const PatchLeaves& all, int window, int m) : all_(all), window_(window), m_(m) {}

    void run(int own, NeighborView out) {
        own_ = own;
        for (SmallestKeys& keys : kept_)
            keys.begin(m_);
        // Leaves beside it in the order are likely near: they give a first bound.
        const int first = std::max(0, own - besides),
                  last = std::min(all_.leaves - 1, own + besides);
        for (int leaf = first; leaf <= last; ++leaf)
            visit(leaf);
        for (SmallestKeys& keys : kept_)
            keys.tighten();
        waiting_.clear();
        const float limit = std::min(farthest(), std::numeric_limits<float>::max());
        distances_.resize(all_.boxLength());
        boxDistances(all_, own, window_, distances_.data());
        for (int leaf = 0; leaf < all_.leaves; ++leaf) {
            const float distance = distances_[static_cast<std::size_t>(leaf)];
            if (distance <= limit && (leaf < first || leaf > last))
                waiting_.push_back({distance, leaf});
        }
        std::sort(waiting_.begin(), waiting_.end());
        for (const auto& [distance, leaf] : waiting_) {
            if (distance > farthest())
                break;
            visit(leaf);
        }
        store(out);
    }

private:
    static constexpr int besides = 2;

    int element(int leaf, int i) const {
        return all_.element[static_cast<std::size_t>(leaf * leafSize + i)];
    }
    SmallestKeys& kept(int q) { return kept_[static_cast<std::size_t>(q)]; }

    /// Squared distance of features beyond which no query keeps anything.
    float farthest() {
        float maxReach = 0;
        for (int q = 0; q < leafSize && element(own_, q) >= 0; ++q)
            maxReach = std::max(maxReach, kept(q).reach());
        return prunedAbove(maxReach, all_.scale);
    }

    void visit(int leaf) {
        std::array<std::pair<int, std::uint32_t>, leafSize> queries;
        std::size_t count = 0;
        std::uint32_t elements = ~std::uint32_t{0};
        for (int i = leafSize; i > 0 && element(leaf, i - 1) < 0; --i)
            elements >>= 1;
        for (int q = 0; q < leafSize && element(own_, q) >= 0; ++q) {
            std::uint32_t bits = featuresWithin(all_.featuresOf(own_) + q, all_.featuresOf(leaf),
                                                prunedAbove(kept(q).reach(), all_.scale));
            bits &= elements;
            if (bits != 0 && window_ > 0)
                bits &= voxelsWithin(all_.voxelsOf(own_) + q, all_.voxelsOf(leaf), window_);
            if (bits != 0)
                queries[count++] = {q, bits};
        }
        for (std::size_t begin = 0; begin < count; begin += queriesAtOnce)
            compare({queries.data() + begin, std::min<std::size_t>(queriesAtOnce, count - begin)},
                    leaf);
    }

    void compare(std::span<const std::pair<int, std::uint32_t>> queries, int leaf) {
        const float* patch[queriesAtOnce];
        for (std::size_t k = 0; k < queriesAtOnce; ++k)
            patch[k] = all_.patchesOf(own_) + queries[std::min(k, queries.size() - 1)].first;
        float distance[queriesAtOnce * leafSize];
        patchDistances(patch, all_.patchesOf(leaf), all_.numbers, distance);
        for (std::size_t k = 0; k < queries.size(); ++k) {
            SmallestKeys& keys = kept(queries[k].first);
            for (std::uint32_t bits = queries[k].second; bits != 0; bits &= bits - 1) {
                const int i = std::countr_zero(bits);
                keys.push(keyOf(distance[static_cast<int>(k) * leafSize + i], element(leaf, i)));
            }
        }
    }

    void store(NeighborView out) {
        for (int q = 0; q < leafSize && element(own_, q) >= 0; ++q) {
            const int j = element(own_, q);
            std::ptrdiff_t at = std::ptrdiff_t{j} * m_;
            const std::ptrdiff_t end = at + m_;
            for (const Key key : kept(q).sorted()) {
                out.element[at] = elementOf(key);
                out.distance[at++] = distanceOf(key);
            }
            for (; at < end; ++at) {
                out.element[at] = j;
                out.distance[at] = std::numeric_limits<float>::infinity();
            }
        }
    }

    const PatchLeaves& all_;
    int window_, m_, own_ = 0;
    std::array<SmallestKeys, leafSize> kept_;
    std::vector<float> distances_;
    std::vector<std::pair<float, int>> waiting_;
};

/// The search as its definition says: every element against every other.
void findNeighborsPlain(VolumeView<const float> phi, std::span<const int> band,
                        const NonlocalMeansParameters& parameters, NeighborView out,
                        const ExecContext& ctx) {
    const int radius = parameters.patchRadius, count = static_cast<int>(band.size());
    parallelFor(ctx, count, 16, [&](int begin, int end) {
        std::vector<Key> keys;
        for (int j = begin; j < end; ++j) {
            ctx.throwIfCancelled();
            const Voxel p = voxelAt(phi.size, band[static_cast<std::size_t>(j)]);
            keys.clear();
            for (int l = 0; l < count; ++l) {
                const Voxel q = voxelAt(phi.size, band[static_cast<std::size_t>(l)]);
                if (!inWindow(parameters.window, p, q))
                    continue;
                float sum = 0;
                for (int n = 0; n < patchNumbers(radius); ++n)
                    sum = addSquare(sum, phi.data[patchOffset(phi.size, p, radius, n)],
                                    phi.data[patchOffset(phi.size, q, radius, n)]);
                keys.push_back(keyOf(sum, l));
            }
            keys.resize(std::max(keys.size(), static_cast<std::size_t>(out.m)),
                        keyOf(std::numeric_limits<float>::infinity(), j));
            std::partial_sort(keys.begin(), keys.begin() + out.m, keys.end());
            for (int k = 0; k < out.m; ++k) {
                const std::ptrdiff_t at = std::ptrdiff_t{j} * out.m + k;
                out.element[at] = elementOf(keys[static_cast<std::size_t>(k)]);
                out.distance[at] = distanceOf(keys[static_cast<std::size_t>(k)]);
            }
        }
    });
}

} // namespace
} // namespace nlm

void findNeighbors(VolumeView<const float> phi, std::span<const int> band,
                   const NonlocalMeansParameters& parameters, NeighborView out,
                   const ExecContext& ctx) {
    if (ctx.backend == Backend::CpuReference)
        return nlm::findNeighborsPlain(phi, band, parameters, out, ctx);
    const nlm::PatchLeaves leaves =
        nlm::makePatchLeaves(phi, band, parameters.patchRadius, parameters.window > 0, ctx);
    parallelFor(ctx, leaves.leaves, 4, [&](int begin, int end) {
        nlm::LeafSearch search(leaves, parameters.window, out.m);
        for (int leaf = begin; leaf < end; ++leaf) {
            ctx.throwIfCancelled();
            search.run(leaf, out);
        }
    });
}

} // namespace systole
