// Helpers for tests of files of points and of tracks.
#pragma once

#include "io/landmarks/landmark_file.h"
#include "tests/io/io_support.h"
#include "tests/io/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace systole {

using test::TemporaryFolder;
using test::writeBytes;

inline const Geometry grid({40, 50, 30}, {0.9, 1.1, 2.5}, {-12, 7, 300},
                           {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});

inline void expectAt(Vec3 found, Vec3 expected, double tolerance = 0) {
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found[axis], expected[axis], tolerance) << "axis " << axis;
}

inline LandmarkSet awkwardPoints() {
    return {3,
            {{"carina", {0.1, -23.456789012345678, 1e-3}},
             {"", {12, 13.5, -700.25}},
             {"vessel, \"left\" #2", {1.0 / 3, 2.0 / 7, 299}},
             {"# not a comment", {5, 6, 7}},
             {"Ärmel", {-5, -6, -7}}}};
}

class LandmarkFiles : public ::testing::Test {
protected:
    std::string file(const std::string& name, const std::string& content) {
        writeBytes(folder / name, content);
        return folder / name;
    }
    /// The sentence with which a file is refused, one line that begins with its name.
    std::string refusal(const std::string& name, const std::string& content,
                        const LandmarkReadOptions& options = {}) {
        return test::refusalSentence(
            file(name, content), [&](const std::string& path) { readLandmarks(path, options); });
    }

    TemporaryFolder folder;
};

} // namespace systole
