// The cases of a study: what a folder in BIDS, a plain folder of images, or a table says.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {

struct CohortCase {
    std::string id;      ///< "sub-01_ses-2_cine": letters, digits, '-', '_'; no two are equal
    std::string subject; ///< letters and digits: the label after "sub-"
    std::string session; ///< the label after "ses-", or empty
    std::string image;   ///< absolute: a file, or a DICOM folder
    std::string labels;  ///< absolute: label map of the first frame; empty: none
    std::string frames;  ///< FIRST:LAST as for 'systole motion'; empty: all
    /// Options of 'systole segment' with which the labels are found if there are none.
    std::string seed, points;
    std::string group;
    /// Reference values that others have measured: name of a measure of the table, and its value.
    std::vector<std::pair<std::string, double>> references;

    /// The folder of its results, relative to that of the cohort: "sub-01/ses-2".
    std::string folder() const;
};

struct CohortCases {
    std::vector<CohortCase> cases; ///< ascending by id
    /// Sentences on files and folders that are no case although they seem one.
    std::vector<std::string> refusals;
    /// Sentences on ignored columns of a table, on files left out by a rule, and on text that was
    /// read although it is written in another way than expected.
    std::vector<std::string> notes;
    /// Sentences on files and folders that couldn't be read: there may be more cases.
    std::vector<std::string> unread;
    /// Images and label maps of a folder whose content isn't on this computer.
    std::set<std::string> absent;
};

/// Participants and sessions to take; empty: all. The labels may begin with "sub-" and "ses-".
struct CohortSelection {
    std::vector<std::string> participants, sessions;
};

/// `input` is a .csv or .tsv table, a BIDS data set, or a folder of images; `output` is left out of
/// the search. Throws FileError for an input that can't be read or has no case, UsageError for a
/// missing participant or session.
CohortCases findCases(const std::string& input, const std::string& output,
                      const CohortSelection& selection);

/// The rows of a table: cells by column, see findCases(). Columns: file (required), id, session,
/// labels, frames, seed, points, group, and reference_MEASURE; paths are relative to the table.
/// Other columns, which may be misspelt ones, are noted. Throws FileError naming the line.
CohortCases casesOfTable(const std::string& path);

/// Group and reference_MEASURE of the rows of a BIDS participants.tsv, for the cases of the
/// participant in participant_id. Noted: a reference_ of no measure (other columns are usual
/// there), ids without "sub-", and rows and participants without the other. Throws FileError, also
/// for two rows of one participant.
void addParticipants(const std::string& path, CohortCases& found);

/// The letters and digits of `text`: those outside ASCII, which BIDS doesn't take, as the numbers
/// of their characters, "Ju00f6rg", or with more than four digits "U01fac0", so that names that
/// differ in such letters stay different.
std::string bidsLabel(std::string_view text);

} // namespace systole
