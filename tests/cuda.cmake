systole_test(cuda_tests SOURCES cuda_device_test.cpp LIBRARIES systole_compute LABEL unit)

set(cuda_gpu_sources cuda_gpu_test.cpp device_sequence_gpu_test.cpp)
if(SYSTOLE_HAVE_CUDA)
  list(APPEND cuda_gpu_sources clg_device_problem.cu clg_solver_gpu_test.cpp
    tuned_estimation_gpu_test.cpp microbench_gpu_test.cpp block_size_gpu_test.cpp occupancy_gpu_test.cpp clg_device_steps.cu clg_cuda_gpu_test.cpp clg_estimator_gpu_test.cpp field_difference_gpu_test.cpp
    interpolate_gpu_test.cpp sest_gpu_test.cpp thin_plate_gpu_test.cpp)
endif()
systole_test(cuda_gpu_tests SOURCES ${cuda_gpu_sources} LIBRARIES systole_compute Eigen3::Eigen LABEL gpu)
