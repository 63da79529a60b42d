#include "app/base/version.h"

namespace systole {

const char* programVersion() { return SYSTOLE_VERSION; }

std::vector<std::pair<std::string, std::string>> libraryVersions() {
    return {
        {"ITK", SYSTOLE_ITK_VERSION},
        {"GDCM", SYSTOLE_GDCM_VERSION},
        {"zlib", SYSTOLE_ZLIB_VERSION},
        {"oneTBB", SYSTOLE_TBB_VERSION},
        {"Highway", SYSTOLE_HWY_VERSION},
        {"Eigen", SYSTOLE_EIGEN_VERSION},
        {"fmt", SYSTOLE_FMT_VERSION},
        {"nlohmann-json", SYSTOLE_JSON_VERSION},
        {"CLI11", SYSTOLE_CLI11_VERSION},
#ifdef SYSTOLE_VIEWER
        {"Qt", SYSTOLE_QT_VERSION},
        {"VTK", SYSTOLE_VTK_VERSION},
        {"Dear ImGui", SYSTOLE_IMGUI_VERSION},
#endif
#ifdef SYSTOLE_CUDA_VERSION
        {"CUDA", SYSTOLE_CUDA_VERSION},
#endif
    };
}

} // namespace systole
