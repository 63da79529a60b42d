// How long OpenGL worked on a stretch of commands, learnt later and without waiting.
#pragma once

#include "render/gl/gl_objects.h"

#include <array>

namespace systole {

namespace gl {
void deleteQuery(unsigned id);
} // namespace gl

class GlTimer {
public:
    /// Context current.
    void begin();
    void end();
    /// Of the last stretch whose end OpenGL has reported; 0 before the first. Context current.
    double lastSeconds();
    void release() { queries_ = {}; }

private:
    struct Query {
        GlName<gl::deleteQuery> name;
        bool pending = false;
    };
    std::array<Query, 4> queries_;
    std::size_t current_ = 0;
    bool running_ = false;
    double lastSeconds_ = 0;
};

} // namespace systole
