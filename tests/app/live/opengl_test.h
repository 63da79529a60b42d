// A test that draws without a display; skipped where there is no OpenGL.
#pragma once

#include "render/base/error.h"
#include "render/gl/headless_egl.h"

#include <gtest/gtest.h>

namespace systole::testing {

class OpenGlTest : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            const HeadlessEgl egl;
        } catch (const RenderError& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

} // namespace systole::testing
