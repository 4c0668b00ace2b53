// SPDX-License-Identifier: Apache-2.0
// Delays of memories made of look-up tables, ps, where Yosys' own models of Xilinx' 7 series have
// none that its timing uses: from an address to the word as through a look-up table of six inputs
// (LUT6, I0 to I5), from the clock to a word that was written, and what must stand before the
// clock. The values are those that Yosys states for RAM32X1D, RAM64X1D, RAM128X1D, RAM32M, RAM64M
// and MUXF8 (techlibs/xilinx/cells_sim.v: Artix-7's slices in Project X-Ray, CLBLM_R.sdf), the
// slowest where bits of a bus differ.
module RAM32M (
  output [1:0] DOA, DOB, DOC, DOD,
  input [4:0] ADDRA, ADDRB, ADDRC, ADDRD,
  input [1:0] DIA, DIB, DIC, DID,
  input WCLK, WE
);
  parameter [63:0] INIT_A = 0, INIT_B = 0, INIT_C = 0, INIT_D = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(ADDRD, posedge WCLK, 245);
    $setup(DIA, posedge WCLK, 453);
    $setup(DIB, posedge WCLK, 461);
    $setup(DIC, posedge WCLK, 457);
    $setup(DID, posedge WCLK, 334);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (DOA : DIA)) = 1188;
    (posedge WCLK => (DOB : DIB)) = 1187;
    (posedge WCLK => (DOC : DIC)) = 1180;
    (posedge WCLK => (DOD : DID)) = 1190;
    (ADDRA *> DOA) = 642;
    (ADDRB *> DOB) = 642;
    (ADDRC *> DOC) = 642;
    (ADDRD *> DOD) = 642;
  endspecify
endmodule

module RAM64M (
  output DOA, DOB, DOC, DOD,
  input [5:0] ADDRA, ADDRB, ADDRC, ADDRD,
  input DIA, DIB, DIC, DID,
  input WCLK, WE
);
  parameter [63:0] INIT_A = 0, INIT_B = 0, INIT_C = 0, INIT_D = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(ADDRD, posedge WCLK, 362);
    $setup(DIA, posedge WCLK, 384);
    $setup(DIB, posedge WCLK, 354);
    $setup(DIC, posedge WCLK, 375);
    $setup(DID, posedge WCLK, 310);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (DOA : DIA)) = 1153;
    (posedge WCLK => (DOB : DIB)) = 1161;
    (posedge WCLK => (DOC : DIC)) = 1158;
    (posedge WCLK => (DOD : DID)) = 1163;
    (ADDRA *> DOA) = 642;
    (ADDRB *> DOB) = 642;
    (ADDRC *> DOC) = 642;
    (ADDRD *> DOD) = 642;
  endspecify
endmodule

module RAM32X1S (
  output O,
  input A0, A1, A2, A3, A4, D, WCLK, WE
);
  parameter [31:0] INIT = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(A0, posedge WCLK, 245);
    $setup(A1, posedge WCLK, 208);
    $setup(A2, posedge WCLK, 147);
    $setup(A3, posedge WCLK, 68);
    $setup(A4, posedge WCLK, 66);
    $setup(D, posedge WCLK, 453);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (O : D)) = 1153;
    (A0 => O) = 642;
    (A1 => O) = 631;
    (A2 => O) = 472;
    (A3 => O) = 407;
    (A4 => O) = 238;
  endspecify
endmodule

module RAM64X1S (
  output O,
  input A0, A1, A2, A3, A4, A5, D, WCLK, WE
);
  parameter [63:0] INIT = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(A0, posedge WCLK, 362);
    $setup(A1, posedge WCLK, 245);
    $setup(A2, posedge WCLK, 208);
    $setup(A3, posedge WCLK, 147);
    $setup(A4, posedge WCLK, 68);
    $setup(A5, posedge WCLK, 66);
    $setup(D, posedge WCLK, 453);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (O : D)) = 1153;
    (A0 => O) = 642;
    (A1 => O) = 631;
    (A2 => O) = 472;
    (A3 => O) = 407;
    (A4 => O) = 238;
    (A5 => O) = 127;
  endspecify
endmodule

// Behind a MUXF7, 193 and 175 ps.
module RAM128X1S (
  output O,
  input A0, A1, A2, A3, A4, A5, A6, D, WCLK, WE
);
  parameter [127:0] INIT = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(A0, posedge WCLK, 616);
    $setup(A1, posedge WCLK, 362);
    $setup(A2, posedge WCLK, 245);
    $setup(A3, posedge WCLK, 208);
    $setup(A4, posedge WCLK, 147);
    $setup(A5, posedge WCLK, 68);
    $setup(A6, posedge WCLK, 66);
    $setup(D, posedge WCLK, 453);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (O : D)) = 1545;
    (A0 => O) = 1010;
    (A1 => O) = 999;
    (A2 => O) = 840;
    (A3 => O) = 775;
    (A4 => O) = 606;
    (A5 => O) = 495;
    (A6 => O) = 451;
  endspecify
endmodule

// And a MUXF8, 104 ps more.
module RAM256X1S (
  output O,
  input [7:0] A,
  input D, WCLK, WE
);
  parameter [255:0] INIT = 0;
  parameter [0:0] IS_WCLK_INVERTED = 0;
  specify
    $setup(A, posedge WCLK, 616);
    $setup(D, posedge WCLK, 453);
    $setup(WE, posedge WCLK, 654);
    (posedge WCLK => (O : D)) = 1649;
    (A *> O) = 1114;
  endspecify
endmodule
