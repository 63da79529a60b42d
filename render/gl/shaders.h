// The text of the files in shaders/, embedded at build time.
#pragma once

#include <string>

namespace systole {

/// "slice.frag" and the like. Throws RenderError for a name that there isn't.
const char* shaderSource(const std::string& name);

} // namespace systole
