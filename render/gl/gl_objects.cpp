#include "render/gl/gl_objects.h"

#include "render/base/error.h"
#include "render/gl/shaders.h"

#include <fmt/format.h>
#include <vtk_glew.h>

#include <algorithm>
#include <vector>

namespace systole {
namespace gl {

void deleteBuffer(unsigned id) { glDeleteBuffers(1, &id); }
void deleteTexture(unsigned id) { glDeleteTextures(1, &id); }
void deleteVertexArray(unsigned id) { glDeleteVertexArrays(1, &id); }
void deleteProgram(unsigned id) { glDeleteProgram(id); }
void deleteFramebuffer(unsigned id) { glDeleteFramebuffers(1, &id); }

} // namespace gl

namespace {

GLuint compileShader(GLenum stage, const std::string& name) {
    const GLuint shader = glCreateShader(stage);
    const char* source = shaderSource(name);
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled)
        return shader;
    char log[2048] = {};
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    glDeleteShader(shader);
    throw RenderError("the OpenGL driver refused the shader " + name + ": " + log);
}

/// Smooth where it is made smaller, its edges clamped.
GlTexture makeTexture(GLenum kind, GLint magnified) {
    GLuint id = 0;
    glCreateTextures(kind, 1, &id);
    GlTexture texture(id);
    glTextureParameteri(id, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(id, GL_TEXTURE_MAG_FILTER, magnified);
    for (const GLenum axis : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
        glTextureParameteri(id, axis, GL_CLAMP_TO_EDGE);
    return texture;
}

GlTexture makeFlatTexture(int width, int height, GLint magnified) {
    GlTexture texture = makeTexture(GL_TEXTURE_2D, magnified);
    glTextureStorage2D(texture.id(), 1, GL_RGBA8, width, height);
    return texture;
}

GLint locationOf(const GlProgram& program, const char* name) {
    return glGetUniformLocation(program.id(), name);
}

} // namespace

GlTexture makeScalarTexture(Size3 size, bool halfFloat) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_3D_TEXTURE_SIZE, &limit);
    const auto sizeText = [&] { return fmt::format("{}×{}×{}", size.x, size.y, size.z); };
    if (std::max({size.x, size.y, size.z}) > limit)
        throw RenderError(
            fmt::format("a frame of {} voxels can't be shown: OpenGL here takes at most "
                        "{} along an axis",
                        sizeText(), limit));
    glGetError(); // discards earlier errors, which this texture didn't cause
    GlTexture texture = makeTexture(GL_TEXTURE_3D, GL_LINEAR);
    glTextureStorage3D(texture.id(), 1, halfFloat ? GL_R16F : GL_R32F, size.x, size.y, size.z);
    if (glGetError() == GL_OUT_OF_MEMORY)
        throw RenderError("OpenGL has no memory for a frame of " + sizeText() + " voxels");
    return texture;
}

GlTexture makePictureTexture(int width, int height, const void* pixels) {
    GlTexture texture = makeFlatTexture(width, height, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glTextureSubImage2D(texture.id(), 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    return texture;
}

GlTexture makeColorMapTexture(ColorMap map) {
    const std::vector<Color> table = colorTable(map);
    const int width = static_cast<int>(table.size());
    GlTexture texture = makeFlatTexture(width, 1, GL_LINEAR);
    glTextureSubImage2D(texture.id(), 0, 0, 0, width, 1, GL_RGB, GL_FLOAT, table.data());
    return texture;
}

GlBuffer makeBuffer(std::size_t bytes, const void* data) {
    GLuint id = 0;
    glCreateBuffers(1, &id);
    GlBuffer buffer(id);
    glNamedBufferStorage(id, static_cast<GLsizeiptr>(bytes), data, GL_DYNAMIC_STORAGE_BIT);
    return buffer;
}

GlVertexArray makeVertexArray() {
    GLuint id = 0;
    glCreateVertexArrays(1, &id);
    return GlVertexArray(id);
}

void addAttribute(const GlVertexArray& array, unsigned location, unsigned binding, int components,
                  std::size_t offset) {
    glEnableVertexArrayAttrib(array.id(), location);
    glVertexArrayAttribFormat(array.id(), location, components, GL_FLOAT, GL_FALSE,
                              static_cast<GLuint>(offset));
    glVertexArrayAttribBinding(array.id(), location, binding);
}

GlProgram makeProgram(const std::string& vertexShader, const std::string& fragmentShader,
                      const std::string& geometryShader) {
    GlProgram program(glCreateProgram());
    const auto attach = [&](GLenum stage, const std::string& name) {
        const GLuint shader = compileShader(stage, name);
        glAttachShader(program.id(), shader);
        glDeleteShader(shader); // kept by the program
    };
    attach(GL_VERTEX_SHADER, vertexShader);
    attach(GL_FRAGMENT_SHADER, fragmentShader);
    if (!geometryShader.empty())
        attach(GL_GEOMETRY_SHADER, geometryShader);
    glLinkProgram(program.id());
    GLint linked = 0;
    glGetProgramiv(program.id(), GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[2048] = {};
        glGetProgramInfoLog(program.id(), sizeof log, nullptr, log);
        throw RenderError("the OpenGL driver could not link " + vertexShader + " and " +
                          fragmentShader +
                          (geometryShader.empty() ? "" : " and " + geometryShader) + ": " + log);
    }
    return program;
}

void setUniform(const GlProgram& program, const char* name, int value) {
    glProgramUniform1i(program.id(), locationOf(program, name), value);
}

void setUniform(const GlProgram& program, const char* name, float value) {
    glProgramUniform1f(program.id(), locationOf(program, name), value);
}

void setUniform(const GlProgram& program, const char* name, float x, float y) {
    glProgramUniform2f(program.id(), locationOf(program, name), x, y);
}

void setUniform(const GlProgram& program, const char* name, Vec3 value) {
    glProgramUniform3f(program.id(), locationOf(program, name), static_cast<float>(value.x),
                       static_cast<float>(value.y), static_cast<float>(value.z));
}

void setUniform(const GlProgram& program, const char* name, const std::array<float, 4>& value) {
    glProgramUniform4fv(program.id(), locationOf(program, name), 1, value.data());
}

void setUniform(const GlProgram& program, const char* name,
                const std::array<float, 16>& columnMajorMatrix) {
    glProgramUniformMatrix4fv(program.id(), locationOf(program, name), 1, GL_FALSE,
                              columnMajorMatrix.data());
}

} // namespace systole
