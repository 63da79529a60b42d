#include "compute/methods/clg/gray_map.h"

#include <cmath>
#include <mutex>

namespace systole {
using namespace clg;

void mapGrayValues(VolumeView<const float> fixed, VolumeView<const float> inside,
                   VolumeView<float> warped, VolumeView<float> mappedFixed, GrayMap& map,
                   const ExecContext& ctx) {
    const Size3 size = fixed.size;
    map.sums = {};
    std::mutex adding;
    parallelFor(ctx, size.z, 4, [&](int begin, int end) {
        GraySums own{};
        for (std::size_t i = fixed.offset(0, 0, begin); i < fixed.offset(0, 0, end); ++i) {
            if (inside.data[i] < minInside)
                continue;
            const GrayShare share(fixed.data[i], warped.data[i]);
            for (int k = 0; k < GrayShare::count; ++k)
                own.of[share.index[k]] += share.value[k];
        }
        const std::lock_guard lock(adding);
        for (int k = 0; k < GraySums::values; ++k)
            map.sums.of[k] += own.of[k];
    });
    map.chooseCurve([](double value) { return std::sqrt(value); });
    parallelFor(ctx, size.z, 4, [&](int begin, int end) {
        for (std::size_t i = fixed.offset(0, 0, begin); i < fixed.offset(0, 0, end); ++i) {
            const GrayPair pair = map.of(fixed.data[i], warped.data[i]);
            mappedFixed.data[i] = pair.fixed;
            warped.data[i] = pair.warped;
        }
    });
}

} // namespace systole
