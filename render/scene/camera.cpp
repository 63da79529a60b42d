// Where the views look from, to be kept and restored.
#include "render/scene/impl.h"

namespace systole {

SceneCamera Scene::camera() const {
    const View3D::Pose pose = impl_->view3D.pose();
    SceneCamera camera{pose.eye, pose.focus, pose.up, {}};
    for (std::size_t i = 0; i < camera.slices.size(); ++i)
        camera.slices[i] = impl_->views[0].slices[i].lens();
    return camera;
}

void Scene::setCamera(const SceneCamera& camera) {
    Impl& m = *impl_;
    m.view3D.setPose({camera.eye, camera.focus, camera.up});
    for (std::size_t i = 0; i < camera.slices.size(); ++i)
        m.views[0].slices[i].setLens(camera.slices[i]); // linked to those of the other sides
    m.dirty = true;
}

} // namespace systole
