#include "render/gl/gl_timer.h"

#include <vtk_glew.h>

namespace systole {

void gl::deleteQuery(unsigned id) { glDeleteQueries(1, &id); }

void GlTimer::begin() {
    Query& query = queries_[current_];
    if (query.pending) // all queries are still pending: skip this interval
        return;
    if (!query.name) {
        GLuint id = 0;
        glCreateQueries(GL_TIME_ELAPSED, 1, &id);
        query.name = GlName<gl::deleteQuery>(id);
    }
    glBeginQuery(GL_TIME_ELAPSED, query.name.id());
    running_ = true;
}

void GlTimer::end() {
    if (!running_)
        return;
    glEndQuery(GL_TIME_ELAPSED);
    running_ = false;
    queries_[current_].pending = true;
    current_ = (current_ + 1) % queries_.size();
}

double GlTimer::lastSeconds() {
    for (std::size_t i = 0; i < queries_.size(); ++i) { // oldest first
        Query& query = queries_[(current_ + i) % queries_.size()];
        if (!query.pending)
            continue;
        GLint available = 0;
        glGetQueryObjectiv(query.name.id(), GL_QUERY_RESULT_AVAILABLE, &available);
        if (!available)
            break;
        GLuint64 nanoseconds = 0;
        glGetQueryObjectui64v(query.name.id(), GL_QUERY_RESULT, &nanoseconds);
        lastSeconds_ = 1e-9 * static_cast<double>(nanoseconds);
        query.pending = false;
    }
    return lastSeconds_;
}

} // namespace systole
