// The shown motion field as a file, in the form that `systole motion` writes.
#pragma once

#include "app/session/session.h"

#include <string>
#include <vector>

namespace systole {

/// Why the shown motion can't be saved now; empty when it can.
std::string whyNoMotionFile(const Session& session);

/// "IMAGE_motion_0003_to_0004.mha": image, fixed and moving frame of the shown motion.
std::string motionFileName(const Session& session);

/// Displacements in LPS mm from the fixed to the moving frame: .mha as ITK's vector image, .nii.gz
/// with intent 1007. A field that lies on the device `device` alone is copied to the host first.
/// May run on any thread; replaces a file of that name, written under a temporary name first.
/// Throws FileError: another ending, one of `inputs`, or a file that can't be written; ComputeError
/// where the device fails.
void writeMotionFile(const std::string& path, const FrameResult& motion, int device,
                     const std::vector<std::string>& inputs);

} // namespace systole
