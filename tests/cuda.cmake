systole_test(cuda_tests SOURCES cuda_device_test.cpp LIBRARIES systole_compute LABEL unit)
systole_test(cuda_gpu_tests SOURCES cuda_gpu_test.cpp LIBRARIES systole_compute LABEL gpu)
