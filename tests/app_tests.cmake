# The whole program, run as a user would.
systole_test(app_tests
  SOURCES app/program/app_command_test.cpp app/features/motion/motion_command_test.cpp app/program/app_kill_test.cpp bench/bench_command_test.cpp bench/bench_accuracy_test.cpp bench/method_memory_test.cpp bench/bench_record_test.cpp app/cli/overwrite_test.cpp app/program/outputs_test.cpp app/program/appearing_files_test.cpp app/program/failing_calls_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit
  SLOW BenchCommand.TableTimes* BenchCommand.RealMeasures* BenchCommand.MotionHas* BenchCommand.BiasTests* BenchCommand.DefaultsAre*)
set_source_files_properties(bench/bench_accuracy_test.cpp PROPERTIES
  COMPILE_DEFINITIONS SYSTOLE_ACCURACY_RECORD="${CMAKE_CURRENT_SOURCE_DIR}/baselines/accuracy.json")

# Loaded before a program's libraries: a file that appears while the program works; calls of the system that fail.
add_library(appearing_file MODULE support/appearing_file.cpp)
target_link_libraries(appearing_file PRIVATE systole_warnings ${CMAKE_DL_LIBS})
add_library(failing_calls MODULE support/failing_calls.cpp)
target_link_libraries(failing_calls PRIVATE systole_warnings ${CMAKE_DL_LIBS})
add_dependencies(app_tests appearing_file failing_calls)
set_source_files_properties(app/program/appearing_files_test.cpp app/program/outputs_test.cpp app/window/view_command_test.cpp PROPERTIES
  COMPILE_DEFINITIONS SYSTOLE_APPEARING_FILE="$<TARGET_FILE:appearing_file>")
set_source_files_properties(app/program/failing_calls_test.cpp PROPERTIES
  COMPILE_DEFINITIONS SYSTOLE_FAILING_CALLS="$<TARGET_FILE:failing_calls>")

# Registration of two images; ITK reads the results.
systole_test(register_tests
  SOURCES app/features/registration/register_command_test.cpp app/features/registration/register_files_test.cpp app/features/registration/register_errors_test.cpp app/features/registration/register_meaning_test.cpp app/features/registration/unknown_voxels_test.cpp
  LIBRARIES systole_test_program systole_io systole_itk_reference nlohmann_json::nlohmann_json
  LABEL unit)

# Surfaces of labels, thresholds and meshes.
systole_test(denoise_tests
  SOURCES app/features/surface/denoise_command_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit)

# Segmentation.
systole_test(segment_command_tests
  SOURCES app/features/segmentation/segment_command_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit)

# The left ventricle measured by its motion.
systole_test(strain_command_tests
  SOURCES app/features/cardiac/strain_command_test.cpp app/features/cardiac/strain_motion_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit)

systole_test(bulls_eye_tests SOURCES app/features/cardiac/bulls_eye_test.cpp app/features/cardiac/wall_mesh_test.cpp LIBRARIES systole_app LABEL unit)

systole_test(strain_report_tests SOURCES app/features/cardiac/strain_report_test.cpp app/features/cardiac/heart_picture_test.cpp app/anatomy/strain_labels_test.cpp app/anatomy/label_grid_test.cpp app/base/seed_points_test.cpp app/features/cardiac/strain_curves_test.cpp app/features/cardiac/live_strain_test.cpp
  LIBRARIES systole_test_program systole_app LABEL unit)
target_compile_definitions(strain_report_tests PRIVATE SYSTOLE_CARDIAC_PAGE="${PROJECT_SOURCE_DIR}/docs/manual/strain-files.md")

# Displacement fields of other programs.
systole_test(field_tests SOURCES app/fields/given_field_test.cpp app/fields/field_order_test.cpp app/base/run_record_test.cpp app/fields/six_writers.cpp
  LIBRARIES systole_test_program systole_app LABEL unit)

# Landmarks.
systole_test(landmarks_command_tests
  SOURCES app/features/landmarks/landmarks_command_test.cpp app/features/landmarks/landmarks_track_test.cpp app/features/landmarks/track_wall_test.cpp app/features/landmarks/dirlab_folder_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit)

systole_test(spgemm_command_tests
  SOURCES app/features/laboratory/spgemm_command_test.cpp
  LIBRARIES systole_test_program systole_io nlohmann_json::nlohmann_json
  LABEL unit)

# Files that the commands may write, their arguments, and their help.
systole_test(run_folder_tests
  SOURCES app/cli/run_folder_test.cpp app/features/motion/field_queue_test.cpp app/features/motion/motion_stages_test.cpp app/cli/arguments_test.cpp app/features/motion/length_statistics_test.cpp app/cli/help_test.cpp app/base/made_apart_test.cpp app/cli/note_text_test.cpp app/base/grid_text_test.cpp
  LIBRARIES systole_test_program systole_app nlohmann_json::nlohmann_json
  LABEL unit)

# Options that are the same in every command, those of the benchmarks, too.
systole_test(common_options_tests SOURCES app/cli/common_options_test.cpp LIBRARIES systole_bench_library LABEL unit)

# The window's registration against the command's.
systole_test(register_chain_tests SOURCES app/features/registration/chain_test.cpp
  LIBRARIES systole_test_program systole_app nlohmann_json::nlohmann_json LABEL unit)

# Requirements of every task in the list.
set(task_case_sources app/task/task_cases.cpp app/task/task_case_parts.cpp app/task/task_status_cases.cpp)
systole_test(task_tests SOURCES app/features/tasks_test.cpp app/task/task_program_test.cpp ${task_case_sources}
  LIBRARIES systole_test_program systole_app LABEL unit)

# Measurements of the benchmarks.
systole_test(bench_tests SOURCES bench/bench_measures_test.cpp bench/accuracy_test.cpp bench/certainty_test.cpp bench/pairs_against_test.cpp bench/goals_test.cpp LIBRARIES systole_test_program systole_bench_library LABEL unit)
if(SYSTOLE_VIEWER)
  target_compile_definitions(bench_tests PRIVATE SYSTOLE_VIEWER)
endif()

include(app_live.cmake)
include(app_lab.cmake)

# The rules that sources and pages keep.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME Layers.Sources COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
  add_test(NAME Layers.Checker COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_layers_test.py)
  add_test(NAME Docs.Links COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/links_test.py)
  add_test(NAME Style.Sources COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_style.py)
  add_test(NAME Style.Checker COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_style_test.py)
  set_tests_properties(Layers.Sources Layers.Checker Docs.Links Style.Sources Style.Checker PROPERTIES LABELS unit)
endif()

# Calls of the system that fail, one after the other.
if(Python3_FOUND AND SYSTOLE_VIEWER)
  add_test(NAME Torture.Sample COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/torture.py
    --program $<TARGET_FILE:systole> --shim $<TARGET_FILE:failing_calls> --sample)
  set_tests_properties(Torture.Sample PROPERTIES LABELS slow TIMEOUT 1800)
endif()

# The relocatable bundle, away from build and source.
if(SYSTOLE_VIEWER)
  add_test(NAME Bundle.RunsAlone COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/bundle_test.sh
    ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(Bundle.RunsAlone PROPERTIES LABELS slow SKIP_RETURN_CODE 77 TIMEOUT 1800)
endif()

if(SYSTOLE_VIEWER AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/app_gui.cmake)
  include(app_gui.cmake)
endif()

# Surfaces of frames denoised with their neighbors in time.
systole_test(surfaces_in_time_tests SOURCES app/features/surface/surfaces_in_time_test.cpp LIBRARIES systole_app LABEL unit
  SLOW SurfacesOfFrames.EjectionFraction*)

# A study of many hearts.
systole_test(cohort_tests
  SOURCES app/base/child_test.cpp app/study/find_cases_test.cpp app/study/left_out_test.cpp app/study/earlier_cases_test.cpp app/study/bids_app_test.cpp app/study/cell_table_test.cpp app/base/recorded_hashes_test.cpp app/study/robust_test.cpp app/study/cohort_report_test.cpp app/study/device_lease_test.cpp app/study/file_lock_test.cpp app/study/case_quality_test.cpp app/study/step_run_test.cpp app/cli/shared_devices_test.cpp app/study/cohort_batch_test.cpp app/study/cohort_command_test.cpp app/study/cohort_fields_test.cpp app/study/cohort_plan_test.cpp
  LIBRARIES systole_test_program systole_app nlohmann_json::nlohmann_json
  LABEL unit)
if(Python3_FOUND)
  add_test(NAME Cohort.KilledAndResumed COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/cohort_kills.py
    --program $<TARGET_FILE:systole> --kills 6)
  add_test(NAME Cohort.BatchKilledAndResumed COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/cohort_kills.py
    --program $<TARGET_FILE:systole> --kills 4 --seed 2 --fields none -- --no-pictures --batch 2 --batch-cores 2)
  add_test(NAME Cohort.HostileInput COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/cohort_hostile.py
    --program $<TARGET_FILE:systole>)
  add_test(NAME Cohort.Bids COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/cohort_bids.py
    --program $<TARGET_FILE:systole>)
  add_test(NAME Cohort.BySlurm COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tools/cohort_slurm.py
    --program $<TARGET_FILE:systole> --cases 2)
  set_tests_properties(Cohort.KilledAndResumed Cohort.BatchKilledAndResumed Cohort.HostileInput Cohort.Bids Cohort.BySlurm PROPERTIES LABELS slow SKIP_RETURN_CODE 77 TIMEOUT 1800)
endif()
