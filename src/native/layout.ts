// SPDX-License-Identifier: Apache-2.0
// What this program and the addon pass to each other: the fields of every record and what every call
// takes and gives, `NAME:TYPE` with spaces between them, `:number` left out. Types are made of these
// texts (record.ts), and the addon has its own (native/layout.h), which are compared when it is loaded.
// sim/door says what the fields mean, by the same names.

import type { CallType, TypeOf } from "./record.ts";

export const records = {
  // What machines of every kind say of themselves and of their runs.
  MachineClock: "name:string hertz",
  MachinePort: "name:string direction:in|out message:string option:string joined:boolean",
  MachinePart: "name:string kind:string room:string clock:string ports:MachinePort[]",
  PortOf: "part:string port:string",
  MachineEdge: `from:PortOf to:PortOf message:string dataBytes fromClock:string toClock:string capacity
    latency messages`,
  MachineGraph: "clocks:MachineClock[] parts:MachinePart[] edges:MachineEdge[]",
  Wires: "pins transfersPerSecond",
  Waveform: "path:string from to",
  Stalls: "seed probability",
  RunTimes: "unit memory engine total",
  // An NDP DIMM.
  NdpParameters: `streams multipliersPerStream lanes bitsPerCycle bufferBytes queueBursts activationLanes
    maxTokens lowBitWeights:number? alignedBits:number?
    descriptors:number?`,
  BusLimits:
    "pins transfersPerSecond readLatency refreshInterval refreshesPostponed refreshElapsed",
  DramRank: `kind:dram bankGroups banksPerGroup rows columnsPerRow pins
    mapping:RoBaRaCoCh|ChRaBaRoCo|MOP4CLXOR|RoBaCoBg|RoCoBaBg refresh:None|AllBank|SameBank
    staggered:boolean? sharedCommands:boolean? refreshStart:number? semantics:jedec|ramulator-2.0 queueEntries timing:DramTiming`,
  IdealMemory: "kind:ideal latency burstCycles answers:number?",
  HostPath: "command poll",
  HostSpans: "inputs commanded ended seen outputs",
  LinkWires: "pins transfersPerSecond flight",
  NdpConfig: `model:rtl|cycle plugin:string? parameters:NdpParameters unitClock memoryClock
    limits:BusLimits memory:DramRank|IdealMemory host:HostPath?`,
  NdpRun: `descriptors:Uint32Array keepCommands maxCycles stalls:Stalls? waveform:Waveform?
    checked:boolean?`,
  JobCycles: "taken done",
  NdpTotals: `slot weightSlot stallWeights stallOperand stallOutput activationBatch activationBusy
    descriptorAccepted descriptorEnd inputBurst outputBurst idle pass phaseDown phaseLoad
    phaseGateUp bytesRead`,
  NdpCounts: `slot weightSlot stallWeights stallOperand stallOutput activationBatch activationBusy
    descriptorAccepted descriptorEnd inputBurst outputBurst idle pass phaseDown phaseLoad
    phaseGateUp bytesRead`,
  NdpSeries: "width bins:NdpCounts*",
  NdpPhase: `phase:slot|weightSlot|stallWeights|stallOperand|stallOutput|activationBatch|activationBusy|descriptorAccepted|descriptorEnd|inputBurst|outputBurst|idle|pass|phaseDown|phaseLoad|phaseGateUp
    begin end`,
  PortCounters: `readBursts writeBursts rowHits rowMisses rowConflicts activates precharges refreshes
    refreshCycles busCycles rankRefreshes refreshesDue openBankCycles`,
  NdpCommand: "stream cycle command:ACT|PRE|PREA|RD|WR|REFab|PREsb|REFsb bankGroup bank row column",
  NdpResult: `fault:none|bad-config|assertion-failed|deadlock|guard-failed|protocol|cancelled|cycle-limit
    place:string message:string faultCycle cycles skipped end jobs:JobCycles* events:NdpTotals
    series:NdpSeries phases:NdpPhase* ports:PortCounters* commands:NdpCommand* host:HostSpans*
    machine:MachineGraph times:RunTimes`,
  // Computational storage devices.
  SparfParameters: `channels kernels lanes width maxKeys maxGroup slots ringLines maxPageRows tags
    querySets`,
  CsdFlash: `channels dies planes commandFirst:boolean times:Float64Array ticksPerNs pageBytes blocks
    pagesPerBlock deadChannels:Uint32Array wires:Wires transpositionBytes translation:CsdTranslation
    floors:FlashFloors senseByPageType:Float64Array features:CsdFeatures`,
  CsdFeatures: `cacheRead:boolean cacheTransferNs independentPlanes:none|reads|all suspends:boolean
    suspendCommandNs suspendNs runLeastNs mostSuspends:number? package:FlashPackage?`,
  FlashPackage: "dies most read program erase",
  FlashFloors: "readNs programNs eraseNs",
  CsdEcc: "on:boolean parityBytes latencyNs failedNs intervalNs",
  CsdTranslation: "latencyNs intervalFs inDram:boolean",
  CsdReadPolicy: `rawBitErrorRate retryGain codewordBytes correctableBits mostRetries seed retrySetupNs
    deadTimeoutNs errorsByPageType:Float64Array`,
  CsdDram: "latencyNs lineFs wires:Wires",
  PacketLink: "lanes laneRate latency credits headerBytes mostPayload wires:LinkWires",
  CsdCommands: "replyHeader reads depth",
  CsdLink: "link:PacketLink piece commands:CsdCommands?",
  CsdSharedLink: "link:PacketLink switchLatency",
  CsdConfig: `model:rtl|cycle plugin:string? devices parameters:SparfParameters clock flash:CsdFlash
    reads:CsdReadPolicy ecc:CsdEcc dram:CsdDram link:CsdLink sharedLink:CsdSharedLink? hotPages`,
  CsdJobRow: "device sequence head operation group r k window mean values",
  CsdRun: `jobs:CsdJobRow# rows:Uint16Array inFlight keepPages threads:number? maxCycles stalls:Stalls?
    waveform:Waveform? checked:boolean?`,
  PromptRow: "device sequence head tokens",
  CsdPrompts: "heads:PromptRow# ready:Float64Array rows:Uint16Array maxCycles threads:number?",
  CsdJob: `status:not-done|done|unreadable|refused dimsOnFlash tokensOnFlash keyPages valuePages
    dimPages sent taken done received
    refusedField:none|operation|group|dims-per-page|mode|tokens|k|window|r|dims-on-flash|tokens-on-flash|query-line|sum-line|key-line|value-line|output-line|scale|reciprocal|page-bytes
    nonFinite:boolean outputsEnd dimsEnd tokensEnd alphaEnd`,
  CsdPage: "job copy:token-keys|token-values|dim-keys index channel asked arrived",
  CsdEngine: "pagesRead pagesProgrammed dramReads dramWrites headsBegun headsDone appends busy",
  CsdChannel: "command data beats beatsKept stalled",
  CsdKernel: "rankLogits logits rank softmax attend fold waitKeys waitValues blocked",
  CsdReads: `clean retried uncorrectable channelDead checksum correctedBits hot movesRetried
    movesLost`,
  CsdWrites:
    "pagesWritten pagesMoved erases mostErases leastErases runMoves runErases failedPrograms",
  Traffic: "in out",
  CsdDevice: `fault:none|bad-config|assertion-failed|deadlock|guard-failed|protocol|cancelled|cycle-limit
    place:string message:string faultCycle cycles skipped end engine:CsdEngine
    channels:CsdChannel* kernels:CsdKernel* reads:CsdReads writes:CsdWrites dram:Traffic
    link:Traffic linkWires:Traffic times:RunTimes`,
  SharedLinkCounters: "traffic:Traffic busyIn busyOut",
  CsdResult: `jobs:CsdJob* outputs:Uint16Array dims:Uint32Array tokens:Uint32Array alpha:Float64Array
    pages:CsdPage* devices:CsdDevice[] machine:MachineGraph sharedLink:SharedLinkCounters?`,
  // Several DIMMs, their links and a host.
  Network: `lanes laneRate latency credits bitErrorRate seed topology:chain|ring|mesh|full group parallel
    ideal:boolean
    wires:LinkWires`,
  MoeConfig: `dimm:NdpConfig dimms network:Network forwarding:HostPath? rtlDimms:Uint32Array? threads:number?
    keepCommands:number?`,
  RelayoutRow: "fromDimm fromStream fromBurst toDimm toStream toBurst bursts",
  Move: "links start runs:RelayoutRow#",
  ChunkRow: "chunk subChannel rank burst bursts",
  DeviceTask: "compute chunks:ChunkRow#",
  HostDevice: "name:string pcie:PacketLink? buffers tasks:DeviceTask[] fetched:DeviceTask[]?",
  Contents: "dimm stream burst data:Uint8Array",
  Output: "dimm job burst bursts",
  MoeWork: `jobs:Uint32Array[] moves:Move[] seed devices:HostDevice[] contents:Contents[]
    outputs:Output[]`,
  JobSpan: "taken done",
  TimeSpan: "begin end",
  Flow: "move source target bursts begin end",
  Link: "from to packets payloadBytes wireBytes corrupt outOfOrder busy waits",
  HostCounters: "readBursts writeBursts forwardedBursts activates openBankCycles handOvers held",
  RankCommand: `dimm stream host:boolean cycle command:ACT|PRE|PREA|RD|WR|REFab|PREsb|REFsb bankGroup bank
    row column`,
  MoeResult: `fault:none|bad-config|assertion-failed|deadlock|guard-failed|protocol|cancelled|cycle-limit
    place:string message:string faultCycle end jobs:JobSpan*[] ports:PortCounters*[]
    moves:TimeSpan* flows:Flow* links:Link* units:NdpCounts* devices:TimeSpan*[] pcie:Link*
    host:HostCounters* hostJobs:HostSpans*[] commands:RankCommand* outputs:Uint8Array[] machine:MachineGraph wall`,
  // Memories by themselves.
  DramTiming: `nBL nCL nRCD nRP nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDS_WR nCCDS_WTR nCCDL nCCDL_WR
    nCCDL_WTR nRRDS nRRDL nFAW nRFC1 nRFCsb nREFSBRD nREFI nCS`,
  DramOrganization: `channels ranks bankGroups banksPerGroup rows columnsPerRow channelBits burstLength`,
  DramSemantics: `swappedRankSwitch:boolean spareQueueEntry:boolean oneCompletionACycle:boolean
    refreshIgnoresOpenCommands:boolean noPrechargeGap:boolean firstCycleIntervals:boolean
    refreshAllRanksAtOnce:boolean refreshHoldsAllBanks:boolean noWriteRankGap:boolean
    blockedPickLosesCycle:boolean reordersSameAddress:boolean`,
  DramQueues: "nominal read write active",
  DramMemory: `organization:DramOrganization timing:DramTiming semantics:DramSemantics queues:DramQueues
    writeLowWatermark writeHighWatermark rowPolicy:OpenRowPolicy|ClosedRowPolicy closedRowCap
    refresh:None|AllBank|SameBank mapping:RoBaRaCoCh|ChRaBaRoCo|MOP4CLXOR|RoBaCoBg|RoCoBaBg
    injection:global_fifo|per_channel_fifo acceptsPerCycle`,
  DramReplay: `organization:DramOrganization timing:DramTiming semantics:DramSemantics queues:DramQueues
    writeLowWatermark writeHighWatermark rowPolicy:OpenRowPolicy|ClosedRowPolicy closedRowCap
    refresh:None|AllBank|SameBank mapping:RoBaRaCoCh|ChRaBaRoCo|MOP4CLXOR|RoBaCoBg|RoCoBaBg
    injection:global_fifo|per_channel_fifo acceptsPerCycle commands:boolean completions:boolean`,
  TraceError: "line message:string",
  CommandCounts: "ACT PRE PREA RD WR REFab PREsb REFsb",
  DramLatency: "count mean p50 p99 largest",
  BankCounters: "hits misses conflicts reads writes",
  ChannelReport: `commands:CommandCounts reads writes forwardedReads readQueueCycles writeQueueCycles
    activeQueueCycles openBankCycles readLatency:DramLatency writeLatency:DramLatency banks:BankCounters*`,
  DramReport: "totalCycles channels:ChannelReport[]",
  FlashPage: "channel die plane block page bytes",
  FlashReplay: `channels dies planes commandFirst:boolean times:Float64Array where:FlashPage#
    submit:Float64Array batch:Uint32Array operation:Uint8Array features:FlashFeatures?`,
  FlashFeatures: `cacheRead:boolean cacheTransfer independentPlanes:none|reads|all suspends:boolean
    suspendCommand suspend runLeast mostSuspends:number? package:FlashPackage?`,
  PageTimes: `command:Float64Array dataOut:Float64Array done:Float64Array planes:Uint8Array
    busCommand:Float64Array busData:Float64Array`,
  FlashChains: `channels dies planes commandFirst:boolean times:Float64Array where:FlashPage#
    firstStep:Uint32Array firstPage:Uint32Array inFlight`,
  ChainTimes: `command:Float64Array dataOut:Float64Array done:Float64Array planes:Uint8Array
    busCommand:Float64Array busData:Float64Array started:Float64Array finished:Float64Array`,
  FlashReads: `channels dies planes commandFirst:boolean times:Float64Array where:FlashPage# rawRate
    retryGain codewordBytes correctableBits mostRetries seed parityBytes:number? retrySetup deadTimeout
    deadChannels:Uint32Array`,
  ReadAnswers: `status:Uint32Array attempts:Uint32Array correctedBits:Uint32Array done:Float64Array
    busCommand:Float64Array busData:Float64Array`,
  FlashKv: "channels dies planes blocks pagesPerBlock width pageBytes script:Uint32Array",
  CxlStream: "lanes flit:68-bytes|256-bytes lines inFlight latency lineTime",
  CxlTimes: "first last rate wires limit",
  // One Verilated unit whose ports are driven in batches.
  UnitLane: "into:boolean bit valid ready:number? words:Uint32Array",
  UnitConfig: `plugin:string name:string seed lanes:UnitLane[]
    strobes:Uint32Array`,
  UnitMessages: "lane words:Uint32Array pauses:Uint32Array",
  UnitPauses: "lane seed probability",
  UnitAnswers: "asked lane latency words:Uint32Array",
  UnitCount: "lane lanes count",
  UnitWord: "word value",
  UnitSeen: "lane words:UnitWord[]",
  UnitRun: `cycles sends:UnitMessages[] pauses:UnitPauses[] answers:UnitAnswers[] sets:UnitWord[]
    counts:UnitCount[] words:UnitWord[] seen:UnitSeen[] rest:number? waveform:Waveform?`,
  UnitTaken: "lane moved words:Uint32Array cycles:Uint32Array waiting",
  ProbeConfig: "plugin:string",
  ProbeRun: "cycles",
  ProbeResult: "found:boolean",
  UnitLine: "cycle text:string",
  UnitResult: `fault:none|bad-config|assertion-failed|deadlock|guard-failed|protocol|cancelled|cycle-limit
    place:string message:string faultCycle reached:boolean cycle
    lanes:UnitTaken[] outputs:Uint32Array strobes:Float64Array messages:UnitLine[] lostMessages`,
  FlashKvResult: `work:Uint32Array workAfter:Uint32Array located:Uint32Array full hostWrites moves erases
    mostErases leastErases`,
} as const;

/** Calls of a session begin with its handle; runs are told of progress and give a promise. */
export const calls = {
  // An NDP DIMM.
  ndpOpen: "NdpConfig -> handle",
  ndpDescribe: "handle -> MachineGraph",
  ndpClear: "handle -> void",
  ndpLoad: "handle stream:number burst:number bytes:Uint8Array -> void",
  ndpKeep: "handle stream:number -> StreamContents",
  ndpRestore: "handle stream:number contents:StreamContents -> void",
  ndpRead: "handle stream:number burst:number bursts:number -> Uint8Array",
  ndpRun: "handle NdpRun progress -> Promise<NdpResult>",
  ndpCancel: "handle -> void",
  ndpAbandon: "handle -> boolean",
  ndpClose: "handle -> void",
  // Computational storage devices.
  csdOpen: "CsdConfig -> handle",
  csdDescribe: "handle -> MachineGraph",
  csdSequence: "handle device:number heads:number dimsPerPage:number padded:boolean -> number",
  csdPages: `handle device:number sequence:number head:number keys:Uint16Array values:Uint16Array
    -> HeadPages`,
  csdPrefill: "handle device:number sequence:number head:number pages:HeadPages -> void",
  csdKeep: "handle -> FilledDevices",
  csdRestore: "handle filled:FilledDevices -> void",
  csdCloseSequence: "handle device:number sequence:number -> void",
  csdPlant: `handle device:number sequence:number head:number copy:token-keys|token-values|dim-keys
    index:number bit:number -> void`,
  csdRun: "handle CsdRun progress -> Promise<CsdResult>",
  csdWrite: "handle CsdPrompts progress -> Promise<CsdResult>",
  csdCancel: "handle -> void",
  csdAbandon: "handle -> boolean",
  csdClose: "handle -> void",
  // Several DIMMs, their links and a host.
  moeOpen: "MoeConfig -> handle",
  moeRun: "handle MoeWork progress -> Promise<MoeResult>",
  moeCancel: "handle -> void",
  moeAbandon: "handle -> boolean",
  moeClose: "handle -> void",
  // One Verilated unit.
  unitOpen: "UnitConfig -> handle",
  unitReset: "handle seed:number -> void",
  unitRun: "handle UnitRun progress -> Promise<UnitResult>",
  unitCancel: "handle -> void",
  unitAbandon: "handle -> boolean",
  unitClose: "handle -> void",
  // The look for paths from inputs to outputs that a unit of a machine must not have.
  probeOpen: "ProbeConfig -> handle",
  probeRun: "handle ProbeRun progress -> Promise<ProbeResult>",
  probeCancel: "handle -> void",
  probeAbandon: "handle -> boolean",
  probeClose: "handle -> void",
  // Memories and links by themselves.
  dramReplayOpen: "DramReplay -> handle",
  dramReplayFeed: "handle bytes:Uint8Array -> TraceError?",
  dramReplayFinish: "handle -> TraceError?",
  dramReplayGoOn: "handle -> TraceError?",
  dramReplayBusy: "handle -> boolean",
  dramReplayCommands: "handle -> Uint8Array",
  dramReplayCompletions: "handle -> Uint8Array",
  dramReplayLines: "handle -> number",
  dramReplayReport: "handle -> DramReport",
  dramReadyAt: "config:DramMemory past:Float64Array next:Float64Array -> number",
  flashReplay: "FlashReplay -> PageTimes",
  flashChains: "FlashChains -> ChainTimes",
  flashReads: "FlashReads -> ReadAnswers",
  flashKv: "FlashKv -> FlashKvResult",
  cxlStream: "CxlStream -> CxlTimes",
  hta1: `seed:number length:number width:number part:queries|keys|values from:number to:number
    -> Uint16Array`,
} as const;

/** A record by its name. */
export type Native<Name extends keyof typeof records> = TypeOf<Name, typeof records>;

/** The functions of the addon. */
export type Binding = {
  readonly [Name in keyof typeof calls]: CallType<(typeof calls)[Name], typeof records>;
};
