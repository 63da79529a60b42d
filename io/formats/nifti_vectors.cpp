#include "io/formats/nifti_vectors.h"

#include "io/base/text.h"
#include "io/formats/nifti_intents.h"

#include <string_view>

namespace systole {
namespace {

constexpr int any = -1;

/// A row fits a header of its code, name (in any case) and kind (intent_p1), as far as it gives
/// them. The first that fits counts.
struct Intent {
    int code;
    std::string_view name;
    int kind;
    StatedConvention means;
};

constexpr StatedConvention coefficients{.noField = "holds the coefficients of FNIRT (--cout), not "
                                                   "a field; 'fnirtfileutils --in=FILE --ref=FIXED "
                                                   "--out=FIELD --withaff' makes one of them"};
constexpr StatedConvention topup{.noField =
                                     "belongs to topup, it is no field from one image to another"};

constexpr StatedConvention colors{.noField = "holds colors, not displacements"};
/// The mapping of SPM and CAT: each voxel's position in the other image, mm.
constexpr StatedConvention mapping{VectorFrame::Ras, true};
constexpr StatedConvention velocity{.noField = "holds velocities, whose displacements are found by "
                                               "integration over time, which their program does"};
constexpr StatedConvention unknownName{.unsaid = "its intent_name is none that is known here"};

constexpr Intent intents[] = {
    {any, niftyRegIntentName, 0, {VectorFrame::Ras, true}},
    {any, niftyRegIntentName, 1, {VectorFrame::Ras, false}},
    {any, niftyRegIntentName, 2, {VectorFrame::Ras, true, true}},
    {any,
     niftyRegIntentName,
     any,
     {.noField =
          "is a transformation of NiftyReg of another kind than positions (0), displacements (1) "
          "and "
          "cubic splines (2); 'reg_transform -ref FIXED -def FILE FIELD' makes positions of it"}},
    {any, splineIntentName, any, {VectorFrame::Lps, false, true}},
    {any, "mapping", any, mapping},
    {any, "velocity", any, velocity},
    {1006, {}, any, {VectorFrame::Ras, false}}, // DISPVECT, of ITK and Slicer
    {1007, {}, any, {VectorFrame::Lps, false}}, // VECTOR, of ITK
    {2003, {}, any, colors},
    {2004, {}, any, colors},
    {2006, {}, any, {VectorFrame::Fsl, {}}}, // FNIRT's field, relative or absolute
    {2007, {}, any, coefficients},           // cubic splines
    {2008, {}, any, coefficients},           // cosines
    {2009, {}, any, coefficients},           // quadratic splines
    {2016, {}, any, topup},                  // cubic splines
    {2017, {}, any, topup},                  // quadratic splines
    {2018, {}, any, topup},                  // a field of Hz
};

/// Convention of programs that state it in the description.
const StatedConvention* describedIn(const std::string& description) {
    const std::string lower = lowerCase(description);
    if (lower.starts_with("velocity") || lower.starts_with("flow field"))
        return &velocity;
    return lower.starts_with("deformation") ? &mapping : nullptr; // SPM writes "Deformation"
}

} // namespace

StatedConvention niftiVectors(const NiftiHeader& header) {
    const std::string name = lowerCase(trimmed(header.intentName));
    const bool isVector = header.intentCode == 1006 || header.intentCode == 1007;
    if (name.empty() && (isVector || header.intentCode == 0))
        if (const StatedConvention* const means = describedIn(header.description))
            return *means;
    for (const Intent& row : intents)
        if ((row.code == any || row.code == header.intentCode) &&
            (row.name.empty() || lowerCase(row.name) == name) &&
            (row.kind == any || static_cast<double>(row.kind) == header.intentParameter))
            return isVector && row.name.empty() && !name.empty() ? unknownName : row.means;
    return {};
}

} // namespace systole
