// The family of phantoms: for each look a heart per seed, of random shape, place and motion, seen
// under random circumstances, so that no setting of a method wins by luck.
#pragma once

#include "io/phantom/phantom.h"

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// Options that turn the phantom's usual echo into another look.
struct PhantomLookRow {
    const char* name;
    const char* title;
    void (*change)(PhantomOptions&);
};

/// "echo", "hard" (decorrelated and noisy), "small" (a quarter of the motion, that noise), "ct".
const std::vector<PhantomLookRow>& phantomLooks();

/// The family has this many seeds for each look, from 1 on.
inline constexpr int familySeeds = 20;

/// A number that the family draws: a row of phantomTable(), uniform between the ends, which
/// whole numbers include. `share`: the part of the seeds that draw it at all; the others keep the
/// row's default.
struct FamilyDraw {
    const char* id;
    double low, high;
    double share = 1;
};
const std::vector<FamilyDraw>& familyDraws();

/// The grid of a member whose voxels, or planes per slice, are those of the options: `side` voxels
/// along x, y, and as many widths along z.
Size3 familyGrid(int side, const PhantomOptions& options);

/// The member of a seed: the same heart for each look. Voxels are cubes for odd seeds, and 1.6
/// times as high as wide for even ones, on familyGrid(). Frame 0 is at end diastole, frame 1 later
/// by a half, a third or a quarter of the cycle. Every draw depends on the seed and its place in
/// familyDraws() alone. Throws ComputeError for an unknown look.
PhantomOptions familyMember(const std::string& look, int side, std::uint64_t seed);

} // namespace systole
