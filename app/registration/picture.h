// What the views show of a registration: each kind is a volume on the fixed image's grid, so that
// slices and volume rendering draw it as they draw a frame.
#pragma once

#include "app/registration/registration_run.h"
#include "compute/core/frame_result.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

enum class RegistrationView {
    Fixed,
    Warped,       ///< the moving image pulled back onto the fixed one
    Difference,   ///< fixed − warped; no difference is the middle of the gray range
    Checkerboard, ///< cubes of both in turn
    Flicker,      ///< one after the other
    Grid,         ///< the warped image with planes of a regular grid that moved with it
    Jacobian      ///< determinant of the map; 1 is the middle of the gray range, 0 and 2 its ends
};
inline constexpr RegistrationView registrationViews[] = {
    RegistrationView::Fixed,        RegistrationView::Warped,  RegistrationView::Difference,
    RegistrationView::Checkerboard, RegistrationView::Flicker, RegistrationView::Grid,
    RegistrationView::Jacobian};
const char* name(RegistrationView view); ///< "fixed", "warped", ...

/// What the views of one iteration are made of.
struct RegisteredImages {
    std::shared_ptr<const Volume> fixed, warped;
    std::shared_ptr<const VectorField> field; ///< null before the first iteration
    IntensityScale scale;
};

/// Never Flicker, which is Fixed and Warped in turn.
std::shared_ptr<const Volume> draw(RegistrationView view, const RegisteredImages& images,
                                   const ExecContext& ctx);

/// A finished picture.
struct RegistrationPicture {
    int number = 0; ///< of the iteration; 0: before the first one
    std::shared_ptr<const Volume> volume;
    std::shared_ptr<const FrameResult> motion; ///< for arrows and map; null before the first one
    /// Of the gray values of fixed and warped image; 0 if one is constant.
    double correlation = 0;
    double smallestJacobian = 1, foldedPercent = 0;
    double longest = 0; ///< 99th percentile of |displacement|, mm; 0 before the first iteration
};

/// Makes pictures on its own thread: the newest wanted one wins.
class RegistrationPainter {
public:
    struct Wanted {
        std::uint64_t run = 0;
        RegistrationImages images;
        IntensityScale scale;
        std::shared_ptr<const RegistrationIterate> iterate; ///< null: before the first one
        RegistrationView view = RegistrationView::Warped;   ///< not Flicker
        bool operator==(const Wanted& other) const {
            return run == other.run && images.fixed == other.images.fixed &&
                   images.moving == other.images.moving && iterate == other.iterate &&
                   view == other.view;
        }
    };

    /// `notify` is called on the painter's thread after each picture; it must not block.
    RegistrationPainter(int threads, std::function<void()> notify);
    ~RegistrationPainter(); ///< cancels and joins

    /// Returns the newest finished picture of this run and view, or null, and requests this one
    /// unless it is that. Never waits.
    std::shared_ptr<const RegistrationPicture> find(const Wanted& wanted);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
