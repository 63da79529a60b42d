systole_test(cuda_tests SOURCES compute/cuda/cuda_device_test.cpp LIBRARIES systole_compute LABEL unit)

set(cuda_gpu_sources compute/cuda/cuda_gpu_test.cpp compute/cuda/waiting_gpu_test.cpp compute/motion/device_sequence_gpu_test.cpp compute/motion/spread_pairs_gpu_test.cpp
  compute/motion/masks_gpu_test.cpp compute/motion/methods_gpu_test.cpp)
if(SYSTOLE_HAVE_CUDA)
  list(APPEND cuda_gpu_sources
    compute/cardiac/axis_strain_gpu_test.cpp
    compute/cardiac/change_on_device_gpu_test.cpp
    compute/cardiac/gap_on_device_gpu_test.cpp
    compute/lab/block_size_gpu_test.cpp
    compute/lab/kernels/bspline_warp_gpu_test.cpp
    compute/lab/kernels/calls_on_device.cu
    compute/lab/kernels/interpolate_gpu_test.cpp
    compute/lab/kernels/registration_kernels_gpu_test.cpp
    compute/lab/kernels/sest_gpu_test.cpp
    compute/lab/kernels/thin_plate_gpu_test.cpp
    compute/lab/microbench_gpu_test.cpp
    compute/lab/occupancy_gpu_test.cpp
    compute/landmarks/corners_gpu_test.cpp
    compute/landmarks/descriptor_search_gpu_test.cpp
    compute/landmarks/spectral_matching_gpu_test.cpp
    compute/landmarks/tracker_gpu_test.cpp
    compute/methods/affine_gpu_test.cpp
    compute/methods/clg_beside_gpu_test.cpp
    compute/methods/clg_cuda_gpu_test.cpp
    compute/methods/clg_device_problem.cu
    compute/methods/clg_device_steps.cu
    compute/methods/clg_estimator_gpu_test.cpp
    compute/methods/clg_estimator_use_gpu_test.cpp
    compute/methods/clg_frames_gpu_test.cpp
    compute/methods/clg_red_black_gpu_test.cpp
    compute/methods/clg_solver_gpu_test.cpp
    compute/methods/clg_watched_gpu_test.cpp
    compute/methods/ffd_device_parts.cu
    compute/methods/ffd_gpu_test.cpp
    compute/methods/ffd_parts_gpu_test.cpp
    compute/methods/landmarks_gpu_test.cpp
    compute/methods/tuned_estimation_gpu_test.cpp
    compute/methods/demons_gpu_test.cpp
    compute/methods/unbiased_device_force.cu
    compute/methods/unbiased_gpu_test.cpp
    compute/motion/trajectory_gpu_test.cpp
    compute/ops/bspline_field_gpu_test.cpp
    compute/ops/field_difference_gpu_test.cpp
    compute/ops/image_comparison_gpu_test.cpp
    compute/ops/residual_gpu_test.cpp
    compute/ops/white_noise_device.cu
    compute/ops/white_noise_gpu_test.cpp
    compute/sparse/product_gpu_test.cpp
    compute/sparse/tile_product_gpu_test.cpp
    compute/surface/isosurface_gpu_test.cpp
    compute/surface/nonlocal_means_gpu_test.cpp
    compute/surface/surface_gpu_test.cpp
    compute/surface/surface_noise_gpu_test.cpp)
endif()
systole_test(cuda_gpu_tests SOURCES ${cuda_gpu_sources} LIBRARIES systole_compute systole_io Eigen3::Eigen LABEL gpu)

# Calls of the runtime that fail on purpose. The runtime is linked into the program, so nothing can be loaded
# in its place: the linker leads calls of these to support/cuda_faults.cu.
if(SYSTOLE_HAVE_CUDA)
  systole_test(cuda_faults_gpu_tests SOURCES compute/motion/cuda_faults_gpu_test.cpp support/cuda_faults.cu
    LIBRARIES systole_compute LABEL gpu TIMEOUT 1800)
  foreach(call
      cudaMallocAsync cudaHostAlloc cudaMalloc3DArray
      __cudaLaunchKernel cudaLaunchKernelExC cudaLaunchCooperativeKernel
      cudaMemcpyAsync cudaMemcpyToSymbolAsync cudaMemcpy3DAsync cudaMemsetAsync
      cudaStreamBeginCapture cudaStreamEndCapture cudaGraphInstantiate cudaGraphLaunch
      cudaStreamCreateWithPriority cudaEventCreate cudaEventCreateWithFlags cudaCreateTextureObject
      cudaCreateSurfaceObject
      cudaStreamSynchronize cudaEventSynchronize cudaStreamWaitEvent cudaEventRecord cudaEventRecordWithFlags
      cudaSetDevice cudaMemGetInfo cudaFuncSetAttribute cudaFuncGetAttributes cudaGetLastError)
    target_link_options(cuda_faults_gpu_tests PRIVATE -Wl,--wrap=${call})
  endforeach()
endif()

# Compares the kernels' declarations with the machine code; skipped where there is no disassembler.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME Model.SassCounter COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/compute/lab/sass_counts_test.py)
  set_tests_properties(Model.SassCounter PROPERTIES LABELS unit)
  if(SYSTOLE_HAVE_CUDA)
    add_executable(kernel_costs compute/lab/kernel_costs.cpp)
    target_precompile_headers(kernel_costs REUSE_FROM systole_test_headers)
    target_link_libraries(kernel_costs PRIVATE systole_compute systole_warnings fmt::fmt nlohmann_json::nlohmann_json GTest::gtest)
    add_test(NAME Model.CostsMatchSass COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/sass_counts.py
      $<TARGET_FILE:systole_compute> $<TARGET_FILE:kernel_costs> --compiler ${CMAKE_CUDA_COMPILER_VERSION})
    set_tests_properties(Model.CostsMatchSass PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
  endif()
endif()
