#include "render/gl/offscreen.h"

#include <vtk_glew.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace systole {

OffscreenFramebuffer::OffscreenFramebuffer(int width, int height) : width_(width), height_(height) {
    GLuint names[2] = {};
    glCreateTextures(GL_TEXTURE_2D, 1, &names[0]);
    color_ = GlTexture(names[0]);
    glTextureStorage2D(color_.id(), 1, GL_RGBA8, width, height);
    glCreateFramebuffers(1, &names[1]);
    framebuffer_ = GlFramebuffer(names[1]);
    glNamedFramebufferTexture(framebuffer_.id(), GL_COLOR_ATTACHMENT0, color_.id(), 0);
}

void OffscreenFramebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id()); }

void OffscreenFramebuffer::finish() const { glFinish(); }

RgbaImage OffscreenFramebuffer::read() const {
    const std::size_t row = 4 * static_cast<std::size_t>(width_);
    const std::size_t rows = static_cast<std::size_t>(height_);
    std::vector<std::uint8_t> upwards(row * rows);
    glGetTextureImage(color_.id(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      static_cast<GLsizei>(upwards.size()), upwards.data());
    RgbaImage image;
    image.width = width_;
    image.height = height_;
    image.pixels.resize(upwards.size());
    for (std::size_t y = 0; y < rows; ++y)
        std::copy_n(upwards.data() + (rows - 1 - y) * row, row, image.pixels.data() + y * row);
    for (std::size_t i = 3; i < image.pixels.size(); i += 4)
        image.pixels[i] = 255;
    return image;
}

} // namespace systole
