// Two frames of a heart of the family of phantoms, for whole runs of a method.
#pragma once

#include "io/phantom/family.h"
#include "tests/support/compute_support.h"

#include <string>

namespace systole::test {

/// Frames 0 and 1 on the host, 40 voxels along the longest side.
struct FamilyPair {
    FamilyPair(const std::string& look, std::uint64_t seed, const ExecContext& ctx)
        : phantom(familyMember(look, 40, seed))
        , fixed(phantom.geometry().size(), nothing)
        , moving(phantom.geometry().size(), nothing) {
        phantom.image(0, fixed.view(), ctx);
        phantom.image(1, moving.view(), ctx);
    }
    Size3 size() const { return phantom.geometry().size(); }
    MotionInput input() {
        MotionInput in;
        in.fixed = fixed.view();
        in.moving = moving.view();
        in.spacing = phantom.geometry().spacing();
        return in;
    }

    Phantom phantom;
    TestVolume fixed, moving;

private:
    static double nothing(double, double, double) { return 0; }
};

} // namespace systole::test
