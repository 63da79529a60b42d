// The time that OpenGL spent on an interval of commands, reported later and without waiting.
#pragma once

#include "render/gl/gl_objects.h"

#include <array>

namespace systole {

namespace gl {
void deleteQuery(unsigned id);
} // namespace gl

class GlTimer {
public:
    /// Needs the context current.
    void begin();
    void end();
    /// Time of the last interval whose end OpenGL has reported; 0 before the first. Needs the
    /// context current.
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
