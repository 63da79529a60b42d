#include "render/volume_layer.h"

#include "render/base/error.h"

#include <vtkColorTransferFunction.h>
#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPlane.h>
#include <vtkRenderer.h>
#include <vtkTextureObject.h>
#include <vtkVolume.h>
#include <vtkVolumeInputHelper.h>
#include <vtkVolumeProperty.h>
#include <vtkVolumeTexture.h>
#include <vtk_glew.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace systole {
namespace {

/// VTK's mapper casts several pixels per ray into its own small framebuffer while the renderer's
/// scissor, the view's area of the window, stays active: a view that isn't in the lower left corner
/// would lose its volume.
class UnclippedRayCastMapper : public vtkOpenGLGPUVolumeRayCastMapper {
public:
    static UnclippedRayCastMapper* New();
    vtkTypeMacro(UnclippedRayCastMapper, vtkOpenGLGPUVolumeRayCastMapper)

protected:
    void GPURender(vtkRenderer* renderer, vtkVolume* volume) override {
        vtkOpenGLState* state =
            static_cast<vtkOpenGLRenderWindow*>(renderer->GetRenderWindow())->GetState();
        const vtkOpenGLState::ScopedglEnableDisable restored(state, GL_SCISSOR_TEST);
        state->vtkglDisable(GL_SCISSOR_TEST);
        vtkOpenGLGPUVolumeRayCastMapper::GPURender(renderer, volume);
    }
};
vtkStandardNewMacro(UnclippedRayCastMapper)

} // namespace

struct VolumeLayer::Impl {
    // The mapper needs an image. It gets one of the right shape with one byte per voxel, uploads it
    // once, and then its texture object is pointed at our texture instead. From then on nothing may
    // mark the image as modified, or the mapper would upload it again.
    vtkNew<vtkImageData> placeholder;
    vtkNew<UnclippedRayCastMapper> mapper;
    vtkNew<vtkVolumeProperty> property;
    vtkNew<vtkColorTransferFunction> color;
    vtkNew<vtkPiecewiseFunction> opacity;
    vtkNew<vtkVolume> volume;
    std::array<vtkNew<vtkPlane>, 6> faces; ///< faces of the kept box: low and high of each axis
    std::array<bool, 6> cutting{};         ///< faces that cut something off
    double smallestSpacing = 1;
    float range[2] = {0, 1}; ///< gray values at the ends of the lookup tables
    bool rangeChanged = true;
    vtkTextureObject* adopted = nullptr; ///< the mapper's texture object once it refers to ours
    unsigned texture = 0;
};

VolumeLayer::VolumeLayer(const Geometry& geometry) : impl_(std::make_unique<Impl>()) {
    Impl& m = *impl_;
    const Size3 size = geometry.size();
    const Vec3 spacing = geometry.spacing();
    m.smallestSpacing = systole::smallestSpacing(geometry);

    m.placeholder->SetDimensions(size.x, size.y, size.z);
    m.placeholder->SetSpacing(spacing.x, spacing.y, spacing.z);
    m.placeholder->AllocateScalars(VTK_UNSIGNED_CHAR, 1);
    auto* bytes = static_cast<unsigned char*>(m.placeholder->GetScalarPointer());
    std::memset(bytes, 0, geometry.voxels());
    bytes[0] = 255; // the mapper needs a range

    m.mapper->SetInputDataObject(m.placeholder);
    m.mapper->SetBlendModeToComposite();
    m.mapper->SetAutoAdjustSampleDistances(false);
    m.mapper->SetUseJittering(true);

    m.property->SetColor(m.color);
    m.property->SetScalarOpacity(m.opacity);
    m.property->SetInterpolationTypeToLinear();
    m.property->ShadeOn();
    m.volume->SetMapper(m.mapper);
    m.volume->SetProperty(m.property);

    // Direction and origin; the image has the spacing.
    vtkNew<vtkMatrix4x4> placement;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            placement->SetElement(row, column,
                                  geometry.direction()[static_cast<std::size_t>(row)]
                                                      [static_cast<std::size_t>(column)]);
        placement->SetElement(row, 3, geometry.origin()[row]);
    }
    m.volume->SetUserMatrix(placement);
    setSampling(1, m.smallestSpacing);
}

VolumeLayer::~VolumeLayer() = default;

vtkProp* VolumeLayer::prop() const { return impl_->volume; }

double VolumeLayer::smallestSpacing() const { return impl_->smallestSpacing; }

void VolumeLayer::setVisible(bool visible) { impl_->volume->SetVisibility(visible); }

void VolumeLayer::setTransfer(const VolumeTransfer& transfer, double opacityFactor) {
    Impl& m = *impl_;
    m.color->RemoveAllPoints();
    for (const auto& [value, color] : transfer.colors)
        m.color->AddRGBPoint(value, static_cast<double>(color.red),
                             static_cast<double>(color.green), static_cast<double>(color.blue));
    m.opacity->RemoveAllPoints();
    for (const auto& [value, opacity] : transfer.opacities)
        m.opacity->AddPoint(value, std::clamp(opacity * opacityFactor, 0.0, 1.0));
    m.property->SetScalarOpacityUnitDistance(transfer.unitMillimeters);
    m.property->SetAmbient(transfer.ambient);
    m.property->SetDiffuse(transfer.diffuse);
    m.property->SetSpecular(transfer.specular);
    m.property->SetSpecularPower(transfer.specularPower);
    m.range[0] = static_cast<float>(transfer.lowest());
    m.range[1] = static_cast<float>(transfer.highest());
    m.rangeChanged = true;
}

void VolumeLayer::setSampling(double pixelsPerRay, double millimetersPerSample) {
    impl_->mapper->SetImageSampleDistance(static_cast<float>(pixelsPerRay));
    impl_->mapper->SetSampleDistance(static_cast<float>(millimetersPerSample));
}

void VolumeLayer::setKept(const PhysicalBox& whole, const PhysicalBox& kept) {
    Impl& m = *impl_;
    std::array<bool, 6> cutting{};
    for (int axis = 0; axis < 3; ++axis) {
        const auto low = static_cast<std::size_t>(2 * axis), high = low + 1;
        Vec3 inwards;
        inwards[axis] = 1;
        m.faces[low]->SetOrigin(kept.low.x, kept.low.y, kept.low.z);
        m.faces[low]->SetNormal(inwards.x, inwards.y, inwards.z);
        m.faces[high]->SetOrigin(kept.high.x, kept.high.y, kept.high.z);
        m.faces[high]->SetNormal(-inwards.x, -inwards.y, -inwards.z);
        cutting[low] = kept.low[axis] > whole.low[axis];
        cutting[high] = kept.high[axis] < whole.high[axis];
    }
    if (cutting == m.cutting)
        return;
    m.mapper->RemoveAllClippingPlanes();
    for (std::size_t face = 0; face < m.faces.size(); ++face)
        if (cutting[face])
            m.mapper->AddClippingPlane(m.faces[face]);
    m.cutting = cutting;
}

void VolumeLayer::show(unsigned texture, vtkRenderer* renderer) {
    Impl& m = *impl_;
    if (!m.adopted && !m.mapper->PreLoadData(renderer, m.volume))
        throw RenderError("the volume can't be shown: OpenGL took no texture of its size");
    const auto found = m.mapper->AssembledInputs.find(0);
    vtkVolumeTexture* volumeTexture =
        found == m.mapper->AssembledInputs.end() ? nullptr : found->second.Texture.GetPointer();
    if (!volumeTexture || !volumeTexture->GetCurrentBlock())
        throw RenderError("the volume can't be shown: VTK's ray caster has made no texture");
    vtkTextureObject* object = volumeTexture->GetCurrentBlock()->TextureObject;

    if (object != m.adopted) {
        object->ReleaseGraphicsResources(renderer->GetRenderWindow()); // the placeholder's texture
        m.adopted = object;
        m.texture = 0;
        m.rangeChanged = true;
    }
    if (m.texture != texture) {
        object->AssignToExistingTexture(texture, GL_TEXTURE_3D);
        m.texture = texture;
    }
    if (m.rangeChanged) {
        // Float textures hold the gray values themselves: scale and bias map them to the 0–1 range
        // of the tables.
        const float extent = m.range[1] - m.range[0];
        volumeTexture->ScalarRange[0][0] = m.range[0];
        volumeTexture->ScalarRange[0][1] = m.range[1];
        volumeTexture->Scale[0] = 1 / extent;
        volumeTexture->Bias[0] = -m.range[0] / extent;
        found->second.ForceTransferInit();
        m.rangeChanged = false;
    }
}

void VolumeLayer::release(vtkRenderer* renderer) {
    impl_->volume->ReleaseGraphicsResources(renderer->GetRenderWindow());
    impl_->adopted = nullptr;
    impl_->texture = 0;
}

} // namespace systole
