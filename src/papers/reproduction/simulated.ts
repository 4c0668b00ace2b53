// SPDX-License-Identifier: Apache-2.0
// The experiments that run on the simulated machine, `neardata reproduce --fidelity cycle`, and those
// that run the units' RTL in it, `--fidelity rtl`.

import type { SimulatedExperiment } from "../experiment/experiment.ts";
import { cycleFigures, cycleLayers, layerOnEngine } from "../instinfer/figures/cycle.ts";
import { deviceStepsExperiment } from "../instinfer/figures/device-steps.ts";
import { devicesOnEngine } from "../instinfer/figures/devices.ts";
import { decodeOnEngine } from "../instinfer/figures/lengths.ts";
import { engineLab } from "../instinfer/figures/lab.ts";
import { prefillOnDevices } from "../instinfer/figures/prefill-device.ts";
import { simulatedFigure1 } from "../trimoe/figures/figure-1.ts";
import { simulatedFigure6 } from "../trimoe/figures/figure-6.ts";
import { simulatedFigure7 } from "../trimoe/figures/figure-7.ts";
import { simulatedFigure8 } from "../trimoe/figures/figure-8.ts";
import { simulatedFigure9 } from "../trimoe/figures/figure-9.ts";
import { simulatedSmallBatches } from "../trimoe/figures/small-batches.ts";
import { simulatedTable3 } from "../trimoe/figures/table-3.ts";
import { layerExperiment } from "../trimoe/figures/cycle/cycle.ts";
import { layerLab } from "../trimoe/figures/lab.ts";
import { commandBusesExperiment } from "../trimoe/figures/command-buses.ts";
import { layerTopologiesExperiment } from "../trimoe/figures/layer-topologies.ts";
import { overheadsExperiment } from "../trimoe/figures/overheads.ts";
import { movesExperiment } from "../trimoe/figures/moves.ts";
import { relayoutExperiment } from "../trimoe/figures/relayout.ts";
import { topologiesExperiment } from "../trimoe/figures/topologies.ts";
import { rtlLayerExperiment, type RtlOptions } from "../trimoe/figures/rtl.ts";

/** All simulated experiments; shared runs are simulated once, `workers` layers at a time. */
export function cycleExperiments(workers: number): readonly SimulatedExperiment[] {
  const layers = layerLab(workers);
  const engine = engineLab("cycle");
  return [
    relayoutExperiment,
    topologiesExperiment,
    layerTopologiesExperiment(layers),
    commandBusesExperiment(layers),
    overheadsExperiment(layers),
    movesExperiment(layers),
    layerExperiment(layers),
    simulatedFigure1(layers),
    simulatedFigure6(layers),
    simulatedFigure7(layers),
    simulatedTable3(layers),
    simulatedFigure8(layers),
    simulatedFigure9(layers),
    simulatedSmallBatches(layers),
    layerOnEngine(engine, cycleLayers),
    decodeOnEngine(engine),
    ...cycleFigures(engine),
    deviceStepsExperiment("cycle"),
    devicesOnEngine("cycle"),
    prefillOnDevices("cycle"),
  ];
}

/** Cold experts of a layer on their RTL; a layer's attention on the engine's. */
export function rtlExperiments(options: RtlOptions): readonly SimulatedExperiment[] {
  const layers = cycleLayers.filter(({ flash, devices }) => flash === "znand4k" && devices === 1);
  return [rtlLayerExperiment(options), layerOnEngine(engineLab("rtl"), layers)];
}
