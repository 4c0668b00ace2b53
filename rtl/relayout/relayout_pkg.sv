// SPDX-License-Identifier: Apache-2.0
// Shared types of the relayout unit. A burst is 64 bytes of one rank-sub-channel (a stream); a packet is up to
// four bursts with consecutive addresses at both ends.
package relayout_pkg;
  localparam int unsigned BurstBits = 512;
  localparam int unsigned PacketBursts = 4;
  localparam int unsigned PlaceBits = $clog2(PacketBursts);
  typedef logic [PlaceBits-1:0] place_t;  // of a burst in its packet
  localparam int unsigned AddrBits = 32;  // a burst of a stream; bursts of a run
  localparam int unsigned FlowBits = 16;

  // The order of the director; its source stream is a separate signal. Its bursts have consecutive
  // addresses at both ends.
  typedef struct packed {
    logic [FlowBits-1:0] flow;
    logic [AddrBits-1:0] from_burst;
    logic [7:0] to_dimm;
    logic [7:0] to_stream;
    logic [AddrBits-1:0] to_burst;
    logic [AddrBits-1:0] bursts;          // at least 1
  } run_t;

  // The 12 bytes before a packet's payload, least significant first. The sequence number is the
  // link's, which numbers a packet and adds its checksum on every hop.
  typedef struct packed {
    logic [AddrBits-1:0] burst;           // the first one, in the target's stream
    logic [15:0] sequence_number;
    logic [15:0] payload_bytes;
    logic [FlowBits-1:0] flow;
    logic [7:0] stream;                   // of the target
    logic [7:0] target;                   // DIMM
  } header_t;
  localparam int unsigned HeaderBits = AddrBits + 32 + FlowBits + 16;

  // A burst of a packet in flight, with the packet's header.
  typedef struct packed {
    header_t header;
    logic [BurstBits-1:0] data;
    logic last;
  } flit_t;
  localparam int unsigned FlitBits = HeaderBits + BurstBits + 1;
  typedef logic [FlitBits-1:0] flit_bits_t;
endpackage
