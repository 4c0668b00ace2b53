// SPDX-License-Identifier: Apache-2.0
// Files of policy cases: a header, and cases of several kinds that are solved one by one. Expected
// values and other keys that a solver does not need are left alone.

import { z } from "zod";
import { issuesOf } from "../../base/issues.ts";
import type { Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";

/** A case that was read and can be solved. */
export interface Task {
  readonly id: string;
  readonly solve: () => object | Promise<object>;
}

/** The result of parsing: issues, or tasks if there are no issues. */
export interface Reading {
  readonly issues: readonly Issue[];
  readonly tasks: readonly Task[];
}

/** How cases of one kind are read and solved. `header` is null when it could not be read. */
type ReadKind<Header> = (
  value: unknown,
  header: Header | null,
) => { readonly issues: readonly Issue[]; readonly solve: Task["solve"] };

/** The kind whose cases have this schema. `check` finds problems beyond the schema. */
export function kind<Header, Case>(
  schema: z.ZodType<Case>,
  solve: (one: Case, header: Header) => object | Promise<object>,
  check: (one: Case, header: Header) => readonly Issue[] = () => [],
): ReadKind<Header> {
  return (value, header) => {
    const parsed = schema.safeParse(value, { reportInput: true });
    if (!parsed.success) return { issues: issuesOf(parsed.error, schema), solve: () => ({}) };
    if (header === null) return { issues: [], solve: () => ({}) };
    return { issues: check(parsed.data, header), solve: () => solve(parsed.data, header) };
  };
}

/** How one file's document is read. */
export type ReadFamily = (document: unknown) => Reading;

const fileSchema = z.object({ cases: z.array(z.unknown()).min(1) });
const identitySchema = z.object({ id: z.string().min(1), kind: z.string() });

/** Files with this header and these kinds of cases. */
export function family<Header>(
  headerSchema: z.ZodType<Header>,
  kinds: Readonly<Record<string, ReadKind<Header>>>,
): ReadFamily {
  return (document) => {
    const header = headerSchema.safeParse(document, { reportInput: true });
    const file = fileSchema.safeParse(document, { reportInput: true });
    const issues: Issue[] = [];
    if (!header.success) issues.push(...issuesOf(header.error, headerSchema));
    if (!file.success) issues.push(...issuesOf(file.error, fileSchema));
    const tasks: Task[] = [];
    const seen = new Set<string>();
    for (const [index, value] of (file.data?.cases ?? []).entries()) {
      const where = `cases[${index}]`;
      const identity = identitySchema.safeParse(value, { reportInput: true });
      if (!identity.success) {
        issues.push(...issuesOf(identity.error, identitySchema).map((i) => within(where, i)));
        continue;
      }
      const { id, kind: name } = identity.data;
      if (seen.has(id))
        issues.push({ where: `${where}.id`, message: `${formatValue(id)} occurs twice.` });
      seen.add(id);
      const read = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      if (read === undefined) {
        issues.push({ where: `${where}.kind`, message: unknownName(name, Object.keys(kinds)) });
        continue;
      }
      const one = read(value, header.data ?? null);
      issues.push(...one.issues.map((i) => within(where, i)));
      tasks.push({ id, solve: one.solve });
    }
    return { issues, tasks };
  };
}

/** The sentence for a name that is not in a list. */
export function unknownName(name: string, known: readonly string[]): string {
  return `${formatValue(name)} is not one of ${known.join(", ")}.${didYouMean(name, known)}`;
}

/** No problem when `table` has `name`, else one at `where`. */
export function checkName(
  where: string,
  name: string,
  table: Readonly<Record<string, unknown>>,
): readonly Issue[] {
  if (Object.hasOwn(table, name)) return [];
  return [{ where, message: unknownName(name, Object.keys(table)) }];
}

function within(where: string, issue: Issue): Issue {
  return { ...issue, where: issue.where === "" ? where : `${where}.${issue.where}` };
}
