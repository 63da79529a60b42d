# The numerical layer. Eigen and plain float64 loops are the independent references.
systole_test(compute_tests
  SOURCES core_test.cpp autotune_test.cpp field_difference_test.cpp ops_test.cpp clg_solver_test.cpp clg_motion_test.cpp slabs_test.cpp phantom_test.cpp
  LIBRARIES systole_compute systole_io Eigen3::Eigen
  LABEL unit)

# The laboratory: answers, files of measurements and the sources that answer from them.
systole_test(lab_tests SOURCES lab_record_test.cpp laboratory_test.cpp
  LIBRARIES systole_compute nlohmann_json::nlohmann_json LABEL unit)
