// Which convention a displacement field stands in, found by the images that it belongs to: through
// the right one they become alike.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/field_convention.h"

#include <array>
#include <string>
#include <vector>

namespace systole {

/// One reading of a field.
struct ConventionReading {
    const FieldConvention* convention = nullptr; ///< null: no motion at all
    /// Components whose sign is turned besides: no convention but a mistake of the writer, which
    /// must not pass for one that fits half.
    std::array<bool, 3> flipped{};

    bool isFlipped() const { return flipped[0] || flipped[1] || flipped[2]; }
    std::string text() const; ///< "lps with y flipped", "no motion"
};

/// Every convention and every flip of displacements on blocks of 6 × 6 × 6 voxels of a field's
/// grid: Pearson's correlation of both images there, each smoothed by a Gaussian of one voxel, so
/// that interpolation alone makes nothing alike. Images of one kind, in which the same tissue has
/// about the same gray value.
class ConventionTrial {
public:
    /// May be called for several fields of one writer. The images are on the host; `fixed` and
    /// `moving` have the same frame of space as the field. Bitwise equal for any number of threads.
    void add(const RawField& field, const Volume& fixed, const Volume& moving,
             const ExecContext& ctx);

    enum class Outcome {
        Proved,  ///< the images are alike through `convention`
        Unclear, ///< they don't tell: hardly any motion, or several conventions fit
        Refused  ///< another reading fits better, or none fits
    };
    struct Verdict {
        Outcome outcome = Outcome::Unclear;
        const FieldConvention* convention = nullptr; ///< proved, or the claimed one; may be null
        std::string reason;                          ///< a clause with the correlations
    };
    /// `claimed` is what user or file says. Null: the convention is to be found among those that
    /// `stated` allows. A reading is better than another if a paired t test over the blocks says so
    /// (p < 0.001) and if it brings 1.25 times the other's gain of correlation over no motion; a
    /// reading proves itself by being more alike than no motion, and by no other convention being
    /// as good that gives another displacement. Small motion flipped along z in LPS can't be told
    /// from the way back in RAS, which differs by the motion's change over its own length.
    Verdict judge(const FieldConvention* claimed, const StatedConvention& stated) const;

    struct Score {
        ConventionReading reading;
        double correlation = 0; ///< mean over the blocks
    };
    /// Scores in the order of the table, without flips; the first is no motion.
    std::vector<Score> scores() const;

private:
    std::size_t best(const StatedConvention* allowed) const;
    bool significantlyBetter(std::size_t a, std::size_t b) const;
    bool better(std::size_t a, std::size_t b) const;
    bool same(std::size_t a, std::size_t b) const;
    double gain(std::size_t reading) const;
    Verdict judgeClaimed(std::size_t claimed) const;

    std::vector<std::vector<double>>
        correlations_; ///< correlation of every block, a row per reading
};

} // namespace systole
