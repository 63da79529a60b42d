# State that the window keeps, and its measurements.
systole_test(session_tests
  SOURCES app/kit/live_panels_test.cpp app/kit/kernel_figures_test.cpp app/kit/input_queue_test.cpp app/kit/map_slice_test.cpp app/session/session_test.cpp app/anatomy/live_surface_test.cpp app/features/surface/fitted_source_test.cpp app/anatomy/label_history_test.cpp app/features/segmentation/opened_labels_test.cpp app/anatomy/plausible_heart_test.cpp app/anatomy/label_doubts_test.cpp app/features/landmarks/landmark_figures_test.cpp
    app/live/history_test.cpp app/session/message_log_test.cpp app/feature/tools_test.cpp app/feature/tool_options_test.cpp app/feature/course_test.cpp app/features/cardiac/cardiac_tool_test.cpp
  LIBRARIES systole_test_program systole_app nlohmann_json::nlohmann_json
  LABEL unit)

# The laboratory in the viewer: axes, plots, the worker, pictures without a display.
systole_test(lab_view_tests
  SOURCES app/features/laboratory/lab_picture_test.cpp app/features/laboratory/lab_worker_test.cpp app/kit/line_breaks_test.cpp app/base/plot_axis_test.cpp
  LIBRARIES systole_test_program systole_app
  LABEL gui)
set_target_properties(lab_view_tests PROPERTIES ENABLE_EXPORTS ON)

# The live view without a window: two estimations side by side, pictures with panels.
systole_test(live_view_tests
  SOURCES support/ball_sequence.cpp app/live/side_by_side_test.cpp app/live/window_view_test.cpp app/live/look_ahead_test.cpp app/live/overlays_view_test.cpp app/features/registration/registration_view_test.cpp app/features/surface/surface_view_test.cpp app/features/segmentation/segment_view_test.cpp app/features/landmarks/landmark_view_test.cpp app/features/landmarks/landmark_wall_view_test.cpp app/features/ruler/ruler_test.cpp app/features/angle/angle_test.cpp app/features/profile/profile_test.cpp app/pictures/snapshot_command_test.cpp app/pictures/snapshot_motion_test.cpp app/pictures/snapshot_like_test.cpp app/cli/opened_images_test.cpp app/live/picture_record_test.cpp
  LIBRARIES systole_test_program systole_app
  LABEL gui)
set_target_properties(live_view_tests PROPERTIES ENABLE_EXPORTS ON)

# The window under a virtual display of the tests' own; skipped where there is no Xvfb.
find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
add_executable(gui_tests support/ball_sequence.cpp app/window/window_support.cpp support/virtual_display.cpp app/window/window_test.cpp app/window/window_display_test.cpp app/window/window_dialogs_test.cpp app/window/window_fit_test.cpp app/window/window_laboratory_test.cpp app/window/window_lessons_test.cpp app/window/window_panels_test.cpp app/window/window_register_test.cpp app/window/window_bias_test.cpp app/window/window_cardiac_test.cpp app/window/window_cardiac_files_test.cpp app/report/report_pdf_test.cpp app/window/window_cardiac_labels_test.cpp app/window/window_fields_test.cpp app/window/window_surface_test.cpp app/window/window_segment_test.cpp app/window/window_labels_test.cpp app/window/window_keys_test.cpp app/window/window_leaving_test.cpp app/window/window_tooltips_test.cpp
  app/window/cut_texts.cpp app/window/window_texts_test.cpp app/window/window_menus_test.cpp app/window/window_messages_test.cpp app/window/window_pictures_test.cpp app/window/window_command_test.cpp app/window/transport_bar_test.cpp app/window/view_command_test.cpp app/window/window_recovery_test.cpp)
systole_precompile(gui_tests window_tests)
target_link_libraries(gui_tests PRIVATE systole_test_program systole_app systole_imgui systole_warnings fmt::fmt Qt6::Widgets Qt6::OpenGLWidgets
  Qt6::Test nlohmann_json::nlohmann_json GTest::gtest GTest::gmock)
add_dependencies(gui_tests appearing_file)
set_target_properties(gui_tests PROPERTIES ENABLE_EXPORTS ON)
# One at a time: X servers that end and start at once take each other's display number.
gtest_discover_tests(gui_tests
  PROPERTIES LABELS gui TIMEOUT 600 RESOURCE_LOCK display DISCOVERY_TIMEOUT 60)

foreach(ratio 1.5 2)
  add_test(NAME WindowTest.PictureAtPixelRatio${ratio}
    COMMAND gui_tests --gtest_filter=WindowTest.EveryElementLeavesItsMark:WindowTest.PanelsTakeClicks)
  set_tests_properties(WindowTest.PictureAtPixelRatio${ratio} PROPERTIES
    LABELS gui TIMEOUT 600 RESOURCE_LOCK display ENVIRONMENT QT_SCALE_FACTOR=${ratio})
endforeach()

# Real keys and clicks, from another program; skipped where there is no xdotool.
if(Python3_FOUND)
  add_test(NAME Window.RealKeys
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/real_keys.py $<TARGET_FILE:systole>)
  set_tests_properties(Window.RealKeys PROPERTIES
    LABELS gui SKIP_RETURN_CODE 77 TIMEOUT 1200 RESOURCE_LOCK display)
  add_test(NAME Window.RandomInput
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/random_input.py $<TARGET_FILE:systole> --seed 52 --events 320)
  set_tests_properties(Window.RandomInput PROPERTIES
    LABELS gui SKIP_RETURN_CODE 77 TIMEOUT 1200 RESOURCE_LOCK display)
endif()

# Pictures of the most used views, one test per line of views.txt; skipped where Mesa's llvmpipe doesn't draw.
if(Python3_FOUND)
  set(views ${CMAKE_CURRENT_SOURCE_DIR}/pictures/views.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${views})
  file(READ ${views} lines)
  string(REGEX MATCHALL "\n[a-z0-9_]+ [|]" names "${lines}")
  foreach(line IN LISTS names)
    string(REGEX REPLACE "[\n |]" "" name "${line}")
    add_test(NAME Picture.${name}
      COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/picture_test.py
        --program $<TARGET_FILE:systole> --only ${name} --output ${CMAKE_BINARY_DIR}/pictures)
    set_tests_properties(Picture.${name} PROPERTIES LABELS gui SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endif()
