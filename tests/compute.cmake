# The numerical layer. Eigen and plain float64 loops are the independent references.
systole_test(compute_tests
  SOURCES core_test.cpp autotune_test.cpp field_difference_test.cpp ops_test.cpp clg_solver_test.cpp clg_motion_test.cpp slabs_test.cpp phantom_test.cpp
  LIBRARIES systole_compute systole_io Eigen3::Eigen
  LABEL unit)

# The laboratory: answers, files of measurements and the sources that answer from them.
systole_test(lab_tests SOURCES lab_kernels_test.cpp lab_record_test.cpp laboratory_test.cpp
  LIBRARIES systole_compute nlohmann_json::nlohmann_json LABEL unit)

# Occupancy and the models. NVIDIA's cuda_occupancy.h, where there is one, is the reference.
systole_test(model_tests
  SOURCES model_machine_test.cpp model_occupancy_test.cpp model_prediction_test.cpp
  LIBRARIES systole_compute
  LABEL unit)
target_compile_definitions(model_tests PRIVATE SYSTOLE_ASSETS="${PROJECT_SOURCE_DIR}/assets")
if(SYSTOLE_HAVE_CUDA)
  target_include_directories(model_tests SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
endif()
# The parts of landmark registration.
systole_test(registration_tests SOURCES interpolate_test.cpp thin_plate_test.cpp sest_test.cpp
  LIBRARIES systole_compute Eigen3::Eigen LABEL unit)
