// A heart whose motion is measured on a device and on the CPU.
#pragma once

#include "compute/cardiac/measures.h"
#include "tests/compute/cardiac/cardiac_support.h"
#include "tests/support/gpu_support.h"

#include <cmath>
#include <optional>

namespace systole::cardiac {

/// Fixture of a heart whose cells aren't cubes.
class HeartOnDevice : public test::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped())
            return;
        PhantomOptions options;
        options.size = {48, 48, 40};
        const Phantom phantom(options);
        host = resources.context();
        ventricle.emplace(
            ventricleOf(testing::mapOf(phantom), testing::pointsOf(options.heart), host));
        fits.emplace(*ventricle, 3, host);
    }
    /// Bends and turns; some tissue leaves the grid.
    static Vec3 moved(Vec3 p, double amount) {
        return amount * Vec3{2 * std::sin(0.05 * p.y) - 0.04 * p.x,
                             0.03 * p.z + std::cos(0.06 * p.x), -0.06 * p.z + std::sin(0.07 * p.y)};
    }
    MillimeterField motion(double amount) {
        return testing::fieldOf(ventricle->wall.grid, resources.pool(),
                                [=](Vec3 p) { return moved(p, amount); });
    }

    ExecContext host;
    std::optional<Ventricle> ventricle;
    std::optional<VentricleFits> fits;
};

} // namespace systole::cardiac
