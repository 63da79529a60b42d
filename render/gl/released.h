// Releases a scene's OpenGL objects before their context, however the command ends.
#pragma once

#include "render/scene.h"

namespace systole {

class ReleasedScene {
public:
    explicit ReleasedScene(Scene& scene) : scene_(scene) {}
    ~ReleasedScene() { scene_.release(); }
    ReleasedScene(const ReleasedScene&) = delete;
    ReleasedScene& operator=(const ReleasedScene&) = delete;

private:
    Scene& scene_;
};

} // namespace systole
