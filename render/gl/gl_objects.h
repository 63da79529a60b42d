// Owners of OpenGL objects. Creating, using and destroying them needs the context current. Includes
// no OpenGL header: hosts of the scene have their own.
#pragma once

#include "compute/core/geometry.h"
#include "render/base/colormaps.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace systole {

/// An OpenGL name that is deleted with its owner.
template <void (*destroy)(unsigned)>
class GlName {
public:
    GlName() = default;
    explicit GlName(unsigned id) : id_(id) {}
    GlName(GlName&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    GlName(const GlName&) = delete;
    GlName& operator=(const GlName&) = delete;
    ~GlName() { reset(); }

    void reset() {
        if (id_)
            destroy(std::exchange(id_, 0));
    }
    unsigned id() const { return id_; }
    explicit operator bool() const { return id_ != 0; }

private:
    unsigned id_ = 0;
};

namespace gl {
void deleteBuffer(unsigned id);
void deleteTexture(unsigned id);
void deleteVertexArray(unsigned id);
void deleteProgram(unsigned id);
void deleteFramebuffer(unsigned id);
} // namespace gl

using GlBuffer = GlName<gl::deleteBuffer>;
using GlTexture = GlName<gl::deleteTexture>;
using GlVertexArray = GlName<gl::deleteVertexArray>;
using GlProgram = GlName<gl::deleteProgram>;
using GlFramebuffer = GlName<gl::deleteFramebuffer>;

/// A 3D texture with immutable storage, clamped edges and linear filter; half or single float, one
/// component.
GlTexture makeScalarTexture(Size3 size, bool halfFloat);
/// A 2D texture of 8 bits per channel, R G B A, rows from top to bottom; magnified without
/// interpolation, so that each pixel stays what it is.
GlTexture makePictureTexture(int width, int height, const void* pixels);
/// A color map as a texture of one row, for the shaders.
GlTexture makeColorMapTexture(ColorMap map);
GlBuffer makeBuffer(std::size_t bytes, const void* data);
GlVertexArray makeVertexArray();

/// Declares float attribute `location` of `components` floats at `offset` of the buffer at
/// `binding`.
void addAttribute(const GlVertexArray& array, unsigned location, unsigned binding, int components,
                  std::size_t offset);

/// Throws RenderError with the compiler's message. `geometryShader` empty: none.
GlProgram makeProgram(const std::string& vertexShader, const std::string& fragmentShader,
                      const std::string& geometryShader = {});

void setUniform(const GlProgram& program, const char* name, int value);
void setUniform(const GlProgram& program, const char* name, float value);
void setUniform(const GlProgram& program, const char* name, float x, float y);
void setUniform(const GlProgram& program, const char* name, Vec3 value);
void setUniform(const GlProgram& program, const char* name, const std::array<float, 4>& value);
void setUniform(const GlProgram& program, const char* name,
                const std::array<float, 16>& columnMajorMatrix);

} // namespace systole
