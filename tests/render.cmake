# The scene: its mathematics, and its pixels through EGL.
systole_test(render_tests
  SOURCES
    colormaps_test.cpp
    glyph_sampling_test.cpp
    view_plane_test.cpp
    volume_look_test.cpp
  LIBRARIES systole_render
  LABEL unit)

systole_test(scene_tests
  SOURCES
    scene_motion_test.cpp
    scene_robustness_test.cpp
    scene_sides_test.cpp
    scene_slices_test.cpp
    scene_volume_test.cpp
  LIBRARIES systole_render
  LABEL gui)
set_target_properties(scene_tests PROPERTIES ENABLE_EXPORTS ON)
