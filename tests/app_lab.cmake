# The laboratory in the program: where its figures are, lessons, recording; and its command from outside.
systole_test(lab_app_tests
  SOURCES app/base/lab_library_test.cpp app/features/laboratory/lab_recorder_test.cpp app/base/lesson_test.cpp app/features/laboratory/lab_command_test.cpp
  LIBRARIES systole_test_program systole_bench_library nlohmann_json::nlohmann_json
  LABEL unit)
target_compile_definitions(lab_app_tests PRIVATE SYSTOLE_ASSETS_FOLDER="${PROJECT_SOURCE_DIR}/assets")
