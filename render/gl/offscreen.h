// The program's own framebuffer, for pictures that no screen shows.
#pragma once

#include "render/base/image.h"
#include "render/gl/gl_objects.h"

namespace systole {

/// A framebuffer with color only, 8 bits per channel. All functions need the context current.
class OffscreenFramebuffer {
public:
    OffscreenFramebuffer(int width, int height);

    unsigned id() const { return framebuffer_.id(); }
    void bind() const; ///< makes it the target of subsequent drawing
    /// Waits until all drawing so far has finished.
    void finish() const;
    /// Returns the drawn picture, opaque, top row first.
    RgbaImage read() const;

private:
    int width_, height_;
    GlTexture color_;
    GlFramebuffer framebuffer_;
};

} // namespace systole
