#include "app/features/laboratory/lab_picture.h"

#include "app/base/picture_file.h"
#include "app/features/laboratory/lab_plots.h"
#include "app/kit/page_picture.h"
#include "render/gl/headless_egl.h"
#include "render/gl/released.h"
#include "render/scene/scene.h"

namespace systole {

RgbaImage drawLaboratory(const lab::LabAnswer& answer, int width, int height, double pixelRatio) {
    return pagePicture(width, height, pixelRatio, [&] { drawLabPage(answer); });
}

void writeLaboratoryPicture(const lab::LabAnswer& answer, const std::string& path, int width,
                            int height) {
    HeadlessEgl egl;
    Scene scene; // loads the functions of OpenGL
    const Released released(scene);
    scene.initialize(egl.hooks());
    writePng(path, drawLaboratory(answer, width, height));
}

} // namespace systole
