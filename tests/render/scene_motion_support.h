// Helpers for tests of arrows, map and legend.
#pragma once

#include "tests/render/render_support.h"

#include <algorithm>
#include <memory>

namespace systole {

class SceneMotion : public SceneTest {
protected:
    void SetUp() override {
        SceneTest::SetUp();
        if (!scene_)
            return;
        scene_->resize(900, 320, 1);
        frame_ = volume(obliqueGeometry({32, 40, 28}), [](Vec3) { return 60.0f; });
        show(frame_);
        change([](DisplayOptions& display) {
            display.layout = Layout::ThreeSlices;
            display.crosshair = display.annotations = false;
        });
    }
    void move(Vec3 millimeters) {
        scene_->setResult(uniformMotion(frame_, millimeters, resources_.pool()));
    }
    struct Box {
        int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
    };
    Box changedBox(const RgbaImage& a, const RgbaImage& b, int fromX, int toX) {
        Box box;
        for (int y = 0; y < a.height; ++y)
            for (int x = fromX; x < toX; ++x) {
                int difference = 0;
                for (int channel = 0; channel < 3; ++channel)
                    difference += std::abs(a.at(x, y)[channel] - b.at(x, y)[channel]);
                if (difference < 60)
                    continue;
                box.left = std::min(box.left, x);
                box.right = std::max(box.right, x);
                box.top = std::min(box.top, y);
                box.bottom = std::max(box.bottom, y);
            }
        return box;
    }
    std::shared_ptr<Volume> frame_;
};

} // namespace systole
