# The numerical layer. Eigen and plain float64 loops are the independent references.
systole_test(compute_tests
  SOURCES
    compute/core/affine_map_test.cpp
    compute/core/core_test.cpp compute/core/machine_test.cpp compute/core/newest_job_thread_test.cpp
    compute/cuda/workspace_test.cpp
    compute/lab/autotune_test.cpp
    compute/methods/clg_brightness_test.cpp compute/methods/clg_contrast_test.cpp compute/methods/clg_error_draw_test.cpp compute/methods/clg_memory_test.cpp compute/methods/clg_millimeters_test.cpp compute/methods/clg_motion_test.cpp compute/methods/clg_smoothness_test.cpp compute/methods/clg_solver_test.cpp compute/methods/clg_sweep_order_test.cpp compute/methods/clg_gradient_constancy_test.cpp compute/methods/clg_half_grid_test.cpp compute/methods/clg_trend_test.cpp compute/methods/clg_self_similarity_test.cpp
    compute/methods/demons_test.cpp
    compute/methods/unbiased_force_test.cpp compute/methods/unbiased_steps_test.cpp compute/methods/unbiased_test.cpp compute/methods/noise_alone_test.cpp
    compute/measures/measures_test.cpp compute/measures/otsu_test.cpp compute/measures/outcome_test.cpp compute/measures/t_test_test.cpp compute/methods/ffd_device_math_test.cpp compute/methods/ffd_gradient_test.cpp compute/methods/ffd_levels_test.cpp compute/methods/ffd_lncc_test.cpp compute/methods/ffd_optimizer_test.cpp compute/methods/ffd_same_bits_test.cpp compute/methods/ffd_test.cpp compute/methods/ffd_unfold_test.cpp
    compute/motion/device_fallback_test.cpp compute/motion/masks_test.cpp compute/motion/methods_test.cpp compute/motion/orientation_test.cpp compute/motion/motion_range_test.cpp compute/motion/motion_since_first_test.cpp compute/motion/pair_estimator_test.cpp compute/motion/sequence_driver_test.cpp compute/motion/registration_test.cpp compute/motion/slabs_test.cpp compute/motion/spread_pairs_test.cpp compute/motion/still_region_test.cpp compute/motion/trajectory_test.cpp
    compute/ops/carried_map_test.cpp compute/ops/field_difference_test.cpp compute/ops/jacobian_test.cpp compute/ops/ops_test.cpp compute/ops/row_resampling_test.cpp compute/ops/pyramid_test.cpp compute/ops/smooth_halved_test.cpp compute/ops/sample_gradient_test.cpp compute/ops/soft_mask_test.cpp compute/ops/two_grids_test.cpp compute/methods/clg_folds_test.cpp compute/ops/exponential_test.cpp compute/ops/cubic_warp_test.cpp compute/ops/fill_unknown_test.cpp compute/ops/residual_test.cpp compute/ops/white_noise_test.cpp compute/ops/logarithm_test.cpp
    io/phantom_test.cpp
    io/phantom_artifacts_test.cpp io/phantom_family_test.cpp
  LIBRARIES systole_compute systole_io Eigen3::Eigen nlohmann_json::nlohmann_json
  LABEL unit
  SLOW ClgFolds.* StillRegion.* ClgBrightness.* ClgContrast.* ClgThickSlices.* Unbiased.NoiseAlone* PhantomArtifacts.DropoutFades*
    TrajectoryOnPhantom.IsNearer*)

# The laboratory: answers, files of measurements and the sources that answer from them.
systole_test(lab_tests SOURCES compute/lab/lab_kernels_test.cpp compute/lab/lab_record_test.cpp compute/lab/laboratory_test.cpp
  LIBRARIES systole_compute nlohmann_json::nlohmann_json LABEL unit)

# Occupancy and the models. NVIDIA's cuda_occupancy.h, where there is one, is the reference.
systole_test(model_tests
  SOURCES compute/model/model_machine_test.cpp compute/model/model_occupancy_test.cpp compute/model/model_prediction_test.cpp
  LIBRARIES systole_compute
  LABEL unit)
target_compile_definitions(model_tests PRIVATE SYSTOLE_ASSETS="${PROJECT_SOURCE_DIR}/assets")
if(SYSTOLE_HAVE_CUDA)
  target_include_directories(model_tests SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
endif()
# The parts of registrations.
systole_test(registration_tests SOURCES compute/ops/bspline_field_test.cpp compute/ops/bspline_rounded_test.cpp compute/lab/kernels/bspline_warp_test.cpp compute/ops/image_comparison_test.cpp compute/lab/kernels/interpolate_test.cpp compute/lab/kernels/registration_kernels_test.cpp compute/landmarks/thin_plate_test.cpp compute/landmarks/sest_test.cpp
  LIBRARIES systole_compute Eigen3::Eigen LABEL unit)
# Transforms through landmarks.
systole_test(landmark_fit_tests SOURCES compute/landmarks/far_field_test.cpp compute/landmarks/patch_alignment_test.cpp compute/landmarks/robust_fit_test.cpp compute/motion/refined_method_test.cpp
  LIBRARIES systole_compute LABEL unit
  SLOW RobustSpline.RejectsWhat* RobustSpline.KeepsWhat* RobustSpline.CrossValidated*)
# Affine registration by block matching.
systole_test(affine_tests
  SOURCES compute/methods/affine_test.cpp compute/methods/affine_blocks_test.cpp compute/methods/affine_fit_test.cpp compute/methods/affine_settle_test.cpp
  LIBRARIES systole_compute systole_io Eigen3::Eigen LABEL unit)
# Surfaces: distances, isosurfaces, meshes.
systole_test(surface_tests
  SOURCES compute/surface/carried_mesh_test.cpp compute/surface/signed_distance_test.cpp compute/surface/redistance_test.cpp
    compute/surface/isosurface_test.cpp compute/surface/mesh_test.cpp compute/surface/surface_test.cpp
    compute/surface/mean_in_time_test.cpp
  LIBRARIES systole_compute
  LABEL unit)
# Sparse matrices and the systems made of them.
systole_test(sparse_tests SOURCES compute/sparse/product_test.cpp compute/sparse/product_statistics_test.cpp compute/sparse/multigrid_test.cpp compute/elasticity/wall_system_test.cpp compute/elasticity/elastic_wall_test.cpp compute/elasticity/wall_tracks_test.cpp
  LIBRARIES systole_compute Eigen3::Eigen LABEL unit)
# Denoising of surfaces by non-local means.
systole_test(nonlocal_means_tests SOURCES compute/surface/nonlocal_means_test.cpp compute/surface/surface_noise_test.cpp LIBRARIES systole_compute LABEL unit
  SLOW NonlocalMeans.NeighborsAreThoseOfBruteForce*)

# Segmentation by a level set, and editing by hand.
systole_test(segment_tests
  SOURCES compute/surface/level_set_test.cpp compute/surface/edge_force_test.cpp compute/surface/convex_share_test.cpp compute/surface/star_shape_test.cpp compute/surface/segment_test.cpp compute/surface/segment_errors_test.cpp
    compute/surface/segment_slices_test.cpp compute/surface/segment_wall_test.cpp
    compute/surface/chamber_tracker_test.cpp compute/surface/contour_edit_test.cpp compute/surface/contour_pull_test.cpp
  LIBRARIES systole_compute systole_io
  LABEL unit
  SLOW ChamberTracking.Follows* Segment.TheContourOfTheFrameBefore* Segment.FindsACtsCavity)

# Lungs: their masks, and their sliding.
systole_test(lung_tests SOURCES compute/surface/lungs_test.cpp compute/motion/sliding_test.cpp LIBRARIES systole_compute systole_io LABEL unit)

# Landmarks: corners, tracking.
systole_test(landmark_tests
  SOURCES compute/landmarks/agreement_test.cpp compute/landmarks/corners_test.cpp compute/landmarks/descriptor_search_test.cpp compute/landmarks/region_match_test.cpp compute/landmarks/spectral_matching_test.cpp compute/landmarks/tracker_test.cpp compute/motion/landmarks_outliers_test.cpp
  LIBRARIES systole_compute Eigen3::Eigen LABEL unit)

# The left ventricle: axes, segments, strain, volumes.
systole_test(cardiac_tests
  SOURCES compute/cardiac/local_fit_test.cpp compute/cardiac/tissue_fits_test.cpp compute/cardiac/ventricle_test.cpp compute/cardiac/strain_test.cpp compute/cardiac/axis_strain_test.cpp compute/cardiac/phantom_strain_test.cpp compute/cardiac/point_shell_test.cpp compute/cardiac/measure_errors_test.cpp compute/cardiac/cycle_test.cpp compute/cardiac/label_roles_test.cpp
  LIBRARIES systole_compute systole_io LABEL unit
  SLOW Infarct.* EstimatedMotion.*)
