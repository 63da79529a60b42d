// Displacement fields as ITK, ANTs, greedy and we write them.
#include "io/image_reader.h"
#include "io/text.h"
#include "io/writer.h"

#include <fmt/format.h>

#include <vector>

namespace systole {

MillimeterField readField(const std::string& path, BufferPool& pool) {
    StoredImage image = readStoredImage(path, OpenOptions{});
    if (image.components != 3)
        throw fileError(path,
                        fmt::format("is not a displacement field: three numbers per voxel are "
                                    "expected, it holds {} in {} frames",
                                    image.components, image.frames));
    const std::size_t voxels = image.geometry.voxels();
    MillimeterField field{image.geometry, pool.acquire<float>(3 * voxels, "field in mm")};
    float* vectors = field.vectors.data();
    const bool ras = image.componentsAreRas;
    SampleReader reader(std::move(image));
    std::vector<float> component(voxels);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        reader.read(static_cast<int>(axis), {component.data(), field.geometry.size()});
        const float sign = ras && axis < 2 ? -1.0F : 1.0F;
        for (std::size_t i = 0; i < voxels; ++i)
            vectors[3 * i + axis] = sign * component[i];
    }
    return field;
}

} // namespace systole
