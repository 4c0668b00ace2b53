// SPDX-License-Identifier: Apache-2.0
// The interface of a unit that TypeScript drives: its streams, its other ports, its runs. The types
// of its messages are generated from the RTL (`neardata types`). Without them names are any string,
// and messages are checked when they are sent.

/** A value of a port: a number up to 32 bits, a bigint beyond; a list of an array. */
export type PortValue = number | bigint | readonly (number | bigint)[];

/** A message: its fields by name, or one value of a stream whose payload is a port `x_i` alone. */
export type AnyMessage = PortValue | Readonly<Record<string, PortValue>>;

/** The generated type of one stream. */
export interface StreamType {
  readonly direction: "in" | "out";
  readonly message: unknown;
}

/** The generated type of a unit's ports. */
export interface UnitType {
  readonly parameters: string;
  readonly streams: Readonly<Record<string, StreamType>>;
  readonly inputs: object;
  readonly outputs: object;
}

/** A unit without generated types. */
export interface AnyUnit {
  readonly parameters: string;
  // Either direction, so that the type has the methods of both.
  readonly streams: Readonly<Record<string, { direction: "any"; message: AnyMessage }>>;
  readonly inputs: Readonly<Record<string, PortValue>>;
  readonly outputs: Readonly<Record<string, PortValue>>;
}

/** Which RTL a unit is made of. Paths are relative to `from`. */
export interface UnitSource<Parameter extends string = string> {
  /** The module to drive. */
  readonly top: string;
  /**
   * Files, or folders with all of their SystemVerilog and waivers. C and C++ files (`.c`, `.cc`, `.cpp`, `.cxx`)
   * with functions that the RTL imports are named one by one.
   */
  readonly sources?: readonly string[];
  /**
   * Directories or files of neardata's `rtl`, such as `common`, `sparf`, or `fp_add.sv`; C and C++
   * files as in `sources`.
   */
  readonly uses?: readonly string[];
  /** A directory whose files replace neardata's files of the same names. */
  readonly rtl?: string;
  /** Directories of included files, in addition to neardata's. */
  readonly includes?: readonly string[];
  /** Streams that do not follow from the names of ports. */
  readonly streams?: Readonly<Record<string, DescribedStream>>;
  /** Parameters of the top: whole numbers, real numbers, strings without quotes and backslashes. */
  readonly parameters?: { readonly [name in Parameter]?: number | string };
  /** Macros of the preprocessor, `NAME` or `NAME=value`. */
  readonly defines?: readonly string[];
  /**
   * A directory, or the URL of the calling module (`import.meta.url`). Default: the current
   * directory.
   */
  readonly from?: string;
}

/** Ports of a stream, by their names in the RTL. */
export interface DescribedStream {
  /** Default: the port that follows from the stream's name. */
  readonly valid?: string;
  readonly ready?: string;
  /** Ports of the payload, in addition to those that begin with the stream's name. */
  readonly payload?: readonly string[];
}

/** A line that the RTL printed: `$display`, `$write`, `$info`, `$warning`, `$monitor`. */
export interface UnitMessage {
  /** Without its line end. Verilator puts the time, the kind and the place before a `$warning`. */
  readonly text: string;
  /** In which it was printed; 0 during the reset. */
  readonly cycle: number;
}

/** How a unit is built and started. */
export interface UnitOptions<Parameter extends string = string> extends UnitSource<Parameter> {
  /** The seed of random initial contents of registers and memories; absent: zeros. */
  readonly seed?: number;
  /** Whether assertions of the RTL are compiled in; default true. */
  readonly assertions?: boolean;
  /** Gets each line that the RTL prints, at the end of the run that printed it. */
  readonly onMessage?: (message: UnitMessage) => void;
}

/** Cycles in which one side of a stream rests: each with this probability. */
export interface Pauses {
  readonly probability: number;
  /** Default 1. Streams with the same seed sample independently. */
  readonly seed?: number;
}

/** Cycles that a source waits before each of its messages; 0 for those beyond the list. */
export type PauseList = readonly number[] | Uint32Array;

/** Of a stream with lanes, which of them; default 0. */
export interface OfLane {
  readonly lane?: number;
}

/** A stream into the unit. */
export interface InputStream<Message> {
  readonly name: string;
  readonly lanes: number;
  /** Enqueues messages of the stream; later runs transfer them. */
  readonly send: (
    messages: readonly Message[],
    options?: OfLane & { readonly pauses?: PauseList },
  ) => void;
  /** The same as one array of words: each message in whole words, its fields in their order. */
  readonly sendWords: (
    words: Uint32Array,
    options?: OfLane & { readonly pauses?: PauseList },
  ) => void;
  /** Has the source rest from here on. */
  readonly pause: (pauses: Pauses) => void;
  /**
   * Answers each message of an output stream, whose first field is a number, with the message of
   * that number, some cycles later: a memory model for the unit. Nothing else is sent during that
   * time. If both streams have lanes, a lane answers the lane with its number.
   */
  readonly answer: (
    asked: OutputStream<unknown>,
    messages: readonly Message[] | Uint32Array,
    options?: OfLane & {
      /** Cycles from the question to the first in which the answer may be offered; default 1. */
      readonly latency?: number;
    },
  ) => void;
  /** Messages that were sent and have not moved. */
  readonly waiting: (of?: OfLane) => number;
  /** Cycles in which messages moved, since the unit was opened or reset. */
  readonly movedAt: (of?: OfLane) => Float64Array;
}

/** A stream out of the unit. */
export interface OutputStream<Message> {
  readonly name: string;
  readonly lanes: number;
  /** All messages that were transferred since the unit was opened or reset. */
  readonly taken: (of?: OfLane) => readonly Message[];
  /** The same as one array of words. */
  readonly takenWords: (of?: OfLane) => Uint32Array;
  /** Cycles in which they were transferred. */
  readonly movedAt: (of?: OfLane) => Float64Array;
  /** Has the sink rest from here on. */
  readonly pause: (pauses: Pauses) => void;
}

type StreamOf<T> = T extends { direction: "in"; message: infer M }
  ? InputStream<M>
  : T extends { direction: "out"; message: infer M }
    ? OutputStream<M>
    : T extends { message: infer M }
      ? InputStream<M> & OutputStream<M>
      : never;

/** The cycles of a waveform: all of the run, or those from `from` to before `to`. */
export interface WaveformOptions {
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

/** Some fields of a message, or the one value that it is. */
type MessageParts<S> = S extends { message: infer M } ? (M extends object ? Partial<M> : M) : never;

/** Conditions that end a run when all are true at once. */
export interface Until<T extends Shape> {
  /** Messages of streams that have moved in this run, on all lanes together. */
  readonly moved?: { readonly [name in keyof T["streams"]]?: number };
  /** A message of each of these output streams with these values, since the run began. */
  readonly seen?: { readonly [name in keyof T["streams"]]?: MessageParts<T["streams"][name]> };
  /** Values of outputs that belong to no stream. */
  readonly outputs?: Partial<T["outputs"]>;
  /** Cycles in a row in which no message moved. */
  readonly rest?: number;
}

export interface UnitRunOptions<T extends Shape> {
  /** A fixed number of cycles, instead of `until`. */
  readonly cycles?: number;
  readonly until?: Until<T>;
  /** Cycles within which `until` must become true; default: a million. */
  readonly limit?: number;
  /** An FST file of this run. */
  readonly waveform?: string | WaveformOptions | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (cycle: number) => void;
}

/** The common part of all types of units. */
export interface Shape {
  readonly parameters: string;
  readonly streams: object;
  readonly inputs: object;
  readonly outputs: object;
}

/** A unit that is open. */
export interface Unit<T extends Shape = AnyUnit> extends Disposable, AsyncDisposable {
  readonly top: string;
  /** With the values that they have in this build. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly streams: { readonly [name in keyof T["streams"]]: StreamOf<T["streams"][name]> };
  /** Sets inputs that belong to no stream, from the next run on. */
  readonly set: (values: Partial<T["inputs"]>) => void;
  /** Outputs that belong to no stream, in the last cycle that ran. */
  readonly outputs: () => T["outputs"];
  /** Cycles in which each bit of `events_o` was set, since the unit was opened or reset. */
  readonly events: () => readonly number[];
  /** The first cycle that did not run yet; 0 is the first one after the reset. */
  readonly cycle: () => number;
  /**
   * Runs the unit off the JS thread.
   * @returns the number of simulated cycles
   * @throws NeardataError `check-failed` when an assertion of the RTL fails, or `until` is not true
   * within `limit`; `cancelled` by the signal
   */
  readonly run: (options: UnitRunOptions<T>) => Promise<number>;
  /** After its reset again; no message waits, no stream pauses, inputs are 0. */
  readonly reset: (seed?: number) => void;
  readonly close: () => void;
}
