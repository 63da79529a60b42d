# The laboratory in the program: where its figures are, lessons, recording; and its command from outside.
systole_test(lab_app_tests
  SOURCES lab_library_test.cpp lab_recorder_test.cpp lesson_test.cpp lab_command_test.cpp program.cpp
  LIBRARIES systole_app nlohmann_json::nlohmann_json
  LABEL unit)
target_compile_definitions(lab_app_tests PRIVATE ${program_definitions}
  SYSTOLE_ASSETS_FOLDER="${PROJECT_SOURCE_DIR}/assets")
add_dependencies(lab_app_tests systole)
