# SPDX-License-Identifier: Apache-2.0
"""Runs sparf_nfc_filter under cocotb with the pages of nfc_filter_main.cc, for `neardata bench`.

The environment names the files: NFC_PAGES, the pages in the format of nfc_filter_main.cc, and
NFC_RESULT, where the outputs are written as little-endian numbers:
- cycles from the first page to the last beat, and nanoseconds of the processor for them (64 bits),
- for each output its cycle (32 bits), data (64 bits), row_last and last (32 bits each).
The clock of cocotb is the one in C++, the default. One coroutine drives the inputs and one records
the outputs; the files are read before the time begins, and written after its end.
"""

import os
import struct
import time

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


def read_pages(path):
    """Headers {mask, rows, beats of a row, used beats} with the beats of each page."""
    with open(path, "rb") as file:
        data = file.read()
    pages = []
    at = 0
    while at < len(data):
        header = struct.unpack_from("<4I", data, at)
        _, rows, row_beats, _ = header
        pages.append((header, struct.unpack_from(f"<{rows * row_beats}Q", data, at + 16)))
        at += 16 + 8 * rows * row_beats
    return pages


async def drive(dut, pages):
    """Sends every page and its beats as soon as the unit is ready; returns the cycles."""
    edge = RisingEdge(dut.clk_i)
    page_ready, in_ready, in_data = dut.page_ready_o, dut.in_ready_o, dut.in_data_i
    cycles = 0
    for (mask, rows, row_beats, used_beats), beats in pages:
        dut.page_mask_i.value = mask
        dut.page_rows_i.value = rows
        dut.page_row_beats_i.value = row_beats
        dut.page_used_beats_i.value = used_beats
        dut.page_valid_i.value = 1
        taken = False
        while not taken:
            await edge
            cycles += 1
            taken = page_ready.value == 1
        dut.page_valid_i.value = 0
        dut.in_valid_i.value = 1
        for beat in beats:
            in_data.value = beat
            taken = False
            while not taken:
                await edge
                cycles += 1
                taken = in_ready.value == 1
        dut.in_valid_i.value = 0
    return cycles


async def record(dut, outputs):
    """Records every beat that leaves, with its cycle."""
    edge = RisingEdge(dut.clk_i)
    valid, data, row_last, last = (
        dut.out_valid_o,
        dut.out_data_o,
        dut.out_row_last_o,
        dut.out_last_o,
    )
    cycle = 0
    while True:
        await edge
        if valid.value == 1:
            outputs.append((cycle, int(data.value), int(row_last.value), int(last.value)))
        cycle += 1


@cocotb.test()
async def pages_pass(dut):
    pages = read_pages(os.environ["NFC_PAGES"])
    dut.rst_ni.value = 0
    dut.page_valid_i.value = 0
    dut.in_valid_i.value = 0
    dut.out_ready_i.value = 1
    Clock(dut.clk_i, 2, unit="step").start()
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    outputs = []
    cocotb.start_soon(record(dut, outputs))
    begin = time.process_time_ns()
    cycles = await drive(dut, pages)
    nanoseconds = time.process_time_ns() - begin
    # The last beat leaves one cycle after its arrival.
    for _ in range(2):
        await RisingEdge(dut.clk_i)
    with open(os.environ["NFC_RESULT"], "wb") as file:
        file.write(struct.pack("<2Q", cycles, nanoseconds))
        for output in outputs:
            file.write(struct.pack("<IQ2I", *output))
