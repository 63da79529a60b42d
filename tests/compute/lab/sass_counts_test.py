#!/usr/bin/env python3
"""tools/sass_counts.py on a listing of a few lines."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import sass_counts

LISTING = """
\t\tFunction : _Zwalk
        /*0000*/                   LDC R1, c[0x0][0x28] ;                      /* 0x1 */
                                                                               /* 0x2 */
        /*0010*/                   LDG.E R2, desc[UR4][R4.64] ;
        /*0020*/              @!P0 LDG.E R3, desc[UR4][R4.64+0x4] ;
        /*0030*/                   LDGSTS.E [R9], desc[UR4][R4.64] ;
        /*0040*/                   LDS R8, [R9] ;
        /*0050*/               @P1 BRA 0x40 ;
        /*0060*/                   LDS RZ, [RZ] ;
        /*0070*/                   FFMA R6, R2, R3, R6 ;
        /*0080*/                   STG.E desc[UR4][R4.64], R6 ;
        /*0090*/                   STG.E desc[UR4][R4.64+0x4], R6 ;
        /*00a0*/               @P0 BRA `(.L_x_1) ;
        /*00b0*/               @P2 BRA 0x10 ;
        /*00c0*/                   SHFL.DOWN PT, R7, R6, 0x10, 0x1f ;
        /*00d0*/                   STG.E desc[UR4][R4.64], R7 ;
        /*00e0*/                   NOP ;
\t\tFunction : _Zother
        /*0000*/                   EXIT ;
"""


class Counts(unittest.TestCase):
    def setUp(self):
        self.code = sass_counts.functions(LISTING)["_Zwalk"]

    def test_finds_functions_and_instructions(self):
        self.assertEqual(set(sass_counts.functions(LISTING)), {"_Zwalk", "_Zother"})
        self.assertEqual(len(self.code), 15)
        self.assertEqual(self.code[2].text, "LDG.E R3, desc[UR4][R4.64+0x4]")

    def test_finds_loops(self):
        self.assertEqual(sass_counts.loops(self.code), [(1, 11), (4, 5)])

    def test_a_loop_is_counted_without_those_inside(self):
        counts = sass_counts.region_counts(self.code, "loop", "STG")
        # An asynchronous copy is a load and a store in shared memory; a read to nowhere is none.
        self.assertEqual((counts["LDG"], counts["STS"], counts["LDS"], counts["STG"], counts["FFMA"]),
                         (3, 1, 0, 2, 1))

    def test_the_innermost_loop_and_the_body(self):
        self.assertEqual(sass_counts.region_counts(self.code, "innermost", "LDS")["LDS"], 1)
        self.assertEqual(sass_counts.region_counts(self.code, "body", "STG")["STG"], 2)
        self.assertEqual(sass_counts.region_counts(self.code, "all", "STG")["STG"], 3)

    def test_divides_by_the_unrolling_and_tells_what_differs(self):
        entry = {"region": "loop", "unit": "STG", "counts": {"STG": 1, "LDG": 1.5, "LDS": 0, "FADD": 3}}
        unrolled, rows = sass_counts.check(entry, self.code)
        self.assertEqual(unrolled, 2)
        self.assertEqual([row[0] for row in rows if not row[3]], ["FADD"])

    def test_a_loop_that_is_missing_differs(self):
        entry = {"region": "loop", "unit": "TEX", "counts": {"TEX": 1}}
        self.assertFalse(sass_counts.check(entry, self.code)[1][0][3])


if __name__ == "__main__":
    unittest.main()
