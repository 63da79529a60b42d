// State that decides the pixels of a picture in addition to its content: size, cameras, scale,
// notes.
#include "render/scene/impl.h"

namespace systole {

SceneSize Scene::size() const { return {impl_->width, impl_->height, impl_->state.pixelRatio}; }

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

void Scene::holdScale(const DisplayScale& scale) {
    impl_->heldScale = scale;
    impl_->followScale();
    impl_->dirty = true;
}

void Scene::setMotionRange(double motionRange) {
    Impl& m = *impl_;
    if (!m.state.geometry)
        return;
    if (m.change(m.automaticScale, automaticScale(motionRange, *m.state.geometry)))
        m.followScale();
}

void Scene::setMotionNotes(const MotionNotes& notes) { impl_->change(impl_->notes, notes); }

const SideBySide& Scene::sideBySide() const { return impl_->sides; }

const MotionNotes& Scene::motionNotes() const { return impl_->notes; }

} // namespace systole
