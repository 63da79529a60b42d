// Files of a study that are no case, which is reported: set apart by BIDS, not on this computer,
// named otherwise.
#include "app/base/error.h"
#include "io/base/absent_content.h"
#include "tests/app/study/study_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace systole {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class LeftOut : public testing::StudyFolder {
protected:
    void bids() const {
        put("dataset_description.json", R"({"Name": "s", "BIDSVersion": "1.8.0"})");
    }
    void link(const std::string& file, const std::string& target) const {
        fs::create_directories((folder_.path() / file).parent_path());
        fs::create_symlink(target, folder_.path() / file);
    }
};

TEST_F(LeftOut, FoldersThatBidsSetsApartHaveNoCases) {
    bids();
    put("sub-01/heart/sub-01_cine.nii.gz");
    put("sub-01/heart/sub-01_cine_dseg.nii.gz");
    for (const char* file :
         {"sourcedata/sub-77/sub-77_raw.nii.gz", "sourcedata/sub-01/heart/sub-01_scan.nii.gz",
          "derivatives/p/sub-01/sub-01_desc.nii.gz", "stimuli/sub-09_x.nii.gz",
          "code/sub-08_x.nii.gz", "sub-01/sourcedata/sub-01_raw.nii.gz",
          ".git/annex/objects/sub-07_x.nii.gz", ".datalad/sub-06_x.nii.gz"})
        put(file);
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-01_cine"));
    EXPECT_THAT(found.refusals, IsEmpty());
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("code, derivatives, sourcedata, stimuli")));
    // Named as INPUT it is the study.
    EXPECT_THAT(ids(findCases(folder_ / "sourcedata", folder_ / "out", {})),
                ElementsAre("sub-01_scan", "sub-77_raw"));
}

TEST_F(LeftOut, SetApartWithinADataSetThatLiesDeeper) {
    put("rawdata/dataset_description.json", "{}");
    put("rawdata/sub-01/sub-01_cine.nii.gz");
    put("rawdata/sourcedata/x/sub-01_raw.nii.gz");
    put("results/dataset_description.json", R"({"DatasetType": "derivative"})");
    put("results/sub-01/sub-01_motion/displacement_0001.mha");
    put("patients/code/one.nii"); // no data set: a folder like any other
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-patientscode", "sub-rawdatasub01"));
    EXPECT_THAT(found.notes,
                UnorderedElementsAre(HasSubstr("results: is a data set of results"),
                                     HasSubstr("sets apart have no cases: sourcedata")));
}

TEST_F(LeftOut, AStudyOfNothingElseSaysSo) {
    put("derivatives/a.nii");
    try {
        find();
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("has no case; folders that BIDS sets apart have no "
                                            "cases: derivatives; name one as INPUT"));
    }
}

TEST_F(LeftOut, ContentThatIsNotHereIsNamed) {
    bids();
    put("sub-01/heart/sub-01_cine.nii.gz");
    link("sub-03/heart/sub-03_cine.nii.gz", "../../absent.nii.gz");
    link("sub-04/heart/sub-04_cine.nii.gz",
         "../../.git/annex/objects/Xp/1G/MD5E-s9--0.nii.gz/MD5E-s9--0.nii.gz");
    put("sub-05/heart/sub-05_cine.nii.gz", "/annex/objects/SHA256E-s1--00.nii.gz\n");
    put("sub-06/heart/sub-06_cine.nii.gz",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n");
    put("sub-07/heart/sub-07_cine.nii.gz", "../../.git/annex/objects/00/11/MD5-s1--0/MD5-s1--0");
    link("sub-08/heart/sub-08_cine.nii.gz", "sub-08_cine.nii.gz");
    link("sub-09", "../elsewhere");
    link("sub-04_note.txt", "nowhere");
    link("sub-01/heart/sub-01_cine_dseg.nii.gz", "../../absent_dseg.nii.gz");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-01_cine"));
    EXPECT_THAT(
        found.refusals,
        UnorderedElementsAre(
            AllOf(HasSubstr("sub-03_cine.nii.gz: is a link to content that isn't here"),
                  HasSubstr("../../absent.nii.gz"), HasSubstr("'datalad get'")),
            HasSubstr("sub-04_cine.nii.gz: is a link of git-annex to content that isn't here"),
            HasSubstr("sub-05_cine.nii.gz: is a pointer of git-annex to content that isn't"),
            HasSubstr("sub-06_cine.nii.gz: is a pointer of Git LFS to content that isn't here"),
            HasSubstr("sub-07_cine.nii.gz: is a pointer of git-annex to content that isn't"),
            HasSubstr("sub-08_cine.nii.gz: is a link that leads round in a circle"),
            HasSubstr("sub-09: is a link to content that isn't here"),
            HasSubstr("sub-01_cine_dseg.nii.gz: is a link to content that isn't here")));
    try {
        find({{"03"}, {}});
        ADD_FAILURE();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("no case is of sub-03; "),
                                        HasSubstr("sub-03_cine.nii.gz: is a link to content")));
    }
    EXPECT_EQ(found.absent.size(), 7U); // the images and the label map
    EXPECT_TRUE(found.absent.contains(folder_ / "sub-03/heart/sub-03_cine.nii.gz"));
    EXPECT_THAT(found.unread, IsEmpty());
}

TEST_F(LeftOut, ContentThatIsHereIsNot) {
    put("there.nii", std::string(40000, 'x'));
    put("empty.nii");
    link("good.nii", "there.nii");
    for (const char* file : {"there.nii", "empty.nii", "good.nii", "none.nii"})
        EXPECT_EQ(whyAbsent(folder_ / file), "") << file;
    EXPECT_THAT(ids(find()), ElementsAre("sub-empty", "sub-good", "sub-there"));
}

TEST_F(LeftOut, NamesOfOthersAreNamed) {
    bids();
    put("sub-01/heart/sub-01_cine.nii.gz");
    put("sub-01/heart/cine.nii.gz");
    put("02/heart/02_cine.nii.gz");
    put("Sub-03/Sub-03_cine.nii.gz");
    put("sub-04/sub-05_cine.nii.gz");
    put("sub-06/ses-1/sub-06_ses-2_cine.nii.gz");
    put("sub-07/sub-07_events.tsv");
    put("sub-08/sub-08_cine.gipl");
    put("sub-09/dicom/IM0001", std::string(128, '\0') + "DICM");
    put("sub-01/heart/.sub-01_hidden.nii.gz");
    put("sub-01/heart/sub-01_other_mask.nii.gz");
    put("README");
    const CohortCases found = find();
    EXPECT_THAT(ids(found), ElementsAre("sub-01_cine"));
    EXPECT_THAT(found.refusals,
                UnorderedElementsAre(
                    HasSubstr("heart/cine.nii.gz: its name doesn't begin with sub-"),
                    HasSubstr("02_cine.nii.gz: its name doesn't begin with sub-"),
                    HasSubstr("Sub-03_cine.nii.gz: its name doesn't begin with sub-"),
                    HasSubstr("sub-05_cine.nii.gz: is named sub-05 and lies in a folder sub-04"),
                    HasSubstr("cine.nii.gz: is named ses-2 and lies in a folder ses-1"),
                    HasSubstr("sub-07: has no image"),
                    HasSubstr("sub-08_cine.gipl: is of a format whose files are cases in a table"),
                    HasSubstr("dicom: has DICOM files; a table")));
    EXPECT_THAT(found.notes, UnorderedElementsAre(HasSubstr("1 image whose name begins with a dot"),
                                                  AllOf(HasSubstr("1 label map not used"),
                                                        HasSubstr("sub-01_other_mask.nii.gz"))));
}

TEST_F(LeftOut, ASessionThatOnlyTheFolderNamesIsThatOfTheImage) {
    bids();
    for (const char* session : {"pre", "post"}) {
        put(fmt::format("sub-01/ses-{}/heart/sub-01_cine.nii.gz", session));
        put(fmt::format("sub-01/ses-{}/heart/sub-01_dseg.nii.gz", session));
    }
    put("sub-02/ses-pre/sub-02_ses-pre_cine.nii.gz");
    const CohortCases found = find();
    EXPECT_THAT(ids(found),
                ElementsAre("sub-01_ses-post_cine", "sub-01_ses-pre_cine", "sub-02_ses-pre_cine"));
    EXPECT_EQ(found.cases[0].folder(), "sub-01/ses-post");
    EXPECT_EQ(found.cases[0].labels, folder_ / "sub-01/ses-post/heart/sub-01_dseg.nii.gz");
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("2 images named without session")));
    EXPECT_THAT(ids(find({{}, {"post"}})), ElementsAre("sub-01_ses-post_cine"));
}

TEST_F(LeftOut, ParticipantsWithoutImagesAndImagesWithoutParticipantsAreNoted) {
    bids();
    put("sub-01/sub-01_cine.nii.gz");
    put("sub-02/sub-02_cine.nii.gz");
    put("participants.tsv", "participant_id\tgroup\n01\tcontrol\nsub-05\tpatient\n");
    const CohortCases found = find();
    EXPECT_EQ(found.cases[0].group, "control");
    EXPECT_EQ(found.cases[1].group, "");
    EXPECT_THAT(found.notes,
                UnorderedElementsAre(HasSubstr("ids without sub- are read as if they had it: 01"),
                                     HasSubstr("no image is found of: sub-05"),
                                     HasSubstr("has no row of: sub-02")));
}

TEST_F(LeftOut, AParticipantTwiceIsRefused) {
    bids();
    put("sub-01/sub-01_cine.nii.gz");
    for (const char* second : {"sub-01", "01"}) {
        put("participants.tsv", fmt::format("participant_id\tgroup\nsub-01\tA\n{}\tC\n", second));
        try {
            find();
            ADD_FAILURE() << second;
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("line 3: participant sub-01 has line 2, too"));
        }
    }
    put("participants.tsv", "participant_id\tgroup\tgroup\nsub-01\tA\tC\n");
    EXPECT_THROW(find(), FileError);
    put("participants.tsv", "id\tgroup\n1\tA\n");
    EXPECT_THROW(find(), FileError);
}

/// Root may read what others may not.
class OrdinaryUser {
public:
    OrdinaryUser() {
        if (wasRoot_) {
            EXPECT_EQ(::seteuid(65534), 0);
        }
    }
    ~OrdinaryUser() {
        if (wasRoot_) {
            EXPECT_EQ(::seteuid(0), 0);
        }
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

private:
    bool wasRoot_ = ::geteuid() == 0;
};

TEST_F(LeftOut, WhatCannotBeLookedAtIsNotTakenForNothing) {
    bids();
    put("sub-01/sub-01_cine.nii.gz");
    put("sub-02/heart/sub-02_cine.nii.gz");
    fs::permissions(folder_.path(), fs::perms(0755));
    fs::permissions(folder_ / "sub-02/heart", fs::perms(0));
    {
        const OrdinaryUser user;
        const CohortCases found = find();
        EXPECT_THAT(ids(found), ElementsAre("sub-01_cine"));
        EXPECT_THAT(found.unread,
                    ElementsAre(HasSubstr("sub-02/heart: can't be read: Permission")));
        EXPECT_THAT(found.refusals, IsEmpty());
    }
    fs::permissions(folder_ / "sub-02/heart", fs::perms(0755));
    fs::permissions(folder_.path(), fs::perms(0));
    {
        const OrdinaryUser user;
        EXPECT_THROW(find(), FileError);
    }
    fs::permissions(folder_.path(), fs::perms(0755));
}

} // namespace
} // namespace systole
