#include "compute/methods/clg/solver/energy_rows.h"

#include "compute/methods/clg/solver/rows.h"
#include "compute/ops/over_voxels.h"

namespace systole {

double clgEnergyOfRows(const ClgSystem& system, FieldView<const float> t, const ExecContext& ctx) {
    const Size3 size = t.size;
    return sumOverRows(size, ctx, [&](int y, int z) {
        rows::EnergyRow row{};
        row.weightX = system.smoothness[0];
        row.weightY = system.smoothness[1];
        row.weightZ = system.smoothness[2];
        for (std::size_t k = 0; k < 9; ++k)
            row.system[k] = system.coefficient[k].row(y, z);
        for (int k = 0; k < 3; ++k) {
            const VolumeView<const float> c = t.componentView(k);
            row.field[k] = c.row(y, z);
            row.nextY[k] = y + 1 < size.y ? c.row(y + 1, z) : nullptr;
            row.nextZ[k] = z + 1 < size.z ? c.row(y, z + 1) : nullptr;
        }
        return rows::energy(row, size.x);
    });
}

} // namespace systole
