// SPDX-License-Identifier: Apache-2.0
// The result of a check as text and as JSON.

import { counted } from "../../../base/format-value.ts";
import { defined } from "../../../base/defined.ts";
import { grouped } from "../../../base/grouped.ts";
import { sumText } from "../../../machine/dram/standards/table.ts";
import type { CheckResult } from "./check.ts";
import type { CheckedMemory } from "./memory.ts";
import type { TraceCommand } from "./violation.ts";

function placeText(memory: CheckedMemory, command: TraceCommand): string {
  const { levels } = memory.standard;
  const fields = [
    ...(memory.channels > 1 ? [`channel ${command.channel}`] : []),
    ...levels.map((level) => {
      const field = {
        "pseudo channel": command.pseudoChannel,
        rank: command.rank,
        "stack id": command.rank,
        "bank group": command.bankGroup,
        bank: command.bank,
      }[level];
      return `${level} ${field < 0 ? "all" : field}`;
    }),
  ];
  return fields.join(", ");
}

/** Lines for people: at most `most` violations of a rule in full. */
export function checkText(memory: CheckedMemory, result: CheckResult, most: number): string {
  const { violations, commands } = result;
  const rules = grouped(violations, ({ rule }) => rule);
  const lines = [
    `${memory.standard.name}: ${counted(commands, "command")}, ` +
      (violations.length === 0
        ? "no violation"
        : `${counted(violations.length, "violation")} of ${counted(rules.length, "rule")}`),
  ];
  for (const list of rules) {
    const [first] = list;
    lines.push(`${first.rule} (${first.basis}): ${list.length}`);
    for (const { command, message } of list.slice(0, most)) {
      const place = placeText(memory, command);
      lines.push(
        `  line ${command.line}, cycle ${command.cycle}: ${command.name}, ${place}: ${message}`,
      );
    }
    if (list.length > most) lines.push(`  and ${list.length - most} more`);
  }
  return lines.join("\n");
}

const shownCommand = (command: TraceCommand): object => ({
  line: command.line,
  cycle: command.cycle,
  command: command.name,
});

/** Every violation, and the margin to each constraint that the trace exercises. */
export function checkJson(
  memory: CheckedMemory,
  { commands, violations, margins }: CheckResult,
): object {
  return {
    standard: memory.standard.name,
    document: memory.standard.document,
    commands,
    violations: violations.map(({ rule, basis, command, earlier, slack, message }) => ({
      rule,
      basis,
      ...shownCommand(command),
      channel: command.channel,
      pseudoChannel: command.pseudoChannel,
      rank: command.rank,
      bankGroup: command.bankGroup,
      bank: command.bank,
      ...defined({ earlier: earlier === undefined ? undefined : shownCommand(earlier), slack }),
      message,
    })),
    constraints: margins
      .filter(({ pairs }) => pairs > 0)
      .map(({ constraint, pairs, least, tightest }) => ({
        rule: constraint.rule,
        level: constraint.level,
        wait: sumText(constraint.wait),
        pairs,
        leastSlack: least,
        ...defined({ line: tightest?.line }),
      })),
  };
}
