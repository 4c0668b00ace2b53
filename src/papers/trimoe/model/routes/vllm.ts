// SPDX-License-Identifier: Apache-2.0
// The output of vLLM with --enable-return-routed-experts: in a completion prompt_routed_experts, and
// routed_experts in each of its choices, lists of the experts of each token in each MoE layer. The prompt
// is one step, as it is computed at once; after it, generated token i of every choice is step i + 1.
// Layers count MoE layers only.

import { isWholeNumber, type RouteProblem, type RouteRow, type Routes } from "./row.ts";

const promptKey = "prompt_routed_experts";
const ownKey = "routed_experts";

/** Whether a document is such an answer. */
export function isVllmAnswer(document: Readonly<Record<string, unknown>>): boolean {
  return promptKey in document || ownKey in document || "choices" in document;
}

/** Routes of a completion. */
export function routesOfVllm(document: Readonly<Record<string, unknown>>): Routes {
  const counts = new Counts();
  const prompt: unknown = document[promptKey];
  if (prompt !== undefined && prompt !== null) {
    for (const token of counts.tokens(prompt, promptKey)) counts.add(0, token);
  }
  const choices = document["choices"];
  const generated: readonly (readonly [where: string, value: unknown])[] = [
    [ownKey, document[ownKey]],
    ...(Array.isArray(choices) ? (choices as readonly unknown[]) : []).map((choice, i) => {
      const value = (choice as Readonly<Record<string, unknown>> | null)?.[ownKey];
      return [`choices[${i}].${ownKey}`, value] as const;
    }),
  ];
  for (const [where, value] of generated) {
    if (value === undefined || value === null) continue;
    counts.tokens(value, where).forEach((token, i) => {
      counts.add(i + 1, token);
    });
  }
  return counts.routes();
}

interface Token {
  readonly where: string;
  readonly layers: readonly (readonly number[])[];
}

class Counts {
  readonly #counts = new Map<string, RouteRow>();
  readonly #problems: RouteProblem[] = [];
  #layers: number | null = null;
  #perToken: number | null = null;

  /** The tokens of a list of lists of lists. */
  tokens(value: unknown, name: string): readonly Token[] {
    if (typeof value === "string") {
      this.#problem(name, "is a text (base64): decode it to lists of tokens, layers and experts.");
      return [];
    }
    if (!Array.isArray(value)) {
      this.#problem(name, "must be a list of tokens.");
      return [];
    }
    return (value as readonly unknown[]).flatMap((token, i): readonly Token[] => {
      const where = `${name}[${i}]`;
      const layers = this.#layersOf(token);
      if (layers === null) {
        const rule =
          "must be a list of layers, each with its experts, all of one length and different.";
        this.#problem(where, rule);
        return [];
      }
      return [{ where, layers }];
    });
  }

  add(step: number, { layers, where }: Token): void {
    for (const [layer, experts] of layers.entries()) {
      for (const expert of experts) {
        const key = `${step} ${layer} ${expert}`;
        const before = this.#counts.get(key);
        const tokens = (before?.tokens ?? 0) + 1;
        this.#counts.set(
          key,
          before
            ? { ...before, tokens }
            : { step, layer, expert, tokens, where: `: ${where}[${layer}]` },
        );
      }
    }
  }

  routes(): Routes {
    return { rows: [...this.#counts.values()], problems: this.#problems, notes: [] };
  }

  #layersOf(token: unknown): readonly (readonly number[])[] | null {
    if (!Array.isArray(token) || token.length === 0) return null;
    const layers = token as readonly unknown[];
    this.#layers ??= layers.length;
    if (layers.length !== this.#layers) return null;
    for (const experts of layers) {
      if (!Array.isArray(experts) || experts.length === 0 || !experts.every(isWholeNumber))
        return null;
      this.#perToken ??= experts.length;
      if (experts.length !== this.#perToken || new Set(experts).size !== experts.length)
        return null;
    }
    return layers as readonly (readonly number[])[];
  }

  #problem(where: string, message: string): void {
    this.#problems.push({ where: `: ${where}`, message });
  }
}
