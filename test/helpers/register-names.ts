// SPDX-License-Identifier: Apache-2.0
// Variables of a module that its always_ff processes assign, directly or through tasks: a parser of the
// statements that the units' SystemVerilog uses.

/** A variable of a module that a clocked process assigns. */
export interface ClockedVariable {
  readonly name: string;
  /** Whether an assignment is non-blocking, so that the variable is a register for certain. */
  readonly nonBlocking: boolean;
}

interface Assignment {
  readonly name: string;
  readonly nonBlocking: boolean;
}

interface Body {
  readonly assigned: readonly Assignment[];
  readonly called: readonly string[];
}

const OPENERS = new Set(["(", "[", "{"]);
const CLOSERS = new Set([")", "]", "}"]);
const TYPES = new Set(["automatic", "int", "integer", "logic", "bit", "genvar", "static"]);

/** Words and symbols of a text without comments, strings and lines of the preprocessor. */
function tokensOf(text: string): readonly string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ")
    .replace(/"[^"\n]*"/g, '""')
    .replace(/`(ifdef|ifndef|include|define|undef|elsif)[^\n]*|`(else|endif)/g, " ");
  return (
    code.match(/[A-Za-z_`][\w$]*|\d*'[sS]?[bdhoBDHO][\w?]+|\d[\w.]*|<=|>=|==|!=|&&|\|\||::|\S/g) ??
    []
  );
}

/** A reader of statements, from a position in a list of tokens. */
class Statements {
  readonly assigned: Assignment[] = [];
  readonly called: string[] = [];
  readonly #locals = new Set<string>();
  readonly #tokens: readonly string[];
  #at: number;

  constructor(tokens: readonly string[], at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    const token = this.#peek();
    if (this.#at >= this.#tokens.length) throw new Error("a statement has no end");
    this.#at++;
    return token;
  }

  /** Skips a group in brackets, whose opening bracket is the next token. @returns its tokens */
  #group(): readonly string[] {
    const from = this.#at;
    let depth = 0;
    do {
      const token = this.#next();
      if (OPENERS.has(token)) depth++;
      if (CLOSERS.has(token)) depth--;
    } while (depth > 0);
    return this.#tokens.slice(from, this.#at);
  }

  #until(end: string): void {
    while (this.#peek() !== end) {
      if (OPENERS.has(this.#peek())) this.#group();
      else this.#next();
    }
    this.#next();
  }

  #label(): void {
    if (this.#peek() !== ":") return;
    this.#next();
    this.#next();
  }

  /** One statement, with all below it. */
  statement(): void {
    const token = this.#next();
    if (token === ";") return;
    if (token === "begin") {
      this.#label();
      this.until("end");
      this.#label();
      return;
    }
    if (token === "@") {
      this.#group();
      this.statement();
      return;
    }
    if (token === "unique" || token === "priority") {
      this.statement();
      return;
    }
    if (token === "if") {
      this.#group();
      this.statement();
      this.#otherwise();
      return;
    }
    if (token === "assert") {
      this.#group();
      if (this.#peek() !== "else") this.statement();
      this.#otherwise();
      return;
    }
    if (token === "for") {
      const head = this.#group();
      const counter = head[head.indexOf("=") - 1];
      if (counter !== undefined) this.#locals.add(counter);
      this.statement();
      return;
    }
    if (token === "case" || token === "casez") {
      this.#group();
      while (this.#peek() !== "endcase") {
        if (this.#peek() === "default") {
          this.#next();
          if (this.#peek() === ":") this.#next();
        } else {
          this.#until(":");
        }
        this.statement();
      }
      this.#next();
      return;
    }
    this.#simple(token);
  }

  #otherwise(): void {
    if (this.#peek() !== "else") return;
    this.#next();
    this.statement();
  }

  /** Parses statements up to a closing word, and skips that. */
  until(end: string): void {
    while (this.#peek() !== end) this.statement();
    this.#next();
  }

  /** Declaration, assignment or call, whose first token is read. */
  #simple(first: string): void {
    if (first === "{") {
      this.#at--;
      const names = this.#concatenation(this.#group());
      this.#assign(names);
      return;
    }
    if (!/^[A-Za-z_]/.test(first)) {
      if (first.startsWith("$") || first === "`") {
        this.#until(";");
        return;
      }
      throw new Error(`a statement begins with ${first}`);
    }
    if (TYPES.has(first) || this.#peek() === "::" || /^[A-Za-z_]/.test(this.#peek())) {
      this.#declaration();
      return;
    }
    if (this.#peek() === ":") {
      // A label.
      this.#next();
      this.statement();
      return;
    }
    while (this.#peek() === "[" || this.#peek() === ".") {
      if (this.#peek() === "[") this.#group();
      else this.#at += 2;
    }
    if (this.#peek() === "(" || this.#peek() === ";") {
      this.called.push(first);
      this.#until(";");
      return;
    }
    this.#assign([first]);
  }

  #concatenation(tokens: readonly string[]): readonly string[] {
    let depth = 0;
    const names: string[] = [];
    tokens.forEach((token, i) => {
      if (token === "[" || token === "(") depth++;
      else if (token === "]" || token === ")") depth--;
      else if (depth === 0 && /^[A-Za-z_]/.test(token) && tokens[i - 1] !== ".") names.push(token);
    });
    return names;
  }

  #assign(names: readonly string[]): void {
    const operator = this.#next();
    if (operator !== "<=" && operator !== "=")
      throw new Error(`${names.join(" ")} stands before ${operator}`);
    for (const name of names) {
      if (!this.#locals.has(name)) this.assigned.push({ name, nonBlocking: operator === "<=" });
    }
    this.#until(";");
  }

  /** Names of a local declaration: those before a comma, an equals sign or the end. */
  #declaration(): void {
    let last = "";
    for (;;) {
      if (this.#peek() === "[") {
        this.#group();
        continue;
      }
      const token = this.#next();
      if (token === "=") {
        this.#locals.add(last);
        this.#until(";");
        return;
      }
      if (token === "," || token === ";") this.#locals.add(last);
      if (token === ";") return;
      last = token;
    }
  }
}

function bodyAt(tokens: readonly string[], at: number, end?: string): Body {
  const statements = new Statements(tokens, at);
  if (end === undefined) statements.statement();
  else statements.until(end);
  return statements;
}

/** Variables of the module of a file that its clocked processes assign, each once. */
export function clockedVariables(text: string): readonly ClockedVariable[] {
  const tokens = tokensOf(text);
  const tasks = new Map<string, Body>();
  const processes: Body[] = [];
  tokens.forEach((token, i) => {
    if (token === "always_ff") processes.push(bodyAt(tokens, i + 1));
    if (token === "task") {
      const name = tokens[i + 2] ?? "";
      const parameters = tokens.slice(i + 3, tokens.indexOf(";", i));
      const body = bodyAt(tokens, tokens.indexOf(";", i) + 1, "endtask");
      tasks.set(name, {
        ...body,
        called: body.called,
        assigned: body.assigned.filter((a) => !parameters.includes(a.name)),
      });
    }
  });
  const found = new Map<string, boolean>();
  const seen = new Set<Body>();
  const visit = (body: Body): void => {
    if (seen.has(body)) return;
    seen.add(body);
    for (const { name, nonBlocking } of body.assigned)
      found.set(name, nonBlocking || found.get(name) === true);
    for (const name of body.called) {
      const task = tasks.get(name);
      if (task !== undefined) visit(task);
    }
  };
  processes.forEach(visit);
  return [...found].map(([name, nonBlocking]) => ({ name, nonBlocking }));
}

/**
 * Variables whose names break the rule: a register ends in `_q`, or in `_q` and its stage of a pipeline; a
 * value that a clocked process uses only in the cycle in which it assigns it ends in `_d`.
 */
export function misnamedRegisters(text: string): readonly string[] {
  return clockedVariables(text)
    .filter(
      ({ name, nonBlocking }) => !/_q\d*$/.test(name) && (nonBlocking || !name.endsWith("_d")),
    )
    .map(({ name }) => name);
}
