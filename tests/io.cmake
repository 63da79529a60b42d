# Input and output. ITK is here the independent reference.
systole_test(io_tests
  SOURCES
    io/nifti_test.cpp
    io/nifti_statements_test.cpp
    io/nrrd_axes_test.cpp
    io/nrrd_header_test.cpp
    io/meta_header_test.cpp
    io/field_statements_test.cpp
    io/base/natural_order_test.cpp
    io/image_formats_test.cpp
    io/itk_transform_test.cpp
    io/itk_image_test.cpp
    io/hostile_files_test.cpp
    io/header_alone_test.cpp
    io/hostile_itk_files_test.cpp
    io/dicom_test.cpp
    io/dicom_kinds_test.cpp
    io/dicom_left_out_test.cpp
    io/dicom_neighbors_test.cpp
    io/dicom_syntax_test.cpp
    io/dicom_times_test.cpp
    io/dicom_values_test.cpp
    io/spoilt_dicom_test.cpp
    io/mesh_file_test.cpp
    io/mesh_space_test.cpp
    io/mutated_files_test.cpp
    io/sample_data_test.cpp
    io/base/stream_test.cpp
    io/base/partial_file_test.cpp
    io/base/sha256_test.cpp
    io/base/written_hash_test.cpp
    io/base/png_film_test.cpp
    io/base/png_text_test.cpp
    io/transforms_test.cpp
    io/stored_transforms_test.cpp
    io/nifty_reg_files_test.cpp
    io/text_numbers_test.cpp
    io/unknown_voxels_test.cpp
    io/formats/writer_test.cpp
    io/matrix_market_test.cpp
    # Points, DIR-Lab's images, and the phantom that is written like them.
    io/dirlab_test.cpp io/landmark_file_test.cpp io/landmark_meaning_test.cpp io/track_file_test.cpp io/lung_phantom_test.cpp compute/landmarks/target_error_test.cpp
  LIBRARIES systole_io systole_itk_reference systole_gdcm ZLIB::ZLIB
  LABEL unit)
target_compile_definitions(io_tests PRIVATE SYSTOLE_ASSETS="${PROJECT_SOURCE_DIR}/assets")

# VTK as the reference of mesh files and isosurfaces.
if(SYSTOLE_VIEWER)
  systole_test(mesh_vtk_tests SOURCES io/mesh_vtk_test.cpp io/smoothers_test.cpp io/noise_table_test.cpp io/mesh_smoothers.cpp
    LIBRARIES systole_io VTK::FiltersCore VTK::FiltersSources VTK::IOGeometry VTK::IOLegacy VTK::IOPLY VTK::IOXML
    LABEL unit SLOW NoiseTable.*)
endif()
