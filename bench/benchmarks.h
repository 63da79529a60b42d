// The benchmarks. Only the list in benchmarks.cpp calls them. Sides are options.sides where given.
#pragma once

#include "bench/benchmark.h"

namespace systole {

/// Main memory bandwidth by the triad.
Benchmark::Run benchMemory;

/// Bytes per voxel of every method and preset: as its estimators say, and with a device as that
/// counts them. Cubes of 128.
Benchmark::Run benchMethodMemory;

/// Every stage and memory variant of options.method against its floor at sides 128, 200, 256. The
/// floor is the traffic that the method says is unavoidable, else what it declares, over the
/// bandwidth of a copy. Without a device: the CPU against the triad.
Benchmark::Run benchFloors;

/// Frame pairs per second and endpoint error of options.method's preset `default` on echo phantoms
/// of sides 128, 200, 256. With a device: frames resident there, and the CPU on the same pair if it
/// takes no longer than options.cpuSeconds. Without one: only the CPU.
Benchmark::Run benchPairs;

/// Mean and maximum difference between CUDA and CPU fields in voxels: every preset and variation of
/// options.method, on the bundled sequence, options.files and phantoms of odd sizes. Does nothing
/// without a device. Throws ComputeError when a difference exceeds the bounds (mean 1e-3, maximum
/// 0.05 voxel); variations that are not exact (8-bit weights, 16-bit tensor) are only reported.
Benchmark::Run benchParity;

/// The table of the paper behind CLG: cubes of growing sides, preset `paper` with rho 2.33 (K =
/// 15), 3 warps, 50 sweeps, one level. CPU: the reference on one thread and the fast implementation
/// on all, up to options.cpuSeconds per run. Device: each memory variant by stage, with copies over
/// the bus, and as a whole call.
Benchmark::Run benchClgTable;

/// Tracking, transform and interpolation, the three tasks of the performance model's paper, with
/// the data of the laboratory's tasks "sest", "tps" and "trilinear". CPU: the reference on one
/// thread and the fast implementation on all; long runs are measured in part and scaled. Device:
/// every variant at its default block size and at the best of some, with the copies of a call with
/// host data, compared with the limits of memory and arithmetic.
Benchmark::Run benchLandmarkTasks;

/// Landmarks on the CPU: detection, the search of the paper's region by its kernel and with work
/// shared, and steps of the tracker: the bundled sequence against its frame rate, and a lung
/// phantom of 25 mm of motion, 128³ voxels, against the truth.
Benchmark::Run benchLandmarks;
/// Motion through landmarks on the CPU: seconds of the thin-plate spline's fit and evaluation over
/// a cube, exact and with its far field, and errors on a breathing chest of methods with and
/// without a start from landmarks.
Benchmark::Run benchLandmarkMotion;

/// Breathing chests whose lungs slide along the wall, with known motion: every method and program,
/// everywhere, in the lungs alone, and both sides apart.
Benchmark::Run benchLungs;

/// The B-spline field: mean error of every variant against float64; on the CPU each in voxels per
/// second, 294×130×208, against writing the field alone; on a device each variant, the transposed
/// operator and the warp against the same floor, 256³ and the 512×228×385 voxels of the paper.
Benchmark::Run benchBspline;

/// Loss of accuracy of a free-form deformation by a texture unit's 8-bit weights, CPU: phantoms, by
/// default of four cases, with exact fields, with roundedBsplineField(), and with exact ones summed
/// in another order, for comparison.
Benchmark::Run benchWeights;

/// Strain, twist and ejection fraction from the motion that options.method estimates on the family
/// of phantoms, against those of the exact motion, for every definition of strain; segments with an
/// infarct that are found. On the CPU.
Benchmark::Run benchStrain;

/// Global strain of the usual phantom (at most 64³) by every definition, from the exact motion and
/// from each method's, and how far they lie apart. On the CPU.
Benchmark::Run benchStrainDefinitions;

/// Time of measuring the usual phantom's left ventricle: preparation of its labels, one new field,
/// all frames; on the CPU, and on a device with each kernel against its floor.
Benchmark::Run benchVentricle;

/// Bias of methods from an image to one with other noise, options.repeats times, CPU: mean of
/// log |J| over volume and wall with a t test against 0, its spread. Phantoms, by default of two
/// cases.
Benchmark::Run benchBias;

/// Every kernel of clg's preset default on the finest level, and the residual after it, against the
/// bytes that it declares; without a device the parts of the CPU's stages. Cubes as benchFfd.
Benchmark::Run benchClgStages;

/// One iteration of the free-form deformation on one level, stage by stage, with each similarity
/// and each penalty: time of a call, bytes that it must move, time over their floor. Cubes of
/// options.sides; on a device 128 and 256, without one the CPU's times at options.size.
Benchmark::Run benchFfd;

/// An iteration of the unbiased method stage by stage, and 300 iterations (preset `paper`) with
/// every force kernel beside the paper's times, preset `default` too. Cubes of options.sides; on a
/// device 128 and 240, without one the CPU's times at options.size.
Benchmark::Run benchUnbiased;

/// Non-local means of a surface: the exact search over bands of about 17,500 and 175,000 elements,
/// on the CPU and with every variant of the device, next to floors and the paper's times; whole
/// surfaces a second with preset `live` at 64³ and 100³.
Benchmark::Run benchSurface;

/// A A of the Matrix Market files given, of those in the data folder and of generated matrices:
/// times by variant, with a plan, of cuSPARSE's algorithms where it is installed and of the CPU,
/// and over what the bytes of the matrices take.
Benchmark::Run benchSpgemm;

/// The elastic wall of a phantom: conjugate gradients alone, with Jacobi and with multigrid at
/// several sizes, and the error of clg's motion in the wall before and after it is carried in from
/// the surface.
Benchmark::Run benchWall;

/// The zero level of a signed distance as triangles, 128³ to 512³ voxels: the CPU, and the device
/// from the volume there to buffers there, kernel by kernel.
Benchmark::Run benchIsosurface;

/// Surfaces in time of a phantom of options.sides: jitter of the volume curve of a still one with
/// fresh noise per frame, ejection fraction of a beating one; noisy, each frame by itself, with
/// neighbors carried by no, estimated and true motion.
Benchmark::Run benchSurfaceInTime;

/// Playback from file to pixels without a window, of options.files or the bundled sequence: as fast
/// as possible, then at 25 frames per second, with the next frame known or as frames that arrive,
/// then with surfaces; with CUDA-OpenGL interop and with host upload, each for options.playSeconds.
/// An unavailable path is reported with its reason.
Benchmark::Run benchLive;

/// Pictures of a registration from its control points, 256³: each view, the slices alone and the
/// volume; on the CPU, and with a device on it, brought to the host or kept there. With a viewer
/// also on their whole way to the framebuffer.
Benchmark::Run benchPictures;

/// The cost of each stage of options.method against the memory floor measured in the same run, and
/// the endpoint error of the default presets of all methods, and of the peers, on phantoms: the
/// cases of phantom_case.cpp with options.seeds seeds each.
Benchmark::Run benchMotion;

/// Real images below options.dataFolder (real_cases.cpp), options.method first, the other methods
/// and the peers: overlap of labels, similarity, folding, and the drift after a closed cycle.
/// Cases whose files are missing are skipped and named.
Benchmark::Run benchReal;

/// Whole registrations, affine and then free-form, on phantoms and on real pairs below
/// options.dataFolder, next to the B-spline registrations of other installed programs: similarity,
/// endpoint error or Dice, folding and seconds in one table. With a device, on it as well.
Benchmark::Run benchRegistration;

/// The family of phantoms and labelled real images: every method, on the CPU and the device, and
/// peer beside the unmoved error; a page with pictures, and the comparison with an earlier record.
void benchAccuracy(const BenchOptions& options, const ExecContext& ctx, Json& record);

/// The family of phantoms: the share of the wall's errors, and of the segments' strains, within the
/// 90 % intervals of their standard errors; seeds that the calibration knows apart from others.
Benchmark::Run benchCertainty;

/// The goals of the program and where they stand by options.records.
Benchmark::Run benchGoals;

} // namespace systole
