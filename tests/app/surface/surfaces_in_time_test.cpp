#include "compute/ops/smooth.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/surface_methods.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/signed_distance.h"
#include "compute/surface/surface.h"
#include "tests/compute/surface/shapes.h"
#include <gtest/gtest.h>
#include <cstdio>
using namespace systole; using namespace systole::test;
TEST(Scratch, Place) {
    ExecResources r(2); ExecContext ctx = r.context();
    for (const char* preset : {"default","live"}) {
    const auto p = NonlocalMeansParameters::from(ParamSet(nonlocalMeansTable(), preset));
    auto all = shapes(); const Vec3 c{23.6,23.3,23.8};
    for (double rad : {2.,3.,3.5,4.,5.,6.,8.,10.,12.}) { static char names[20][20]; static int n=0; snprintf(names[n],20,"ball %g",rad); all.push_back({names[n++ % 20],sphere(c,rad),sphere(c,rad)}); }
    int k=0;
    for (auto& s : all) for (int lab=0; lab<2; ++lab) {
        std::vector<float> noisy = sampled(s.drawn, shapeSize, 0.4);
        if (lab) { std::vector<uint8_t> in; for (float v : sampled(s.drawn)) in.push_back(v<0); signedDistance({in.data(),shapeSize},{1,1,1},{noisy.data(),shapeSize},ctx); }
        double V=volumeInside(sampled(s.truth));
        std::vector<float> d=noisy; 
        denoiseSurface({d.data(),shapeSize},{1,1,1},p,ctx);
        printf("%-8s %-20s %s noisy %.3f V %+5.2f | nlm %.3f V %+5.2f |", preset, s.name, lab?"label":"noise", zeroLevel(noisy,shapeSize,s.truth).mean, 100*(volumeInside(noisy)/V-1), zeroLevel(d,shapeSize,s.truth).mean, 100*(volumeInside(d)/V-1));
        for (double sg : {4.,5.}) { auto e=d; keepMeanPlace({noisy.data(),shapeSize},{e.data(),shapeSize},{1,1,1},{3,1.5,sg},ctx);
          printf(" s%g %.3f V %+5.2f |", sg, zeroLevel(e,shapeSize,s.truth).mean, 100*(volumeInside(e)/V-1)); }
        printf("\n"); fflush(stdout); ++k;
    } }
}
