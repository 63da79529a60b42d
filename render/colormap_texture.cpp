#include "render/colormap_texture.h"

#include <vtk_glew.h>

#include <vector>

namespace systole {

GlTexture makeColorMapTexture(ColorMap map) {
    const std::vector<Color> table = colorTable(map);
    const GLsizei width = static_cast<GLsizei>(table.size());
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &id);
    GlTexture texture(id);
    glTextureStorage2D(id, 1, GL_RGBA8, width, 1);
    glTextureSubImage2D(id, 0, 0, 0, width, 1, GL_RGB, GL_FLOAT, table.data());
    glTextureParameteri(id, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(id, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

} // namespace systole
