// NRRD and MetaImage files of 4 × 3 × 2 voxels with given header lines.
#pragma once

#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

namespace systole::test {

class TextHeaderTest : public ::testing::Test {
protected:
    std::string file(const std::string& name) const { return folder_ / name; }
    /// The lines, each with its end, and the counting voxels behind them.
    template <typename T = std::int16_t>
    std::string nrrd(const std::string& lines, std::size_t numbers = 24,
                     const std::string& name = "a.nrrd") const {
        Bytes bytes;
        append(bytes, "NRRD0005\nendian: little\nencoding: raw\n" + lines + "\n");
        append(bytes, counting<T>(numbers));
        writeBytes(file(name), bytes);
        return file(name);
    }
    /// A volume of int16.
    std::string volume(const std::string& lines) const {
        return nrrd("type: short\ndimension: 3\nsizes: 4 3 2\n" + lines);
    }
    /// Frames of int16 along the fourth axis.
    std::string frames(int count, const std::string& lines) const {
        return nrrd("type: short\ndimension: 4\nsizes: 4 3 2 " + std::to_string(count) + "\n" +
                        lines,
                    24 * static_cast<std::size_t>(count));
    }
    std::string meta(const std::string& lines, std::size_t numbers = 24,
                     const std::string& name = "a.mha") const {
        Bytes bytes;
        append(bytes, "ObjectType = Image\n" + lines + "ElementType = MET_SHORT\n" +
                          "ElementDataFile = LOCAL\n");
        append(bytes, counting<std::int16_t>(numbers));
        writeBytes(file(name), bytes);
        return file(name);
    }
    void raw(const std::string& name, std::size_t count, int first) const {
        Bytes bytes;
        append(bytes, counting<std::int16_t>(count, first));
        fs::create_directories(fs::path(file(name)).parent_path());
        writeBytes(file(name), bytes);
    }
    static std::string refusal(const std::string& path) {
        return refusalSentence(path, [](const auto& file) { openSequence({file}); });
    }
    static void expectPlace(const std::string& path, Vec3 origin, Vec3 spacing,
                            Vec3 signs = {1, 1, 1}) {
        const Geometry grid = openSequence({path}).geometry;
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(grid.origin()[axis], origin[axis], 1e-9) << path << " axis " << axis;
            EXPECT_NEAR(grid.spacing()[axis], spacing[axis], 1e-9) << path << " axis " << axis;
            const auto i = static_cast<std::size_t>(axis);
            EXPECT_NEAR(grid.direction()[i][i], signs[axis], 1e-9) << path << " axis " << axis;
        }
    }

    TemporaryFolder folder_;
};

} // namespace systole::test
