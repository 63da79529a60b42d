# The laboratory in the program: where its figures are, lessons, recording; and its command from outside.
systole_test(lab_app_tests
  SOURCES app/lab/lab_library_test.cpp app/lab/lab_recorder_test.cpp app/lab/lesson_test.cpp app/commands/lab_command_test.cpp
  LIBRARIES systole_test_program systole_app nlohmann_json::nlohmann_json
  LABEL unit)
target_compile_definitions(lab_app_tests PRIVATE SYSTOLE_ASSETS_FOLDER="${PROJECT_SOURCE_DIR}/assets")
