// The public lung CT of DIR-Lab (dir-lab.com): raw voxels without a header, so that sizes and
// spacings come from the tables that DIR-Lab publishes, by the name of the file.
#pragma once

#include "compute/core/geometry.h"

#include <optional>
#include <string>

namespace systole {

enum class DirLabSet { FourDCt, CopdGene };

struct DirLabCase {
    DirLabSet set = DirLabSet::FourDCt;
    int number = 1; ///< 1 … 10
    Size3 size;
    Vec3 spacing; ///< mm

    std::string name() const; ///< "case1", "copd3"
    /// The first voxel lies at the origin. Rows run to the patient's left, columns to the back,
    /// slices to the feet: LPI. The files don't say so; in all ten 4D CT cases the landmarks move
    /// towards smaller z when the patient breathes out, most where z is largest, as they do near
    /// the diaphragm if slices run downwards.
    Geometry geometry() const;
};

/// Throws FileError unless the number is 1 to 10.
DirLabCase dirLabCase(DirLabSet set, int number);

/// Contents of the name of a file of DIR-Lab: "case1_T00_s.img", "case6_dirLab300_T50_xyz.txt",
/// "copd3_eBHCT.img", "Case2_300_T00_xyz.txt".
struct DirLabName {
    DirLabCase of;
    /// 4D CT: percent of the breathing cycle, 0, 10 … 90, 0 breathed in and 50 breathed out. COPD:
    /// 0 for iBH, 50 for eBH. Empty: the name has none.
    std::optional<int> phase;
};

/// Upper and lower case, folders don't count. Nothing unless the name begins with a case.
std::optional<DirLabName> dirLabNameOf(const std::string& path);

/// "case1", "copd10"; nothing for anything else.
std::optional<DirLabCase> parseDirLabCase(const std::string& text);

} // namespace systole
