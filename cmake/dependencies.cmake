# Every library that the project uses, all of them from Debian 12 (tools/deps.sh names the packages).

find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(Eigen3 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)

# ITK's config looks for the packages of all its modules, whatever the components, and prints notices.
set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
find_package(ITK 5.2 REQUIRED COMPONENTS ITKIOGIPL ITKTransform)
# Without what these are linked with themselves: ITK's own targets would add libraries that nothing uses.
add_library(systole_itk INTERFACE)
target_include_directories(systole_itk SYSTEM INTERFACE ${ITK_INCLUDE_DIRS})
foreach(part ITKIOGIPL ITKIOImageBase ITKTransform ITKCommon itkvnl_algo itkvnl)
  target_link_libraries(systole_itk INTERFACE $<TARGET_FILE:${part}>)
endforeach()
if(SYSTOLE_TESTS) # as the reference of our own readers and writers
  find_package(ITK 5.2 REQUIRED COMPONENTS
    ITKIOVTK ITKIOGIPL ITKIONIFTI ITKIONRRD ITKIOMeta ITKIOGDCM ITKIOTransformInsightLegacy
    ITKIOTransformHDF5 ITKIOTransformMatlab ITKDisplacementField)
  add_library(systole_itk_reference INTERFACE)
  target_include_directories(systole_itk_reference SYSTEM INTERFACE ${ITK_INCLUDE_DIRS})
  target_link_libraries(systole_itk_reference INTERFACE ${ITK_LIBRARIES})
endif()
unset(CMAKE_MESSAGE_LOG_LEVEL)

# The GDCM that ITK reads DICOM with; its own config drags VTK in.
find_path(GDCM_INCLUDE_DIR gdcmImageReader.h PATH_SUFFIXES gdcm-3.0 REQUIRED)
add_library(systole_gdcm INTERFACE)
target_include_directories(systole_gdcm SYSTEM INTERFACE ${GDCM_INCLUDE_DIR})
foreach(part MSFF DICT IOD DSED Common)
  find_library(GDCM_${part}_LIBRARY gdcm${part} REQUIRED)
  target_link_libraries(systole_gdcm INTERFACE ${GDCM_${part}_LIBRARY})
endforeach()
# What the readers and writers need, whoever builds them: the program, the tests with sanitizers, the fuzzer.
add_library(systole_io_libraries INTERFACE)
target_link_libraries(systole_io_libraries INTERFACE systole_itk systole_gdcm ZLIB::ZLIB PkgConfig::LIBDEFLATE
  OpenSSL::Crypto Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json)

if(SYSTOLE_VIEWER)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets OpenGLWidgets)
  find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)
  find_package(PNG REQUIRED)
  if(SYSTOLE_TESTS) # as the reference of meshes; first, so that VTK_LIBRARIES are those of render
    find_package(VTK 9.1 REQUIRED COMPONENTS FiltersCore FiltersSources IOGeometry IOLegacy IOPLY IOXML)
  endif()
  find_package(VTK 9.1 REQUIRED COMPONENTS
    CommonCore CommonDataModel
    InteractionStyle RenderingCore RenderingFreeType RenderingAnnotation
    RenderingOpenGL2 RenderingVolume RenderingVolumeOpenGL2)
  # Debian's libimgui-dev: one static library with the core and all its backends.
  find_path(IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui REQUIRED)
  find_library(IMGUI_LIBRARY imgui REQUIRED)
  find_library(STB_LIBRARY stb REQUIRED)
  add_library(systole_imgui INTERFACE)
  target_include_directories(systole_imgui SYSTEM INTERFACE
    ${IMGUI_INCLUDE_DIR} ${IMGUI_INCLUDE_DIR}/backends)
  target_link_libraries(systole_imgui INTERFACE ${IMGUI_LIBRARY} ${STB_LIBRARY} ${CMAKE_DL_LIBS})
endif()

if(SYSTOLE_TESTS)
  find_package(GTest REQUIRED)
endif()
