// SPDX-License-Identifier: Apache-2.0
// A JSON parser: RFC 8259, but it rejects ambiguous input: duplicate keys in an object, numbers
// beyond a double, unlimited nesting. A problem is one sentence with line and column.

/** The value of a text, or its problem. */
export type JsonReading =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Arrays and objects inside one another, in any document that is not a table of data. */
export const deepest = 100;
/** Characters of the text that a message shows at the error. */
const shownCharacters = 20;

/** Reads one JSON document. Never throws. */
export function readJson(text: string): JsonReading {
  const fault = new Scanner(text).scan();
  if (fault !== null) {
    return { ok: false, problem: `${fault.what} (${placeOf(text, fault.at)}).` };
  }
  return { ok: true, value: JSON.parse(text) };
}

interface Fault {
  readonly what: string;
  readonly at: number;
}

/** The token that the grammar allows next. */
type Next = "value" | "value or ]" | "name" | "name or }" | ":" | ", or ]" | ", or }" | "end";

/** An open array (null) or the names of an open object so far. */
type Open = Set<string> | null;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** A class, since every step moves the same cursor. */
class Scanner {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #next: Next = "value";

  constructor(text: string) {
    this.#text = text;
  }

  /** The first fault, or null. */
  scan(): Fault | null {
    for (;;) {
      this.#skipBlanks();
      const c = this.#text[this.#at];
      if (c === undefined) {
        return this.#next === "end" ? null : this.#fault("the text ends too early");
      }
      const fault = this.#take(c);
      if (fault !== null) return fault;
    }
  }

  #take(c: string): Fault | null {
    switch (this.#next) {
      case "value or ]":
        return c === "]" ? this.#close() : this.#value(c);
      case "value":
        return this.#value(c);
      case "name or }":
        return c === "}" ? this.#close() : this.#name(c);
      case "name":
        return this.#name(c);
      case ":":
        return this.#step(c, ":", "value");
      case ", or ]":
        return c === "]" ? this.#close() : this.#step(c, ",", "value");
      case ", or }":
        return c === "}" ? this.#close() : this.#step(c, ",", "name");
      case "end":
        return this.#unexpected();
    }
  }

  #step(c: string, wanted: string, next: Next): Fault | null {
    if (c !== wanted) return this.#unexpected();
    this.#at += 1;
    this.#next = next;
    return null;
  }

  #value(c: string): Fault | null {
    if (c === "{" || c === "[") {
      if (this.#open.length === deepest) {
        return this.#fault(`arrays and objects lie deeper than ${String(deepest)} in one another`);
      }
      this.#at += 1;
      this.#open.push(c === "{" ? new Set() : null);
      this.#next = c === "{" ? "name or }" : "value or ]";
      return null;
    }
    if (c === '"') {
      const text = this.#string();
      if (typeof text !== "string") return text;
    } else {
      const begin = this.#at;
      if (!this.#match(number) && !this.#match(word)) return this.#unexpected();
      const given = this.#text.slice(begin, this.#at);
      if (given.length > 3 && Number(given) * 0 !== 0 && !/^[a-z]/.test(given)) {
        return { what: `${given.slice(0, shownCharacters)} is beyond all numbers`, at: begin };
      }
    }
    this.#afterValue();
    return null;
  }

  #name(c: string): Fault | null {
    if (c !== '"') return this.#unexpected();
    const begin = this.#at;
    const raw = this.#string();
    if (typeof raw !== "string") return raw;
    const name = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
    if (name === "__proto__") return { what: '"__proto__" is no name for a value', at: begin };
    const names = this.#open.at(-1);
    if (names?.has(name)) return { what: `the name ${shown(name)} occurs twice`, at: begin };
    names?.add(name);
    this.#next = ":";
    return null;
  }

  /** Passes a string and returns it with its quotation marks. */
  #string(): string | Fault {
    const begin = this.#at;
    for (this.#at += 1; ;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) {
        this.#at += 1;
        return this.#text.slice(begin, this.#at);
      }
      if (Number.isNaN(code)) return { what: "a string does not end", at: begin };
      if (code < 0x20) return this.#fault("a string holds a control character");
      if (code !== 0x5c) this.#at += 1;
      else if (!this.#match(escape)) return this.#fault("a string holds an unknown escape");
    }
  }

  #close(): null {
    this.#at += 1;
    this.#open.pop();
    this.#afterValue();
    return null;
  }

  #afterValue(): void {
    const around = this.#open.at(-1);
    if (around === undefined) this.#next = "end";
    else this.#next = around === null ? ", or ]" : ", or }";
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #unexpected(): Fault {
    const rest = this.#text.slice(this.#at, this.#at + shownCharacters);
    const wanted = this.#next === "end" ? "the end of the text" : `a ${this.#next}`;
    return this.#fault(`${shown(rest.split(/[\s,}\]]/)[0] || rest)} stands where ${wanted} is due`);
  }

  #fault(what: string): Fault {
    return { what, at: this.#at };
  }
}

function shown(text: string): string {
  const cut = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  return JSON.stringify(cut);
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return `line ${String(line)}, column ${String(at - before.lastIndexOf("\n"))}`;
}
