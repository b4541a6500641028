import { COMMON_FAULTS, FAULTS } from './faults.ts'
import type { SimulatedModel } from '../simulated-models.ts'
import { SIMULATED_MODELS } from '../simulated-models.ts'

/** One model per fault: text for all of them, the other modalities for those that suit them. */
export function faultyModels(): SimulatedModel[] {
  const names = Object.keys(FAULTS)
  const ofVideos = names.filter((name) => name.startsWith('video-'))
  const ofSpeech = names.filter((name) => name.startsWith('audio-'))
  return [
    ...names
      .filter((name) => !/^(?:video|audio|picture)-/.test(name) && name !== 'bad-vectors')
      .map((fault) => copyOf('sim/hekima', `sim/fault-${fault}`)),
    ...[...COMMON_FAULTS, 'bad-vectors'].map((fault) =>
      copyOf('sim/vekta', `sim/embeddings-fault-${fault}`),
    ),
    ...['picture-huge', ...COMMON_FAULTS].map((fault) =>
      copyOf('sim/picha', `sim/image-fault-${fault}`),
    ),
    ...COMMON_FAULTS.map((fault) => copyOf('sim/sikia', `sim/transcription-fault-${fault}`)),
    ...[...ofSpeech, ...COMMON_FAULTS].map((fault) =>
      copyOf('sim/sema', `sim/speech-fault-${fault}`),
    ),
    ...[...ofVideos, ...COMMON_FAULTS].map((fault) =>
      copyOf('sim/filamu', `sim/video-fault-${fault}`),
    ),
  ]
}

/** A request may name any fault, listed or not; the first word of the id names the modality. */
export function faultyModel(id: string): SimulatedModel {
  const kind = /\/([a-z]+)-fault-/.exec(id)?.[1]
  const model = SIMULATED_MODELS.find((model) => model.kind === kind) ?? SIMULATED_MODELS[0]!
  return { ...model, id }
}

function copyOf(original: string, id: string): SimulatedModel {
  const model = SIMULATED_MODELS.find((each) => each.id === original)!
  return { ...model, id, name: `Sim: ${id.slice(4)}` }
}
