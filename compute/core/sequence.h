// Description of a 4D image: geometry, frame times, and the source that decodes frames. Holds no
// pixels.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace systole {

/// Decodes frames on demand. One caller at a time. Throws io's FileError.
class FrameSource {
public:
    virtual ~FrameSource() = default;
    /// Fills `voxels` (the sequence's size) with frame `index` in the file's real units (rescale
    /// slope and intercept applied). All are finite: where the file holds NaN or infinity, they are
    /// refused or, if the user of the file accepts that, the frame's smallest number.
    virtual void read(int index, VolumeView<float> voxels) = 0;
    /// Mask of the frame read last: 0 for voxels that hold no number in the file; empty: all hold
    /// one.
    virtual std::span<const std::uint8_t> known() const { return {}; }
};

struct Sequence {
    Geometry geometry;
    int frames = 0;
    /// Seconds of each frame after the first, ascending, perhaps irregular; empty when unknown.
    std::vector<double> timesSeconds;
    /// Seconds from the last frame to the first of the next cycle; 0 when unknown.
    double closingSeconds = 0;
    std::string name; ///< the file's name without folders
    /// Part of the file that was opened, such as "series 8 'cine SA'"; empty: all of it.
    std::string part;
    std::string format;    ///< "NIfTI-1", "NRRD sequence", ...
    std::string modality;  ///< "MR", "CT", "US" as the file says; empty when it doesn't
    std::string voxelType; ///< stored type: "uint8", "int16", "float32", ...
    std::string frameOfReference = "LPS mm";
    std::vector<std::string> notes; ///< one line each: what a user should know about this file
    std::shared_ptr<FrameSource> source;

    /// Name and part.
    std::string title() const { return part.empty() ? name : name + ", " + part; }
    bool timeKnown() const { return !timesSeconds.empty(); }
    double timeOf(int frame) const;
    /// Seconds from a frame to the next; 0.04 (25 frames per second) when time is unknown.
    double secondsToNext(int frame) const;
    /// Duration of a cycle in seconds by the same rule.
    double cycleSeconds() const;
};

/// Frame `index` with its time and where its voxels are known. `name`: purpose of its memory.
Volume decodeFrame(const Sequence& sequence, int index, BufferPool& pool, const std::string& name);

} // namespace systole
