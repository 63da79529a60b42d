// Where the voxels of a decimated grid lie in the finer one.
#pragma once

namespace systole {

constexpr int decimatedVoxels(int voxels, int factor) { return (voxels + factor - 1) / factor; }

/// An axis of `voxels` of which one in `factor` remains: voxel i lies at factor · i + shift, so
/// that both grids have the same middle and an image stored the other way round gives the same
/// levels the other way round. The shift is given in halves of a voxel. After several halvings it
/// is that of their product.
constexpr int decimationShiftInHalves(int voxels, int factor) {
    return (voxels - 1) - factor * (decimatedVoxels(voxels, factor) - 1);
}
constexpr double decimationShift(int voxels, int factor) {
    return 0.5 * decimationShiftInHalves(voxels, factor);
}

/// Standard deviation of the Gaussian of a halving, in voxels: half a voxel of the coarse grid.
/// Where a coarse voxel lies between two, their mean is a part of it, of variance ¼.
constexpr double decimationSigma(int shiftInHalves) {
    constexpr double sigma = 1, besideMean = 0.86602540378443865;
    return shiftInHalves % 2 == 0 ? sigma : besideMean;
}

} // namespace systole
