// `systole snapshot` from outside.
#pragma once

#include "tests/app/live/opengl_test.h"
#include "tests/support/ball_sequence.h"
#include "tests/support/program.h"

#include <QImage>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace systole::testing {

class SnapshotCommandTest : public OpenGlTest {
protected:
    void SetUp() override {
        OpenGlTest::SetUp();
        path_ = writeBall(folder_, "ball.nii.gz", 24, 6);
    }

    QImage picture(std::vector<std::string> options) {
        const std::string png = folder_ / "picture.png";
        options.insert(options.begin(),
                       {"snapshot", path_, "-o", png, "--overwrite", "--no-caption"});
        const Outcome outcome = run(options);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
        return QImage(QString::fromStdString(png));
    }
    void expectUsageError(std::vector<std::string> options, const std::string& mentioned) {
        options.insert(options.begin(), {"snapshot", path_, "-o", folder_ / "none.png"});
        expectRefused(run(options), mentioned, 2);
        EXPECT_FALSE(std::filesystem::exists(folder_ / "none.png"));
    }

    TemporaryFolder folder_;
    std::string path_;
};

} // namespace systole::testing
