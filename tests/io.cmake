# Input and output. ITK is here the independent reference.
systole_test(io_tests
  SOURCES
    nifti_test.cpp
    image_formats_test.cpp
    hostile_files_test.cpp
    dicom_test.cpp
    spoilt_dicom_test.cpp
    mutated_files_test.cpp
    sample_data_test.cpp
    stream_test.cpp
    writer_test.cpp
  LIBRARIES systole_io systole_itk systole_gdcm ZLIB::ZLIB
  LABEL unit)
target_compile_definitions(io_tests PRIVATE SYSTOLE_ASSETS="${PROJECT_SOURCE_DIR}/assets")
