// A framebuffer of the program's own, for pictures that no screen shows.
#pragma once

#include "render/gl/gl_objects.h"
#include "render/image.h"

namespace systole {

/// Colour alone, 8 bits a channel. Context current for all of it.
class OffscreenFramebuffer {
public:
    OffscreenFramebuffer(int width, int height);

    unsigned id() const { return framebuffer_.id(); }
    void bind() const; ///< what is drawn from now on goes there
    /// Waits until everything that was drawn so far is there.
    void finish() const;
    /// What was drawn, opaque, the top row first.
    RgbaImage read() const;

private:
    int width_, height_;
    GlTexture color_;
    GlFramebuffer framebuffer_;
};

} // namespace systole
