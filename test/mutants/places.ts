// SPDX-License-Identifier: Apache-2.0
// The folders for injected faults, and the tests nearest to a file. The first failing set has found
// the fault, so the fastest and nearest sets are first.

import { basename } from "node:path";

import { harnesses } from "../../src/tools/prove/list.ts";

export interface Place {
  readonly folder: string;
  readonly endings: readonly string[];
  /**
   * Files without mutants: tables, entry points, and files that only tests of other directories
   * cover.
   */
  readonly without: readonly string[];
  /** Artifacts to rebuild before the tests. */
  readonly make?: string;
  /** Sets of Vitest's arguments: files, and with `-t` names of tests in them; or of `neardata prove`. */
  readonly tests: (file: string) => readonly (readonly string[])[];
}

/** The first entry whose name begins a file's. */
const byName =
  (
    folder: string,
    table: readonly (readonly [name: string, tests: readonly string[]])[],
    all: readonly (readonly string[])[],
  ): Place["tests"] =>
  (file) => {
    const near = table.find(([name]) => file.startsWith(`${folder}/${name}`));
    return near === undefined ? all : [near[1], ...all];
  };

const golden = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/golden/${name}.test.ts`);
/** Tests of timings and energies as data; the other tests of DDR5 drive the controller. */
const ofDramData = new Set(["bins", "energy", "presets"]);
const dram = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/${ofDramData.has(name) ? "machine" : "kernels"}/dram/${name}.test.ts`);
const flash = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/kernels/flash/${name}.test.ts`);
const native = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/native/${name}.`);
const rtl = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/rtl/${name}.`);

/** Tests of one file whose names match, because the others need larger models. */
const named = (name: string, pattern: string): readonly string[] => [...rtl(name), "-t", pattern];

const smallKernel = named("sparf-kernel", "Lanes: 8");

/**
 * Checks of descriptors. Their own test samples all words and finds a fault sooner than a proof;
 * tests of the units with a check send valid descriptors only.
 */
const descriptorChecks = new Map([
  ["ndp_descriptor_check.sv", "ndp-descriptor-check"],
  ["sparf_descriptor_check.sv", "sparf-descriptor"],
]);

const nearSparf = byName(
  "rtl/sparf",
  [
    ["arith/sparf_attn_exp2", rtl("attn-exp2")],
    ["arith/sparf_attn_scalar", rtl("attn-scalar")],
    ["arith", smallKernel],
    ["topk/sparf_rank", smallKernel],
    ["topk", named("argtopk", "golden model")],
    ["flash/sparf_nfc_filter", rtl("nfc-filter")],
    ["kernel", smallKernel],
  ],
  [],
);

/** Tests of the kernel for files that it contains, else of the engine; the fastest size first. */
function aroundSparf(file: string): readonly (readonly string[])[] {
  const engine = [named("sparf-engine", "closed set of pages"), named("sparf-engine", unplanted)];
  if (!/^rtl\/sparf\/(?:arith|kernel|topk)\//.test(file)) return engine;
  const search = ["test/search/units.full.test.ts", "-t", "^sparf-kernel"];
  return [named("sparf-kernel", "Lanes: (4|16)"), search, ...engine.slice(0, 1)];
}

/** The quick proofs of a module: seconds, where a model is built in a minute. */
const proofs: Place["tests"] = (file) => {
  const module = basename(file, ".sv");
  const some = harnesses.some((harness) => harness.quick && harness.module === module);
  return some ? [["prove", "--quick", module]] : [];
};

/** Proofs of the module and tests behind them. */
const rtlTests =
  (tests: Place["tests"]): Place["tests"] =>
  (file) => {
    const check = descriptorChecks.get(basename(file));
    return check === undefined ? [...proofs(file), ...tests(file)] : [rtl(check), ...proofs(file)];
  };

/**
 * Without tests that quote the RTL to inject a fault, because they fail if the quoted line contains
 * one.
 */
const unplanted = "^(?!.*(?:planted|is held))";

const nearNdp = byName(
  "rtl/ndp",
  [
    ["act/ndp_act_ctrl", named("ndp-cycle", "the small unit")],
    ["act/", rtl("act")],
    ["gemv/ndp_gemv_array", named("gemv", "the small size|four banks")],
    ["gemv/ndp_gemv_bank", named("gemv", "the small size")],
    ["gemv/ndp_slot_root", named("gemv", "the small size")],
    ["gemv/ndp_gemv_unit", named("gemv", "the small size")],
    ["gemv/ndp_scaled_terms", named("ndp-cycle", "low-bit")],
    ["gemv/ndp_weight_scales", named("ndp-cycle", "low-bit")],
    ["ndp_descriptor", rtl("ndp-descriptor")],
  ],
  [
    named("ndp-cycle", "the small unit"),
    named("ndp-expert", "bit for bit"),
    named("ndp-cycle", "low-bit|no cycle to spare"),
    [...rtl("ndp-expert", "ndp-low-bit", "ndp-parameters"), "-t", unplanted],
  ],
);

const addon = "build/native/Release/neardata.node";

export const places: readonly Place[] = [
  {
    folder: "src/golden",
    endings: [".ts"],
    without: ["index.ts"],
    tests: byName(
      "src/golden",
      [
        ["activation-tables", golden("activation-tables")],
        ["activation", golden("activation")],
        ["attention-engine", golden("sparf")],
        ["dot", golden("dot")],
        ["exp2", golden("arithmetic")],
        ["expert", golden("expert")],
        ["attention/budget", golden("decode-policy")],
        ["attention/decode-policy", golden("decode-policy")],
        ["float16", golden("float16", "dot")],
        ["attention/pages", golden("pages", "sparf")],
        ["half", golden("arithmetic")],
        ["low-bit", golden("low-bit")],
        ["normal-tail", golden("normal-tail")],
        ["reference", golden("reference", "expert")],
        ["scaled-blocks", golden("scaled-blocks", "low-bit")],
        ["attention/top-k", golden("arithmetic")],
        ["", golden("sparf", "sparf-vectors")],
      ],
      [["test/golden"]],
    ),
  },
  {
    folder: "sim/dram",
    endings: [".cc", ".h"],
    without: [],
    make: addon,
    tests: byName(
      "sim/dram",
      // Sets of semantics by name and sizes of queues are those of machines: a replay states each switch and size.
      ["config.h", "semantics"].map(
        (name) => [name, ["test/native/native-limits.test.ts"]] as const,
      ),
      [
        dram("constraints", "edges", "presets", "errors", "limits"),
        dram("stream", "golden", "identity", "files", "pieces", "command-checker"),
        dram("shared-ranks", "rank-refresh"),
      ],
    ),
  },
  {
    folder: "sim/flash",
    endings: [".cc", ".h"],
    without: [],
    make: addon,
    tests: byName(
      "sim/flash",
      [
        ["bit_errors", [...flash("reads"), ...native("csd-ecc")]],
        ["reader", flash("reads")],
        ["ecc", native("csd-ecc")],
        ["chains", flash("chains", "closed-form")],
        [
          "translation",
          [...flash("kv-model", "kv"), ...native("csd-translation", "csd-collection")],
        ],
        ["", flash("channel-model")],
      ],
      [["test/kernels/flash"], native("csd-nand", "csd-flash", "csd-full", "csd-ecc")],
    ),
  },
  {
    folder: "rtl/ndp",
    endings: [".sv"],
    without: [],
    tests: rtlTests(nearNdp),
  },
  {
    folder: "rtl/sparf",
    endings: [".sv"],
    without: [],
    tests: rtlTests((file) => [...nearSparf(file), ...aroundSparf(file)]),
  },
];
