// Block matching: SIMD against the plain loops, and both against the definition in float64.
#include "compute/core/random.h"
#include "compute/methods/ffd/affine_blocks.h"
#include "tests/support/affine_scene.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace systole::affine {
namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();

constexpr Search searches[] = {
    {3, Sign::Matters}, {3, Sign::Ignored}, {2, Sign::Matters}, {1, Sign::Ignored}};

std::vector<float> noise(Size3 size, std::uint64_t seed) {
    std::vector<float> values(size.voxels());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 100 + 30 * normalPair(randomBits(seed, 1, i)).first;
    return values;
}

std::vector<BlockMatch> matched(const std::vector<float>& fixed, const std::vector<float>& warped,
                                Size3 size, Search search, Backend backend) {
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    ctx.backend = backend;
    std::vector<int> blocks(static_cast<std::size_t>(BlockGrid{size}.blocks()));
    std::iota(blocks.begin(), blocks.end(), 0);
    std::vector<BlockMatch> matches(blocks.size());
    matchBlocks({fixed.data(), size}, {warped.data(), size}, blocks, search, matches.data(), ctx);
    return matches;
}

/// NCC by its definition: of the block at `o` and the window displaced by d, over what has a value.
double correlation(const std::vector<float>& fixed, const std::vector<float>& warped, Size3 size,
                   Voxel o, Voxel d) {
    const VolumeView<const float> f{fixed.data(), size}, w{warped.data(), size};
    const Size3 e = BlockGrid{size}.extent();
    std::vector<double> a, b;
    for (int z = 0; z < e.z; ++z)
        for (int y = 0; y < e.y; ++y)
            for (int x = 0; x < e.x; ++x) {
                const Voxel p = o + Voxel{x, y, z}, q = p + d;
                if (liesIn(size, q) && !std::isnan(w(q.x, q.y, q.z))) {
                    a.push_back(static_cast<double>(f(p.x, p.y, p.z)));
                    b.push_back(static_cast<double>(w(q.x, q.y, q.z)));
                }
            }
    if (2 * a.size() < e.voxels())
        return -2;
    const auto n = static_cast<double>(a.size());
    const double meanA = std::accumulate(a.begin(), a.end(), 0.0) / n,
                 meanB = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
        ab += (a[i] - meanA) * (b[i] - meanB);
    }
    return ab / std::sqrt(aa * bb);
}

TEST(AffineBlocks, CoverTheImage) {
    for (const Size3 size : {Size3{9, 4, 1}, Size3{3, 8, 7}, Size3{16, 5, 6}}) {
        const BlockGrid grid{size};
        std::vector<int> covered(size.voxels());
        const Size3 e = grid.extent();
        for (int b = 0; b < grid.blocks(); ++b) {
            const Voxel o = grid.origin(b);
            for (int z = 0; z < e.z; ++z)
                for (int y = 0; y < e.y; ++y)
                    for (int x = 0; x < e.x; ++x) {
                        ASSERT_TRUE(liesIn(size, o + Voxel{x, y, z}));
                        covered[VolumeView<int>(nullptr, size).offset(o.x + x, o.y + y, o.z + z)] =
                            1;
                    }
        }
        EXPECT_EQ(std::accumulate(covered.begin(), covered.end(), 0),
                  static_cast<int>(size.voxels()));
    }
}

class BlockMatching : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, BlockMatching,
                         testing::Values(Backend::CpuReference, Backend::Cpu),
                         [](const auto& info) {
                             return info.param == Backend::Cpu ? "Simd" : "Plain";
                         });

TEST_P(BlockMatching, FindsTheWindowWithTheLargestCorrelation) {
    for (const Size3 size : {Size3{23, 18, 17}, Size3{30, 9, 5}, Size3{21, 22, 1}}) {
        const std::vector<float> fixed = noise(size, 1);
        // Half-similar, with a hole, so that some windows are partly known.
        std::vector<float> warped = noise(size, 2);
        for (std::size_t i = 0; i < warped.size(); ++i) {
            warped[i] = -500 + 2 * fixed[(i + 2) % fixed.size()] + 0.5f * warped[i];
            if (i % 97 < 6)
                warped[i] = none;
        }
        for (const Search search : searches) {
            const std::vector<BlockMatch> matches =
                matched(fixed, warped, size, search, GetParam());
            for (std::size_t b = 0; b < matches.size(); ++b) {
                const Voxel o = BlockGrid{size}.origin(static_cast<int>(b));
                double best = 0;
                Voxel where{0, 0, 0};
                for (int dz = -search.radius; dz <= search.radius; ++dz)
                    for (int dy = -search.radius; dy <= search.radius; ++dy)
                        for (int dx = -search.radius; dx <= search.radius; ++dx) {
                            double c = correlation(fixed, warped, size, o, {dx, dy, dz});
                            if (search.sign == Sign::Ignored && c > -1.5)
                                c = std::abs(c);
                            if (c > best) {
                                best = c;
                                where = {dx, dy, dz};
                            }
                        }
                ASSERT_NEAR(static_cast<double>(matches[b].correlation), best, 1e-4);
                // The parabola moves it by at most half a voxel.
                EXPECT_LE(std::abs(matches[b].x - static_cast<float>(where.x)), 0.5f);
                EXPECT_LE(std::abs(matches[b].y - static_cast<float>(where.y)), 0.5f);
                EXPECT_LE(std::abs(matches[b].z - static_cast<float>(where.z)), 0.5f);
                const double here = correlation(fixed, warped, size, o, {0, 0, 0});
                if (here < -1.5)
                    EXPECT_TRUE(std::isnan(matches[b].here));
                else
                    EXPECT_NEAR(static_cast<double>(matches[b].here),
                                search.sign == Sign::Ignored ? std::abs(here) : here, 1e-4);
            }
        }
    }
}

TEST_P(BlockMatching, TheParabolaFindsPartsOfAVoxel) {
    const Geometry grid = test::centeredGrid({32, 32, 32}, {3, 3, 3});
    const test::BlobScene scene(3);
    const std::vector<float> fixed = scene.image(grid),
                             warped = scene.image(grid, {identity3, {-3 * 1.3, 3 * 0.4, 0}});
    // moving(p) = scene(p - shift): the block at p is found at p + shift.
    double sum[3] = {}, count = 0;
    for (const BlockMatch& m : matched(fixed, warped, grid.size(), {}, GetParam()))
        if (m.correlation > 0.98f) {
            sum[0] += static_cast<double>(m.x);
            sum[1] += static_cast<double>(m.y);
            sum[2] += static_cast<double>(m.z);
            ++count;
        }
    ASSERT_GT(count, 50);
    EXPECT_NEAR(sum[0] / count, 1.3, 0.1);
    EXPECT_NEAR(sum[1] / count, -0.4, 0.1);
    EXPECT_NEAR(sum[2] / count, 0, 0.05);
}

TEST_P(BlockMatching, ConstantsAndHolesHaveNoMatch) {
    const Size3 size{12, 12, 12};
    const std::vector<float> fixed = noise(size, 1), constant(size.voxels(), 1000.1f),
                             unknown(size.voxels(), none);
    for (const std::vector<float>& warped : {constant, unknown})
        for (const BlockMatch& m : matched(fixed, warped, size, {}, GetParam())) {
            EXPECT_EQ(m.correlation, 0);
            EXPECT_TRUE(std::isnan(m.here));
        }
}

TEST(AffineBlocks, SimdAndPlainLoopsMatchAlike) {
    for (const Size3 size : {Size3{37, 26, 19}, Size3{40, 17, 3}}) {
        const std::vector<float> fixed = noise(size, 7);
        std::vector<float> warped = noise(size, 8);
        for (std::size_t i = 0; i < warped.size(); ++i) {
            warped[i] += fixed[i];
            if (i > warped.size() / 2 && i % 53 == 0)
                warped[i] = none;
        }
        for (const Search search : searches) {
            const auto a = matched(fixed, warped, size, search, Backend::Cpu),
                       b = matched(fixed, warped, size, search, Backend::CpuReference);
            for (std::size_t i = 0; i < a.size(); ++i) {
                EXPECT_NEAR(a[i].x, b[i].x, 1e-4);
                EXPECT_NEAR(a[i].y, b[i].y, 1e-4);
                EXPECT_NEAR(a[i].z, b[i].z, 1e-4);
                EXPECT_NEAR(a[i].correlation, b[i].correlation, 1e-5);
            }
        }
    }
}

TEST(AffineBlocks, WarpsAreAlikeAndEndHalfAVoxelOutside) {
    const Size3 size{29, 14, 11}, out{33, 16, 9};
    const std::vector<float> moving = noise(size, 3);
    std::vector<float> mask(size.voxels(), 1);
    for (std::size_t i = 0; i < mask.size(); i += 5)
        mask[i] = 0;
    const VoxelMap maps[] = {{{{1, 0, 0, -1}, {0, 1, 0, 0}, {0, 0, 1, 0.25f}}},
                             {{{0.9f, 0.1f, -0.05f, 1}, {-0.1f, 0.8f, 0, 2}, {0, 0.1f, 1.1f, -1}}}};
    ExecResources resources(2);
    ExecContext ctx = resources.context();
    for (const VoxelMap& map : maps)
        for (const bool masked : {false, true}) {
            const VolumeView<const float> m =
                masked ? VolumeView<const float>{mask.data(), size} : VolumeView<const float>{};
            std::vector<float> simd(out.voxels()), plain(out.voxels());
            ctx.backend = Backend::Cpu;
            warpByMap({moving.data(), size}, m, map, {simd.data(), out}, ctx);
            ctx.backend = Backend::CpuReference;
            warpByMap({moving.data(), size}, m, map, {plain.data(), out}, ctx);
            int values = 0;
            for (std::size_t i = 0; i < simd.size(); ++i) {
                ASSERT_EQ(std::isnan(simd[i]), std::isnan(plain[i])) << i;
                if (!std::isnan(plain[i])) {
                    EXPECT_NEAR(simd[i], plain[i], 1e-3);
                    ++values;
                }
            }
            EXPECT_GT(values, 100);
            EXPECT_LT(values, static_cast<int>(simd.size()));
            if (!masked && map[0][0] == 1) {
                EXPECT_TRUE(std::isnan(simd[0])); // x = -1
                EXPECT_NEAR(simd[1], 0.75f * moving[0] + 0.25f * moving[29 * 14], 1e-4);
                EXPECT_TRUE(std::isnan(simd[30])); // x = 29
            }
        }
}

TEST(AffineBlocks, VariancesAreThoseOfTheBlocks) {
    const Size3 size{14, 9, 5};
    const std::vector<float> image = noise(size, 4);
    std::vector<float> mask(size.voxels());
    for (std::size_t i = 0; i < mask.size(); ++i)
        mask[i] = i % 14 < 6 ? 1 : 0;
    ExecResources resources(2);
    const BlockGrid grid{size};
    std::vector<float> variances(static_cast<std::size_t>(grid.blocks()));
    blockVariances({image.data(), size}, {mask.data(), size}, variances.data(),
                   resources.context());
    const VolumeView<const float> view{image.data(), size};
    for (int b = 0; b < grid.blocks(); ++b) {
        const Voxel o = grid.origin(b);
        double sum = 0, squares = 0;
        for (int i = 0; i < 64; ++i) {
            const auto v = static_cast<double>(view(o.x + i % 4, o.y + i / 4 % 4, o.z + i / 16));
            sum += v;
            squares += v * v;
        }
        // Columns 0 to 5 are in the mask: two of the four of the second block.
        const double expected = o.x <= 4 ? squares / 64 - (sum / 64) * (sum / 64) : -1;
        EXPECT_NEAR(static_cast<double>(variances[static_cast<std::size_t>(b)]), expected, 1e-2);
    }
}

} // namespace
} // namespace systole::affine
