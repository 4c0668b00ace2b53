// SPDX-License-Identifier: Apache-2.0
// Makes a model name the signals whose logic does not settle. Verilator writes a function that prints the active
// triggers, but compiles it only for its own debugging. Its description of the design has the declarations of the
// signals.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A call, a declaration or a definition of such a function, behind the line that leaves it out. */
const leftOut =
  /^#ifdef VL_DEBUG\n(?=\s*(?:VL_ATTR_COLD void )?\w+___dump_triggers__\w+\((?:\w+\* )?vlSelf\)(?:;| \{)\n)/gm;

/** Text of a trigger by a signal that logic reads and writes, or by an edge: `@([hybrid] top.u_x.a)`. */
const trigger = /is active: @\((?:\[\w+\] |posedge |negedge )?([\w.$[\]]+)\)\\n/g;

/** Changes the C++ that Verilator left in `work`. `description` is a file of `--xml-only`. */
export function nameTriggers(work: string, description: string): void {
  const place = existsSync(description) ? declarations(description) : () => undefined;
  for (const name of readdirSync(work)) {
    if (!name.endsWith(".cpp")) continue;
    const file = join(work, name);
    const text = readFileSync(file, "utf8");
    if (!text.includes("___dump_triggers__")) continue;
    const changed = text.replace(leftOut, "#if 1\n").replace(trigger, (whole, signal: string) => {
      const position = place(signal);
      return position === undefined ? whole : whole.replace(")\\n", ` {${position}})\\n`);
    });
    writeFileSync(file, changed);
  }
}

/** Where a signal with its whole path is declared, `file.sv:8`. */
function declarations(description: string): (signal: string) => string | undefined {
  let read: ((signal: string) => string | undefined) | undefined;
  return (signal) => {
    read ??= reader(readFileSync(description, "utf8"));
    return read(signal);
  };
}

function reader(xml: string): (signal: string) => string | undefined {
  const attribute = (element: string, name: string): string =>
    new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? "";
  const files = new Map(
    [...xml.matchAll(/<file [^>]*>/g)].map(([one]) => [
      attribute(one, "id"),
      basename(attribute(one, "filename")),
    ]),
  );
  const modules = new Map(
    [...xml.matchAll(/<cell [^>]* hier="[^>]*>/g)].map(([one]) => [
      attribute(one, "hier"),
      attribute(one, "submodname"),
    ]),
  );
  const bodies = new Map(
    xml.split(/(?=<module )/).map((body) => [attribute(body.slice(0, 500), "name"), body]),
  );
  return (signal) => {
    const end = signal.lastIndexOf(".");
    const body = bodies.get(modules.get(signal.slice(0, end)) ?? "");
    const localName = signal.slice(end + 1);
    const variable = [...(body ?? "").matchAll(/<var [^>]*>/g)].find(
      ([one]) => attribute(one, "name") === localName,
    );
    if (variable === undefined) return undefined;
    const [file = "", line = ""] = attribute(variable[0], "loc").split(",");
    const name = files.get(file);
    return name === undefined || /[^\w.-]/.test(name) ? undefined : `${name}:${line}`;
  };
}
