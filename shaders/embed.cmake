# cmake -P: turns the shader files SHADERS (a list of paths) into one C++ file OUTPUT that defines
# systole::shaderSource (render/gl/shaders.h).
set(text "#include \"render/gl/shaders.h\"\n\n#include \"render/base/error.h\"\n\n")
string(APPEND text "namespace systole {\n\nconst char* shaderSource(const std::string& name) {\n")
foreach(path IN LISTS SHADERS)
  get_filename_component(file ${path} NAME)
  file(READ ${path} source)
  string(APPEND text "    if (name == \"${file}\")\n        return R\"shader(${source})shader\";\n")
endforeach()
string(APPEND text "    throw RenderError(\"no shader is named '\" + name + \"'\");\n}\n\n} // namespace systole\n")
file(WRITE ${OUTPUT} "${text}")
