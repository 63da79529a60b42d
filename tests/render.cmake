# The scene: its mathematics, and its pixels through EGL.
systole_test(render_tests
  SOURCES
    render/caption_test.cpp
    render/base/colormaps_test.cpp
    render/deformation_test.cpp
    render/display_rows_test.cpp
    render/display_scale_test.cpp
    render/flat_layer_test.cpp
    render/flow_lines_test.cpp
    render/glyph_sampling_test.cpp
    render/surface_colors_test.cpp
    render/track_mesh_test.cpp
    render/view_plane_test.cpp render/half_float_test.cpp
    render/volume_look_test.cpp
  LIBRARIES systole_render VTK::RenderingOpenGL2
  LABEL unit)

if(SYSTOLE_HAVE_CUDA)
  set(cuda_error_state render/cuda_error_state.cu)
else()
  set(cuda_error_state render/cuda_error_state_none.cpp)
endif()
systole_test(scene_tests
  SOURCES
    render/scene_comparison_test.cpp
    render/scene_deformation_test.cpp
    render/scene_landmarks_test.cpp
    render/scene_legend_test.cpp
    render/scene_motion_test.cpp
    render/scene_robustness_test.cpp
    render/scene_sides_test.cpp
    render/scene_slices_test.cpp
    render/scene_surface_test.cpp
    render/scene_upload_test.cpp
    ${cuda_error_state}
    render/scene_volume_test.cpp
    render/voxel_upload_test.cpp
  LIBRARIES systole_render VTK::RenderingOpenGL2 VTK::glew OpenGL::OpenGL
  LABEL gui)
set_target_properties(scene_tests PROPERTIES ENABLE_EXPORTS ON)

# Rendering on a GPU whose OpenGL CUDA can write into; skipped elsewhere.
systole_test(render_gpu_tests
  SOURCES render/render_gpu_test.cpp render/render_gpu_picture_test.cpp ${cuda_error_state}
  LIBRARIES systole_render VTK::RenderingOpenGL2 VTK::glew OpenGL::OpenGL
  LABEL gpu)
set_target_properties(render_gpu_tests PROPERTIES ENABLE_EXPORTS ON)
