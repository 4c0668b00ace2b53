#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures this machine for `neardata calibrate`: one JSON document, seconds and bytes a second.

    python3 tools/measure.py [--device cuda|cpu] [--hidden 4096] [--intermediate 1536] [--shared] > measured.json

Experts take turns so that none of them stays in a cache: together they are larger than any cache.
Times are medians of repetitions after a warm-up, fewer of what takes long; bandwidths count bytes read
and bytes written.

--shared is for a CPU on which other work runs meanwhile: one thread, timed by the processor time that it
got, and the best of the repetitions. What others take of caches and memory stays in the numbers.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

import torch

TOKENS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
WORKING_SET = 2 << 30
# Once so many seconds were measured, three repetitions are enough.
PATIENCE = 3


class Stopwatch:
    """How seconds are taken: median of wall times, or the best of one thread's processor times."""

    def __init__(self, shared):
        self.clock = time.process_time if shared else time.perf_counter
        self.of_many = min if shared else statistics.median


def timed(stopwatch, device, work, repetitions):
    """Seconds of work(i) over the repetitions, each waited for; the first warm up."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    times = []
    for i in range(3 + repetitions):
        wait()
        start = stopwatch.clock()
        work(i)
        wait()
        times.append(stopwatch.clock() - start)
        if i >= 5 and sum(times) > PATIENCE:
            break
    return stopwatch.of_many(times[3:])


def expert_points(stopwatch, device, dtype, hidden, intermediate):
    size = 3 * hidden * intermediate * 2
    count = max(2, WORKING_SET // size)

    def matrix(rows, columns):
        return torch.randn(rows, columns, dtype=dtype, device=device) / rows**0.5

    experts = [
        (matrix(hidden, intermediate), matrix(hidden, intermediate), matrix(intermediate, hidden))
        for _ in range(count)
    ]
    points = []
    for tokens in TOKENS:
        x = torch.randn(tokens, hidden, dtype=dtype, device=device)

        def work(i):
            gate, up, down = experts[i % count]
            return (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down

        points.append({"tokens": tokens, "seconds": timed(stopwatch, device, work, 30)})
    return {"hidden": hidden, "intermediate": intermediate, "bytes": size, "points": points}


def rates(stopwatch, device, dtype):
    n = 8192 if device == "cuda" else 4096
    a, b = (torch.randn(n, n, dtype=dtype, device=device) for _ in range(2))
    gemm = 2 * n**3 / timed(stopwatch, device, lambda _: a @ b, 20)
    rows = WORKING_SET // (2 * n)
    matrix = torch.randn(rows, n, dtype=dtype, device=device)
    vector = torch.randn(n, dtype=dtype, device=device)
    gemv = matrix.numel() * 2 / timed(stopwatch, device, lambda _: matrix @ vector, 20)
    target = torch.empty_like(matrix)
    memory = 2 * matrix.numel() * 2 / timed(stopwatch, device, lambda _: target.copy_(matrix), 20)
    return {"gemm_flops_per_second": gemm, "gemv_bytes_per_second": gemv,
            "memory_bytes_per_second": memory}


def link(stopwatch, device):
    if device == "cpu":
        return None
    host = torch.empty(1 << 28, dtype=torch.uint8, pin_memory=True)
    card = torch.empty_like(host, device=device)
    down = timed(stopwatch, device, lambda _: card.copy_(host, non_blocking=True), 20)
    up = timed(stopwatch, device, lambda _: host.copy_(card, non_blocking=True), 20)
    return {"to_device_bytes_per_second": host.numel() / down,
            "to_host_bytes_per_second": host.numel() / up}


def cpu_name():
    """As Linux calls it; the architecture elsewhere."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def describe(device):
    if device == "cpu":
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return {"kind": "cpu", "name": cpu_name(), "memory_bytes": memory, "power_watts": None}, None
    query = ["nvidia-smi", "--query-gpu=driver_version,power.limit", "--format=csv,noheader,nounits"]
    driver, watts = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    properties = torch.cuda.get_device_properties(0)
    watts = float(watts) if watts.replace(".", "").isdigit() else None
    return {"kind": "gpu", "name": properties.name, "memory_bytes": properties.total_memory,
            "power_watts": watts}, driver


def conditions(shared):
    """What else was known of the machine while it was measured."""
    mhz = []
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            mhz = [float(line.split(":")[1]) for line in lines if line.startswith("cpu MHz")]
    except OSError:
        pass
    return {
        "threads": torch.get_num_threads(), "cores": os.cpu_count(),
        "clock": "processor time" if shared else "wall time",
        "statistic": "best" if shared else "median",
        "load": os.getloadavg()[0], "frequency_hz": max(mhz) * 1e6 if mhz else None,
    }


def main():
    options = argparse.ArgumentParser(description="measure this machine for neardata calibrate")
    found = "cuda" if torch.cuda.is_available() else "cpu"
    options.add_argument("--device", choices=["cuda", "cpu"], default=found)
    options.add_argument("--hidden", type=int, default=4096)
    options.add_argument("--intermediate", type=int, default=1536)
    options.add_argument("--shared", action="store_true")
    given = options.parse_args()
    if given.shared and given.device != "cpu":
        options.error("--shared is for the CPU: a GPU is not timed by processor time.")
    if given.shared:
        torch.set_num_threads(1)
    stopwatch = Stopwatch(given.shared)
    with torch.inference_mode():
        device, driver = describe(given.device)
        document = {
            "format": "neardata-calibration", "version": 1, "device": device,
            "software": {"torch": torch.__version__, "driver": driver,
                         "date": time.strftime("%Y-%m-%d")},
            "conditions": conditions(given.shared),
            "expert": expert_points(
                stopwatch, given.device, torch.bfloat16, given.hidden, given.intermediate),
            "rates": rates(stopwatch, given.device, torch.bfloat16),
            "link": link(stopwatch, given.device),
        }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
