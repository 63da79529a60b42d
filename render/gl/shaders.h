// The text of the files in shaders/, embedded at build time.
#pragma once

#include <string>

namespace systole {

/// Returns a shader such as "slice.frag". Throws RenderError for an unknown name.
const char* shaderSource(const std::string& name);

} // namespace systole
