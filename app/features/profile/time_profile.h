// Gray values along a straight line in every frame: what echocardiography calls an M-mode picture.
#pragma once

#include "compute/core/volume.h"
#include "render/base/image.h"
#include "render/display_options.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace systole {

class TimeProfile {
public:
    using Line = std::array<Vec3, 2>; ///< LPS mm

    /// Values twice a `spacing` (mm), from one end of the line to the other.
    TimeProfile(const Line& line, int frames, double spacing);

    const Line& line() const { return line_; }
    int frames() const { return static_cast<int>(columns_.size()); }
    int places() const { return places_; }
    double placeMillimeters(int place) const; ///< distance from the line's first end, mm
    /// The first frame that was neither sampled nor left out; none: it is complete.
    std::optional<int> missing() const;
    void sample(int frame, const Volume& volume); ///< trilinear; NaN outside the volume
    void leaveOut(int frame);                     ///< it can't be read
    /// The values of a frame; empty: it has none yet, or was left out.
    const std::vector<float>& column(int frame) const;

    /// A column a frame, the line's first end at the top; black what isn't known.
    RgbaImage picture(const WindowLevel& window) const;
    /// Tab-separated: a row a place, a column a frame.
    std::string table() const;

private:
    Line line_;
    int places_;
    std::vector<std::optional<std::vector<float>>> columns_;
};

} // namespace systole
