// SPDX-License-Identifier: Apache-2.0
// A number of ours beside the number or statement of a paper, and the verdict. The verdict of a number follows
// from the printed text and its precision, with one limit that is set by hand: `near` is at most 10 % outside. The
// range of a trend is that of its caller (compareStatement).

/**
 * The class of our value. A: arithmetic on printed numbers. C: a model with a constant that was
 * calibrated on another number of the paper. S: a model or a simulation without such a constant. X:
 * the printed number contradicts others.
 */
export type ComparisonClass = "A" | "C" | "S" | "X";

/**
 * `within`: ours prints like the published number, or is in the published range. `near`: at most 10
 * % outside. `shape`: the paper states an order or a trend without a number, and ours has it.
 * `fitted`: a constant was set by this very number. `differs`: all else. `not comparable`: nothing
 * could agree.
 */
export const verdicts = ["within", "near", "shape", "fitted", "differs", "not comparable"] as const;
export type Verdict = (typeof verdicts)[number];

/** The closed interval of values that print as a text. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Finding {
  readonly what: string;
  /** As printed: a number, a range, a bound, or words. */
  readonly published: string;
  /** The meaning of the printed text; null if it is neither a number nor an order. */
  readonly interval: Interval | null;
  /** A name where names are compared, such as a policy. */
  readonly ours: number | string;
  readonly unit: string;
  readonly class: ComparisonClass;
  readonly verdict: Verdict;
  /** Ours over the published number, or over the nearest end of its range; null for words. */
  readonly ratio: number | null;
  /** The reason of a difference, or the fitted constant; may be empty. */
  readonly note: string;
  /** Other readings and other assumptions that were run, each by itself; they decide no verdict. */
  readonly tried: readonly Explanation[];
}

/** A possible explanation of the distance from the printed number, and the number that follows from it. */
export interface Explanation {
  /** The difference from the finding's own method. */
  readonly what: string;
  /** In place of `ours`, in the finding's unit. */
  readonly value: number | string;
}

/** Largest relative distance from the published number, or from its range, that is still near. */
const nearShare = 0.1;
/** Rounding of binary fractions: 0.11 is 10 % above 0.1. */
const epsilon = 1e-9;

const numberText = String.raw`(\d+(?:\.(\d+))?)(?:e(\d+))?`;
const oneNumber = new RegExp(`^${numberText}$`);
const twoNumbers = new RegExp(`^${numberText} to ${numberText}$`);
const oneBound = new RegExp(`^(at least|at most|above|below) ${numberText}$`);

interface PrintedNumber {
  readonly value: number;
  /** Half a unit of the last printed digit. */
  readonly half: number;
}

function numberOf(
  digits: string = "",
  fraction: string = "",
  exponent: string = "0",
): PrintedNumber {
  const scale = 10 ** Number(exponent);
  return { value: Number(digits) * scale, half: 0.5 * 10 ** -fraction.length * scale };
}

/** The meaning of a printed number, range or bound. */
interface Printed {
  /** Values that print like this: ends widened by half a unit of their last digit. */
  readonly interval: Interval;
  /** The ends as printed. */
  readonly ends: Interval;
}

/** Reads `7.32`, `1.1 to 1.3`, `at least 2.08`, `9e14`; null for anything else. */
export function parsePrinted(text: string): Printed | null {
  const one = oneNumber.exec(text);
  if (one !== null) {
    const { value, half } = numberOf(...one.slice(1));
    return {
      interval: { low: value - half, high: value + half },
      ends: { low: value, high: value },
    };
  }
  const two = twoNumbers.exec(text);
  if (two !== null) {
    const [low, high] = [numberOf(...two.slice(1, 4)), numberOf(...two.slice(4, 7))];
    return {
      interval: { low: low.value - low.half, high: high.value + high.half },
      ends: { low: low.value, high: high.value },
    };
  }
  const bound = oneBound.exec(text);
  if (bound === null) return null;
  const { value, half } = numberOf(...bound.slice(2));
  const up = bound[1] === "at least" || bound[1] === "above";
  return {
    interval: up ? { low: value - half, high: Infinity } : { low: -Infinity, high: value + half },
    ends: up ? { low: value, high: Infinity } : { low: -Infinity, high: value },
  };
}

/** Ours over the nearest printed end; 1 inside a range. */
function ratioTo({ low, high }: Interval, ours: number): number {
  if (ours < low) return ours / low;
  return ours > high ? ours / high : 1;
}

function isIn({ low, high }: Interval, ours: number): boolean {
  const slack = epsilon * Math.abs(ours);
  return ours >= low - slack && ours <= high + slack;
}

/** The verdict of a printed number, range or bound. */
export function verdictOf(published: string, ours: number): Verdict {
  const printed = parsePrinted(published);
  if (printed === null) throw new RangeError(`"${published}" is no printed number`);
  if (isIn(printed.interval, ours)) return "within";
  return Math.abs(ratioTo(printed.ends, ours) - 1) <= nearShare + epsilon ? "near" : "differs";
}

interface NumberComparison {
  /** As printed: a number, a range or a bound, in `unit`. */
  readonly published: string | number;
  /** In `unit`. */
  readonly ours: number;
  readonly unit: string;
  /** The class of our value. */
  readonly kind: "A" | "C" | "S";
  /** Empty unless given. */
  readonly note?: string;
}

/** Ours against a printed number, range or bound. */
export function compareNumber(
  what: string,
  { published, ours, unit, kind, note = "" }: NumberComparison,
): Finding {
  const text = String(published);
  const read = parsePrinted(text);
  return {
    what,
    published: text,
    interval: read?.interval ?? null,
    ours,
    unit,
    class: kind,
    verdict: verdictOf(text, ours),
    ratio: read === null ? null : ratioTo(read.ends, ours),
    note,
    tried: [],
  };
}

/** Ours against the number that `constant` was set by: it cannot confirm anything. */
export function fitted(
  what: string,
  published: string | number,
  ours: number,
  unit: string,
  constant: string,
): Finding {
  const plain = compareNumber(what, { published, ours, unit, kind: "C", note: constant });
  return plain.verdict === "differs" ? plain : { ...plain, verdict: "fitted" };
}

/** Our value, compared with the name by which `constant` was set; see `fitted`. */
export function fittedName(
  what: string,
  published: string,
  ours: string,
  constant: string,
): Finding {
  const plain: Finding = { ...compareName(what, published, ours, constant), class: "C" };
  return plain.verdict === "differs" ? plain : { ...plain, verdict: "fitted" };
}

interface StatementComparison {
  /** As printed. */
  readonly statement: string;
  /** In `unit`. */
  readonly ours: number;
  readonly unit: string;
  /** The values that agree with the statement, in `unit`, both ends included. */
  readonly range: readonly [number, number];
  /** Empty unless given. */
  readonly note?: string | undefined;
}

/**
 * Our value, compared with a statement in words: `low` to `high` is the meaning of the statement in
 * our unit.
 * @throws RangeError if the statement is a printed number, whose digits determine the rounding
 */
export function compareStatement(
  what: string,
  { statement, ours, unit, range: [low, high], note = "" }: StatementComparison,
): Finding {
  if (parsePrinted(statement) !== null) throw new RangeError(`"${statement}" is a printed number`);
  const interval = { low, high };
  const verdict = isIn(interval, ours) ? "shape" : "differs";
  return {
    what,
    published: statement,
    interval,
    ours,
    unit,
    class: "S",
    verdict,
    ratio: null,
    note,
    tried: [],
  };
}

/** A name against a printed one, such as a policy. */
export function compareName(
  what: string,
  published: string,
  ours: string,
  note: string = "",
): Finding {
  return {
    what,
    published,
    interval: null,
    ours,
    unit: "",
    class: "S",
    verdict: ours === published ? "within" : "differs",
    ratio: null,
    note,
    tried: [],
  };
}

/**
 * A printed number that other printed numbers contradict, or that is incomplete: shown without a
 * verdict. Our value may be a text if nothing can be computed.
 */
export function notComparable(
  what: string,
  published: string | number,
  ours: number | string,
  unit: string,
  note: string,
): Finding {
  const text = String(published);
  const read = parsePrinted(text);
  return {
    what,
    published: text,
    interval: read?.interval ?? null,
    ours,
    unit,
    class: "X",
    verdict: "not comparable",
    ratio: read === null || typeof ours === "string" ? null : ratioTo(read.ends, ours),
    note,
    tried: [],
  };
}

/** The finding with readings that may explain its difference from the printed number. */
export function explained(finding: Finding, tried: readonly Explanation[]): Finding {
  return { ...finding, tried };
}

/** The verdict that a tried reading would have in the place of ours. */
export function explanationVerdict(
  { published, interval }: Finding,
  { value }: Explanation,
): Verdict {
  if (typeof value === "string") return value === published ? "within" : "differs";
  if (parsePrinted(published) !== null) return verdictOf(published, value);
  return interval !== null && isIn(interval, value) ? "shape" : "differs";
}

/** The reading closest to the printed number or statement; null without readings. */
export function closestExplanation({ published, interval, tried }: Finding): Explanation | null {
  const ends = parsePrinted(published)?.ends ?? interval;
  const away = ({ value }: Explanation): number => {
    if (ends === null || typeof value === "string") return 0;
    const ratio = ratioTo(ends, value);
    // A ratio that is not positive is farther away than any other.
    return ratio > 0 ? Math.abs(Math.log(ratio)) : Infinity;
  };
  return tried.toSorted((a, b) => away(a) - away(b))[0] ?? null;
}

/**
 * The range of one unknown: ours, and the value under one other reading, with the printed number
 * between them. If readings match the printed number, both ends are the match nearest to ours.
 */
export interface Span {
  readonly low: Reading;
  readonly high: Reading;
}

interface Reading {
  readonly what: string;
  readonly value: number;
}

/**
 * Ours and the nearest reading on the other side of the printed number. Two readings never span it
 * together: each changes another part of our method, and no single unknown has both values. Null
 * if all readings are on the side of ours, and for words.
 */
export function spanOf({ interval, ours, tried }: Finding): Span | null {
  if (interval === null || typeof ours === "string") return null;
  const own = { what: "ours", value: ours };
  const readings = [own, ...tried].flatMap(({ what, value }) =>
    typeof value === "string" ? [] : [{ what, value }],
  );
  const nearest = readings.toSorted((a, b) => Math.abs(a.value - ours) - Math.abs(b.value - ours));
  const met = nearest.find(({ value }) => isIn(interval, value));
  if (met !== undefined) return { low: met, high: met };
  const isBelow = ours < interval.low;
  const other = nearest.find(({ value }) =>
    isBelow ? value > interval.high : value < interval.low,
  );
  if (other === undefined) return null;
  return isBelow ? { low: own, high: other } : { low: other, high: own };
}

/** Note of a finding that differs and is outside the range of all readings. */
export const unexplained = "No tried reading explains it.";

/**
 * The explanation of a finding that differs: the reading that spans it together with ours, or that
 * no tested reading does; else empty.
 */
export function explanationOf(finding: Finding): string {
  if (finding.verdict !== "differs") return "";
  const span = spanOf(finding);
  if (span === null) return explainedByName(finding) ?? unexplained;
  const of = (reading: Reading): string => readingText(finding, reading);
  const { low, high } = span;
  return low === high
    ? `One reading gives the published value: ${of(low)}.`
    : `Between ${of(low)} and ${of(high)}.`;
}

/** The explanation, and the closest reading if no tested one explains the finding. */
export function explanationWithClosest(finding: Finding): string {
  const explanation = explanationOf(finding);
  const closest = closestExplanation(finding);
  if (explanation !== unexplained || closest === null) return explanation;
  return `${unexplained} Closest: ${readingText(finding, closest)}.`;
}

function readingText({ unit }: Finding, { what, value }: Explanation): string {
  const number = typeof value === "string" ? value : String(Number(value.toPrecision(4)));
  return `${number}${unit === "1" || unit === "" ? "" : ` ${unit}`} (${what})`;
}

/** The reading with the printed name, for comparisons of names. */
function explainedByName({ published, tried }: Finding): string | null {
  const explanation = tried.find(({ value }) => value === published);
  return explanation === undefined
    ? null
    : `One reading gives the published value: ${explanation.what}.`;
}

/** False when a number that follows by arithmetic differs; misses of models are results. */
export function agrees(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.verdict !== "differs" || finding.class !== "A");
}
