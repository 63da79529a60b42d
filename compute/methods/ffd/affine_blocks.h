// Block matching: where the blocks of a fixed image lie in a moving one.
//
// Ourselin, Roche, Subsol, Pennec, Ayache: Reconstructing a 3D structure from serial histological
// sections, Image and Vision Computing 19 (2001); as in Modat et al., Global image registration
// using a symmetric block-matching approach, J. Med. Imaging 1(2), 2014. The moving image is first
// warped onto the fixed grid; a block of 4³ voxels of the fixed image is then compared with the
// windows of the warped one that are displaced by up to 3 voxels, by normalized cross-correlation.
//
// All three implementations do the same operations in the same order: from the same images they
// have the same bits wherever the processor has fused multiply-add.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/core/voxel.h"
#include "compute/cuda/kernel_family.h"

#include <array>
#include <span>

namespace systole::affine {

inline constexpr int blockSide = 4, searchRadius = 3; ///< the largest radius of a search
inline constexpr int searchSide = 2 * searchRadius + 1;
inline constexpr int regionSide =
    blockSide + 2 * searchRadius; ///< side of the region that a search reads
inline constexpr int candidates = searchSide * searchSide * searchSide;

/// The blocks that cover an image. Where the image isn't a multiple of them, the last one of an
/// axis begins earlier and shares voxels with its neighbor.
struct BlockGrid {
    Size3 image;

    /// Voxels of a block: fewer than 4 along an axis that has fewer.
    constexpr Size3 extent() const {
        return {image.x < blockSide ? image.x : blockSide,
                image.y < blockSide ? image.y : blockSide,
                image.z < blockSide ? image.z : blockSide};
    }
    constexpr Size3 count() const {
        return {(image.x + blockSide - 1) / blockSide, (image.y + blockSide - 1) / blockSide,
                (image.z + blockSide - 1) / blockSide};
    }
    constexpr int blocks() const { return static_cast<int>(count().voxels()); }
    /// The block's first voxel.
    constexpr Voxel origin(int block) const {
        const Size3 n = count(), e = extent();
        const auto first = [](int i, int voxels, int side) {
            return blockSide * i < voxels - side ? blockSide * i : voxels - side;
        };
        return {first(block % n.x, image.x, e.x), first(block / n.x % n.y, image.y, e.y),
                first(block / (n.x * n.y), image.z, e.z)};
    }
    /// The block's center in voxels.
    constexpr Vec3 center(int block) const {
        const Voxel o = origin(block);
        const Size3 e = extent();
        return {o.x + 0.5 * (e.x - 1), o.y + 0.5 * (e.y - 1), o.z + 0.5 * (e.z - 1)};
    }
};

/// Displacement at which a block was found.
struct BlockMatch {
    float x, y, z;     ///< displacement in voxels, refined by a parabola along each axis
    float correlation; ///< correlation of the best window, above 0; 0: no window has enough to
                       ///< compare
    float here;        ///< correlation without displacement; NaN: nothing to compare
};

/// Role of the correlation's sign in the comparison. If it is ignored, the square of the
/// correlation counts and contrasts may be inverted, as in images of different modalities.
enum class Sign { Matters, Ignored };

struct Search {
    int radius = searchRadius; ///< radius of the search in voxels, 1 to searchRadius
    Sign sign = Sign::Matters;
};

/// Affine map from voxels of one grid to voxels of another: row a gives coordinate a from x, y, z
/// and 1.
using VoxelMap = std::array<std::array<float, 4>, 3>;

/// variances[b] becomes the variance of block b's gray values; -1 for a block of which the mask
/// (may be empty; voxels of at least 0.5 count) holds less than half, 0 for a constant one.
/// Backend::CpuReference is the same code.
void blockVariances(VolumeView<const float> image, VolumeView<const float> mask, float* variances,
                    const ExecContext& ctx);

/// out(p) = moving(map · p), trilinear; NaN where that lies more than half a voxel outside of the
/// moving grid or where its mask (may be empty) is below 0.5. Backend::CpuReference is the plain
/// loop.
void warpByMap(VolumeView<const float> moving, VolumeView<const float> mask, const VoxelMap& map,
               VolumeView<float> out, const ExecContext& ctx);

/// Sets matches[i] to the match of block blocks[i] in the warped image, in which NaN marks voxels
/// without a value. A window counts if at least half of the block's voxels can be compared; among
/// equals the first one wins. Backend::CpuReference is the plain loop.
void matchBlocks(VolumeView<const float> fixed, VolumeView<const float> warped,
                 std::span<const int> blocks, Search search, BlockMatch* matches,
                 const ExecContext& ctx);

inline constexpr KernelVariant matchVariants[] = {
    {"direct", "A thread per candidate, the region in shared memory.", 128},
    {"rows",
     "A thread per seven candidates along x: values that they share stay in registers.",
     64,
     {32, 256}},
};
inline constexpr KernelFamily matchFamily{
    "block-match", matchVariants, "match", "rows",
    "How the CUDA kernel of the block matching shares what neighboring candidates read."};

} // namespace systole::affine
