// The cases of a folder in DIR-Lab's format: their files by name, their registration, their errors.
#pragma once

#include "app/cli/image_arguments.h"
#include "app/cli/method_options.h"
#include "app/features/landmarks/tre_report.h"
#include "app/task/backend.h"
#include "compute/core/exec.h"
#include "compute/motion/registration.h"
#include "io/dirlab/cases.h"

#include <string>
#include <vector>

namespace systole {

/// The files of a case: breathed in (T00, iBH) is fixed, breathed out (T50, eBH) moving.
struct CaseFiles {
    DirLabCase of;
    std::string fixedPoints, movingPoints;
    std::string fixedImage, movingImage; ///< empty: not there
    std::string fixedMask, movingMask;   ///< masks of the lungs; empty: not there
};

struct FoundCases {
    std::vector<CaseFiles> cases;
    std::vector<std::string> skipped; ///< a sentence for each case of which files are missing
};

/// Finds cases by the names of their files, in the folder and up to four folders deeper:
/// caseN_300_T00_xyz.txt and T50, or copdN_300_iBH_xyz_r1.txt and eBH; next to them images named
/// caseN_T00.img, caseN_T00_s.img, copdN_iBHCT.img, or the same with .mhd, .mha, .nii, .nii.gz or
/// .nrrd, which are preferred because they have a header; and masks named caseN_T00_mask or
/// copdN_iBH_mask with such an extension. `only` names cases ("case1"); empty: all. Skips cases
/// that have some files but not both of points, or, if `images`, not both images. Throws FileError
/// if no case is left, and for a named case that has no files.
FoundCases findCases(const std::string& folder, const std::vector<std::string>& only, bool images);

/// Grid of voxel indices, from the header of an image; empty: there is none.
std::optional<Geometry> gridOf(const std::string& image);

/// A file of points, and what it doesn't say itself.
struct PointFile {
    std::string path;
    LandmarkReadOptions options;
};

/// The points of two files, paired, with their errors so far.
struct PairedPoints {
    CaseErrors errors;
    PointPairs pairs;
    std::optional<Geometry> movingGrid; ///< grid of voxel indices in the moving file
    std::vector<std::string> notes;     ///< information in the files other than points

    /// The errors after a motion, and with a grid those at its voxels.
    void move(const std::function<std::optional<Vec3>(Vec3)>& motion,
              const std::optional<Geometry>& grid);
};
/// Throws as readLandmarks() and pairUp() do.
PairedPoints readPairs(const std::string& name, const PointFile& fixed, const PointFile& moving);

/// The errors of the points alone.
CaseErrors initialCaseErrors(const CaseFiles& files);

/// Errors under the motion of the case in a folder of results: caseN.mha (.nii.gz, .nrrd, .tfm,
/// ...), or caseN/displacement.mha as `systole register -o FOLDER/caseN` writes it. A case without
/// one has its initial errors and a note.
CaseErrors caseErrorsWithField(const CaseFiles& files, const std::string& fields,
                               const ExecContext& ctx);

/// Errors under the motion that a method of registrationMethods() finds between the images of a
/// case that has both.
class CaseRegistration {
public:
    /// `everywhere`: all of the images is compared. Otherwise only the lungs are, by masks among
    /// the files, or else as findLungs() finds them.
    CaseRegistration(const MethodOptions& options, bool everywhere);
    CaseErrors run(const CaseFiles& files, const ExecContext& ctx);
    const std::string& description() const { return description_; } ///< method and backend

private:
    /// Notes where the device fails.
    RegistrationResult find(const RegistrationImages& images, std::vector<std::string>& notes,
                            const ExecContext& ctx);
    /// The lungs of an image; notes how large those are that it finds.
    static Volume lungsOf(const RegisterImage& image, const std::string& mask,
                          std::vector<std::string>& notes, const ExecContext& ctx);

    const MotionMethod& method_;
    ParamSet parameters_;
    DevicePolicy device_;
    bool autotuned_, everywhere_;
    bool beganOnDevice_ = false; ///< description_ says so
    std::string description_;
};

} // namespace systole
