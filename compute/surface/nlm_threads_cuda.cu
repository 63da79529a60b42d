// The search of the paper (section 3.1.2): a thread per element holds its patch and compares it
// with a subset of the others in each pass, which all threads read in the same order; the list of
// the m closest so far is in shared memory, at an odd stride, and goes to global memory between
// passes.
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/texture.cuh"
#include "compute/surface/nlm_search_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

using nlm::Key;
using nlm::leafSize;
using nlm::passPatches;

constexpr int maxThreadsOfSearch = 128;
/// Numbers of the largest subset.
constexpr int constantNumbers = passPatches * rowLength(nlm::patchNumbers(2));
__constant__ float constantMemory[constantNumbers];

/// Number n of patch i of the subset.
template <int Row>
struct FromConstant {
    __device__ float operator()(int i, int n) const { return constantMemory[i * Row + n]; }
};
template <int Row>
struct FromTexture {
    cudaTextureObject_t texture;
    int first;
    __device__ float operator()(int i, int n) const {
        return tex1Dfetch<float>(texture, (first + i) * Row + n);
    }
};
/// SmallL1 tells apart kernels that differ in how L1 is divided.
template <int Row, bool SmallL1>
struct FromGlobal {
    const float* rows;
    __device__ float operator()(int i, int n) const { return __ldg(rows + i * Row + n); }
};

/// Patches in the order of the band: `first` is the element of the subset's patch 0.
struct Subset {
    int first, count;
};

template <int Numbers, typename Read>
__global__ void __launch_bounds__(maxThreadsOfSearch)
    threadKernel(const __grid_constant__ SearchPass pass, const Subset subset, const Read read,
                 bool further) {
    extern __shared__ Key lists[];
    const int m = pass.lists.m, stride = m | 1;
    Key* const keys = lists + static_cast<int>(threadIdx.x) * stride;
    const int within = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = pass.queries.first * leafSize + within;
    if (j >= min(pass.queries.last * leafSize, pass.leaves.elements))
        return;
    const std::ptrdiff_t at = std::ptrdiff_t{j} * m;
    for (int k = 0; k < m; ++k)
        keys[k] = further ? nlm::keyOf(pass.lists.distance[at + k], pass.lists.element[at + k])
                          : nlm::worstKey;
    float own[Numbers];
    const float* const patch = pass.queries.leaves +
                               std::ptrdiff_t{within / leafSize} * Numbers * leafSize +
                               within % leafSize;
#pragma unroll
    for (int n = 0; n < Numbers; ++n)
        own[n] = patch[n * leafSize];
    Key farthest = keys[m - 1];

    const auto insert = [&](float distance, int element) {
        const Key key = nlm::keyOf(distance, element);
        if (key >= farthest)
            return;
        int k = m - 1;
        for (; k > 0 && keys[k - 1] > key; --k)
            keys[k] = keys[k - 1];
        keys[k] = key;
        farthest = keys[m - 1];
    };
    // Two patches at a time: two independent sums.
    for (int i = 0; i < subset.count; i += 2) {
        const int other = min(i + 1, subset.count - 1);
        float a = 0, b = 0;
#pragma unroll
        for (int n = 0; n < Numbers; ++n) {
            a = nlm::addSquare(a, own[n], read(i, n));
            b = nlm::addSquare(b, own[n], read(other, n));
        }
        insert(a, subset.first + i);
        if (other > i)
            insert(b, subset.first + other);
    }
    for (int k = 0; k < m; ++k) {
        pass.lists.distance[at + k] = nlm::distanceOf(keys[k]);
        pass.lists.element[at + k] = nlm::elementOf(keys[k]);
    }
}

/// One difference and one product and sum for each number; its read is a broadcast.
template <int Numbers>
KernelNote noteOf(int variant, const SearchPass& pass, const Subset& subset, KernelCost read) {
    const double compared = subset.count, m = pass.lists.m;
    const double queries = static_cast<double>(pass.queries.last - pass.queries.first) * leafSize;
    const KernelCost number = KernelCost{.add = 1, .fusedMultiplyAdd = 1} + read;
    return {nlmSearchFamily.kernel(variant), 4 * (queries * (Numbers + 4 * m) + compared * Numbers),
            3 * Numbers * queries * compared,
            compared * Numbers * number + compared * KernelCost{.integer = 6} +
                KernelCost{.integer = 60,
                           .globalLoads = Numbers + 2 * m,
                           .globalStores = 2 * m,
                           .sharedAccesses = 2 * m}};
}

/// All subsets of the compared chunk, one launch after the other. readerOf(first) makes the reader
/// of the subset that begins at this patch of the chunk.
template <int Numbers, typename ReaderOf>
void launchAll(int variant, const SearchPass& pass, KernelCost cost, int carveout,
               const ReaderOf& readerOf, LaunchLog& log) {
    using Read = decltype(readerOf(0, 0));
    const auto kernel = threadKernel<Numbers, Read>;
    const int threads = threadsOfBlock(log, nlmSearchFamily, variant);
    const auto shared = static_cast<std::size_t>(threads * (pass.lists.m | 1)) * sizeof(Key);
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared)),
              "setting the shared memory of a search");
    cudaCheck(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout),
        "dividing L1 and shared memory");
    const int queries = (pass.queries.last - pass.queries.first) * leafSize;
    LaunchShape shape = threadsOver(static_cast<std::size_t>(queries), threads);
    shape.sharedBytes = shared;
    const int begin = pass.compared.first * leafSize,
              end = std::min(pass.compared.last * leafSize, pass.leaves.elements);
    for (int first = begin; first < end; first += passPatches) {
        const Subset subset{first, std::min(passPatches, end - first)};
        const Read read = readerOf(first - begin, subset.count);
        log.launch(noteOf<Numbers>(variant, pass, subset, cost), kernel, shape, pass, subset, read,
                   pass.further || first > begin);
    }
}

/// Percent of L1 for shared memory: what the lists need, and all that there is.
constexpr int smallCarveout = 50, largeCarveout = cudaSharedmemCarveoutMaxShared;

template <int Numbers>
void launchVariant(int variant, const SearchPass& pass, LaunchLog& log) {
    constexpr int row = rowLength(Numbers);
    const float* const rows = pass.compared.rows;
    const KernelCost load{.globalLoads = 0.25}; // four numbers at once
    const auto global = [&](auto small) {
        launchAll<Numbers>(
            variant, pass, load, small ? largeCarveout : smallCarveout,
            [=](int first, int) {
                return FromGlobal<row, decltype(small)::value>{rows + std::ptrdiff_t{first} * row};
            },
            log);
    };
    switch (variant) {
    case 0:
        return global(std::false_type{});
    case 1:
        return global(std::true_type{});
    case 2: {
        const auto patches =
            static_cast<std::size_t>(pass.compared.last - pass.compared.first) * leafSize;
        const LinearTexture texture(log.cuda(), rows, patches * row);
        launchAll<Numbers>(
            variant, pass, {.textureFetches = 1}, smallCarveout,
            [&](int first, int) {
                return FromTexture<row>{texture.object(), first};
            },
            log);
        // A texture's copy must outlive the kernels.
        return log.cuda().synchronize(CudaStream::Compute);
    }
    default:
        launchAll<Numbers>(
            variant, pass, {.constantLoads = 0.25}, smallCarveout,
            [&](int first, int count) {
                cudaCheck(
                    cudaMemcpyToSymbolAsync(constantMemory, rows + std::ptrdiff_t{first} * row,
                                            static_cast<std::size_t>(count) * row * sizeof(float),
                                            0, cudaMemcpyDeviceToDevice, log.stream()),
                    "copying to constant memory");
                return FromConstant<row>{};
            },
            log);
    }
}

} // namespace

std::vector<CompiledCost> compiledNlmCosts() {
    // A difference and its square are what the loop over patches is made of; how reads are joined
    // is the compiler's choice.
    const KernelCost number{.add = 1, .fusedMultiplyAdd = 1};
    const std::vector<std::string> reads{"LDG", "LDS", "STS", "LDS+STS", "TEX"};
    std::vector<CompiledCost> all;
    const auto add = [&](const char* variant, const char* reader) {
        all.push_back({nlmSearchFamily.kernel(nlmSearchFamily.named(variant)) + " number",
                       std::string("threadKernelILi125E.*") + reader, "loop", "FFMA", number,
                       reads});
    };
    add("global", "FromGlobalILi128ELb0E");
    add("global-small-l1", "FromGlobalILi128ELb1E");
    add("texture", "FromTextureILi128E");
    add("constant", "FromConstantILi128E");
    all.push_back({nlmSearchFamily.kernel(nlmSearchFamily.named("tile")) + " number",
                   "tileKernelILi125ELb0ELb0E",
                   "innermost",
                   "FFMA",
                   {.add = 1, .fusedMultiplyAdd = 1, .sharedAccesses = 0.5}});
    return all;
}

double exhaustiveFlops(const SearchPass& pass) {
    const auto places = [](const PatchChunk& chunk) {
        return static_cast<double>(chunk.last - chunk.first) * leafSize;
    };
    return 3.0 * nlm::patchNumbers(pass.leaves.radius) * places(pass.queries) *
           places(pass.compared);
}

void searchByThreads(int variant, const SearchPass& pass, LaunchLog& log) {
    if (pass.leaves.radius == 1)
        launchVariant<nlm::patchNumbers(1)>(variant, pass, log);
    else
        launchVariant<nlm::patchNumbers(2)>(variant, pass, log);
}

} // namespace systole::gpu
