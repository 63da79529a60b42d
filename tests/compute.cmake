# The numerical layer. Eigen and plain float64 loops are the independent references.
systole_test(compute_tests
  SOURCES core_test.cpp autotune_test.cpp field_difference_test.cpp ops_test.cpp clg_solver_test.cpp clg_motion_test.cpp slabs_test.cpp phantom_test.cpp
  LIBRARIES systole_compute systole_io Eigen3::Eigen
  LABEL unit)
